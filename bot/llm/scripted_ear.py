"""What the offline stand-in understands of the talk: the move, the language, what was told before. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from bot.llm.scripted_lines import FALLBACK, Ask, Language, Learn, Move, Script, phrase_pattern
from engine.conversation import ChatMessage, Prompt

READ_CHARACTERS: Final = 600
"""Of a long message only this much is searched for phrases."""
LONG_CHARACTERS: Final = 320
ANSWER_WORDS: Final = 9
HEAVY_FOR: Final = 2
"""So many of the user's messages a heavy one weighs on."""
LIGHT: Final = frozenset({"statement", "odd_word", "answer", "long", "emoji", "yes", "no"})
ODD_LETTERS: Final = 8
REMEMBER: Final = "remember"
"""The label of what the user asks to keep: nothing else is read out of such a message."""
WORD: Final = re.compile(r"[^\W\d_][\w'-]*")
QUESTION_WORDS: Final = frozenset(
    "what why how when where who which whose do does did is are can could would will should "
    "was wie warum wann wo wer welche welcher welches wieso weshalb kannst könntest würdest bist hast".split()
)
HER: Final = frozenset("you your you're du dein deine dich dir".split())


@dataclass(frozen=True, slots=True)
class Told:
    """Something the user has told: its label ("like", "pet", ...), the words in the second person, the fact."""

    label: str
    words: str
    fact: str


@dataclass(frozen=True, slots=True)
class Heard:
    """One message as it was understood: the move, and the words that its phrase caught (second person).

    `ask` is the question of hers that it answers; `liked` that the words are something the user likes.
    """

    move: Move
    words: str = ""
    ask: Ask | None = None
    liked: bool = False


_pattern = lru_cache(maxsize=None)(phrase_pattern)


def tidy(text: str) -> str:
    """Return the text with plain apostrophes and single blanks, bounded in length."""
    text = text[:READ_CHARACTERS].replace("’", "'").replace("`", "'")
    return re.sub(r"[ \t]+", " ", text).strip()


def choose_language(script: Script, wanted: str, text: str) -> str:
    """Return the language to answer in: the wanted one, unless the message clearly speaks another."""
    words = {word.lower() for word in WORD.findall(text)}
    known = wanted if wanted in script.languages else FALLBACK
    counts = {name: len(words & set(language.signs)) for name, language in script.languages.items()}
    best = max(sorted(counts), key=lambda name: counts[name])
    return best if counts[best] >= 2 and counts[best] > counts[known] else known


def hear(script: Script, language: Language, prompt: Prompt) -> Heard:
    """Return what the newest message is, in the light of what was said just before."""
    heard = _hear_alone(script, language, prompt)
    if not (heard.move.asks or heard.move.id in LIGHT) or not _heavy_before(script, language, prompt):
        return heard
    return Heard(next(move for move in script.moves if move.id == "gentle"))


def _heavy_before(script: Script, language: Language, prompt: Prompt) -> bool:
    earlier = [message.text for message in prompt.messages[:-1] if message.role == "user"][-HEAVY_FOR:]
    heavy = [move for move in script.moves if move.heavy]
    return any(_by_phrase(move, language, tidy(text)) for text in earlier for move in heavy)


def _hear_alone(script: Script, language: Language, prompt: Prompt) -> Heard:
    newest = prompt.messages[-1] if prompt.messages else ChatMessage("user", "")
    moves = {move.id: move for move in script.moves}
    text = tidy(newest.text) if newest.role == "user" else ""
    if newest.images and len(text.split()) < 4:
        return Heard(moves["picture"])
    if shape := _wordless_shape(text):
        return Heard(moves[shape])
    asked = _open_question(language, prompt.messages)
    heard = next((one for move in script.moves if (one := _by_phrase(move, language, text))), None)
    if asked is not None and (heard is None or heard.move.asks) and _is_bare_answer(language, text):
        return Heard(moves["answer"], text, asked)
    if heard is not None:
        return _with_liking(heard, moves, language, text)
    return _by_shape(moves, language, text, prompt.messages)


def _with_liking(heard: Heard, moves: Mapping[str, Move], language: Language, text: str) -> Heard:
    """Add to a topic ("hiking") what the user said to like about it ("hiking in the Alps")."""
    liking = _by_phrase(moves["likes"], language, text) if heard.move.asks else None
    return Heard(heard.move, liking.words, liked=True) if liking is not None else heard


def _wordless_shape(text: str) -> str | None:
    letters = [character for character in text if character.isalpha()]
    if not letters:
        return "emoji" if text else "statement"
    latin = sum(character < "\u0250" or "\u1e00" <= character <= "\u1eff" for character in letters)
    return "foreign" if latin * 2 < len(letters) else None


def _open_question(language: Language, messages: Sequence[ChatMessage]) -> Ask | None:
    """Return the scripted question that her last message ended with."""
    last = next((message.text for message in reversed(messages) if message.role == "assistant"), "")
    return next((ask for ask in language.ask if tidy(ask.text) in tidy(last[-READ_CHARACTERS:])), None)


