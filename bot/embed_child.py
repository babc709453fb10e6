"""The child process that turns text into meaning: `python -m bot.embed_child`, spoken to by `render.wire`.

Requests: {"do": "load", ...} loads a model, {"do": "embed", "texts": [...], ...} answers one vector a text
as little-endian float32 in the body. Both name the `model` (a name or a folder) and the `packages` that may
stand in for it, so that a child started again serves at once; only "load" with `download` touches the
network. The heavy libraries are imported at the first model, in one thread.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from render import wire

PROBE_S: Final = 5.0
"""How long the one probe of the network may take. Without it a load offline fails only after minutes."""
HUB_OWNER: Final = "sentence-transformers"
"""Whose a model is when its name has no owner."""
NOT_NEEDED: Final = ("onnx/*", "openvino/*", "*.onnx", "*.h5", "*.ot", "*.msgpack", "pytorch_model.bin")
NICE: Final = 5
BATCH: Final = 32

Answer = tuple[dict[str, Any], bytes]


class NoModel(Exception):
    """No model can be had; the text says what was tried."""


@dataclass(slots=True)
class Loaded:
    """A model that is ready, the name its vectors carry and where it came from."""

    wanted: str
    name: str
    source: str
    encoder: Any


def main() -> int:
    """Serve until standard input closes; return the exit code."""
    # Libraries print: whatever goes to standard output from here on must not mix with the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    os.nice(NICE)
    os.environ.update(TOKENIZERS_PARALLELISM="false", OMP_NUM_THREADS="1")
    serve(sys.stdin.buffer, answers)
    return 0


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests from one stream on the other until the first ends."""
    loaded: Loaded | None = None
    while (message := wire.read(requests)) is not None:
        try:
            request = message[0]
            if loaded is None or loaded.wanted != request["model"]:
                loaded = load(request["model"], request["packages"], download=bool(request.get("download")))
            header, body = _answer(loaded, request)
        except NoModel as error:
            header, body = {"ok": False, "error": "NoModel", "message": str(error)}, b""
        answers.write(wire.pack(header, body))
        answers.flush()


def load(wanted: str, packages: list[str], *, download: bool) -> Loaded:
    """Load a model: its folder, the local cache, the network after one probe, else a packaged one.

    Args:
        wanted: A model's name, or the path of its folder.
        packages: Modules that bring a model with them (`get_model_path()`).
        download: Whether the network may be asked.

    Raises:
        NoModel: None of these has one.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        raise NoModel("sentence-transformers is not installed")
    tried: list[str] = []
    for name, source, folder in _places(wanted, packages, tried, download=download):
        try:
            return Loaded(wanted, name, source, _encoder(folder))
        except (OSError, ValueError, KeyError) as error:  # a folder that holds no model, or half of one
            tried.append(f"{folder}: {type(error).__name__}")
    raise NoModel("; ".join(tried))


def _places(wanted: str, packages: list[str], tried: list[str], *, download: bool) -> Any:
    """Yield name, kind of place and folder of each model at hand, the wanted one first."""
    folder = Path(wanted).expanduser()
    if folder.is_dir():
        yield folder.absolute().name, "folder", folder
    elif wanted.count("/") <= 1:
        found = _from_hub(wanted, tried, download=download)
        if found is not None:
            yield wanted.rpartition("/")[2], "hub", found
    else:
        tried.append(f"{wanted}: no such folder")
    for package in packages:
        if importlib.util.find_spec(package) is None:
            tried.append(f"{package}: not installed")
            continue
        path = Path(importlib.import_module(package).get_model_path())
        yield package, "package", path


def _from_hub(wanted: str, tried: list[str], *, download: bool) -> Path | None:
    from huggingface_hub import constants, snapshot_download

    model = wanted if "/" in wanted else f"{HUB_OWNER}/{wanted}"
    try:
        return Path(snapshot_download(model, local_files_only=True, ignore_patterns=list(NOT_NEEDED)))
    except (OSError, ValueError):
        tried.append(f"{wanted}: not in the cache")
    if not download or constants.HF_HUB_OFFLINE or not _is_online(constants.ENDPOINT):
        tried.append("no network")
        return None
    try:
        return Path(snapshot_download(model, ignore_patterns=list(NOT_NEEDED)))
    except (OSError, ValueError) as error:
        tried.append(f"download: {type(error).__name__}")
        return None


def _is_online(endpoint: str) -> bool:
    request = urllib.request.Request(endpoint, method="HEAD")
    try:
        with urllib.request.urlopen(request, timeout=PROBE_S):
            return True
    except urllib.error.HTTPError as error:
        return error.code < 500
    except (OSError, ValueError):
        return False


def _encoder(folder: Path) -> Any:
    """Load a model from its folder; from here on nothing may ask the network."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from huggingface_hub import constants

    constants.HF_HUB_OFFLINE = True
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    return SentenceTransformer(str(folder), device="cpu", local_files_only=True)


def _answer(loaded: Loaded, request: dict[str, Any]) -> Answer:
    import numpy as np

    texts = [str(text) for text in request.get("texts", ())]
    vectors = loaded.encoder.encode(
        texts or ["a text, for its number of dimensions"],
        batch_size=BATCH,
        normalize_embeddings=True,
        convert_to_numpy=True,
        show_progress_bar=False,
    )[: len(texts)]
    header = {"ok": True, "name": loaded.name, "source": loaded.source, "count": len(texts)}
    return {**header, "dimensions": int(vectors.shape[1])}, vectors.astype(np.dtype("<f4")).tobytes()


if __name__ == "__main__":
    raise SystemExit(main())
