"""Turns neutral Markdown into Telegram's text with entities, without the library: plain values only.

Entities and not a parse mode: Telegram then never has to parse model text, so nothing needs escaping and no
unbalanced mark can make it refuse a message. What Telegram has no form for (tables, lists) stays as written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from bot.platforms.formatting import ZERO_WIDTH_SPACE, clean, utf16_length
from bot.platforms.markdown_marks import Link, Marks, Span, read_marks

EntityKind = Literal["bold", "italic", "strikethrough", "spoiler", "code", "pre", "blockquote"]

MOST_ENTITIES = 100
"""Telegram reads at most this many entities of one message (Bot API, sendMessage)."""

_STYLES: dict[str, tuple[EntityKind, ...]] = {
    "bold": ("bold",),
    "italic": ("italic",),
    "bold_italic": ("bold", "italic"),
    "strike": ("strikethrough",),
    "spoiler": ("spoiler",),
}
_LINE_START = re.compile(
    r"^(?P<quote>>(?:[ ]|$))?(?:(?P<heading>#{1,6}[ \t]+(?=\S))|(?P<bullet>[*+](?=[ \t]+\S)))?", re.MULTILINE
)
_MENTION = re.compile(r"(?<![\w@/])@(?=[A-Za-z])")
_LANGUAGE_LINE = re.compile(r"[\w+#.\-]{1,32}\n")


@dataclass(frozen=True, slots=True)
class Entity:
    """One formatted stretch of a Telegram text; offset and length in UTF-16 units."""

    kind: EntityKind
    offset: int
    length: int
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Formatted:
    """A text as Telegram takes it."""

    text: str
    entities: tuple[Entity, ...]


@dataclass(frozen=True, slots=True)
class _Edit:
    """Replace the source [start, end) by `new`."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class _Style:
    """Format the source [start, end)."""

    kind: EntityKind
    start: int
    end: int
    language: str | None = None


def to_entities(text: str) -> Formatted:
    """Convert neutral Markdown.

    Masked links show their address, and `@name` gets an invisible space, so that model text neither hides
    where it leads nor calls anybody. Entities never cross; none lies on code.
    """
    text = clean(text)
    marks = read_marks(text)
    code = [span for span in marks.spans if span.kind in ("code", "fence")]
    edits, styles = _inline(marks, text)
    lines = list(_line_edits(text, code))
    styles += _line_styles(text, lines)
    edits += [edit for edit, _ in lines] + list(_mention_edits(text, code, marks.links))
    written = _Written(text, sorted(edits, key=lambda edit: (edit.start, edit.end)))
    entities = (entity for style in _beside_code(styles, code) if (entity := written.entity(style)))
    ordered = sorted(entities, key=lambda entity: (entity.offset, -entity.length))
    return Formatted(written.text, tuple(_nested(ordered[:MOST_ENTITIES])))


def telegram_length(text: str) -> int:
    """Return the UTF-16 length of a piece after its conversion."""
    return utf16_length(to_entities(text).text)


def _nested(entities: list[Entity]) -> Iterator[Entity]:
    """Shorten what would reach over the end of an entity around it (a span that leaves its quoted line)."""
    around: list[int] = []
    for entity in entities:
        while around and around[-1] <= entity.offset:
            around.pop()
        end = min([entity.offset + entity.length, *around[-1:]])
        around.append(end)
        yield replace(entity, length=end - entity.offset)


def _inline(marks: Marks, text: str) -> tuple[list[_Edit], list[_Style]]:
    """Turn spans, links and escapes into edits and styles."""
    edits = [_Edit(position, position + 1, "") for position in marks.escapes]
    styles: list[_Style] = []
    for span in marks.spans:
        edits += [_Edit(span.start, span.inner_start, ""), _Edit(span.inner_end, span.end, "")]
        styles += _span_styles(span, text, edits)
    for link in marks.links:
        if link.label:
            edits.append(_Edit(link.start, link.end, _unmasked(link)))
    return edits, styles


def _span_styles(span: Span, text: str, edits: list[_Edit]) -> list[_Style]:
    """Return the styles of one span; a code span of three backticks is a block whose first word may be a language."""
    if span.kind == "fence":
        return [_Style("pre", span.inner_start, span.inner_end, span.language or None)]
    if span.kind == "code" and len(span.mark) >= 3:
        head = _LANGUAGE_LINE.match(text, span.inner_start, span.inner_end)
        start = head.end() if head else span.inner_start
        if head:
            edits.append(_Edit(span.inner_start, start, ""))
        return [_Style("pre", start, span.inner_end, head[0].strip() if head else None)]
    if span.kind == "code":
        return [_Style("code", span.inner_start, span.inner_end)]
    return [_Style(kind, span.inner_start, span.inner_end) for kind in _STYLES[span.kind]]


