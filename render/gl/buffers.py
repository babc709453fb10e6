"""What lives on the graphics side: vertex buffers, textures and the picture drawn into."""

from __future__ import annotations

import ctypes
from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt
from OpenGL import GL

from render.errors import NoGraphicsError
from render.gl.mipmaps import halved
from render.vrm.accessors import Floats
from render.vrm.meshes import Indices, Primitive
from render.vrm.textures import Pixels, Sampling

_FLOAT_BYTES = 4
_SLAB_M = 0.03


class VertexBuffer:
    """One primitive: positions and normals change with pose and face, the rest never does.

    `key` says what the changing half holds now, so that it is uploaded only when that changes;
    `corners` (8, 4) are those of its box in the world, as homogeneous points. `order` (3 m,) are the
    primitive's indices in the order they are drawn.
    """

    def __init__(self, primitive: Primitive, order: Indices) -> None:
        self.key: Hashable = None
        self.corners = np.zeros((8, 4))
        self._index_count = len(order)
        self._array = int(GL.glGenVertexArrays(1))
        self._moving, self._fixed, self._elements = (int(name) for name in GL.glGenBuffers(3))
        GL.glBindVertexArray(self._array)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._moving)
        size = len(primitive.positions) * 6 * _FLOAT_BYTES
        GL.glBufferData(GL.GL_ARRAY_BUFFER, size, None, GL.GL_DYNAMIC_DRAW)
        self._attribute(0, 3, stride=6, offset=0)
        self._attribute(1, 3, stride=6, offset=3)
        uv = np.ascontiguousarray(primitive.uv, np.float32)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._fixed)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, uv.nbytes, uv, GL.GL_STATIC_DRAW)
        self._attribute(2, 2, stride=2, offset=0)
        self._tint = self._tinted(primitive)
        GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, self._elements)
        indices = np.ascontiguousarray(order)
        GL.glBufferData(GL.GL_ELEMENT_ARRAY_BUFFER, indices.nbytes, indices, GL.GL_STATIC_DRAW)
        GL.glBindVertexArray(0)

    def upload(self, positions: Floats, normals: Floats) -> None:
        """Send positions and normals, (n, 3) each."""
        if len(positions):
            self.corners = _corners(positions.min(axis=0), positions.max(axis=0))
        both = np.empty((len(positions), 6), np.float32)
        both[:, :3], both[:, 3:] = positions, normals
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._moving)
        GL.glBufferSubData(GL.GL_ARRAY_BUFFER, 0, both.nbytes, both)

    def draw(self) -> None:
        """Draw all triangles with the current program."""
        GL.glBindVertexArray(self._array)
        GL.glDrawElements(GL.GL_TRIANGLES, self._index_count, GL.GL_UNSIGNED_INT, ctypes.c_void_p(0))

    def delete(self) -> None:
        """Free the buffers."""
        GL.glDeleteVertexArrays(1, [self._array])
        buffers = [self._moving, self._fixed, self._elements, *self._tint]
        GL.glDeleteBuffers(len(buffers), buffers)

    def _tinted(self, primitive: Primitive) -> list[int]:
        if primitive.colors is None:
            return []
        name = int(GL.glGenBuffers(1))
        colors = np.ascontiguousarray(primitive.colors, np.float32)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, name)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, colors.nbytes, colors, GL.GL_STATIC_DRAW)
        self._attribute(3, 4, stride=4, offset=0)
        return [name]

    @staticmethod
    def _attribute(location: int, components: int, *, stride: int, offset: int) -> None:
        start = ctypes.c_void_p(offset * _FLOAT_BYTES)
        GL.glVertexAttribPointer(location, components, GL.GL_FLOAT, False, stride * _FLOAT_BYTES, start)
        GL.glEnableVertexAttribArray(location)


def _corners(low: Floats, high: Floats) -> npt.NDArray[np.float64]:
    corners = np.ones((8, 4))
    for axis in range(3):
        corners[:, axis] = np.where(np.arange(8) >> axis & 1, high[axis], low[axis])
    return corners


def front_first(indices: Indices, depths: npt.NDArray[np.floating[Any]]) -> Indices:
    """Return triangles reordered so that what is in front is drawn first and what it hides costs nothing.

    Args:
        indices: (3 m,) indices of triangles.
        depths: (n,) how far each vertex reaches to the viewer, metres.
    """
    triangles = indices.reshape(-1, 3)
    # In slabs: neighbours stay together, and a software driver works out each vertex only once.
    slabs = np.floor(depths[triangles].mean(axis=1) / _SLAB_M)
    return triangles[np.argsort(-slabs, kind="stable")].reshape(-1)


