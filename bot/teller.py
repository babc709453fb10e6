"""How a turn speaks to one user: in which language, as which messages, with which notices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.looks import Looks, looks_of
from bot.personas import Persona
from bot.portraits import Portraits
from bot.ports import Platform
from bot.replies import aside, rows_of
from bot.store.outgoing import OutgoingRow
from bot.store.turns import Loaded
from bot.voice import Voice
from bot.wording import Wording
from engine.conversation import Address, Notice, Play, Reply, Show
from engine.notices import notice_due

_NOTICES = {"first": "contact.notice", "daily": "contact.reminder_ai", "long_talk": "contact.reminder_break"}
_SAME_KIND = {"photo": "picture", "animation": "video", "video_note": "video", "venue": "location"}
"""Kinds that the platforms tell apart and one sentence answers."""


@dataclass(frozen=True, slots=True)
class Teller:
    """The app's sentences and the layout of replies, for every user.

    `language` is the operator's choice: "auto" follows each user, else two letters for all.
    """

    wording: Wording
    persona: Persona
    voice: Voice
    portrait: Portraits
    platforms: Mapping[str, Platform]
    language: str = "auto"

    def language_of(self, wanted: str) -> str:
        """Return the language in which a user is spoken to."""
        return self.wording.language(wanted if self.language == "auto" else self.language)

    def say(self, loaded: Loaded, key: str, **values: object) -> str:
        """Return a sentence of the app in the user's language."""
        return self.wording.say(key, self.language_of(loaded.person.language), **values)

    def rows(self, loaded: Loaded, reply: Reply, *, spoken: bool = False) -> tuple[OutgoingRow, ...]:
        """Lay a reply out as messages for the chat of a turn."""
        platform = self.platforms.get(loaded.address.platform)
        if platform is None:  # she has spoken there, before this process came: only the picture is left out
            return ()
        loops = platform.limits.loops

        def at_once(part: Show | Play) -> bool:
            if isinstance(part, Play):
                return self.portrait.cached_loop(part.face, part.action, loops) is not None
            return self.portrait.cached(part.face) is not None

        return rows_of(reply, loaded.address, platform.limits, at_once, spoken=spoken)

    def notice_rows(self, loaded: Loaded, key: str) -> tuple[OutgoingRow, ...]:
        """Return one sentence of the app as messages."""
        return self.rows(loaded, (Notice(self.say(loaded, key)),))

    def aside(self, address: Address, language: str, key: str, number: int) -> OutgoingRow:
        """Return a sentence of the app for a turn that is still open; each number is said once a turn."""
        return aside(self.wording.say(key, self.language_of(language)), address, number)

    def looks(self, loaded: Loaded, now: datetime) -> Looks:
        """Return her looks for the user and the chat of a turn."""
        private = loaded.address.private
        return looks_of(self.portrait, loaded.settings, now, loaded.user_id, private=private)

    def line(self, loaded: Loaded, text: str, number: int) -> OutgoingRow:
        """Return a ready sentence for a turn that is still open; each number is said once a turn."""
        return aside(text, loaded.address, number)

    def ai_notices(self, loaded: Loaded, session_started_at: datetime, now: datetime) -> tuple[Notice, ...]:
        """Return what stands before her words: that she is an AI, when it is due again."""
        due = notice_due(loaded.person.noticed_at, session_started_at, now)
        if due is None:
            return ()
        where = self.say(loaded, f"contact.sentence_{self.voice.place}", provider=self.voice.provider)
        name = loaded.character.name
        # Notice, words and face would be three messages at first contact, where two are the most.
        joined = due == "first" and self.portrait.settings.enabled
        return (Notice(self.say(loaded, _NOTICES[due], name=name, voice_sentence=where), joined),)

    def figure_gone(self, loaded: Loaded, looks: Looks) -> tuple[Notice, ...]:
        """Return one kind sentence where the figure that the user has chosen is not there any more."""
        return (Notice(self.say(loaded, "avatar.gone")),) if looks.gone else ()

    def cannot_take(self, loaded: Loaded) -> Reply:
        """Return one kind sentence for what she cannot take yet."""
        kind = next((one.cannot_take for one in loaded.incoming if one.cannot_take), "other")
        key = f"cannot_take.{_SAME_KIND.get(kind, kind)}"
        return (Notice(self.say(loaded, key if self.wording.has(key) else "cannot_take.other")),)
