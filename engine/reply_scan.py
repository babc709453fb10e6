"""One pass over a reply, from left to right, that tells her words from everything else.

The same scanner reads a whole reply and a reply that is still coming: nothing is decided before the
text that could change the decision has arrived, so both ways must end in the same result.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

from engine.block_lead import match_block_lead
from engine.character import StateUpdates
from engine.dialogue import DialogueText
from engine.lookahead import NEAR, NeedMore
from engine.reminder_tags import ReminderTag, blank_to_skip, match_reminder_tag
from engine.reply_fences import match_fence
from engine.reply_objects import Finding, match_object
from engine.speaker_labels import match_label
from engine.stage_directions import match_stage_direction
from engine.stop_tokens import match_template_token

# Each character only where something can begin with it: runs of mere brackets and stars cost nothing.
# The leading class lets the regex engine leap over plain text.
_SPECIAL: Final = re.compile(
    r"[\n<`{\[*(（]"
    r"(?:(?<=\n)\n*|(?<=<)(?=[|｜/a-zA-Z]|<[/sS]|\Z)|(?<=`)(?=`|\Z)|(?<=\{)(?=[\s\"'“/#\w]|\Z)"
    r"|(?<=\[)(?=[\s/rRiI]|\Z)|(?<=\*)(?=[^\s*]|\Z)|(?<=[(（])(?=[^\W\d_]|\Z))"
)
_CODE_SPECIAL: Final = re.compile(r"[`<]")
_TICKS: Final = re.compile(r"`+")
_FAR_GROWTH: Final = 1.5
"""A far lookahead is tried again when the waiting text has grown by this factor: linear in the end."""

_FREE_ATTEMPTS: Final = 2048
"""Characters that may be read in vain beyond one reading of the text: keeps hostile braces linear."""


class _Mode(Enum):
    """What the text at hand is: her words, code of hers, text behind the block, behind a cut, nothing."""

    WORDS = auto()
    CODE = auto()
    BEHIND_BLOCK = auto()
    BEHIND_CUT = auto()
    OVER = auto()


class ReplyScanner:
    """Reads a reply without reasoning in pieces of any size.

    Where a block stood first and nothing readable before it, the text behind it is the reply.

    Attributes:
        words: Her dialogue so far.
        updates: The suggestions of the first state block, or None.
        parse_error: Whether a block stood there that could not be read.
        reminder_tags: The closed reminder tags of her own words and of the text behind the block.
    """

    def __init__(self, name: str = "") -> None:
        self.words = DialogueText()
        self.updates: StateUpdates | None = None
        self.parse_error = False
        self.reminder_tags: list[ReminderTag] = []
        self._name = name
        self._mode = _Mode.WORDS
        self._block_seen = False
        self._text = ""
        self._at = 0
        self._offset = 0
        self._spent = 0
        self._line_start = True
        self._waiting: list[str] = []
        self._waiting_size = 0
        self._enough = 1

    def feed(self, piece: str) -> None:
        """Take the next piece of the reply."""
        self._waiting.append(piece)
        self._waiting_size += len(piece)
        if self._waiting_size >= self._enough:
            self._join_waiting()
            self._run(final=False)

    def finish(self, rest: str = "") -> None:
        """Take the last piece and decide about everything that was still open."""
        self._waiting.append(rest)
        self._join_waiting()
        self._run(final=True)

    def _join_waiting(self) -> None:
        self._offset += self._at
        self._text = "".join([self._text[self._at :], *self._waiting])
        self._at = 0
        self._waiting, self._waiting_size, self._enough = [], 0, 1

    def _run(self, *, final: bool) -> None:
        try:
            while self._at < len(self._text) and self._mode is not _Mode.OVER:
                self._step(final)
        except NeedMore as need:
            if need.far:
                self._enough = max(1, int((len(self._text) - self._at) * (_FAR_GROWTH - 1)))
        if self._mode is _Mode.OVER:
            self._at = len(self._text)

    def _step(self, final: bool) -> None:
        if self._mode is _Mode.CODE:
            self._code_step(final)
            return
        if self._line_start:
            self._start_line(final)
            return
        found = _SPECIAL.search(self._text, self._at)
        if found is None:
            self._keep(len(self._text))
        elif self._text[found.start()] == "\n":
            self._keep(found.end())
            self._line_start = True
        else:
            self._keep(found.start())
            self._special(found[0], final)

    def _keep(self, end: int, *, code: bool = False) -> None:
        """Let the text up to `end` through; only words of hers become dialogue."""
        if end > self._at and (self._mode is _Mode.WORDS or code):
            self.words.add(self._text[self._at : end], code=code)
        self._at = end

    def _start_line(self, final: bool) -> None:
        label = match_label(self._text, self._at, self._name, final=final)
        lead = None if label else match_block_lead(self._text, self._at, final=final)
        self._line_start = False
        if lead is not None:
            self._at = lead
        if label is None:
            return
        kind, end = label
        if self._mode is _Mode.WORDS and self.words.empty:
            if kind == "role":
                self._at = end
            return
        self._cut()

    def _cut(self) -> None:
        """End her words here: somebody else speaks. The block may still follow, but no reminder of hers."""
        behind = self._mode is _Mode.BEHIND_BLOCK or self._block_seen
        self._mode = _Mode.OVER if behind else _Mode.BEHIND_CUT

    def _special(self, character: str, final: bool) -> None:
        if character == "`":
            self._fence(final)
        elif character == "{":
            self._object(final)
        elif self._mode is _Mode.BEHIND_CUT or not self._removed(character, final):
            self._keep(self._at + 1)

    def _removed(self, character: str, final: bool) -> bool:
        """Deal with a token, a reminder tag or a gesture; False if the character is only text."""
        if character in "*(（":
            end = match_stage_direction(self._text, self._at, self.words.before, final=final)
            return end is not None and self._drop(end, final)
        if character == "[" and (tag := match_reminder_tag(self._text, self._at, final=final)):
            self._drop(tag[1], final)
            self.reminder_tags.append(tag[0])
            return True
        token = match_template_token(self._text, self._at, final=final)
        if token is None:
            return False
        if token.kind in ("end", "new_turn") or (token.kind == "own_turn" and not self.words.empty):
            self._cut()
        else:
            self._leave_out(token.end)
        return True

    def _drop(self, end: int, final: bool) -> bool:
        """Leave out the text up to `end`, and one blank where two would be left around the gap."""
        if end == len(self._text) and not final:
            raise NeedMore
        self._leave_out(end + blank_to_skip(self.words.before[-1:], self._text[end : end + 1]))
        return True

    def _leave_out(self, end: int) -> None:
        self._at = end
        # A fake turn may hide behind something that vanished at a line's start.
        self._line_start = self.words.before[-1:] in ("", "\n")

    def _fence(self, final: bool) -> None:
        fence = match_fence(self._text, self._at, final=final)
        if fence.finding is not Finding.TEXT:
            self._block(fence.finding, fence.updates, fence.end)
        elif fence.opens_code:
            self._keep(fence.end, code=self._mode is _Mode.WORDS)
            self._mode = _Mode.CODE if self._mode is _Mode.WORDS else self._mode
        else:
            self._keep(fence.end)

    def _object(self, final: bool) -> None:
        afford = self._offset + self._at + _FREE_ATTEMPTS - self._spent
        found = match_object(self._text, self._at, afford=afford > 0, final=final)
        self._spent += found.cost
        if found.finding is Finding.TEXT:
            self._keep(found.end, code=self._mode is _Mode.WORDS and found.end > self._at + 1)
        elif found.finding is Finding.LEAK:
            self._leave_out(found.end)
        else:
            self._block(found.finding, found.updates, found.end)

    def _block(self, finding: Finding, updates: StateUpdates | None, end: int) -> None:
        self._at = end
        if not self._block_seen:
            self._block_seen = True
            self.updates = updates
            self.parse_error = finding is Finding.BROKEN
        if self._mode is _Mode.BEHIND_CUT or finding is Finding.CUT_SHORT:
            self._mode = _Mode.OVER
        elif not self.words.empty:
            self._mode = _Mode.BEHIND_BLOCK

    def _code_step(self, final: bool) -> None:
        found = _CODE_SPECIAL.search(self._text, self._at)
        if found is None:
            self._keep(len(self._text), code=True)
            return
        self._keep(found.start(), code=True)
        if found[0] == "<":
            self._code_angle(final)
            return
        ticks = _TICKS.match(self._text, self._at)
        end = ticks.end() if ticks else self._at + 1
        if end == len(self._text) and not final:
            raise NeedMore(far=end - self._at > NEAR)
        closes = end - self._at >= 3
        self._keep(end, code=True)
        if closes:
            self._mode = _Mode.WORDS

    def _code_angle(self, final: bool) -> None:
        token = match_template_token(self._text, self._at, final=final)
        # `</s>` is HTML here; only tokens that no language knows end the reply inside code.
        if token and token.kind in ("end", "new_turn") and self._text[self._at + 1] in "|｜":
            self._mode = _Mode.WORDS
            self._cut()
            return
        self._keep(self._at + 1, code=True)
