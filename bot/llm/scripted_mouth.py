"""What the offline stand-in says, and the state block she ends with. Pure: the same talk gives the same words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.llm.scripted_ear import Heard, Told, choose_language, hear, learned, tidy, told_before, turned
from bot.llm.scripted_lines import Ask, Feels, Language, Script
from engine.character import STAGES
from engine.conversation import Prompt

CLOSE: Final = STAGES.index("close_friend")
LOVE: Final = STAGES.index("dating")
STRONG_MOOD: Final = 60
LOW_ENERGY: Final = 20
MOST_RECALLED: Final = 6
MOST_LEARNED: Final = 2
PATTERN_FACT: Final = "User: "
"""How facts begin that the engine's own patterns have found."""
RECENT: Final = 4
"""So many of her last messages must not be repeated."""


@dataclass(frozen=True, slots=True)
class Dice:
    """A choice that depends on the talk alone, so that a repeated turn says the same."""

    seed: str

    def roll(self, what: str, sides: int) -> int:
        """Return a number from 0 to sides - 1 for one decision."""
        digest = hashlib.sha256(f"{self.seed}\n{what}".encode()).digest()
        return int.from_bytes(digest[:4], "big") % sides


@dataclass(frozen=True, slots=True)
class Talk:
    """All that a line may draw on."""

    script: Script
    language: Language
    prompt: Prompt
    heard: Heard
    dice: Dice
    recent: tuple[str, ...]
    told: tuple[Told, ...]
    user: str

    @property
    def first(self) -> bool:
        """Whether she has not spoken in this talk yet."""
        return self.prompt.subject.first_words or not self.recent


def reply(script: Script, prompt: Prompt) -> str:
    """Return her whole reply to the newest message: the words, and the state block."""
    newest = prompt.messages[-1].text if prompt.messages else ""
    language = script.languages[choose_language(script, prompt.subject.language, newest)]
    hers = [message.text for message in prompt.messages if message.role == "assistant"]
    told = told_before(language, prompt)
    heard = hear(script, language, prompt)
    seed = "\n".join((newest, str(len(prompt.messages)), hers[-1] if hers else ""))
    talk = Talk(
        script,
        language,
        prompt,
        heard,
        Dice(seed),
        tuple(hers[-RECENT:]),
        tuple(told),
        _user_name(language, told, prompt),
    )
    fact = _new_fact(talk, newest)
    return f"{_words(talk)}\n\n```json\n{json.dumps(_block(talk, fact), ensure_ascii=False)}\n```"


def _user_name(language: Language, told: Sequence[Told], prompt: Prompt) -> str:
    for one in told:
        if one.label == "name":
            return one.words
    lead = next((learn.fact.split("{x}")[0] for learn in language.learn if learn.label == "name"), "")
    named = (fact.removeprefix(lead) for fact in prompt.subject.facts if lead and fact.startswith(lead))
    return next(named, "").strip(" .")


def _words(talk: Talk) -> str:
    parts = [_line(talk)]
    plain = talk.heard.move.plain
    if opening := ("" if plain else _opening(talk)):
        parts.insert(0, opening)
    if extra := "" if plain or "?" in parts[-1] else _follow(talk):
        parts.append(extra)
    words = " ".join(parts)
    if talk.first and talk.heard.move.id != "setup":
        words = f"{words}\n\n{_pick(talk, talk.language.setup, 'setup')}"
    return words


def _line(talk: Talk) -> str:
    match talk.heard.move.id:
        case "recall" if notes := _notes(talk):
            return notes
        case "recall_name" if talk.user:
            return _pick(talk, talk.language.named, "named")
        case "answer" if talk.heard.ask is not None:
            return _pick(talk, talk.heard.ask.then, "then")
    wordings = talk.language.moves[talk.heard.move.id]
    lines = wordings.lines
    if talk.heard.liked:
        lines += talk.language.moves["likes"].lines
    stage = STAGES.index(talk.prompt.subject.stage)
    if talk.prompt.subject.app_mode == "dating_sim" and stage >= CLOSE:
        lines += wordings.close
        lines = wordings.love + lines if stage >= LOVE else lines
    return _pick(talk, lines, talk.heard.move.id)


def _pick(talk: Talk, lines: Sequence[str], what: str) -> str:
    """Choose a line that can be said now and has not just been said."""
    ready = [said for line in lines if (said := _filled(talk, line)) is not None]
    fresh = [said for said in ready if not any(said in message for message in talk.recent)]
    if not fresh and talk.recent:
        fresh = [said for said in ready if said not in talk.recent[-1]]
    choices = fresh or ready or [lines[0]]
    return choices[talk.dice.roll(what, len(choices))]


