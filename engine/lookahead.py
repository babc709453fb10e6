"""The one signal between the recognisers of a reply and a stream that has not ended yet."""

from __future__ import annotations

from typing import Final

NEAR: Final = 64
"""A lookahead over more characters than this is a far one."""


class NeedMore(Exception):
    """Raised while streaming: what stands here cannot be told before more text has come.

    `far` says that the end may be thousands of characters away (an object, a fence), so that looking
    again at every single character would cost quadratic time.
    """

    def __init__(self, *, far: bool = False) -> None:
        super().__init__()
        self.far = far
