"""How much of an avatar file is taken before it is refused; every limit is checked before the work."""

from __future__ import annotations

from typing import Final

MAX_FILE_BYTES: Final = 64 << 20
MAX_JSON_BYTES: Final = 4 << 20
MAX_ACCESSOR_BYTES: Final = 64 << 20
MAX_DECODED_BYTES: Final = 192 << 20
"""All arrays that are copied out of the file together (views on the file itself are free)."""
MAX_NODES: Final = 8192
MAX_NODE_DEPTH: Final = 256
MAX_METRES: Final = 1e6
"""How far from the origin a node or vertex may be: beyond it arithmetic in 32 bits breaks down."""
MAX_JOINTS: Final = 4096
MAX_PRIMITIVES: Final = 1024
MAX_VERTICES: Final = 1_000_000
"""Of all primitives together; a detailed figure has 60,000."""
MAX_INDICES: Final = 6_000_000
MAX_MORPH_ROWS: Final = 24_000_000
"""Morph targets times vertices of all primitives together."""
MAX_MATERIALS: Final = 1024
MAX_EXPRESSIONS: Final = 512
MAX_BINDS: Final = 16_384
MAX_IMAGES: Final = 128
MAX_IMAGE_SIDE_PX: Final = 4096
MAX_IMAGE_PIXELS: Final = 256_000_000
"""Of all images together, by their headers."""
TEXTURE_SIDE_PX: Final = 1024
"""Larger textures are scaled down when they are read: a picture of 1024 px shows no more."""
