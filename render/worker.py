"""The child process that draws: `python -m render.worker`, spoken to by `render.wire` over stdin/stdout.

Requests: {"do": "snapshot", ...fields of SnapshotRequest}, {"do": "loop", ...fields of LoopRequest},
{"do": "expressions", "model": ...}, {"do": "clip", "action": ...} (is it a clip that can be played?) and
{"do": "ping"}. It does one thing at a time, ends when its input ends, and may be killed at any moment.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Final

Answer = tuple[dict[str, Any], bytes]


def main() -> int:
    """Serve until standard input closes; return the exit code."""
    # Libraries print: whatever goes to standard output from here on must not mix with the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    cache_dir = _use_cache_dir()
    # After the environment is set: the driver reads it when it is loaded.
    from render.snapshot import Studio

    studio = Studio(cache_dir)
    try:
        serve(studio, sys.stdin.buffer, answers)
    finally:
        studio.close()
    return 0


def serve(studio: Any, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests from one stream on the other until the first ends.

    Args:
        studio: A `render.snapshot.Studio`.
        requests: Where messages are read from.
        answers: Where answers are written to.
    """
    from render import wire

    while (message := wire.read(requests)) is not None:
        header, body = answer(studio, message[0])
        answers.write(wire.pack(header, body))
        answers.flush()


def answer(studio: Any, request: dict[str, Any]) -> Answer:
    """Do one request; everything foreseen that fails becomes an answer with `ok` false."""
    from render.errors import BadRequestError, RenderError

    task = _TASKS.get(str(request.get("do")))
    try:
        if task is None:
            raise BadRequestError(f"unknown request {request.get('do')!r}")
        return task(studio, request)
    except (RenderError, OSError, MemoryError) as error:
        return {"ok": False, "error": type(error).__name__, "message": str(error)}, b""


def _snapshot(studio: Any, request: dict[str, Any]) -> Answer:
    from render.requests import SnapshotRequest

    wanted = SnapshotRequest.from_wire(request)
    picture = studio.snapshot(wanted)
    return {"ok": True, "format": wanted.format, "model_hash": studio.digest(wanted.model)}, picture


def _loop(studio: Any, request: dict[str, Any]) -> Answer:
    from render.requests import LoopRequest

    wanted = LoopRequest.from_wire(request)
    moving = studio.loop(wanted)
    return {"ok": True, "format": wanted.format, "model_hash": studio.digest(wanted.model)}, moving


def _expressions(studio: Any, request: dict[str, Any]) -> Answer:
    from render.errors import BadRequestError

    model = request.get("model")
    if not isinstance(model, str):
        raise BadRequestError("an expressions request names a model")
    names = list(studio.expressions(model))
    return {"ok": True, "expressions": names, "model_hash": studio.digest(model)}, b""


def _clip(studio: Any, request: dict[str, Any]) -> Answer:
    from render import wardrobe
    from render.errors import BadRequestError

    action = request.get("action")
    if not isinstance(action, str):
        raise BadRequestError("a clip request names an action")
    clip = wardrobe.clip(action)
    return {"ok": True, "duration_s": clip.duration_s, "loops": clip.loops}, b""


def _ping(studio: Any, request: dict[str, Any]) -> Answer:
    from render import RENDERER_VERSION

    return {"ok": True, "renderer": RENDERER_VERSION, "pid": os.getpid(), **studio.backend()}, b""


_TASKS: Final[dict[str, Callable[[Any, dict[str, Any]], Answer]]] = {
    "snapshot": _snapshot,
    "loop": _loop,
    "expressions": _expressions,
    "clip": _clip,
    "ping": _ping,
}


def _use_cache_dir() -> Path | None:
    base = os.environ.get("OTOMO_CACHE_DIR")
    if not base:
        return None
    shaders = Path(base) / "shaders"
    try:
        shaders.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    # Compiled shaders on disk bring the first picture of a process from 0.4 s to 0.05 s.
    os.environ.setdefault("MESA_SHADER_CACHE_DIR", str(shaders))
    return Path(base)


if __name__ == "__main__":
    sys.exit(main())
