"""Frames to a looping file: animated WebP, or MP4 (H.264)."""

from __future__ import annotations

import io
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from PIL import Image

from render.vrm.textures import Pixels


def webp(frames: Iterable[Pixels], fps: int) -> bytes:
    """Return an endlessly looping WebP of (h, w, 3 or 4) frames."""
    pictures = [Image.fromarray(np.ascontiguousarray(frame)) for frame in frames]
    out = io.BytesIO()
    pictures[0].save(
        out,
        "WEBP",
        save_all=True,
        append_images=pictures[1:],
        duration=round(1000 / fps),
        loop=0,
        quality=82,
        method=2,
    )
    return out.getvalue()


def mp4(frames: Iterable[Pixels], fps: int, side_px: int) -> bytes:
    """Return an MP4 of (side_px, side_px, 3) frames, an even size; messengers loop it as an animation."""
    import av

    out = io.BytesIO()
    with av.open(out, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=Fraction(fps))
        stream.width = stream.height = side_px
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": "21", "preset": "veryfast"}
        for frame in frames:
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), "rgb24")
            container.mux(stream.encode(picture))
        container.mux(stream.encode())
    return out.getvalue()