def _filled(talk: Talk, line: str) -> str | None:
    """Return the line with its gaps filled, or None if something it needs is not known."""
    words = talk.heard.words
    if ("{x}" in line and not words) or ("{user}" in line and not talk.user):
        return None
    if "{feeling}" in line:
        line = line.replace("{feeling}", _feeling(talk))
    line = line.replace("{name}", talk.prompt.subject.name).replace("{user}", talk.user)
    filled = line.replace("{x}", words).replace("{text}", words.strip(" .!"))
    return filled[:1].upper() + filled[1:]


def _feeling(talk: Talk) -> str:
    if talk.prompt.subject.energy < LOW_ENERGY:
        lines = talk.language.tired
    else:
        lines = talk.language.feelings[talk.prompt.subject.emotion]
    return lines[talk.dice.roll("feeling", len(lines))]


def _opening(talk: Talk) -> str:
    """A word before the line: a greeting at the start, now and then her mood."""
    subject = talk.prompt.subject
    if talk.first and talk.heard.move.id not in ("greeting", "how_are_you"):
        return talk.language.greetings[talk.dice.roll("hello", len(talk.language.greetings))]
    moods = talk.language.openings.get(subject.emotion, ())
    if talk.first or not moods or subject.intensity < STRONG_MOOD or talk.dice.roll("mood", 4):
        return ""
    mood = moods[talk.dice.roll("which mood", len(moods))]
    return "" if any(mood in message for message in talk.recent) else mood


def _follow(talk: Talk) -> str:
    """A question after the line, where one is welcome: about what was told before, or about the topic."""
    if all(message.rstrip().endswith("?") for message in talk.recent[-2:]) and len(talk.recent) >= 2:
        return ""
    if talk.heard.move.id in ("statement", "greeting", "bored", "okay") and (callback := _callback(talk)):
        return callback
    if not talk.heard.move.asks or (talk.heard.move.id == "statement" and talk.dice.roll("ask", 2)):
        return ""
    ask = _fresh_ask(talk, talk.heard.move.id) or _fresh_ask(talk, "any")
    return ask.text if ask is not None else ""


def _callback(talk: Talk) -> str:
    if talk.dice.roll("callback", 2):
        return ""
    said = " ".join(message.text for message in talk.prompt.messages if message.role == "assistant")
    for one in talk.told:
        lines = [
            line.replace("{x}", one.words) for line in talk.language.callbacks.get(one.label, ()) if one.words
        ]
        fresh = [line for line in lines if line not in said]
        if len(fresh) == len(lines) and fresh:
            return fresh[talk.dice.roll("which callback", len(fresh))]
    return ""


def _fresh_ask(talk: Talk, topic: str) -> Ask | None:
    said = tidy(
        " ".join(message.text[:400] for message in talk.prompt.messages if message.role == "assistant")
    )
    asks = [ask for ask in talk.language.ask if ask.topic == topic and tidy(ask.text) not in said]
    return asks[talk.dice.roll("which ask", len(asks))] if asks else None


def _notes(talk: Talk) -> str:
    """What she knows of the user, as a sentence; empty when she knows nothing."""
    facts: list[str] = []
    for fact in (*(one.fact for one in talk.told), *talk.prompt.subject.facts):
        note = _as_you(talk.language, fact)
        if note and not any(
            note.lower() in known.lower() or known.lower() in note.lower() for known in facts
        ):
            facts.append(note)
    if not facts:
        return ""
    listed = talk.language.join.join(facts[:MOST_RECALLED])
    return _pick(talk, tuple(line.replace("{notes}", listed) for line in talk.language.notes), "notes")


def _as_you(language: Language, fact: str) -> str:
    """Return a fact as said to the user's face."""
    bare = fact.removeprefix(PATTERN_FACT)
    if bare != fact:
        return bare.strip(" .")
    note = turned(fact, language.as_you).strip(" .")
    return note[:1].lower() + note[1:]


def _new_fact(talk: Talk, text: str) -> str | None:
    """What of this message is worth remembering: at most two things that are not known yet, in one line."""
    known = {*talk.prompt.subject.facts, *(one.fact for one in talk.told)}
    ask = talk.heard.ask
    answer = [ask.fact.replace("{x}", talk.heard.words.strip(" .!"))] if ask is not None and ask.fact else []
    facts = [one.fact for one in learned(talk.language, text)] + answer
    fresh = [fact for fact in facts if fact not in known][:MOST_LEARNED]
    return "; ".join(fresh) or None


def _block(talk: Talk, fact: str | None) -> dict[str, Any]:
    """The state block in the specification's form."""
    feels: Feels = talk.heard.move.feels
    mood = {"emotion": feels.emotion, "intensity_delta": feels.intensity} if feels.emotion else None
    if talk.prompt.subject.app_mode == "companion":
        return {"mood_change": mood, "new_memory": fact}
    return {
        "mood_change": mood,
        "affection_delta": feels.affection,
        "trust_delta": feels.trust,
        "intimacy_delta": feels.intimacy,
        "comfort_delta": feels.comfort,
        "new_memory": fact,
        "triggered_event": None,
        "action": None,
        "expression": feels.expression,
    }
