"""Reads a user's message without a model (specification, "Message Analysis").

Linear in the message: it is cut into words once, and each word is looked up.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from engine.character import Emotion
from engine.keywords import Keywords, Topic, Word

TopicDepth = Literal["shallow", "moderate", "deep"]

DEEP_MARKERS: Final = 3
DEEP_CHARACTERS: Final = 200
MODERATE_MARKERS: Final = 1
MODERATE_CHARACTERS: Final = 80
STRONG_SENTIMENT: Final = 0.5
MIN_LETTERS: Final = 4
"""Fewer letters than this say nothing about the script of a message."""
NEGATION_REACH: Final = 3
"""A negation turns the sense of words up to this many words away, inside its clause."""
PREFERENCE_CHARACTERS: Final = 200

_PIECE: Final = re.compile(r"[^\W\d_]++(?:'[^\W\d_]++)*+|[.,;:!?…—()\n]")
_FIRST_WORD: Final = re.compile(r"[¿¡]?([^\W\d_]++)((?:'[^\W\d_]++)?)")
_NAME: Final = re.compile(r"[^\W\d_][\w'-]*+")
_NEXT_NAME: Final = re.compile(r"\s++[^\W\d_][\w'-]*+")
_TO_SENTENCE_END: Final = re.compile(rf"[^.!?\n]{{1,{PREFERENCE_CHARACTERS}}}+")
_CURLY: Final = str.maketrans("’‘ʼ`´", "'''''")
_LATIN: Final = re.compile(
    "[A-Za-zªº\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02b8\u02e0-\u02e4\u1d00-\u1d25\u1d2c-\u1d5c\u1e00-\u1eff"
    "\u2c60-\u2c7f\ua722-\ua787\ua78b-\ua7ff\uab30-\uab5a\uab5c-\uab64\ufb00-\ufb06\uff21-\uff3a\uff41-\uff5a]"
)


@dataclass(frozen=True, slots=True)
class MessageAnalysis:
    """What a message says at first sight.

    `sentiment` runs from -1 to 1; `extracted_facts` holds at most the one stand-in for a memory.
    """

    sentiment: float = 0.0
    topic_depth: TopicDepth = "shallow"
    has_emotional_content: bool = False
    is_question: bool = False
    non_latin_dominant: bool = False
    detected_emotion: Emotion | None = None
    extracted_facts: tuple[str, ...] = ()


@dataclass(slots=True)
class _Tally:
    """How often each topic was met, and by which different entries."""

    words: Counter[Topic] = field(default_factory=Counter)
    entries: dict[Topic, set[str]] = field(default_factory=dict)

    def add(self, topic: Topic, entries: Iterable[str]) -> None:
        self.words[topic] += 1
        self.entries.setdefault(topic, set()).update(entries)

    def weight(self, topic: Topic) -> int:
        return self.words[topic] + len(self.entries.get(topic, ()))

    def different(self, topic: Topic) -> int:
        return len(self.entries.get(topic, ()))


def analyse_message(content: str, keywords: Keywords) -> MessageAnalysis:
    """Read one message of the user's."""
    text = _plain(content)
    lowered = text.lower()
    tally = _tally(lowered, keywords)
    foreign = is_non_latin_dominant(content)
    sentiment = 0.0 if foreign else _sentiment(tally)
    question = is_question(lowered, keywords)
    markers = tally.different("depth")
    return MessageAnalysis(
        sentiment=sentiment,
        topic_depth=_depth(markers, len(content)),
        has_emotional_content=tally.different("emotional") > 0,
        is_question=question,
        non_latin_dominant=foreign,
        detected_emotion=_emotion(sentiment, question and markers > 0),
        extracted_facts=_facts(text, lowered, keywords),
    )


def is_non_latin_dominant(content: str) -> bool:
    """Tell whether less than half of a message's letters (at least four) are of the Latin script."""
    if content.isascii():
        return False
    letters = sum(map(str.isalpha, content))
    return letters >= MIN_LETTERS and len(_LATIN.findall(content)) * 2 < letters


def is_question(content: str, keywords: Keywords) -> bool:
    """Tell whether a message asks: a question mark (ASCII or full-width) or a leading question word."""
    if "?" in content or "？" in content:
        return True
    first = _FIRST_WORD.match(content.lower())
    return first is not None and not keywords.questions.isdisjoint((first[1], first[1] + first[2]))


def _plain(content: str) -> str:
    """Join accents with their letters and straighten curly apostrophes."""
    if content.isascii():
        return content
    return unicodedata.normalize("NFC", content).translate(_CURLY)


def _tally(lowered: str, keywords: Keywords) -> _Tally:
    tally = _Tally()
    pieces = _pieces(lowered, keywords)
    language = _language(pieces)
    for clause in _clauses(pieces):
        _tally_clause(clause, language, tally)
    for found in keywords.emoticons.finditer(lowered):
        tally.add(keywords.signs[found[0]], (found[0],))
    if not lowered.isascii():
        for run in keywords.emoji.finditer(lowered):
            _tally_emoji(run[0], keywords, tally)
    return tally


