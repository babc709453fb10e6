"""Sets up .venv with the locked dependencies, using nothing but the standard library.

`make run` and `make test` call it. It does nothing when all is as the lock files say, so a repeat costs
milliseconds. It runs before any dependency exists: it must import nothing but the standard library.
"""

from __future__ import annotations

import argparse
import ctypes.util
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "otomo-installed"
TORCH = "torch==2.13.0"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
GL_PACKAGES = ("libegl1", "libgl1", "libgl1-mesa-dri")
QUICK = ("--quiet", "--quiet", "--no-deps", "--no-compile")
"""Of what is installed she imports a small part, which Python compiles at the first start."""
WHEELS = ("--only-binary", ":all:", "--no-binary", "forbiddenfruit")
"""Nothing is built here, but for one small package of the tests, which is published as source alone."""
TORCH_MISSING = (
    "no CPU build of torch could be had: she starts with keyword memory. To add memory by meaning later, "
    f"install {TORCH} (a CPU build) into .venv."
)


def main() -> int:
    """Install what is missing; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dev", action="store_true", help="also what the tests need")
    wanted = parser.parse_args()
    locks = [ROOT / "requirements.lock", *([ROOT / "requirements-dev.lock"] if wanted.dev else [])]
    if _installed(locks):
        return 0
    try:
        _make_venv()
        _install(locks)
    except subprocess.CalledProcessError as error:
        print(f"otomo: the installation stopped at: {' '.join(map(str, error.cmd))}", file=sys.stderr)
        return 1
    _gl_libraries()
    STAMP.write_text(_fingerprint(locks))
    return 0


def _installed(locks: list[Path]) -> bool:
    """Tell whether the stamp covers these lock files (a development install covers a plain one)."""
    if not STAMP.is_file():
        return False
    done = set(STAMP.read_text().split())
    return set(_fingerprint(locks).split()) <= done


def _fingerprint(locks: Iterable[Path]) -> str:
    files = [ROOT / "pyproject.toml", Path(__file__), *locks]
    place = hashlib.sha256(f"{ROOT} {sys.version_info[:2]}".encode()).hexdigest()
    return "\n".join([place, *(hashlib.sha256(path.read_bytes()).hexdigest() for path in files)])


def _make_venv() -> None:
    if sys.version_info < (3, 11):  # noqa: UP036 - this file runs on whatever Python is there
        raise SystemExit(f"otomo: Python 3.11 or newer is needed, this is {platform.python_version()}")
    if (VENV / "bin" / "python").exists() and _pip("--version", quiet=True) == 0:
        return
    print("otomo: making .venv", flush=True)
    try:
        venv.EnvBuilder(with_pip=True, clear=True).create(VENV)
    except (subprocess.CalledProcessError, SystemExit):
        raise SystemExit(
            "otomo: Python's venv module is incomplete; on Debian and Ubuntu: apt-get install python3-venv"
        ) from None


def _install(locks: list[Path]) -> None:
    print("otomo: installing the locked dependencies (once; a minute or two)", flush=True)
    for lock in locks:
        _run("install", *QUICK, "--require-hashes", *WHEELS, "-r", str(lock))
    _run("install", *QUICK, "--editable", str(ROOT))
    if not _torch():
        print(f"otomo: {TORCH_MISSING}", flush=True)


def _torch() -> bool:
    """Install a CPU build of torch from the first place that has one; a CUDA build is never taken."""
    if _pip("show", "--quiet", "torch", quiet=True) == 0:
        return True
    for place in ([], ["--index-url", CPU_INDEX]):
        if _is_cpu_build(place):
            return _pip("install", *QUICK, *place, TORCH) == 0
    return False


def _is_cpu_build(place: list[str]) -> bool:
    """Ask pip what it would install, without downloading it."""
    command = [*_pip_command("install"), "--quiet", "--dry-run", "--no-deps", "--ignore-installed"]
    command += ["--retries", "1", "--timeout", "20", "--only-binary", ":all:", "--report", "-", *place, TORCH]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        return False
    metadata = json.loads(answer.stdout)["install"][0]["metadata"]
    if sys.platform != "linux":
        return True
    needs = " ".join(metadata.get("requires_dist", []))
    return "nvidia" not in needs and "cuda" not in needs


def _gl_libraries() -> None:
    """Install what software rendering needs, where this user may; else say what is missing."""
    if sys.platform != "linux" or ctypes.util.find_library("EGL") or ctypes.util.find_library("OSMesa"):
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _apt_get("update")
        if _apt_get("install", "-y", "--no-install-recommends", *GL_PACKAGES) == 0:
            return
    print(
        f"otomo: her face falls back to ready-made pictures until these are installed: {' '.join(GL_PACKAGES)}"
    )


def _apt_get(*arguments: str) -> int:
    quiet = subprocess.DEVNULL
    return subprocess.run(["apt-get", *arguments], check=False, stdout=quiet, stderr=quiet).returncode


def _pip_command(verb: str) -> list[str]:
    return [str(VENV / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", verb]


def _pip(verb: str, *arguments: str, quiet: bool = False) -> int:
    output = subprocess.DEVNULL if quiet else None
    return subprocess.run(
        [*_pip_command(verb), *arguments], check=False, stdout=output, stderr=output
    ).returncode


def _run(verb: str, *arguments: str) -> None:
    subprocess.run([*_pip_command(verb), *arguments], check=True)


if __name__ == "__main__":
    raise SystemExit(main())