def _is_bare_answer(language: Language, text: str) -> bool:
    """Tell whether a message is just an answer ("jazz, mostly") and no sentence of its own."""
    words = [word.lower() for word in WORD.findall(text)]
    if len(text) < 3 or len(words) > ANSWER_WORDS or is_question(text):
        return False
    return not language.sentence_words.intersection(words)


def is_question(text: str) -> bool:
    """Tell whether a message asks something."""
    words = WORD.findall(text.lower())
    return text.rstrip().endswith(("?", "？")) or "? " in text or bool(words and words[0] in QUESTION_WORDS)


def _by_phrase(move: Move, language: Language, text: str) -> Heard | None:
    wordings = language.moves[move.id]
    pattern = _pattern(wordings.when)
    if pattern is None or (move.most_words and len(WORD.findall(text)) > move.most_words):
        return None
    if move.asks and _asks_for_knowledge(text):
        return None
    found = pattern.search(text) or pattern.search(_without(language.fillers, text))
    if found is None or _forbidden(wordings.unless, text):
        return None
    return Heard(move, turned(captured(found, language), language.you))


def _asks_for_knowledge(text: str) -> bool:
    """Tell whether a message asks about the world and not about her: a topic's small talk would be no answer."""
    words = [word.lower() for word in WORD.findall(text)]
    return bool(words) and words[0] in QUESTION_WORDS and not HER.intersection(words)


def _without(fillers: frozenset[str], text: str) -> str:
    return " ".join(word for word in text.split(" ") if word.lower() not in fillers)


def _forbidden(unless: tuple[str, ...], text: str) -> bool:
    pattern = _pattern(unless)
    return pattern is not None and pattern.search(text) is not None


def _by_shape(
    moves: Mapping[str, Move], language: Language, text: str, messages: Sequence[ChatMessage]
) -> Heard:
    if is_question(text):
        return Heard(moves["question"])
    if len(text) > LONG_CHARACTERS:
        return Heard(moves["long"])
    before = next((message.text for message in reversed(messages) if message.role == "assistant"), "")
    if before.rstrip().endswith("?") and _is_bare_answer(language, text):
        return Heard(moves["answer"], text)
    words = WORD.findall(text)
    odd = [
        word
        for article, word in pairwise(words)
        if article.lower() in language.articles and _is_odd(word, language)
    ]
    if odd:
        return Heard(moves["odd_word"], max(odd, key=len))
    return Heard(moves["statement"])


def _is_odd(word: str, language: Language) -> bool:
    return len(word) >= ODD_LETTERS and word.isalpha() and word.lower() not in language.plain_words


def captured(found: re.Match[str], language: Language) -> str:
    """Return the words that a phrase caught, without what trails after them."""
    slots = {name: text for name, text in found.groupdict().items() if text}
    if not slots:
        return ""
    name, text = next(iter(slots.items()))
    if name.startswith("name"):
        return text[:1].upper() + text[1:]
    lowered = text.lower()
    cuts = [at for end in language.ends if (at := lowered.find(end)) > 0]
    text = text[: min(cuts, default=len(text))].strip(" -–'")
    while True:
        dropped = next((word for word in language.drop if text.lower().endswith(f" {word}")), None)
        if dropped is None:
            return text
        text = text[: -len(dropped) - 1].rstrip()


def turned(text: str, words: Mapping[str, str]) -> str:
    """Return the text with the user's "my" and "I" turned to another person."""
    return WORD.sub(lambda word: words.get(word[0].lower(), word[0]), text)


def learned(language: Language, text: str) -> Iterator[Told]:
    """Yield what a message tells, in the order of the language's list."""
    text = tidy(text)
    for learn in language.learn:
        pattern = _pattern(learn.when)
        found = pattern.search(text) if pattern is not None else None
        if (
            found is not None
            and not _forbidden(learn.unless, text)
            and not is_question(_sentence(text, found))
        ):
            yield _told(learn, found, language)
            if learn.label == REMEMBER:
                return


def _sentence(text: str, found: re.Match[str]) -> str:
    """Return the sentence around a match, with its end mark."""
    begin = max(text.rfind(mark, 0, found.start()) for mark in ".!?\n") + 1
    ends = [at for mark in ".!?\n" if (at := text.find(mark, found.end())) >= 0]
    return text[begin : min(ends, default=len(text)) + 1].strip()


def _told(learn: Learn, found: re.Match[str], language: Language) -> Told:
    words = captured(found, language)
    slot = next((text for text in found.groupdict().values() if text), "")
    said = found[0].replace(slot, words) if slot else found[0]
    fact = learn.fact.replace("{x}", turned(words, language.they)).replace(
        "{said}", turned(said, language.they)
    )
    return Told(learn.label, turned(words, language.you), fact.replace("{raw}", words or said))


def told_before(language: Language, prompt: Prompt) -> list[Told]:
    """Return what the user has told in the talk before the newest message, the latest first."""
    earlier = [message.text for message in prompt.messages[:-1] if message.role == "user"]
    told: list[Told] = []
    for text in reversed(earlier):
        told.extend(one for one in learned(language, text) if one.fact not in {known.fact for known in told})
    return told
