"""What the Bot API refuses: the limits and checks of its documentation, as pure functions.

Each check raises `Refused` with the words the real server uses, as far as they are known.
"""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from typing import Any

from PIL import Image

MAX_TEXT, MAX_CAPTION, MAX_CALLBACK_BYTES, MAX_PHOTO_BYTES, MAX_FILE_BYTES = (
    4096,
    1024,
    64,
    10_000_000,
    50_000_000,
)
MAX_DOWNLOAD_BYTES = 20_000_000
STYLES = {"bold", "italic", "underline", "strikethrough", "spoiler"}
ENTITY_TYPES = STYLES | {"code", "pre", "blockquote", "expandable_blockquote", "text_link", "text_mention"}
ENTITY_TYPES |= {
    "mention",
    "hashtag",
    "cashtag",
    "bot_command",
    "url",
    "email",
    "phone_number",
    "custom_emoji",
}
HTML_TAGS = {
    "b",
    "strong",
    "i",
    "em",
    "u",
    "ins",
    "s",
    "strike",
    "del",
    "span",
    "tg-spoiler",
    "a",
    "code",
    "pre",
}
HTML_TAGS |= {"blockquote", "tg-emoji"}


class Refused(Exception):
    """An answer other than 200."""

    def __init__(self, status: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.status, self.description, self.parameters = status, description, parameters


def bad(description: str) -> Refused:
    return Refused(400, f"Bad Request: {description}")


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def check_text(text: Any, entities: Any, parse_mode: str | None, limit: int, what: str) -> str:
    """Return the visible text after entity parsing, or refuse it."""
    text = text or ""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise bad("strings must be encoded in UTF-8")
    if parse_mode:
        text = visible_text(text, parse_mode)
    check_entities(text, entities or [])
    if len(text) > limit:
        raise bad("message is too long" if what == "message" else "message caption is too long")
    if what == "message" and not text.replace("\x00", "").strip():
        raise bad("message text is empty")
    return text


def check_entities(text: str, entities: list[dict[str, Any]]) -> None:
    """Offsets in UTF-16 units inside the text, no half characters, nothing crossing, nothing on code."""
    units = text.encode("utf-16-le", "surrogatepass")
    open_ends: list[tuple[int, str]] = []
    for entity in sorted(entities, key=lambda e: (e["offset"], -e["length"])):
        start, end, kind = entity["offset"], entity["offset"] + entity["length"], entity["type"]
        if kind not in ENTITY_TYPES:
            raise bad(f"can't parse entities: unsupported entity type {kind}")
        if start < 0 or entity["length"] <= 0 or 2 * end > len(units):
            raise bad(f"can't parse entities: entity at UTF-16 offset {start} ends after the text at {end}")
        for border in (start, end):
            if 0 < 2 * border < len(units) and 0xDC <= units[2 * border + 1] <= 0xDF:
                raise bad(f"can't parse entities: entity border in the middle of a UTF-16 symbol at {border}")
        open_ends = [(other, name) for other, name in open_ends if other > start]
        for other, name in open_ends:
            if end > other:
                raise bad(f"can't parse entities: entities cross at {start}")
            if (name in ("code", "pre") or kind in ("code", "pre")) and {name, kind} & STYLES:
                raise bad(f"can't parse entities: {kind} inside of {name} at {start}")
        open_ends.append((end, kind))


def visible_text(text: str, parse_mode: str) -> str:
    """Parse HTML or MarkdownV2 far enough to refuse what the server refuses."""
    if parse_mode.lower() == "html":
        return _html_text(text)
    if parse_mode.lower() in ("markdownv2", "markdown"):
        return _markdown_text(text, strict=parse_mode.lower() == "markdownv2")
    raise bad("unsupported parse_mode")


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in HTML_TAGS:
            raise bad(
                f'can\'t parse entities: Unsupported start tag "{tag}" at byte offset {self.getpos()[1]}'
            )
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            raise bad(f"can't parse entities: Unexpected end tag at byte offset {self.getpos()[1]}")

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def _html_text(text: str) -> str:
    if re.search(r"<(?!/?[a-zA-Z][^<>]*>)", text):
        raise bad('can\'t parse entities: Unsupported start tag "" at byte offset 0')
    parser = _Tags()
    parser.feed(text)
    parser.close()
    if parser.open:
        raise bad(
            f"can't parse entities: Can't find end tag corresponding to start tag \"{parser.open[-1]}\""
        )
    return "".join(parser.words)


def _markdown_text(text: str, *, strict: bool) -> str:
    visible: list[str] = []
    open_marks: list[str] = []
    tokens = re.compile(
        r"\\(?P<escaped>[!-/:-@\[-`{-~])|(?P<mark>```|\|\||__|[*_~`])|(?P<reserved>[>#+\-=|{}.!\[\]()])|(?P<rest>.)",
        re.S,
    )
    for token in tokens.finditer(text):
        mark = token["mark"]
        if mark and open_marks and open_marks[-1] == mark:
            open_marks.pop()
        elif mark and not (open_marks and open_marks[-1] in ("`", "```")):
            open_marks.append(mark)
        elif token["reserved"] and strict and not (open_marks and open_marks[-1] in ("`", "```")):
            character = token["reserved"]
            raise bad(
                f"can't parse entities: Character '{character}' is reserved and must be escaped with the preceding '\\'"
            )
        else:
            visible.append(token["escaped"] or token[0])
    if open_marks:
        raise bad("can't parse entities: Can't find end of the entity starting at byte offset 0")
    return "".join(visible)


def check_keyboard(markup: dict[str, Any] | None) -> None:
    """At most 100 buttons, 8 in a row; each with a text and exactly one thing to do; data of 1-64 bytes."""
    rows = (markup or {}).get("inline_keyboard", [])
    if sum(len(row) for row in rows) > 100 or any(len(row) > 8 for row in rows):
        raise bad("reply markup is too long")
    for button in (button for row in rows for button in row):
        actions = set(button) - {"text", "style", "icon_custom_emoji_id"}
        if not button.get("text") or len(actions) != 1:
            raise bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
        if "callback_data" in button and not 1 <= len(button["callback_data"].encode()) <= MAX_CALLBACK_BYTES:
            raise bad("BUTTON_DATA_INVALID")


def check_photo(data: bytes) -> tuple[int, int]:
    """Return width and height of an acceptable photo: 10 MB, sides of 10000 px in sum, ratio 20."""
    if len(data) > MAX_PHOTO_BYTES:
        raise bad("file is too big")
    try:
        with Image.open(io.BytesIO(data)) as picture:
            width, height = picture.size
    except OSError as error:
        raise bad("IMAGE_PROCESS_FAILED") from error
    if width + height > 10_000 or max(width, height) > 20 * min(width, height):
        raise bad("PHOTO_INVALID_DIMENSIONS")
    return width, height


def check_commands(commands: list[dict[str, str]]) -> None:
    """At most 100, names of [a-z0-9_]{1,32}, descriptions of 1-256 characters."""
    if len(commands) > 100:
        raise bad("BOT_COMMANDS_TOO_MUCH")
    for command in commands:
        if not re.fullmatch(r"[a-z0-9_]{1,32}", command["command"]):
            raise bad("BOT_COMMAND_INVALID")
        if not 1 <= len(command["description"]) <= 256:
            raise bad("BOT_COMMAND_DESCRIPTION_INVALID")
