"""The rules alone, in microseconds, beside what the web app's cost on node; and on hostile text."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from bot.event_files import load_events
from bot.lexicon import load_keywords
from engine.baseline import baseline_updates
from engine.events import EventContext, due_events
from engine.heuristics import analyse_message
from engine.reply_block import parse_reply
from engine.reply_stream import ReplyStream
from engine.runaway import without_loop
from engine.turn import Rules, prepare_turn, settle_turn
from engine.updates import apply_updates, merge_updates, validate_updates
from tests.bench.place import ROOT
from tests.bench.samples import once_ms, per_call_us
from tests.bench.table import Figure, Table
from tests.bench.talk import NOW, REPLY, SAID, a_snapshot

BAR_US = "1,000"
BAR_HOSTILE_MS = "50"
LONG = 16_000
HOSTILE = {
    "braces": "{",
    "open objects": '{"a":',
    "<think>": "<think>",
    "</think>": "</think>",
    "quotes": '"',
    "brace and quotes": '{"',
    "blanks": " ",
    "line ends": "\n",
    "backticks": "`",
    "fences": "```json\n",
    "reminder tags": "[REMINDER: 5m | ",
    "stars": "*",
    "star words": "*a ",
    "brackets": "[",
    "angles": "<|",
}


def measure() -> list[Table]:
    return [_ordinary(), _hostile()]


def _ordinary() -> Table:
    snapshot, rules = a_snapshot(), Rules(load_keywords(ROOT / "config" / "keywords"))
    suggestion = parse_reply(REPLY).updates
    assert suggestion is not None
    words = parse_reply(REPLY).dialogue or ""
    analysis = analyse_message(SAID, rules.keywords)
    her = snapshot.character
    book = load_events(ROOT / "config" / "events")
    context = EventContext(her, NOW, Random(1).random, her.last_interaction, SAID)
    baseline = baseline_updates(analysis, her.affection, Random(1).random)

    def merge_and_apply() -> object:
        return apply_updates(her, merge_updates(baseline, validate_updates(suggestion).updates), NOW)

    calls: list[tuple[str, Callable[[], object], str]] = [
        ("parse a reply of 1,500 characters", lambda: parse_reply(REPLY, "Otomo"), "node 16"),
        ("stream it, one character at a time", _stream, f"{len(REPLY)} feeds"),
        ("look for a loop in her words", lambda: without_loop(words), ""),
        ("analyse 300 characters", lambda: analyse_message(SAID, rules.keywords), "node 44"),
        ("build the prompt", lambda: prepare_turn(snapshot, rules, NOW), "node 127"),
        ("validate, merge, apply", merge_and_apply, ""),
        ("evaluate all events", lambda: due_events(book.pool, context), "node 24"),
        (
            "settle a turn, whole",
            lambda: settle_turn(snapshot, rules, REPLY, suggestion, NOW, Random(1)),
            "",
        ),
    ]
    figures = [
        Figure.of(name, per_call_us(call), "us", "" if call is _stream else BAR_US, beside)
        for name, call, beside in calls
    ]
    per_character = [us / len(REPLY) for us in per_call_us(_stream)]
    figures.insert(2, Figure.of("... for each character", per_character, "us", BAR_US))
    return Table("Engine", tuple(figures))


def _stream() -> object:
    stream = ReplyStream("Otomo", early=True)
    for character in REPLY:
        stream.feed(character)
    return stream.finish()


def _hostile() -> Table:
    keywords = load_keywords(ROOT / "config" / "keywords")
    figures = []
    for what, piece in HOSTILE.items():
        figures.append(_growth(f"parse {what}", parse_reply, piece))
        figures.append(_growth(f"stream {what}", _stream_text, piece))
        figures.append(_growth(f"look for a loop in {what}", without_loop, piece))
        figures.append(_growth(f"analyse {what}", lambda text: analyse_message(text, keywords), piece))
    worst = sorted(figures, key=lambda figure: -figure.median)
    return Table(
        f"Engine on hostile text of {LONG:,} characters",
        tuple(worst[:12]),
        f"The slowest 12 of {len(figures)}. `x 2` is the time of 16,000 over that of 8,000 characters: "
        "about 2 is linear.",
    )


def _growth(name: str, call: Callable[[str], object], piece: str) -> Figure:
    text = (piece * (LONG // len(piece) + 1))[:LONG]
    long_ms, half_ms = once_ms(lambda: call(text)), once_ms(lambda: call(text[: LONG // 2]))
    return Figure(name, long_ms, None, "ms", BAR_HOSTILE_MS, f"x 2: {long_ms / half_ms:.1f}")


def _stream_text(text: str) -> object:
    stream = ReplyStream("Otomo", early=True)
    for start in range(0, len(text), 4):  # as models write: a token at a time
        stream.feed(text[start : start + 4])
    return stream.finish()
