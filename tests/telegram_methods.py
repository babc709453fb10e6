"""The methods of the Bot API fake, one `do_<method>` each, and what it keeps."""

from __future__ import annotations

import asyncio
import itertools
import time
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from tests import telegram_rules as rules
from tests.telegram_rules import Refused, bad

BOT = {"id": 123456789, "is_bot": True, "first_name": "Otomo", "username": "otomo_test_bot"}
ANNA = {"id": 1001, "is_bot": False, "first_name": "Anna", "language_code": "en"}
NOT_BY_DEFAULT = ("chat_member", "message_reaction", "message_reaction_count")


@dataclass(slots=True)
class Call:
    """One request: `at` is the monotonic clock, `status` the answer (0 while open or dropped)."""

    method: str
    params: dict[str, Any]
    files: dict[str, bytes]
    at: float
    status: int = 0
    result: Any = None


@dataclass(slots=True)
class _Poll:
    ended_by_other: asyncio.Event = field(default_factory=asyncio.Event)


class Methods:
    """Every method of the Bot API that the product uses."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.updates: list[dict[str, Any]] = []
        self.confirmed: list[int] = []
        self.messages: dict[tuple[int, int], dict[str, Any]] = {}
        self.sent: list[dict[str, Any]] = []
        self.drafts: list[dict[str, Any]] = []
        self.commands: dict[tuple[str, str], list[dict[str, str]]] = {}
        self.texts: dict[tuple[str, str], str] = {}
        self.files: dict[str, bytes] = {}
        self.answered: dict[str, dict[str, Any]] = {}
        self.blocked: set[int] = set()
        self.refuse_drafts = False
        self.latency_s = 0.0
        self.webhook: dict[str, Any] = {}
        self.allowed_updates: list[str] = []
        self._chats: dict[int, dict[str, Any]] = {}
        self._presses: set[str] = set()
        self._ids = itertools.count(1)
        self._poll: _Poll | None = None
        self._stopping = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _sleep(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds)
        except TimeoutError:
            return

    def _message(self, content: dict[str, Any], user: dict[str, Any], chat: dict[str, Any]) -> dict[str, Any]:
        self._chats[chat["id"]] = chat
        message = {
            "message_id": next(self._ids),
            "date": int(time.time()),
            "chat": chat,
            "from": user,
            **content,
        }
        self.messages[chat["id"], message["message_id"]] = message
        return message

    # The methods: updates

    async def do_getMe(self, call: Call) -> dict[str, Any]:
        return {
            **BOT,
            "can_join_groups": True,
            "can_read_all_group_messages": False,
            "supports_inline_queries": False,
        }

    async def do_getUpdates(self, call: Call) -> list[dict[str, Any]]:
        if self.webhook:
            raise Refused(409, "Conflict: can't use getUpdates method while webhook is active")
        if self._poll is not None:
            self._poll.ended_by_other.set()
        self._poll = poll = _Poll()
        if "allowed_updates" in call.params:
            self.allowed_updates = call.params["allowed_updates"]
        self._confirm(call.params.get("offset", 0))
        until = time.monotonic() + call.params.get("timeout", 0)
        try:
            while not self.updates and (left := until - time.monotonic()) > 0:
                if poll.ended_by_other.is_set() or self._stopping.is_set():
                    break
                await self._sleep(min(left, 0.01))
        finally:
            if self._poll is poll:
                self._poll = None
        if poll.ended_by_other.is_set():
            raise Refused(
                409,
                "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
            )
        return self.updates[: call.params.get("limit", 100)]

    def _confirm(self, offset: int) -> None:
        if offset < 0:
            offset = self.updates[offset:][0]["update_id"] if self.updates else 0
        self.confirmed += [update["update_id"] for update in self.updates if update["update_id"] < offset]
        self.updates = [update for update in self.updates if update["update_id"] >= offset]

    async def do_deleteWebhook(self, call: Call) -> bool:
        self.webhook = {}
        if call.params.get("drop_pending_updates") == "true":
            self.updates.clear()
        return True

    async def do_setWebhook(self, call: Call) -> bool:
        self.webhook = dict(call.params)
        self.allowed_updates = call.params.get("allowed_updates", [])
        self._spawn(self._deliver(self.webhook))
        return True

    async def do_getWebhookInfo(self, call: Call) -> dict[str, Any]:
        return {
            "url": self.webhook.get("url", ""),
            "has_custom_certificate": False,
            "pending_update_count": len(self.updates),
        }

    async def _deliver(self, webhook: dict[str, Any]) -> None:
        """Hand the updates to the webhook one after another; what is not answered with 2xx comes again."""
        headers = (
            {"X-Telegram-Bot-Api-Secret-Token": webhook["secret_token"]} if "secret_token" in webhook else {}
        )
        async with aiohttp.ClientSession() as session:
            while self.webhook is webhook and not self._stopping.is_set():
                if not self.updates:
                    await self._sleep(0.01)
                    continue
                try:
                    async with session.post(webhook["url"], json=self.updates[0], headers=headers) as answer:
                        delivered = answer.status < 300
                except aiohttp.ClientError:
                    delivered = False
                if delivered:
                    self.confirmed.append(self.updates.pop(0)["update_id"])
                else:
                    await self._sleep(0.05)

    # The methods: what the bot says

    async def do_sendMessage(self, call: Call) -> dict[str, Any]:
        chat = self._chat_for(call)
        text = rules.check_text(
            call.params.get("text"),
            call.params.get("entities"),
            call.params.get("parse_mode"),
            rules.MAX_TEXT,
            "message",
        )
        rules.check_keyboard(call.params.get("reply_markup"))
        return self._deliver_to(chat, call, {"text": text, **_kept(call.params, "entities")})

    async def do_sendPhoto(self, call: Call) -> dict[str, Any]:
        chat, caption = self._chat_for(call), self._caption(call.params)
        file_id, data = self._file(call.params, call.files, "photo")
        width, height = rules.check_photo(data)
        sizes = [_size(f"{file_id}", data, width, height)]
        return self._deliver_to(chat, call, {"photo": sizes, **caption})

    async def do_sendAnimation(self, call: Call) -> dict[str, Any]:
        chat, caption = self._chat_for(call), self._caption(call.params)
        file_id, data = self._file(call.params, call.files, "animation")
        animation = {**_size(file_id, data, 1, 1), "duration": 1}
        return self._deliver_to(
            chat, call, {"animation": animation, "document": _size(file_id, data, 1, 1), **caption}
        )

    async def do_sendDocument(self, call: Call) -> dict[str, Any]:
        chat, caption = self._chat_for(call), self._caption(call.params)
        file_id, data = self._file(call.params, call.files, "document")
        return self._deliver_to(chat, call, {"document": _size(file_id, data, 1, 1), **caption})

    async def do_sendMediaGroup(self, call: Call) -> list[dict[str, Any]]:
        chat, media = self._chat_for(call), call.params.get("media", [])
        if not 2 <= len(media) <= 10:
            raise bad("wrong number of items in the album: 2-10 are allowed")
        messages = []
        group = str(next(self._ids))
        for item in media:
            caption = self._caption(item)
            file_id, data = self._file(item, call.files, "media")
            width, height = rules.check_photo(data) if item["type"] == "photo" else (1, 1)
            content = {
                item["type"]: [_size(file_id, data, width, height)],
                "media_group_id": group,
                **caption,
            }
            messages.append(self._deliver_to(chat, call, content))
        return messages

    async def do_sendChatAction(self, call: Call) -> bool:
        self._chat_for(call)
        if call.params.get("action") not in (
            "typing",
            "upload_photo",
            "upload_document",
            "record_voice",
            "upload_voice",
        ):
            raise bad("wrong parameter action in request")
        return True

    async def do_sendMessageDraft(self, call: Call) -> bool:
        chat = self._chat_for(call)
        if chat["type"] != "private" or self.refuse_drafts:
            raise bad("TEXTDRAFT_PEER_INVALID")
        if not call.params.get("draft_id"):
            raise bad("draft_id must be non-zero")
        if call.params.get("text"):
            rules.check_text(
                call.params["text"],
                call.params.get("entities"),
                call.params.get("parse_mode"),
                rules.MAX_TEXT,
                "message",
            )
        self.drafts.append(call.params)
        return True

    async def do_editMessageText(self, call: Call) -> dict[str, Any]:
        message = self._own_message(call)
        text = rules.check_text(
            call.params.get("text"),
            call.params.get("entities"),
            call.params.get("parse_mode"),
            rules.MAX_TEXT,
            "message",
        )
        rules.check_keyboard(call.params.get("reply_markup"))
        changed = {"text": text, **_kept(call.params, "entities", "reply_markup")}
        if all(message.get(name) == changed.get(name) for name in ("text", "entities", "reply_markup")):
            raise bad(
                "message is not modified: specified new message content and reply markup are exactly the same"
            )
        for name in ("entities", "reply_markup"):
            message.pop(name, None)
        message.update(changed)
        return message

    async def do_editMessageReplyMarkup(self, call: Call) -> dict[str, Any]:
        message = self._own_message(call)
        rules.check_keyboard(call.params.get("reply_markup"))
        if message.get("reply_markup") == call.params.get("reply_markup"):
            raise bad(
                "message is not modified: specified new message content and reply markup are exactly the same"
            )
        message.pop("reply_markup", None)
        message.update(_kept(call.params, "reply_markup"))
        return message

    async def do_deleteMessage(self, call: Call) -> bool:
        if self.messages.pop((call.params["chat_id"], call.params["message_id"]), None) is None:
            raise bad("message to delete not found")
        return True

    async def do_answerCallbackQuery(self, call: Call) -> bool:
        press = call.params.get("callback_query_id", "")
        if press not in self._presses:
            raise bad("query is too old and response timeout expired or query ID is invalid")
        if len(call.params.get("text", "")) > 200:
            raise bad("MESSAGE_TOO_LONG")
        self._presses.discard(press)
        self.answered[press] = call.params
        return True

    # The methods: files and the bot's own texts

    async def do_getFile(self, call: Call) -> dict[str, Any]:
        file_id = call.params.get("file_id", "")
        if file_id not in self.files:
            raise bad("wrong file_id or the file is temporarily unavailable")
        data = self.files[file_id]
        if len(data) > rules.MAX_DOWNLOAD_BYTES:
            raise bad("file is too big")
        return {
            "file_id": file_id,
            "file_unique_id": file_id,
            "file_size": len(data),
            "file_path": f"files/{file_id}",
        }

    async def do_setMyCommands(self, call: Call) -> bool:
        rules.check_commands(call.params.get("commands", []))
        scope = call.params.get("scope", {"type": "default"})["type"]
        self.commands[scope, call.params.get("language_code", "")] = call.params.get("commands", [])
        return True

    async def do_getMyCommands(self, call: Call) -> list[dict[str, str]]:
        scope = call.params.get("scope", {"type": "default"})["type"]
        return self.commands.get((scope, call.params.get("language_code", "")), [])

    async def do_setMyDescription(self, call: Call) -> bool:
        return self._own_text(call, "description", 512)

    async def do_setMyShortDescription(self, call: Call) -> bool:
        return self._own_text(call, "short_description", 120)

    def _own_text(self, call: Call, name: str, limit: int) -> bool:
        text = call.params.get(name, "")
        if len(text) > limit:
            raise bad(f"{name.upper()}_TOO_LONG")
        self.texts[name, call.params.get("language_code", "")] = text
        return True

    def _chat_for(self, call: Call) -> dict[str, Any]:
        chat = self._chats.get(call.params.get("chat_id", 0))
        if chat is None:
            raise bad("chat not found")
        if chat["id"] in self.blocked:
            raise Refused(403, "Forbidden: bot was blocked by the user")
        return chat

    def _own_message(self, call: Call) -> dict[str, Any]:
        message = self.messages.get((call.params.get("chat_id", 0), call.params.get("message_id", 0)))
        if message is None or message["from"]["id"] != BOT["id"]:
            raise bad("message to edit not found" if message is None else "message can't be edited")
        return message

    def _caption(self, params: dict[str, Any]) -> dict[str, Any]:
        entities, mode = params.get("caption_entities"), params.get("parse_mode")
        caption = rules.check_text(params.get("caption"), entities, mode, rules.MAX_CAPTION, "caption")
        rules.check_keyboard(params.get("reply_markup"))
        return {"caption": caption, **_kept(params, "caption_entities")} if caption else {}

    def _file(self, params: dict[str, Any], files: dict[str, bytes], name: str) -> tuple[str, bytes]:
        value = params.get(name, "")
        data = files.get(value.removeprefix("attach://") if value.startswith("attach://") else name)
        if data is None and value in self.files:
            return value, self.files[value]
        if data is None:
            raise bad("wrong file identifier/HTTP URL specified")
        if not data or len(data) > rules.MAX_FILE_BYTES:
            raise bad("file must be non-empty") if not data else Refused(413, "Request Entity Too Large")
        return self.add_file(data), data

    def _deliver_to(self, chat: dict[str, Any], call: Call, content: dict[str, Any]) -> dict[str, Any]:
        thread = (
            {"message_thread_id": call.params["message_thread_id"]}
            if "message_thread_id" in call.params
            else {}
        )
        message = self._message({**content, **thread, **_kept(call.params, "reply_markup")}, BOT, chat)
        self.sent.append(message)
        return message


def _kept(params: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: params[name] for name in names if params.get(name)}


def _size(file_id: str, data: bytes, width: int, height: int) -> dict[str, Any]:
    return {
        "file_id": file_id,
        "file_unique_id": file_id,
        "width": width,
        "height": height,
        "file_size": len(data),
    }
