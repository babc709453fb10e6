"""What she looks like: VRM avatars drawn headlessly, in a child process of their own."""

from typing import Final

RENDERER_VERSION: Final = "2"
"""Part of every cache key: raised whenever the same request gives a different picture."""
