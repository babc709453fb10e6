"""A headless OpenGL context: EGL where it works, else OSMesa.

pyrender brings both platforms, but importing it whole loads a window toolkit and two mesh libraries
(0.8 s, 100 MB). So its package module is registered bare and only the needed submodules are imported.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
import types
from dataclasses import dataclass
from typing import Any, Final, Literal

from render.errors import NoGraphicsError

Backend = Literal["egl", "osmesa"]

_EGL_LIBRARIES: Final = ("libEGL.so.1", "libEGL.so")
_GL_LIBRARIES: Final = ("libOpenGL.so.0", "libGL.so.1", "libGL.so")
_OSMESA_LIBRARIES: Final = ("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so")
_PLATFORM_DEVICE: Final = 0x313F
_START_SIZE_PX: Final = 64
"""Pictures are drawn into framebuffers of their own size; the context's own buffer is never used."""


@dataclass(frozen=True, slots=True)
class Context:
    """A current context: which backend made it, and how the driver names itself."""

    backend: Backend
    driver: str
    version: str
    platform: Any


def choose_backend() -> Backend:
    """Return what works here, tried without binding the process to it.

    The environment variable OTOMO_GL_BACKEND ("egl", "osmesa" or "none") overrides the choice.

    Raises:
        NoGraphicsError: Neither library is there and usable.
    """
    wanted = os.environ.get("OTOMO_GL_BACKEND", "")
    if wanted == "none":
        raise NoGraphicsError("drawing is turned off by OTOMO_GL_BACKEND")
    if wanted != "osmesa" and _egl_works():
        return "egl"
    if wanted != "egl" and _first_library(_OSMESA_LIBRARIES) is not None:
        return "osmesa"
    raise NoGraphicsError("no OpenGL library works here: install libegl1 and libgl1, or libosmesa6")


def open_context() -> Context:
    """Make a context and make it current on the calling thread.

    Raises:
        NoGraphicsError: No library is there, or the driver refuses.
    """
    backend = choose_backend()
    os.environ["PYOPENGL_PLATFORM"] = backend
    _register_bare_pyrender()
    _quicken_pyopengl()
    platform = _egl_platform() if backend == "egl" else _osmesa_platform()
    try:
        platform.init_context()
        platform.make_current()
    except (AssertionError, RuntimeError, OSError, AttributeError) as error:
        raise NoGraphicsError(f"{backend} gives no context: {type(error).__name__}") from error
    return Context(backend, *_driver(), platform)


def close_context(context: Context) -> None:
    """Release a context; OpenGL objects must be deleted before."""
    if context.backend == "osmesa":
        context.platform.delete_context()
        return
    from OpenGL.EGL import EGL_NO_CONTEXT, EGL_NO_SURFACE, eglDestroyContext, eglMakeCurrent

    # pyrender's own delete_context ends the display, and with it every other context of the process.
    display = context.platform._egl_display
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT)
    eglDestroyContext(display, context.platform._egl_context)
    context.platform._egl_context = None
    # With a display left in it the platform would end that display when it is garbage-collected.
    context.platform._egl_display = None


def _first_library(names: tuple[str, ...]) -> ctypes.CDLL | None:
    for name in names:
        try:
            return ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        except OSError:
            continue
    return None


def _egl_works() -> bool:
    library = _first_library(_EGL_LIBRARIES)
    if library is None or _first_library(_GL_LIBRARIES) is None:
        return False
    library.eglGetProcAddress.restype = ctypes.c_void_p
    library.eglGetProcAddress.argtypes = [ctypes.c_char_p]
    query = library.eglGetProcAddress(b"eglQueryDevicesEXT")
    display_of = library.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
    if not query or not display_of:
        return False
    device, found = ctypes.c_void_p(), ctypes.c_int(0)
    signature = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    if not signature(query)(1, ctypes.byref(device), ctypes.byref(found)) or not found.value:
        return False
    signature_display = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)
    display = signature_display(display_of)(_PLATFORM_DEVICE, device, None)
    library.eglInitialize.argtypes = [ctypes.c_void_p] * 3
    return bool(display) and bool(library.eglInitialize(display, None, None))


def _register_bare_pyrender() -> None:
    if "pyrender" in sys.modules:
        return
    spec = importlib.util.find_spec("pyrender")
    if spec is None or spec.submodule_search_locations is None:
        raise NoGraphicsError("pyrender is not installed")
    bare = types.ModuleType("pyrender")
    bare.__path__ = list(spec.submodule_search_locations)
    bare.__spec__ = spec
    sys.modules["pyrender"] = bare


def _quicken_pyopengl() -> None:
    import OpenGL

    # A call costs three times as much with them, and nothing here recovers from a single GL error.
    OpenGL.ERROR_CHECKING = False
    OpenGL.ERROR_LOGGING = False


def _egl_platform() -> Any:
    import OpenGL.raw.EGL._errors as egl_errors

    if not hasattr(egl_errors, "_error_checker"):
        # PyOpenGL (to 3.1.10) forgets to define it when error checking is off, then looks for it.
        egl_errors._error_checker = None
    from pyrender.platforms.egl import EGLPlatform

    return EGLPlatform(_START_SIZE_PX, _START_SIZE_PX)


def _osmesa_platform() -> Any:
    from pyrender.platforms.osmesa import OSMesaPlatform

    return OSMesaPlatform(_START_SIZE_PX, _START_SIZE_PX)


def _driver() -> tuple[str, str]:
    from OpenGL.GL import GL_RENDERER, GL_VERSION, glGetString

    return str(glGetString(GL_RENDERER).decode()), str(glGetString(GL_VERSION).decode())
