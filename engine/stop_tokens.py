"""Special tokens of chat templates that leak into replies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from engine.lookahead import NeedMore

_END: Final = re.compile(
    r"</s>|<end_of_turn>|<eos>"
    r"|<[|｜](?:im_end|eot_id|eom_id|end_of_text|endoftext|end_of_turn_token|end_of_turn|end▁of▁sentence"
    r"|end_of_sentence|eot|eos|end|return)[|｜]>",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(
    r"(?:<[|｜](?:im_start|start_header_id|start)[|｜]>|<start_of_turn>)\s{0,3}"
    r"(?P<role>(?:user|human|system|tool|assistant|model)(?![a-z]))?"
    r"|<[|｜](?P<tag>user|human|system|tool|assistant|model)[|｜]>",
    re.IGNORECASE,
)
_STRAY: Final = re.compile(
    r"<[|｜][^|｜<>\n]{1,40}[|｜]>|<(?:s|bos|pad|unk)>|<start_of_turn>|<</?SYS>>|\[/?INST\]", re.IGNORECASE
)
_BEGINNING: Final = re.compile(
    r"<(?:[|｜][^|｜<>\n]{0,40}[|｜]?|[</]?[a-z_]{0,13}|</?SYS>?)\Z|\[/?[a-z]{0,4}\Z", re.IGNORECASE
)
_ROLE_BEGINNING: Final = re.compile(r"\s{0,3}[a-z]{0,9}\Z", re.IGNORECASE)
_HERS: Final = frozenset({"", "assistant", "model"})

TokenKind = Literal["end", "new_turn", "own_turn", "stray"]


@dataclass(frozen=True, slots=True)
class TemplateToken:
    """A special token: what it says about the reply, and the index behind it.

    "end": what follows is not hers. "new_turn": another role speaks. "own_turn": hers is (re)opened.
    "stray": noise.
    """

    kind: TokenKind
    end: int


def match_template_token(text: str, at: int, *, final: bool = True) -> TemplateToken | None:
    """Recognise a special token that begins at index `at`, where `<` or `[` stands.

    Raises:
        NeedMore: Only if not `final`: a token may begin here.
    """
    if found := _END.match(text, at):
        return TemplateToken("end", found.end())
    if found := _ROLE.match(text, at):
        if not final and _ROLE_BEGINNING.match(text, found.end() - len(found["role"] or "")):
            raise NeedMore
        role = (found["role"] or found["tag"] or "").lower()
        if role:
            return TemplateToken("own_turn" if role in _HERS else "new_turn", found.end())
    if found := _STRAY.match(text, at):
        return TemplateToken("stray", found.end())
    if not final and _BEGINNING.match(text, at):
        raise NeedMore
    return None
