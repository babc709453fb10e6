"""Word lists as values: what the heuristics look up. The lists themselves are data under config/keywords/.

How an entry is written:
    `word`   the word itself and the word with each of the language's `endings` (a final e is dropped
             before a vowel, a final y after a consonant becomes i, a short word doubles its last letter)
    `stem-`  the stem with each of the language's `stem_endings`, never the stem alone
    `=word`  this form and no other
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, TypeAdapter

Topic = Literal["positive", "negative", "depth", "emotional"]
TOPICS: Final[tuple[Topic, ...]] = ("positive", "negative", "depth", "emotional")

Entry = Annotated[str, Field(pattern=r"^(=?[\p{Ll}\p{Lo}]+|[\p{Ll}\p{Lo}]+-)$")]
Form = Annotated[str, Field(pattern=r"^[\p{Ll}\p{Lo}']+$")]
Phrase = Annotated[str, Field(pattern=r"^[\p{Ll}\p{Lo}'-]+( [\p{Ll}\p{Lo}'-]+)*$")]

VOWELS: Final = frozenset("aeiou")
NEVER_DOUBLED: Final = frozenset("wxy")
SHORT_WORD: Final = 4
"""Up to this many letters a consonant after one vowel is doubled before a vowel ending (sad, sadder)."""


@dataclass(frozen=True, slots=True)
class TopicLists:
    """The entries of one language by topic."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    positive: tuple[Entry, ...] = ()
    negative: tuple[Entry, ...] = ()
    depth: tuple[Entry, ...] = ()
    emotional: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class WordList:
    """One language's file.

    `careful` holds words that are something else in another language: they count unless the message is
    visibly written in another language, which the `marks` (frequent small words) tell. `firm` words keep
    their sense after a negation ("no thanks"). `closing_negations` also turn what stands before them when
    they end a clause ("ich mag das nicht"). `introductions` and `preferences` begin what is worth
    remembering; an introduction followed by one of `empty_words` is not.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    words: TopicLists
    careful: TopicLists = TopicLists()
    endings: tuple[Form, ...] = ()
    stem_endings: tuple[Form, ...] = ()
    marks: tuple[Form, ...] = ()
    firm: tuple[Form, ...] = ()
    negations: tuple[Form, ...] = ()
    closing_negations: tuple[Form, ...] = ()
    breaks: tuple[Form, ...] = ()
    questions: tuple[Form, ...] = ()
    introductions: tuple[Phrase, ...] = ()
    preferences: tuple[Phrase, ...] = ()
    empty_words: tuple[Form, ...] = ()
    articles: tuple[Form, ...] = ()


@dataclass(frozen=True, slots=True)
class SignList:
    """Emoticons and single-character emoji, shared by all languages."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    positive_emoticons: tuple[str, ...] = ()
    negative_emoticons: tuple[str, ...] = ()
    positive_emoji: tuple[Annotated[str, Field(min_length=1, max_length=1)], ...] = ()
    negative_emoji: tuple[Annotated[str, Field(min_length=1, max_length=1)], ...] = ()


@dataclass(frozen=True, slots=True)
class Sense:
    """What a word form says: a topic, by which entry, and whether only in one language."""

    topic: Topic
    entry: str
    only_in: str | None = None
    firm: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """All that is known of one word form."""

    senses: tuple[Sense, ...] = ()
    marks: str | None = None
    negates: frozenset[str] = frozenset()
    closes: frozenset[str] = frozenset()
    breaks: bool = False


@dataclass(frozen=True, slots=True)
class Keywords:
    """All lists in the shape in which the heuristics read them. Patterns are linear in the text."""

    words: Mapping[str, Word]
    questions: frozenset[str]
    signs: Mapping[str, Topic]
    emoticons: re.Pattern[str]
    emoji: re.Pattern[str]
    introduction: re.Pattern[str]
    preference: re.Pattern[str]
    empty_words: frozenset[str] = field(default_factory=frozenset)
    articles: frozenset[str] = field(default_factory=frozenset)


def parse_word_list(data: Mapping[str, object]) -> WordList:
    """Turn the mapping of one language file into a value.

    Raises:
        pydantic.ValidationError: A key is unknown or an entry is not written as the module says.
    """
    return TypeAdapter(WordList).validate_python(data)


def parse_sign_list(data: Mapping[str, object]) -> SignList:
    """Turn the mapping of the shared file of emoticons and emoji into a value.

    Raises:
        pydantic.ValidationError: A key is unknown or an emoji is more than one character.
    """
    return TypeAdapter(SignList).validate_python(data)


def build_keywords(lists: Mapping[str, WordList], signs: SignList) -> Keywords:
    """Join the lists of all languages (two-letter code -> list) into one look-up."""
    languages = lists.values()
    return Keywords(
        words=_all_words(lists),
        questions=frozenset(word for each in languages for word in each.questions),
        signs=_sign_topics(signs),
        emoticons=_emoticon_pattern(signs),
        emoji=_emoji_pattern(signs),
        introduction=_opening([phrase for each in languages for phrase in each.introductions]),
        preference=_opening([phrase for each in languages for phrase in each.preferences]),
        empty_words=frozenset(word for each in languages for word in each.empty_words),
        articles=frozenset(word for each in languages for word in each.articles),
    )


