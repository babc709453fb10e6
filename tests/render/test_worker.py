from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from render import RENDERER_VERSION, wire
from render.snapshot import LoopRequest, SnapshotRequest, Studio


class Child:
    """The real process at the other end of two pipes."""

    def __init__(self, cache: Path, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "render.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "OTOMO_CACHE_DIR": str(cache), **environment},
        )

    def ask(self, **request: Any) -> tuple[dict[str, Any], bytes]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(wire.pack(request))
        self.process.stdin.flush()
        answer = wire.read(self.process.stdout)
        assert answer is not None
        return answer

    def end(self) -> tuple[int, bytes]:
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, said


@pytest.fixture
def child(studio: Studio, tmp_path: Path) -> Iterator[Child]:
    started = Child(tmp_path / "cache")
    yield started
    if started.process.poll() is None:
        started.process.kill()
        started.process.communicate()


def test_it_serves_until_its_input_ends(child: Child, doll_file: str, tmp_path: Path) -> None:
    header, _ = child.ask(do="ping")
    assert header["ok"]
    assert header["backend"] in ("egl", "osmesa")
    assert header["renderer"] == RENDERER_VERSION
    header, _ = child.ask(do="expressions", model=doll_file)
    assert header["expressions"] == ["happy", "shy"]
    request = SnapshotRequest(doll_file, "happy", 0.5, size_px=64)
    header, body = child.ask(do="snapshot", **request.to_wire())
    assert header["ok"]
    assert len(header["model_hash"]) == 64
    assert body.startswith(b"\x89PNG")
    code, said = child.end()
    assert (code, said) == (0, b"")
    assert (tmp_path / "cache" / "shaders").is_dir()


def test_its_pictures_are_those_of_the_studio(child: Child, studio: Studio, doll_file: str) -> None:
    request = SnapshotRequest(doll_file, size_px=96, emotion="happy")
    assert child.ask(do="snapshot", **request.to_wire())[1] == studio.snapshot(request)


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ({"do": "dance"}, "BadRequestError"),
        ({}, "BadRequestError"),
        ({"do": "snapshot"}, "BadRequestError"),
        ({"do": "snapshot", "model": "/nowhere/she.vrm"}, "BadRequestError"),
        ({"do": "snapshot", "model": __file__}, "VrmError"),
        ({"do": "expressions", "model": 5}, "BadRequestError"),
    ],
)
def test_failures_are_answers(child: Child, request_: dict[str, Any], error: str) -> None:
    header, body = child.ask(**request_)
    assert (header["ok"], header["error"], body) == (False, error, b"")
    assert header["message"]
    assert child.ask(do="ping")[0]["ok"]


def test_without_egl_it_uses_osmesa_or_says_what_is_missing(tmp_path: Path, doll_file: str) -> None:
    child = Child(tmp_path, OTOMO_GL_BACKEND="osmesa")
    header, _ = child.ask(do="ping")
    request = SnapshotRequest(doll_file, size_px=64).to_wire()
    if header["ok"]:
        assert header["backend"] == "osmesa"
        assert child.ask(do="snapshot", **request)[1].startswith(b"\x89PNG")
    else:
        assert header["error"] == "NoGraphicsError"
        assert "libosmesa6" in header["message"]
        assert child.ask(do="snapshot", **request)[0]["error"] == "NoGraphicsError"
        assert child.ask(do="expressions", model=doll_file)[0]["expressions"] == ["happy", "shy"]
    assert child.end()[0] == 0


def test_a_loop_comes_back(child: Child, doll_file: str) -> None:
    request = LoopRequest(doll_file, size_px=64, action="greeting", fps=5)
    header, body = child.ask(do="loop", **request.to_wire())
    assert (header["ok"], header["format"], body[8:12]) == (True, "webp", b"WEBP")
