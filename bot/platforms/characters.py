"""What messengers count and carry: characters as people see them, UTF-16 units, and what must not be sent."""

from __future__ import annotations

import re
import unicodedata

_ZERO_WIDTH_JOINER = "\u200d"
_VIRAMA_CLASS = 9
"""Canonical combining class of the sign that binds two Indic consonants together."""
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")


def clean(text: str) -> str:
    """Return `text` without what no messenger carries: lone surrogates, control characters, carriage returns.

    Surrogates that form a pair become the character they mean.
    """
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return _CONTROLS.sub("", text).replace("\r\n", "\n").replace("\r", "\n")


def utf16_length(text: str) -> int:
    """Count the UTF-16 units of `text`; a lone surrogate counts as one."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def is_boundary(text: str, position: int) -> bool:
    """Tell whether `text` may be cut before `position`.

    A close reading of the extended grapheme clusters of Unicode Annex 29: combining marks, variation
    selectors, emoji with joiners, skin tones and tags, flags, Hangul syllables, Indic conjuncts and CR LF
    stay whole.
    """
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    if before.isascii() and after.isascii():
        return not (before == "\r" and after == "\n")
    if before in "\r\n" or _extends(after):
        return before in "\r\n"
    if before == _ZERO_WIDTH_JOINER or unicodedata.combining(before) == _VIRAMA_CLASS:
        return unicodedata.category(after) not in ("So", "Lo")
    if _is_flag_letter(before) and _is_flag_letter(after):
        return _flag_letters_before(text, position) % 2 == 0
    return not _joins_hangul(before, after)


def _extends(character: str) -> bool:
    """Tell whether a character belongs to the one before it."""
    code = ord(character)
    return (
        unicodedata.category(character) in ("Mn", "Me", "Mc")
        or character in "\u200c\u200d\uff9e\uff9f"
        or 0x1F3FB <= code <= 0x1F3FF
        or 0xE0020 <= code <= 0xE007F
    )


def _is_flag_letter(character: str) -> bool:
    """Tell whether a character is a regional indicator; two of them make a flag."""
    return 0x1F1E6 <= ord(character) <= 0x1F1FF


def _flag_letters_before(text: str, position: int) -> int:
    """Count the regional indicators that end right before `position`."""
    count = 0
    while count < position and _is_flag_letter(text[position - count - 1]):
        count += 1
    return count


def _joins_hangul(before: str, after: str) -> bool:
    """Tell whether two characters are parts of one Hangul syllable."""
    first, second = ord(before), ord(after)
    if 0x1160 <= second <= 0x11FF:
        return 0x1100 <= first <= 0x11FF or 0xAC00 <= first <= 0xD7A3
    return 0x1100 <= first <= 0x115F and (0x1100 <= second <= 0x115F or 0xAC00 <= second <= 0xD7A3)
