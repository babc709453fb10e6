"""The line that some models put before their state block: a rule, "JSON:", an opening wrapper."""

from __future__ import annotations

import re
from typing import Final

from engine.lookahead import NeedMore
from engine.state_block import TELLING_KEYS

_NAMES: Final = r"(?:json|state|mood|status)(?:[ _](?:block|update|json|change))?"
_LEAD: Final = (
    rf"[ \t]{{0,8}}(?:[-_*=]{{3,20}}|~~~(?:json)?|`|<?{_NAMES}>?:?|\*\*{_NAMES}:?\*\*:?|\[{_NAMES}\]:?)"
)
_LEAD_BEGINNING: Final = (
    r"[ \t]{0,8}(?:[-_*=~]{1,20}|`|[<\[*~]{0,3}[jsm][a-z]{0,6}(?:[ _][a-z]{0,6})?[>\]*:]{0,4})?"
)
_GAP: Final = r"[ \t]{0,8}\n{0,3}[ \t]{0,8}"
_KEYS: Final = "|".join(sorted(TELLING_KEYS | {"state"}))
_BEFORE_BLOCK: Final = re.compile(
    rf"{_LEAD}{_GAP}(?=`{{3}}[ \t]?json|(?:`{{3}}\s{{0,3}})?\{{\s{{0,80}}[\"'“]?(?:{_KEYS}))", re.IGNORECASE
)
_BEGINNING: Final = re.compile(
    rf"{_LEAD_BEGINNING}{_GAP}(?:`{{1,3}}[ \t]?[json]{{0,4}}\s{{0,3}})?(?:\{{\s{{0,80}}[\"'“]?\w{{0,20}})?\Z",
    re.IGNORECASE,
)


def match_block_lead(text: str, at: int, *, final: bool = True) -> int | None:
    """Recognise, at the start of a line, what only leads over to the state block.

    Returns:
        The index at which the block begins, or None if the line is hers.

    Raises:
        NeedMore: Only if not `final`: the block may follow.
    """
    if found := _BEFORE_BLOCK.match(text, at):
        return found.end()
    if not final and _BEGINNING.match(text, at):
        raise NeedMore
    return None
