"""Telling a described gesture (*smiles softly*, "(laughs)") from emphasis, lists, sums and brackets."""

from __future__ import annotations

import re
from typing import Final

from engine.lookahead import NeedMore

MAX_LENGTH: Final = 200

_BODILY_WORDS: Final = (
    "smiles grins laughs giggles chuckles sighs blushes nods winks waves hugs shrugs gasps smirks pouts "
    "lächelt lacht grinst seufzt nickt zwinkert winkt errötet kichert sonríe ríe suspira asiente sourit rit "
    "soupire rougit sorri acena"
)
_GESTURE_WORDS: Final = (
    "leans looks gazes tilts whispers pauses steps sits stands reaches pats kisses frowns yawns stretches blinks "
    "cries sniffs sniffles beams glances turns walks bows claps hums snuggles cuddles fidgets bites raises "
    "rolls rubs shakes squeezes stares twirls wraps swallows trembles brushes tucks rests lowers lifts "
    "crosses jumps bounces groans snorts squeals coughs mumbles mutters murmurs shivers hesitates listens "
    "nudges pokes tugs watches peeks settles exhales inhales straightens softens umarmt schaut abraza abraça"
)
_SUBJECT_WORDS: Final = "she he i they her his my sie er ich ella él elle il ela ele"
_BODILY: Final = frozenset(_BODILY_WORDS.split())
_GESTURES: Final = _BODILY.union(_GESTURE_WORDS.split())
_SHE: Final = frozenset(_SUBJECT_WORDS.split())
_I_AM: Final = ("I'", "I’")
"""She speaks of herself ("*I'll be glad to*"): that is said, not done."""
_ADVERB: Final = re.compile(r"\w+ly")
_STARRED: Final = re.compile(rf"\*(?![\s*])([^*\n]{{1,{MAX_LENGTH}}})(?<!\s)\*(?!\*)")
_STAR_OPEN: Final = re.compile(rf"\*(?:(?![\s*])[^*\n]{{0,{MAX_LENGTH}}}\*?)?\Z")
_BRACKETED: Final = re.compile(rf"[(（]([^()（）\n]{{1,{MAX_LENGTH}}})[)）]")
_BRACKET_OPEN: Final = re.compile(rf"[(（]([^()（）\n]{{0,{MAX_LENGTH}}})\Z")
_WORDS: Final = re.compile(r"[^\W\d_]+")
_SENTENCE_END: Final = re.compile(r"[^\w,;\-–/(（'’]\Z")


def match_stage_direction(text: str, at: int, before: str, *, final: bool = True) -> int | None:
    """Recognise a gesture in stars or brackets that begins at index `at`.

    In brackets only known gestures count, inside a sentence only bodily ones. Between stars a span counts
    if it is a known gesture, or if it stands apart from the sentences around it; emphasis inside a sentence
    stays.

    Args:
        text: The reply or its part that has come so far.
        at: Index of a star or an opening bracket.
        before: The end of the text that was kept before it ("" at the reply's start).
        final: Whether the text is complete.

    Returns:
        The index behind the gesture, or None.

    Raises:
        NeedMore: Only if not `final`: a gesture may begin here.
    """
    if text[at] != "*":
        return _match_bracket(text, at, before, final)
    if before[-1:] == "*" or before[-1:].isalnum():
        return None
    if not final and _STAR_OPEN.match(text, at):
        raise NeedMore
    found = _STARRED.match(text, at)
    if found is None:
        return None
    after = text[found.end() : found.end() + 3]
    if not final and len(after) < 3 and "\n" not in after:
        raise NeedMore
    return found.end() if _is_gesture(found[1]) or _stands_apart(found[1], before, after) else None


def _match_bracket(text: str, at: int, before: str, final: bool) -> int | None:
    # "(looks new)" inside a sentence is an aside; "(laughs)" is a gesture wherever it stands.
    known = _GESTURES if _ends_sentence(before) else _BODILY
    if found := _BRACKETED.match(text, at):
        return found.end() if _is_gesture(found[1], known) else None
    opened = None if final else _BRACKET_OPEN.match(text, at)
    if opened and (len(_WORDS.findall(opened[1])) < 4 or _is_gesture(opened[1], known)):
        raise NeedMore
    return None


def _ends_sentence(before: str) -> bool:
    kept = before.rstrip(" \t")
    return not kept or kept.endswith("\n") or _SENTENCE_END.search(kept) is not None


def _is_gesture(inside: str, known: frozenset[str] = _GESTURES) -> bool:
    words = [word.casefold() for word in _WORDS.findall(inside[:80])[:3]]
    while len(words) > 1 and (words[0] in _SHE or _ADVERB.fullmatch(words[0])):
        del words[0]
    return bool(words) and (words[0] in known or f"{words[0]}s" in _BODILY)


def _stands_apart(inside: str, before: str, after: str) -> bool:
    """Whether the span fills the place of a sentence: between sentence ends, and not itself a title."""
    if not _ends_sentence(before) or inside[:2] in _I_AM:
        return False
    first_word = _WORDS.match(inside)
    if inside[0].isupper() and not (first_word and first_word[0].casefold() in _SHE):
        return False
    follows = after.strip(" \t")[:1]
    alone = not follows or follows == "\n"
    return alone or (after[0] in " \t" and not follows.islower())
