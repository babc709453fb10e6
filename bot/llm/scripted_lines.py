"""The offline stand-in's script as data: config/scripted/moves.toml and one file of lines per language."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

from pydantic import ConfigDict, Field, TypeAdapter

from bot.errors import ConfigError
from bot.toml_files import read_checked
from engine.character import EMOTIONS, Emotion

FALLBACK: Final = "en"
STRICT: Final = ConfigDict(extra="forbid")
FEWEST_LINES: Final = 3

Lines = Annotated[tuple[str, ...], Field(min_length=FEWEST_LINES)]
Delta = Annotated[int, Field(ge=-20, le=20)]


@dataclass(frozen=True, slots=True)
class Feels:
    """What a move does to her: the mood it leaves, the deltas, and a visible reaction."""

    __pydantic_config__ = STRICT

    emotion: Emotion | None = None
    intensity: Annotated[int, Field(ge=-30, le=30)] = 0
    affection: Delta = 0
    trust: Delta = 0
    intimacy: Delta = 0
    comfort: Delta = 0
    expression: Emotion | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """One kind of thing a user says; moves are tried in the order of the file, the first that fits wins.

    `plain` forbids openings and questions of our own after the line (grief, farewells, the truth about her).
    `most_words` bounds the message it fits, 0 for any. `asks` adds a question of the topic now and
    then. After a `heavy` move lighter ones become `gentle` for a while.
    """

    __pydantic_config__ = STRICT

    id: str
    feels: Feels = field(default_factory=Feels)
    plain: bool = False
    most_words: Annotated[int, Field(ge=0)] = 0
    asks: bool = False
    heavy: bool = False


@dataclass(frozen=True, slots=True)
class Wordings:
    """A move in one language: the phrases it is known by, those that forbid it, and what she says.

    `close` and `love` join `lines` from the stages close_friend and dating upwards.
    """

    __pydantic_config__ = STRICT

    lines: Lines
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    close: tuple[str, ...] = ()
    love: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Learn:
    """A sentence that tells something worth keeping; `fact` says it in the third person.

    In `fact` {x} is what the phrase caught and {said} the whole phrase, both turned round; {raw} the user's
    own words. `label` says what kind of thing it is, for the callbacks.
    """

    __pydantic_config__ = STRICT

    when: tuple[str, ...]
    fact: str
    unless: tuple[str, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question of hers about a topic, what she says to the answer, and what the answer tells of the user."""

    __pydantic_config__ = STRICT

    topic: str
    text: str
    then: Lines
    fact: str = ""


@dataclass(frozen=True, slots=True)
class Language:
    """All lines of one language.

    `signs` are frequent words that tell the language, `sentence_words` those that make a message a sentence
    rather than a bare answer, `ends` where a captured phrase ends, `drop` words at
    its end that say nothing, `plain_words` words that are never worth a remark, `fillers`
    words that phrases overlook, `articles` words that announce a noun, `you` and `they` turn the
    user's words round, `as_you` turns a fact's words back to the user.
    """

    __pydantic_config__ = STRICT

    setup: Lines
    signs: tuple[str, ...]
    sentence_words: frozenset[str]
    ends: tuple[str, ...]
    drop: tuple[str, ...]
    plain_words: frozenset[str]
    fillers: frozenset[str]
    articles: frozenset[str]
    you: dict[str, str]
    they: dict[str, str]
    join: str
    as_you: dict[str, str]
    moves: dict[str, Wordings]
    feelings: dict[Emotion, Lines]
    openings: dict[Emotion, tuple[str, ...]]
    greetings: Lines
    notes: Lines
    named: Lines
    tired: Lines
    callbacks: dict[str, Lines]
    learn: tuple[Learn, ...]
    ask: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """The moves in order, and every language's lines."""

    moves: tuple[Move, ...]
    languages: dict[str, Language]


_MOVES = TypeAdapter(tuple[Move, ...])
_LANGUAGE = TypeAdapter(Language)


def load_lines(folder: Path) -> Script:
    """Read the stand-in's script.

    Raises:
        ConfigError: A file is missing, does not parse, lacks a move or has too few lines; named in one line.
    """
    moves = read_checked(folder / "moves.toml", lambda data: _MOVES.validate_python(data.get("move", [])))
    paths = [path for path in sorted(folder.glob("*.toml")) if path.stem != "moves"]
    languages = {path.stem: read_checked(path, _LANGUAGE.validate_python) for path in paths}
    if FALLBACK not in languages:
        raise ConfigError(f"{folder}: {FALLBACK}.toml is missing")
    for name, language in languages.items():
        _refuse_gaps(folder / f"{name}.toml", moves, language)
    return Script(moves, languages)


def _refuse_gaps(path: Path, moves: tuple[Move, ...], language: Language) -> None:
    if missing := {move.id for move in moves} ^ language.moves.keys():
        raise ConfigError(f"{path}: moves: {', '.join(sorted(missing))} missing here or in moves.toml")
    if missing_feelings := set(EMOTIONS) - language.feelings.keys():
        raise ConfigError(f"{path}: feelings: {', '.join(sorted(missing_feelings))} missing")


SLOT: Final = re.compile(r"\\\{(x|name|proper)\\\}")
LONGEST_CAPTURE: Final = 60


def phrase_pattern(phrases: tuple[str, ...]) -> re.Pattern[str] | None:
    """Compile phrases to one pattern: `word*` takes endings, {x} some words, {name} one word.

    {proper} is one word with a capital letter.

    Captures are bounded, so that no message makes the search slow.
    """
    if not phrases:
        return None
    return re.compile(
        "|".join(_one_phrase(index, phrase) for index, phrase in enumerate(phrases)), re.IGNORECASE
    )


def _one_phrase(index: int, phrase: str) -> str:
    text = re.escape(phrase.strip()).replace(r"\ ", r"\s{1,3}").replace(r"\*", r"\w{0,12}")
    text = SLOT.sub(lambda slot: _capture(slot[1], index), text)
    return rf"(?<!\w){text}(?!\w)"


def _capture(slot: str, index: int) -> str:
    if slot == "name":
        return rf"(?P<name{index}>[^\W\d_][\w'-]{{1,29}})"
    if slot == "proper":
        return rf"(?P<name{index}>(?-i:[A-ZÄÖÜÉ])[\w'-]{{1,29}})"
    return rf"(?P<x{index}>[^\s.,;:!?()\"][^.,;:!?()\"\n]{{0,{LONGEST_CAPTURE - 1}}})"
