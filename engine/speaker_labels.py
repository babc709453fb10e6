"""Speaker labels at the start of a line: her own to be removed, others to be recognised as fake turns."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from engine.lookahead import NeedMore

_ROLES: Final = (
    "they|you|user|human|assistant|narrator|system|ai|companion"
    "|benutzer|nutzer|erzähler|erzählerin|usuario|narrador|asistente|utilisateur|narrateur|usuário|assistente"
    "|用户|用戶|使用者|助手|旁白|ユーザー|アシスタント|ナレーター|사용자|пользователь"
)
_WIDE_ROLES: Final = "they|you|user|human|assistant|narrator|system|ai".translate(
    {code: code + 0xFEE0 for code in range(ord("a"), ord("z") + 1)}
)
_LEAD: Final = r"[ \t]{0,20}(?:[>#]{1,4}[ \t]{0,4})?(?P<mark>[*_\[(]{0,3})"
_COLON: Final = r"[*_\])]{0,3}[ \t]{0,4}[:：](?:(?P=mark))?"
_QUOTED: Final = re.compile(rf"{_LEAD}(?P<who>[^\W\d_][\w'’.\-]{{0,19}}){_COLON}[ \t]{{0,4}}[\"“„«「『]")
_COLON_AHEAD: Final = re.compile(r"[^:：\n]{0,160}[:：]")
_BEGINNING: Final = re.compile(rf"{_LEAD}(?P<word>[^:：\n]{{0,60}}?)(?:{_COLON}[ \t]{{0,4}})?\Z")
_SHORT_WORD: Final = re.compile(r"[\w'’.\-]{0,20}[*_\])]{0,3}[ \t]{0,4}")
_INTRODUCTIONS: Final = frozenset(
    {"例えば", "たとえば", "例", "例如", "比如", "质问", "質問", "答え", "答", "예", "つまり", "即"}
)
"""Words that introduce a quotation in scripts without capitals; they name nobody."""

Label = Literal["role", "quoted"]


@lru_cache(maxsize=256)
def _role_pattern(name: str) -> re.Pattern[str]:
    own = f"|{re.escape(name.strip())}" if name.strip() else ""
    return re.compile(rf"{_LEAD}(?:{_ROLES}|{_WIDE_ROLES}{own}){_COLON}", re.IGNORECASE)


def match_label(text: str, at: int, name: str, *, final: bool = True) -> tuple[Label, int] | None:
    """Recognise a speaker label at the start of a line.

    Known roles and her own name count in any case, bold, and with a full-width colon. Any other name
    counts only if a quotation follows (specification, "Fake turns cut").

    Args:
        text: The reply or its part that has come so far.
        at: Index of the line's first character.
        name: Her name, or "" if unknown.
        final: Whether the text is complete.

    Returns:
        "role" or "quoted" with the index behind the colon, or None.

    Raises:
        NeedMore: Only if not `final`: the line may begin with a label.
    """
    if final and not _COLON_AHEAD.match(text, at):
        return None
    if found := _role_pattern(name).match(text, at):
        if not final and len(text) - found.end() < 3:
            raise NeedMore
        return "role", found.end()
    if (found := _QUOTED.match(text, at)) and _names_somebody(found["who"]):
        return "quoted", found.end()
    if not final and (beginning := _BEGINNING.match(text, at)) and _may_become_label(beginning["word"], name):
        raise NeedMore
    return None


def _names_somebody(word: str) -> bool:
    return not word[0].islower() and word not in _INTRODUCTIONS


def _may_become_label(word: str, name: str) -> bool:
    bare = word.rstrip("*_]) \t").casefold()
    return bool(_SHORT_WORD.fullmatch(word)) or name.strip().casefold().startswith(bare)