def _pieces(lowered: str, keywords: Keywords) -> list[Word | None]:
    """Look every word up; a clause's end is a word that breaks, an unknown word is None."""
    look_up = keywords.words.get
    pieces: list[Word | None] = []
    for piece in _PIECE.findall(lowered):
        known = look_up(piece)
        if known is not None or piece.isalpha():
            pieces.append(known)
        elif "'" in piece:
            pieces += _split_at_apostrophe(piece, keywords)
        else:
            pieces.append(_CLAUSE_END)
    return pieces


def _split_at_apostrophe(piece: str, keywords: Keywords) -> list[Word | None]:
    """Look up "l'amour" and "love's" by their parts; the French "n'" negates."""
    head, _, tail = piece.partition("'")
    return [keywords.words.get(head + "'") or keywords.words.get(head), keywords.words.get(tail)]


_CLAUSE_END: Final = Word(breaks=True)


def _language(pieces: list[Word | None]) -> str | None:
    """Return the language with the most marks; None where there are none or two are even."""
    seen = Counter(word.marks for word in pieces if word is not None and word.marks is not None)
    ranked = seen.most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def _clauses(pieces: list[Word | None]) -> Iterable[list[Word | None]]:
    clause: list[Word | None] = []
    for word in pieces:
        clause.append(word)
        if word is not None and word.breaks:
            yield clause
            clause = []
    yield clause


def _tally_clause(clause: list[Word | None], language: str | None, tally: _Tally) -> None:
    turned_from = _closing_reach(clause, language)
    negation = -NEGATION_REACH - 1
    for place, word in enumerate(clause):
        if word is None:
            continue
        if word.senses:
            turned = place - negation <= NEGATION_REACH or place >= turned_from
            _tally_word(word, language, turned, tally)
        if word.negates and (language is None or language in word.negates):
            negation = place


def _closing_reach(clause: list[Word | None], language: str | None) -> int:
    """Return the place from which on a negation at the clause's end turns words, or a place behind it."""
    end = len(clause)
    while end and (last := clause[end - 1]) is not None and last.breaks:
        end -= 1
    final = clause[end - 1] if end else None
    if final is None or not final.closes or (language is not None and language not in final.closes):
        return len(clause)
    return end - 1 - NEGATION_REACH


def _tally_word(word: Word, language: str | None, turned: bool, tally: _Tally) -> None:
    met: dict[Topic, list[str]] = {}
    for sense in word.senses:
        if sense.only_in is not None and language is not None and sense.only_in != language:
            continue
        topic = _OPPOSITE.get(sense.topic, sense.topic) if turned and not sense.firm else sense.topic
        met.setdefault(topic, []).append(sense.entry)
    for topic, entries in met.items():
        tally.add(topic, entries)


_OPPOSITE: Final[dict[Topic, Topic]] = {"positive": "negative", "negative": "positive"}


def _tally_emoji(run: str, keywords: Keywords, tally: _Tally) -> None:
    met: dict[Topic, set[str]] = {}
    for sign in set(run):
        if sign in keywords.signs:
            met.setdefault(keywords.signs[sign], set()).add(sign)
    for topic, signs in met.items():
        tally.add(topic, signs)


def _sentiment(tally: _Tally) -> float:
    """Weigh words and different entries of both kinds: (P - N) / (P + N), 0 without any."""
    positive, negative = tally.weight("positive"), tally.weight("negative")
    return (positive - negative) / (positive + negative) if positive + negative else 0.0


def _depth(markers: int, characters: int) -> TopicDepth:
    if markers >= DEEP_MARKERS or characters > DEEP_CHARACTERS:
        return "deep"
    if markers >= MODERATE_MARKERS or characters > MODERATE_CHARACTERS:
        return "moderate"
    return "shallow"


def _emotion(sentiment: float, deep_question: bool) -> Emotion | None:
    if sentiment > STRONG_SENTIMENT:
        return "happy"
    if sentiment < -STRONG_SENTIMENT:
        return "sad"
    return "curious" if deep_question else None


def _facts(text: str, lowered: str, keywords: Keywords) -> tuple[str, ...]:
    """Return the stand-in for a memory: "I'm ..." before "I like ..." (specification, "Memory Sources")."""
    if len(lowered) != len(text):
        text = lowered  # a few capitals grow when lowered, and then places no longer agree
    introduced = _introduction(text, lowered, keywords)
    if introduced is not None:
        return (f"User said: {introduced}",)
    liked = keywords.preference.search(lowered)
    what = _TO_SENTENCE_END.match(text, liked.end()) if liked else None
    if liked is None or what is None:
        return ()
    return (f"User preference: {_squeezed(text[liked.start() : what.end()])}",)


def _introduction(text: str, lowered: str, keywords: Keywords) -> str | None:
    for lead in keywords.introduction.finditer(lowered):
        name = _NAME.match(lowered, lead.end())
        if name is not None and name[0] in keywords.articles:
            name = _NEXT_NAME.match(lowered, name.end())
        if name is not None and name[0] not in keywords.empty_words:
            return _squeezed(text[lead.start() : name.end()])
    return None


def _squeezed(text: str) -> str:
    return " ".join(text.split())