def _unmasked(link: Link) -> str:
    """Write a masked link out."""
    label = link.label.strip("*_~ ") or link.target
    return link.target if label == link.target else f"{label} ({link.target})"


def _line_edits(text: str, code: list[Span]) -> Iterator[tuple[_Edit, str]]:
    """Yield the marks at the beginnings of lines: quote, heading and bullet."""
    outside = _Outside([(span.start, span.end) for span in code])
    for found in _LINE_START.finditer(text):
        for name in ("quote", "heading", "bullet"):
            if found[name] and outside.holds(found.start()):
                yield _Edit(found.start(name), found.end(name), "•" if name == "bullet" else ""), name


def _line_styles(text: str, lines: list[tuple[_Edit, str]]) -> list[_Style]:
    """Make headings bold and neighbouring quoted lines one quotation."""
    styles: list[_Style] = []
    quote: _Style | None = None
    for edit, name in lines:
        end = text.find("\n", edit.end)
        end = len(text) if end < 0 else end
        if name == "heading":
            styles.append(_Style("bold", edit.end, end))
        elif name == "quote" and quote is not None and edit.start == quote.end + 1:
            quote = _Style("blockquote", quote.start, end)
            styles[-1] = quote
        elif name == "quote":
            quote = _Style("blockquote", edit.end, end)
            styles.append(quote)
    return styles


def _mention_edits(text: str, code: list[Span], links: tuple[Link, ...]) -> Iterator[_Edit]:
    """Yield an invisible space behind each @ that would call somebody."""
    outside = _Outside(
        sorted([(span.start, span.end) for span in code] + [(link.start, link.end) for link in links])
    )
    for found in _MENTION.finditer(text):
        if outside.holds(found.start()):
            yield _Edit(found.end(), found.end(), ZERO_WIDTH_SPACE)


class _Outside:
    """Tells whether a position lies outside of sorted stretches."""

    def __init__(self, stretches: list[tuple[int, int]]) -> None:
        self.starts = [start for start, _ in stretches]
        self.ends = [end for _, end in stretches]

    def holds(self, position: int) -> bool:
        """Tell whether no stretch covers `position`."""
        place = bisect_right(self.starts, position) - 1
        return place < 0 or position >= self.ends[place]


def _beside_code(styles: list[_Style], code: list[Span]) -> Iterator[_Style]:
    """Yield the styles with the code cut out of them: Telegram allows no entity on code."""
    for style in styles:
        if style.kind in ("code", "pre"):
            yield style
            continue
        start = style.start
        for span in code:
            if style.start <= span.start and span.end <= style.end:
                yield _Style(style.kind, start, span.start)
                start = span.end
        yield _Style(style.kind, start, style.end)


class _Written:
    """The text with all edits made, and where the source positions went."""

    def __init__(self, text: str, edits: list[_Edit]) -> None:
        self._starts: list[int] = [0]
        self._offsets: list[int] = [0]
        self._source = text
        pieces: list[str] = []
        position = offset = 0
        for edit in edits:
            if edit.start < position:
                continue
            kept = text[position : edit.start]
            pieces += [kept, edit.new]
            self._note(edit.start, offset := offset + utf16_length(kept))
            position = edit.end
            self._note(position, offset := offset + utf16_length(edit.new))
        self.text = "".join(pieces) + text[position:]

    def _note(self, source: int, offset: int) -> None:
        self._starts.append(source)
        self._offsets.append(offset)

    def offset(self, source: int) -> int:
        """Return the UTF-16 offset of a source position that lies inside no edit."""
        place = bisect_right(self._starts, source) - 1
        return self._offsets[place] + utf16_length(self._source[self._starts[place] : source])

    def entity(self, style: _Style) -> Entity | None:
        """Place a style into the written text; None if nothing visible is left of it."""
        start, end = self._trimmed(style)
        offset = self.offset(start)
        length = self.offset(end) - offset
        return Entity(style.kind, offset, length, style.language) if start < end and length > 0 else None

    def _trimmed(self, style: _Style) -> tuple[int, int]:
        """Leave white space at the borders out: Telegram cuts it off the message and shortens the entity."""
        inner = self._source[style.start : style.end]
        if style.kind in ("pre", "code"):
            return style.start, style.end if inner.strip() else style.start
        start = style.start + len(inner) - len(inner.lstrip())
        return start, style.start + len(inner.rstrip())
