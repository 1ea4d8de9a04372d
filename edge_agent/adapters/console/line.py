"""The line that is being typed: bytes in, echo and finished lines out. Pure; time is an argument.

Rules
  * CR, LF and CR LF end a line once. Backspace and DEL take the last character back, Ctrl-U the whole line,
    Ctrl-C gives up.
  * UTF-8 comes in pieces; what is none, NUL, control bytes and escape sequences are dropped and spoil the line:
    `Line.clean` is False.
  * A line is at most `MAX_CHARS` long; the rest is dropped unread until the line ends, and `Line.whole` is False.
  * `Line.typed` is True where every key came by itself, `MIN_GAP_S` after the one before: nobody's fingers paste.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

MAX_CHARS: Final = 500
"""As much as a sentence may have."""
MIN_GAP_S: Final = 0.01
"""Fast fingers need 0.03 s from key to key; a paste at 9600 baud needs 0.001 s from character to character."""
MAX_ESCAPE: Final = 32
"""An escape sequence longer than this is noise that began with ESC."""

CLEAR: Final = "\x15"
GIVE_UP: Final = "\x03"
BACKSPACES: Final = "\x08\x7f"
ENDS: Final = "\r\n"
ESCAPE: Final = "\x1b"
BELL: Final = "\x07"
_END_BYTES = re.compile(rb"[\r\n\x03\x15]")


@dataclass(frozen=True, slots=True)
class Line:
    """One finished line, without its end."""

    text: str
    clean: bool
    typed: bool
    whole: bool


@dataclass(frozen=True, slots=True)
class Echo:
    """What the terminal must be sent for what was typed."""

    text: str


@dataclass(frozen=True, slots=True)
class GaveUp:
    """Ctrl-C: whatever was asked is not answered."""


Typed: TypeAlias = Line | Echo | GaveUp


class LineEditor:
    def __init__(self) -> None:
        self.secret = False
        """True while a PIN is typed: a star for each character."""
        self._chars: list[str] = []
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._clean, self._typed, self._whole = True, True, True
        self._last_at_s: float | None = None
        self._after_cr = False
        self._escape = ""

    def shown(self) -> str:
        """The half-typed line as it stands on the screen."""
        return "*" * len(self._chars) if self.secret else "".join(self._chars)

    def clear(self) -> None:
        """A new line begins."""
        self._chars.clear()
        self._clean, self._typed, self._whole = True, True, True
        self._last_at_s, self._escape = None, ""

    def feed(self, data: bytes, now_s: float) -> Iterator[Typed]:
        """Everything that `data`, read at `now_s` (monotonic), gives. The caller may change `secret` in between."""
        if not self._whole:
            data = self._skip(data)
        for char in self._decoder.decode(data):
            yield from self._take(char, now_s)

    def _skip(self, data: bytes) -> bytes:
        """A flood is not looked at character by character."""
        found = _END_BYTES.search(data)
        if found is None:
            return b""
        self._decoder.reset()
        return data[found.start() :]

    def _take(self, char: str, now_s: float) -> Iterator[Typed]:
        after_cr, self._after_cr = self._after_cr, char == "\r"
        if after_cr and char in "\n\0":
            return
        if char in ENDS:
            yield from self._end(now_s)
        elif char == GIVE_UP:
            yield Echo("\r\n")
            self.clear()
            yield GaveUp()
        elif char == CLEAR:
            yield from self._rub(len(self._chars))
            self.clear()
        elif self._escape:
            self._in_escape(char)
        else:
            self._key(now_s)
            yield from self._edit(char)

    def _end(self, now_s: float) -> Iterator[Typed]:
        self._key(now_s)
        line = Line("".join(self._chars), self._clean, self._typed, self._whole)
        self.clear()
        yield Echo("\r\n")
        yield line

    def _key(self, now_s: float) -> None:
        if self._last_at_s is not None and now_s - self._last_at_s < MIN_GAP_S:
            self._typed = False
        self._last_at_s = now_s

    def _edit(self, char: str) -> Iterator[Typed]:
        if char in BACKSPACES:
            yield from self._rub(1)
        elif char == ESCAPE:
            self._clean, self._escape = False, char
        elif char == "\t" or unicodedata.category(char) == "Zs":
            yield from self._put(" ")
        elif char == "\ufffd" or not char.isprintable():
            self._clean = False
        else:
            yield from self._put(char)

    def _put(self, char: str) -> Iterator[Typed]:
        if len(self._chars) < MAX_CHARS:
            self._chars.append(char)
            yield Echo("*" if self.secret else char)
        elif self._whole:
            self._whole = False
            yield Echo(BELL)

    def _rub(self, count: int) -> Iterator[Typed]:
        gone = [self._chars.pop() for _ in range(min(count, len(self._chars)))]
        columns = len(gone) if self.secret else width("".join(gone))
        if columns:
            yield Echo("\b" * columns + " " * columns + "\b" * columns)

    def _in_escape(self, char: str) -> None:
        """`ESC [ … letter`, `ESC O letter`, `ESC letter`: swallowed."""
        self._escape += char
        inner = self._escape[1:]
        opened = inner in ("[", "O")
        in_csi = inner.startswith("[") and not "@" <= char <= "~"
        if not (opened or in_csi) or len(inner) > MAX_ESCAPE:
            self._escape = ""


def width(text: str) -> int:
    """Columns on a terminal: Chinese takes two, a combining mark none."""
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
