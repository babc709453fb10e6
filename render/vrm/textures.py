"""Pictures inside the file: where a material uses them, their header checks and their decoding."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from render.errors import VrmError
from render.vrm import fields, limits
from render.vrm.accessors import Accessors
from render.vrm.fields import Json
from render.vrm.glb import Container, data_uri

Pixels = npt.NDArray[np.uint8]

FORMATS: Final = ("PNG", "JPEG", "WEBP", "AVIF")
_LINEAR: Final = 9729
_LINEAR_MIPMAP_NEAREST: Final = 9985
_LINEAR_MIPMAP_LINEAR: Final = 9987
_REPEAT: Final = 10497
_WRAPS: Final = (33071, 33648, _REPEAT)
_MAGNIFIERS: Final = (9728, _LINEAR)
_MINIFIERS: Final = (9728, _LINEAR, 9984, _LINEAR_MIPMAP_NEAREST, 9986, _LINEAR_MIPMAP_LINEAR)
_PICTURE_EXTENSIONS: Final = ("EXT_texture_webp", "EXT_texture_avif")


@dataclass(frozen=True, slots=True)
class Sampling:
    """An image as the graphics library gets it: image index, colour space, wrap and filter codes."""

    image: int
    srgb: bool
    wrap: tuple[int, int]
    filters: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Texture:
    """A material's use of an image; `placement` is (scale u, scale v, offset u, offset v)."""

    sampling: Sampling
    placement: tuple[float, float, float, float]
    rotation: float
    uv_set: int


class Pictures:
    """The images of one file; headers are checked at once, pixels are decoded when asked for."""

    def __init__(self, container: Container, accessors: Accessors) -> None:
        document = container.document
        self._images = fields.tables(document, "images")
        self._textures = fields.tables(document, "textures")
        self._samplers = fields.tables(document, "samplers")
        self._accessors = accessors
        if len(self._images) > limits.MAX_IMAGES:
            raise VrmError(f"more than {limits.MAX_IMAGES} images")
        self._checked: set[int] = set()
        self._pixels = 0

    def texture(self, use: Json, *, srgb: bool) -> Texture | None:
        """Return the texture a textureInfo object names, None where it names none.

        Raises:
            VrmError: It names something that does not exist, or an image that cannot be decoded.
        """
        number = fields.optional_index(use, "index", len(self._textures))
        if number is None:
            return None
        declared = self._textures[number]
        image = self._source(declared)
        if image is None:
            return None
        self._check(image)
        transform = fields.table(fields.table(use, "extensions"), "KHR_texture_transform")
        scale = fields.vector(transform, "scale", (1.0, 1.0)).tolist()
        offset = fields.vector(transform, "offset", (0.0, 0.0)).tolist()
        uv_set = fields.natural(transform, "texCoord", fields.natural(use, "texCoord", 0))
        return Texture(
            self._sampling(declared, image, srgb),
            (scale[0], scale[1], offset[0], offset[1]),
            fields.number(transform, "rotation", 0.0),
            uv_set,
        )

    def pixels(self, image: int, side_px: int = limits.TEXTURE_SIDE_PX) -> Pixels:
        """Decode an image to (height, width, 4) bytes, scaled down to at most `side_px`.

        Raises:
            VrmError: The picture is damaged.
        """
        with _opened(self._bytes(image), image) as picture:
            picture.draft("RGB", (side_px, side_px))
            try:
                decoded = picture.convert("RGBA")
            except (OSError, ValueError, SyntaxError) as error:
                raise VrmError(f"image {image} is damaged") from error
        if max(decoded.size) > side_px:
            decoded.thumbnail((side_px, side_px), Image.Resampling.BOX)
        return np.asarray(decoded)

    def _source(self, declared: Json) -> int | None:
        extensions = fields.table(declared, "extensions")
        for name in _PICTURE_EXTENSIONS:
            if name in extensions:
                return fields.optional_index(fields.table(extensions, name), "source", len(self._images))
        source = fields.optional_index(declared, "source", len(self._images))
        if source is None and "KHR_texture_basisu" in extensions:
            raise VrmError("KHR_texture_basisu cannot be decoded: export the avatar without it")
        return source

    def _sampling(self, declared: Json, image: int, srgb: bool) -> Sampling:
        number = fields.optional_index(declared, "sampler", len(self._samplers))
        sampler = self._samplers[number] if number is not None else {}
        return Sampling(
            image,
            srgb,
            (_code(sampler, "wrapS", _WRAPS, _REPEAT), _code(sampler, "wrapT", _WRAPS, _REPEAT)),
            (
                _code(sampler, "magFilter", _MAGNIFIERS, _LINEAR),
                _code(sampler, "minFilter", _MINIFIERS, _LINEAR_MIPMAP_LINEAR),
            ),
        )

    def _bytes(self, image: int) -> bytes:
        declared = self._images[image]
        if declared.get("bufferView") is not None:
            return bytes(self._accessors.view(fields.natural(declared, "bufferView"))[0])
        return data_uri(fields.text(declared, "uri"))

    def _check(self, image: int) -> None:
        if image in self._checked:
            return
        self._checked.add(image)
        with _opened(self._bytes(image), image) as picture:
            width, height = picture.size
        if max(width, height) > limits.MAX_IMAGE_SIDE_PX:
            raise VrmError(f"image {image} is larger than {limits.MAX_IMAGE_SIDE_PX} px")
        self._pixels += width * height
        if self._pixels > limits.MAX_IMAGE_PIXELS:
            raise VrmError("the images have too many pixels")


def _opened(data: bytes, image: int) -> Image.Image:
    try:
        with warnings.catch_warnings():
            # The bomb warning and metadata warnings say nothing new: the size is judged by its own limit.
            warnings.simplefilter("ignore")
            return Image.open(io.BytesIO(data), formats=FORMATS)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise VrmError(f"image {image} is not a PNG, JPEG, WebP or AVIF picture") from error


def _code(sampler: Json, key: str, allowed: tuple[int, ...], default: int) -> int:
    code = fields.natural(sampler, key, default)
    return code if code in allowed else default