def entry_forms(entry: str, endings: tuple[str, ...], stem_endings: tuple[str, ...]) -> Iterator[str]:
    """Yield every form of an entry (see the module's text), the same form perhaps twice."""
    if entry.startswith("="):
        yield entry[1:]
    elif entry.endswith("-"):
        yield from (entry[:-1] + ending for ending in stem_endings)
    else:
        yield entry
        yield from (_joined(entry, ending) for ending in endings)


def _joined(word: str, ending: str) -> str:
    vowel_follows = ending[0] in VOWELS
    if word[-1] == "e" and vowel_follows:
        return word[:-1] + ending
    if word[-1] == "y" and word[-2:-1] not in VOWELS and not ending.startswith("i"):
        return word[:-1] + "i" + ending
    return word + (word[-1] if vowel_follows and ending != "es" and _doubles(word) else "") + ending


def _doubles(word: str) -> bool:
    return (
        2 < len(word) <= SHORT_WORD
        and word[-1] not in VOWELS | NEVER_DOUBLED
        and word[-2] in VOWELS
        and word[-3] not in VOWELS
    )


def _all_words(lists: Mapping[str, WordList]) -> dict[str, Word]:
    senses: dict[str, list[Sense]] = {}
    for language, each in lists.items():
        found = _language_senses(each, language)
        for form, new in found.items():
            known = senses.setdefault(form, [])
            known += [sense for sense in new if not any(_covers(old, sense) for old in known)]
    return {form: _word(form, tuple(senses.get(form, ())), lists) for form in _vocabulary(senses, lists)}


def _covers(old: Sense, new: Sense) -> bool:
    return old.topic == new.topic and old.only_in is None


def _language_senses(each: WordList, language: str) -> dict[str, list[Sense]]:
    """Collect form -> senses of one language. Two entries may share a form ("thank", "thanks")."""
    senses: dict[str, list[Sense]] = {}
    for topic in TOPICS:
        for entries, only_in in (
            (getattr(each.words, topic), None),
            (getattr(each.careful, topic), language),
        ):
            for entry in entries:
                for form in set(entry_forms(entry, each.endings, each.stem_endings)):
                    sense = Sense(topic, entry.strip("=-"), only_in, form in each.firm)
                    senses.setdefault(form, []).append(sense)
    return senses


def _vocabulary(senses: Mapping[str, object], lists: Mapping[str, WordList]) -> set[str]:
    small = (each.marks + each.negations + each.closing_negations + each.breaks for each in lists.values())
    return set(senses).union(*small)


def _word(form: str, senses: tuple[Sense, ...], lists: Mapping[str, WordList]) -> Word:
    marked = [language for language, each in lists.items() if form in each.marks]
    return Word(
        senses=senses,
        marks=marked[0] if marked else None,
        negates=frozenset(language for language, each in lists.items() if form in each.negations),
        closes=frozenset(language for language, each in lists.items() if form in each.closing_negations),
        breaks=any(form in each.breaks for each in lists.values()),
    )


def _sign_topics(signs: SignList) -> dict[str, Topic]:
    positive: dict[str, Topic] = dict.fromkeys((*signs.positive_emoticons, *signs.positive_emoji), "positive")
    negative: dict[str, Topic] = dict.fromkeys((*signs.negative_emoticons, *signs.negative_emoji), "negative")
    return positive | negative


def _emoticon_pattern(signs: SignList) -> re.Pattern[str]:
    """Match whole emoticons: not the ":/" of an address, nor letters at a word's end ("no:dice").

    Every way begins with a plain character, which lets the search skip ahead.
    """
    longest_first = sorted((*signs.positive_emoticons, *signs.negative_emoticons), key=len, reverse=True)
    ways = [
        re.escape(sign) + (f"(?<!\\w{re.escape(sign)})" if any(map(str.isalnum, sign)) else "")
        for sign in longest_first
    ]
    return re.compile(f"(?:{'|'.join(ways) or '(?!)'})(?![\\w/])")


def _emoji_pattern(signs: SignList) -> re.Pattern[str]:
    """Match a run of emoji with their joiners and skin tones as one piece."""
    ours = "".join(map(re.escape, (*signs.positive_emoji, *signs.negative_emoji)))
    if not ours:
        return re.compile("(?!)")
    return re.compile(f"[{ours}][{ours}\ufe0f\u200d\U0001f3fb-\U0001f3ff]*+")


def _opening(phrases: list[str]) -> re.Pattern[str]:
    """Match one of the phrases (in a lowered text) as whole words, with any blanks between and behind."""
    ways = ["\\s++".join(map(re.escape, phrase.split())) for phrase in sorted(phrases, key=len, reverse=True)]
    return re.compile(rf"\b(?:{'|'.join(ways) or '(?!)'})\s++")
