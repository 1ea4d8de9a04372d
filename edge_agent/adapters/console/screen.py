"""What stands on the terminal: whole lines above, the prompt and the half-typed line below. Plain text, no colours.

Whatever is told while somebody types goes above the line, which then stands there again as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from edge_agent.adapters.console.line import width

COLUMNS: Final = 80
"""Of the narrowest terminal; a row that may have wrapped is left standing instead of being wiped."""


class Screen:
    """`write` takes bytes for the line; `typed` gives the half-typed line as it is shown."""

    def __init__(self, write: Callable[[bytes], None], typed: Callable[[], str]) -> None:
        self._write, self._typed = write, typed
        self._prompt = ""

    def echo(self, text: str) -> None:
        """What follows from a key; a line's end takes the prompt's row away."""
        if text == "\r\n":
            self._prompt = ""
        self._send(text)

    def put(self, text: str) -> None:
        """Whole lines, above what is typed."""
        row = self._prompt + self._typed()
        body = "".join(f"{plain(each)}\r\n" for each in text.splitlines())
        self._send(self._wiped(row) + body + row)

    def prompt(self, text: str) -> None:
        """A new prompt; where one stands already it is replaced."""
        row = self._prompt + self._typed()
        self._prompt = text
        self._send(self._wiped(row) + text + self._typed())

    def _wiped(self, row: str) -> str:
        columns = width(row)
        if columns == 0:
            return ""
        return "\r\n" if columns >= COLUMNS else f"\r{' ' * columns}\r"

    def _send(self, text: str) -> None:
        self._write(text.encode("utf-8", "replace"))


def plain(text: str) -> str:
    """`text` without what a terminal could take for a command to itself."""
    return "".join(char if char.isprintable() or char == "\u3000" else "?" for char in text)