def upload_texture(pixels: Pixels, sampling: Sampling) -> int:
    """Send (h, w, 4) pixels as a texture, with mipmaps where its filter wants them; return its name."""
    name = int(GL.glGenTextures(1))
    GL.glBindTexture(GL.GL_TEXTURE_2D, name)
    GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 1)
    magnify, minify = sampling.filters
    if minify == GL.GL_LINEAR_MIPMAP_LINEAR:
        # The picture is drawn at twice its size: the third interpolation is not seen but costs a fifth.
        minify = GL.GL_LINEAR_MIPMAP_NEAREST
    stored = GL.GL_SRGB8_ALPHA8 if sampling.srgb else GL.GL_RGBA8
    levels = [pixels] if minify in (GL.GL_NEAREST, GL.GL_LINEAR) else halved(pixels, srgb=sampling.srgb)
    for number, level in enumerate(levels):
        height, width = level.shape[:2]
        data = np.ascontiguousarray(level)
        GL.glTexImage2D(
            GL.GL_TEXTURE_2D, number, stored, width, height, 0, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, data
        )
    for key, value in (
        (GL.GL_TEXTURE_MAG_FILTER, magnify),
        (GL.GL_TEXTURE_MIN_FILTER, minify),
        (GL.GL_TEXTURE_WRAP_S, sampling.wrap[0]),
        (GL.GL_TEXTURE_WRAP_T, sampling.wrap[1]),
    ):
        GL.glTexParameteri(GL.GL_TEXTURE_2D, key, value)
    return name


class _Frame:
    """A square framebuffer with colour (RGBA, 8 bit) and, if wanted, depth (24 bit)."""

    def __init__(self, side_px: int, *, depth: bool) -> None:
        self.side_px = side_px
        self.name = int(GL.glGenFramebuffers(1))
        self._stores: list[int] = []
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.name)
        self._attach(GL.GL_RGBA8, GL.GL_COLOR_ATTACHMENT0)
        if depth:
            self._attach(GL.GL_DEPTH_COMPONENT24, GL.GL_DEPTH_ATTACHMENT)
        if GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER) != GL.GL_FRAMEBUFFER_COMPLETE:
            raise NoGraphicsError(f"the driver gives no framebuffer of {side_px} px")

    def delete(self) -> None:
        """Free the framebuffer."""
        GL.glDeleteFramebuffers(1, [self.name])
        GL.glDeleteRenderbuffers(len(self._stores), self._stores)

    def _attach(self, stored: int, attachment: int) -> None:
        store = int(GL.glGenRenderbuffers(1))
        self._stores.append(store)
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, store)
        GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, stored, self.side_px, self.side_px)
        GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, attachment, GL.GL_RENDERBUFFER, store)


class Canvas:
    """Where a picture is drawn twice as large as it is read: smooth edges, outside and inside."""

    FINER = 2

    def __init__(self, side_px: int) -> None:
        self.side_px = side_px
        self._drawn = _Frame(side_px * self.FINER, depth=True)
        self._small = _Frame(side_px, depth=False)

    def clear(self) -> None:
        """Make it current, fully transparent and empty."""
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._drawn.name)
        GL.glViewport(0, 0, self._drawn.side_px, self._drawn.side_px)
        GL.glDepthMask(True)
        GL.glClearColor(0.0, 0.0, 0.0, 0.0)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)

    def read(self) -> Pixels:
        """Return (h, w, 4) pixels, top row first, colours multiplied by alpha."""
        large, small = self._drawn.side_px, self._small.side_px
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self._drawn.name)
        GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, self._small.name)
        # Linear at exactly half the size is the mean of four pixels. Pillow's reduce would divide the
        # colours by alpha before: light fringes around her.
        GL.glBlitFramebuffer(0, 0, large, large, 0, 0, small, small, GL.GL_COLOR_BUFFER_BIT, GL.GL_LINEAR)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self._small.name)
        GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
        pixels = np.empty((small, small, 4), np.uint8)
        GL.glReadPixels(0, 0, small, small, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, pixels)
        return pixels[::-1]

    def delete(self) -> None:
        """Free the framebuffers."""
        self._drawn.delete()
        self._small.delete()
