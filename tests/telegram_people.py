"""What people do in front of the Bot API fake."""

from __future__ import annotations

import time
from typing import Any

from tests import telegram_rules as rules
from tests.telegram_methods import ANNA, BOT, NOT_BY_DEFAULT, Methods


class People(Methods):
    """Messages, presses and blocks, as updates."""

    def meet(self, user: dict[str, Any] = ANNA, chat: dict[str, Any] | None = None) -> None:
        """Make a chat known, as if somebody had pressed Start there long ago; no update comes of it."""
        known = chat or self._chat_of(user)
        self._chats[known["id"]] = known

    def say(
        self, text: str, user: dict[str, Any] = ANNA, chat: dict[str, Any] | None = None, **more: Any
    ) -> dict[str, Any]:
        """A text message; commands and mentions get their entities as Telegram makes them."""
        return self.post({"text": text, "entities": _entities_of(text), **more}, user, chat)

    def post(
        self, content: dict[str, Any], user: dict[str, Any] = ANNA, chat: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """A message with any content, e.g. {"voice": {...}} or {"photo": [...], "caption": "..."}."""
        return self.push("message", self._message(content, user, chat or self._chat_of(user)))

    def edit(self, message: dict[str, Any], text: str) -> dict[str, Any]:
        """An edit of a message of the user's."""
        return self.push("edited_message", {**message, "text": text, "edit_date": int(time.time())})

    def press(self, message: dict[str, Any], data: str, user: dict[str, Any] = ANNA) -> dict[str, Any]:
        """A press on an inline button of a message that the bot has sent."""
        press_id = str(next(self._ids))
        self._presses.add(press_id)
        fields = {"id": press_id, "from": user, "message": message, "chat_instance": "1", "data": data}
        return self.push("callback_query", fields)

    def block(self, user: dict[str, Any] = ANNA) -> dict[str, Any]:
        """The user blocks the bot."""
        chat = self._chat_of(user)
        self.blocked.add(chat["id"])
        return self.push("my_chat_member", _membership(user, chat, "member", "kicked"))

    def unblock(self, user: dict[str, Any] = ANNA) -> dict[str, Any]:
        """The user lets the bot in again."""
        chat = self._chat_of(user)
        self.blocked.discard(chat["id"])
        return self.push("my_chat_member", _membership(user, chat, "kicked", "member"))

    def add_file(self, data: bytes) -> str:
        """Keep a file that users have sent; return its file_id."""
        file_id = f"file{next(self._ids)}"
        self.files[file_id] = data
        return file_id

    def group(self, chat_id: int = -2002, title: str = "Friends", kind: str = "supergroup") -> dict[str, Any]:
        """A group chat to hand to `say`."""
        return {"id": chat_id, "type": kind, "title": title}

    def push(self, kind: str, content: dict[str, Any]) -> dict[str, Any]:
        """Queue any update; return its content."""
        update = {"update_id": 500_000 + next(self._ids), kind: content}
        if kind in self.allowed_updates or (not self.allowed_updates and kind not in NOT_BY_DEFAULT):
            self.updates.append(update)
        return content

    def push_again(self, update: dict[str, Any]) -> None:
        """Queue an update once more under the same id, as Telegram does after a lost confirmation."""
        self.updates.append(update)
        self.updates.sort(key=lambda each: each["update_id"])

    def _chat_of(self, user: dict[str, Any]) -> dict[str, Any]:
        return {"id": user["id"], "type": "private", "first_name": user["first_name"]}


def _entities_of(text: str) -> list[dict[str, Any]]:
    """Find commands and mentions as Telegram's server does."""
    found = []
    position = 0
    for word in text.split(" "):
        kind = {"/": "bot_command", "@": "mention"}.get(word[:1])
        if kind and len(word) > 1:
            found.append({"type": kind, "offset": position, "length": rules.utf16(word.rstrip("?!.,"))})
        position += rules.utf16(word) + 1
    return found


def _membership(user: dict[str, Any], chat: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    def member(status: str) -> dict[str, Any]:
        until = {"until_date": 0} if status == "kicked" else {}
        return {"user": BOT, "status": status, **until}

    return {
        "chat": chat,
        "from": user,
        "date": int(time.time()),
        "old_chat_member": member(old),
        "new_chat_member": member(new),
    }
