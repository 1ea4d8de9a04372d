"""What is typed, however it comes in: pieces, noise, pastes, floods."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from edge_agent.adapters.console.line import MAX_CHARS, Echo, GaveUp, Line, LineEditor, Typed, width

KEY_S = 0.05


def fed(*chunks: bytes, gap_s: float = KEY_S, editor: LineEditor | None = None) -> list[Typed]:
    editor = editor or LineEditor()
    return [out for n, chunk in enumerate(chunks) for out in editor.feed(chunk, n * gap_s)]


def lines(outs: Iterable[Typed]) -> list[Line]:
    return [out for out in outs if isinstance(out, Line)]


def shown(outs: Iterable[Typed]) -> str:
    """What a terminal shows of the echo: backspaces carried out, column by column."""
    row: list[str] = []
    at = 0
    for char in "".join(out.text for out in outs if isinstance(out, Echo)):
        if char == "\b":
            at -= 1
        elif char == "\r":
            row, at = [], 0
        elif char.isprintable():
            cells = [char] if width(char) == 1 else [char, ""]
            row[at : at + len(cells)] = cells
            at += len(cells)
    return "".join(row).rstrip()


def keys(text: str) -> list[bytes]:
    return [bytes([byte]) for byte in text.encode()]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"status\r", ["status"]),
        (b"status\n", ["status"]),
        (b"status\r\n", ["status"]),
        (b"status\r\0help\r", ["status", "help"]),
        (b"a\r\rb\n\nc\r\n", ["a", "", "b", "", "c"]),
        (b"stab\x08tus\r", ["status"]),
        (b"hex\x7flp\r", ["help"]),
        (b"\x08\x7f\x08help\r", ["help"]),
        (b"rubbish\x15help\r", ["help"]),
        ("玻璃\x7f箱\r".encode(), ["玻箱"]),
        ("查一下\u3000glass\r".encode(), ["查一下 glass"]),
        (b"a\tb\r", ["a b"]),
    ],
)
def test_lines_end_and_are_edited(data: bytes, expected: list[str]) -> None:
    assert [line.text for line in lines(fed(data))] == expected


@pytest.mark.parametrize("data", [b"status\r\n", "停一下，玻璃放 2 号箱\r".encode(), b"ab\x08\r\n\r"])
def test_bytes_one_by_one_give_the_same(data: bytes) -> None:
    whole = [(line.text, line.clean) for line in lines(fed(data))]
    pieces = [(line.text, line.clean) for line in lines(fed(*(bytes([byte]) for byte in data)))]
    assert pieces == whole


@pytest.mark.parametrize(
    ("data", "text"),
    [
        pytest.param(b"\0" * 500 + b"status\r", "status", id="nul_run_before"),
        pytest.param(b"sta\0\0\0tus\r", "status", id="nul_run_within"),
        pytest.param(b"st\xff\xfeatus\r", "status", id="no_utf8"),
        pytest.param("状".encode()[:2] + b"status\r", "status", id="torn_character"),
        pytest.param(b"\x01\x02\x07status\x11\x13\r", "status", id="control_bytes"),
        pytest.param(b"\x1b[A\x1b[1;5Cstatus\x1bOP\r", "status", id="arrow_and_function_keys"),
        pytest.param(b"\x1b[200~status\x1b[201~\r", "status", id="bracketed_paste"),
        pytest.param("sta\u202etus\u200b\r".encode(), "status", id="turned_and_hidden_characters"),
        pytest.param(b"\x1b" + b"[" + b"1" * 40 + b"mstatus\r", "11111111mstatus", id="endless_escape"),
    ],
)
def test_noise_is_dropped_and_spoils_the_line(data: bytes, text: str) -> None:
    (line,) = lines(fed(data))
    assert (line.text, line.clean) == (text, False)


def test_the_next_line_is_clean_again() -> None:
    assert [line.clean for line in lines(fed(b"\0a\rb\r"))] == [False, True]


def test_a_flood_without_an_end_is_bounded_and_over_at_the_next_end() -> None:
    editor = LineEditor()
    outs = [out for n in range(1024) for out in editor.feed(b"\xa5x" * 512, float(n))]
    assert len(editor.shown()) == MAX_CHARS
    assert sum(len(out.text) for out in outs if isinstance(out, Echo)) == MAX_CHARS + 1
    last, after = lines(editor.feed(b"tail\rstatus\r", 2000.0))
    assert (last.whole, last.clean, len(last.text)) == (False, False, MAX_CHARS)
    assert (after.text, after.whole, after.clean) == ("status", True, True)


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\x15", b"\x03"])
def test_a_flood_is_left_by_each_end(end: bytes) -> None:
    editor = LineEditor()
    list(editor.feed(b"x" * 5_000 + b"y" * 10 + end, 0.0))
    assert [line.text for line in lines(editor.feed(b"help\r", 1.0))] == ["help"]


@pytest.mark.parametrize(
    ("chunks", "gap_s", "typed"),
    [
        pytest.param(keys("4821\r"), 0.05, True, id="fast_fingers"),
        pytest.param([b"4821\r"], 1.0, False, id="pasted_whole"),
        pytest.param([b"4821", b"\r"], 2.0, False, id="pasted_and_entered_by_hand"),
        pytest.param([b"4", b"8", b"21", b"\r"], 0.2, False, id="half_pasted"),
        pytest.param([b"4", b"8", b"2", b"1\r"], 0.2, False, id="end_with_the_last_digit"),
        pytest.param(keys("4821\r"), 0.001, False, id="paste_at_9600_baud"),
        pytest.param(keys("48\x7f821\r"), 0.05, True, id="corrected_by_hand"),
    ],
)
def test_pasted_is_not_typed(chunks: list[bytes], gap_s: float, typed: bool) -> None:
    (line,) = lines(fed(*chunks, gap_s=gap_s))
    assert (line.text, line.typed) == ("4821", typed)


def test_a_line_pasted_behind_another_is_not_typed_either() -> None:
    first, second = lines(fed(*keys("abc\r"), b"4821\r"))
    assert (first.typed, second.typed) == (True, False)


@pytest.mark.parametrize(
    ("typed", "row"),
    [("abc", "abc"), ("玻璃箱\x7f", "玻璃"), ("玻璃\x7f\x7fx", "x"), ("a\x15", ""), ("ab\x08\x08\x08c", "c")],
)
def test_the_echo_shows_what_stands(typed: str, row: str) -> None:
    editor = LineEditor()
    assert shown(fed(typed.encode(), editor=editor)) == editor.shown() == row


def test_a_secret_is_shown_as_stars() -> None:
    editor = LineEditor()
    editor.secret = True
    outs = fed(b"2468\x7f9\r", editor=editor)
    assert [line.text for line in lines(outs)] == ["2469"]
    assert "2" not in "".join(out.text for out in outs if isinstance(out, Echo))


def test_the_caller_hides_what_stands_in_the_same_read() -> None:
    editor, echoed = LineEditor(), ""
    for out in editor.feed(b"login wang\r246810\r", 0.0):
        if isinstance(out, Line):
            editor.secret = True
        if isinstance(out, Echo):
            echoed += out.text
    assert "246810" not in echoed


def test_ctrl_c_gives_up_whatever_stands() -> None:
    outs = fed(b"resolve 1 did\x03help\r")
    assert any(isinstance(out, GaveUp) for out in outs)
    assert [line.text for line in lines(outs)] == ["help"]


def test_any_bytes_leave_an_editor_that_works() -> None:
    dice = random.Random(7)
    for _ in range(200):
        editor = LineEditor()
        for n in range(8):
            for out in editor.feed(dice.randbytes(64), float(n)):
                if isinstance(out, Line):
                    assert len(out.text) <= MAX_CHARS
                    assert out.text.isprintable()
        assert lines(editor.feed(b"\rstatus\r", 99.0))[-1].text == "status"
