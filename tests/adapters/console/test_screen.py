"""What is told while somebody types goes above the line, and the line stands there again."""

from __future__ import annotations

import pytest

from edge_agent.adapters.console.screen import COLUMNS, Screen


class Paper:
    """The rows of a terminal, as the bytes make them."""

    def __init__(self) -> None:
        self.rows = [""]
        self.raw = b""

    def write(self, data: bytes) -> None:
        self.raw += data
        for char in data.decode():
            if char == "\r":
                self._at = 0
            elif char == "\n":
                self.rows.append("")
            else:
                row, at = self.rows[-1], getattr(self, "_at", 0)
                self.rows[-1] = row[:at] + char + row[at + 1 :]
                self._at = at + 1


@pytest.mark.parametrize("typed", ["", "pick gla", "*****"])
def test_a_half_typed_line_stays(typed: str) -> None:
    paper = Paper()
    screen = Screen(paper.write, lambda: typed)
    screen.prompt("wang> ")
    screen.put("* Cell: stopped\nsecond row")
    assert [row.rstrip() for row in paper.rows] == ["* Cell: stopped", "second row", f"wang> {typed}".rstrip()]


def test_a_row_that_may_have_wrapped_is_left_standing() -> None:
    paper = Paper()
    typed = "x" * COLUMNS
    screen = Screen(paper.write, lambda: typed)
    screen.prompt("> ")
    screen.put("news")
    assert paper.rows[-3:] == [f"> {typed}", "news", f"> {typed}"]


def test_a_new_prompt_replaces_the_old_one() -> None:
    paper = Paper()
    screen = Screen(paper.write, lambda: "ab")
    screen.prompt("wang [4821]> ")
    screen.prompt("> ")
    assert paper.rows[-1].rstrip() == "> ab"


def test_nothing_in_a_text_commands_the_terminal() -> None:
    paper = Paper()
    Screen(paper.write, lambda: "").put("part \x1b[2J\x07 \u202e玻璃\u3000箱")
    assert paper.raw.decode() == "part ?[2J? ?玻璃\u3000箱\r\n"
