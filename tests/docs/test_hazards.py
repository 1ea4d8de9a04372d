"""The hazards that others met have each a test with its number, and the table that says where is true."""

from __future__ import annotations

import re
from pathlib import Path

from edge_agent.places import checkout

TESTS = (checkout() or Path()) / "tests"
README = (TESTS / "chaos" / "README.md").read_text("utf-8")
ROWS = frozenset({*range(1, 12), *range(14, 23), *range(29, 33), 34})
NUMBERED = re.compile(r"def test_\w*?h(\d+)_|^ {4}\"h(\d+) ", re.MULTILINE)
"""A test's own name, or the name of one of its rows."""
CELL = re.compile(r"^\| (H\d+) \| (.+?) \| (H\d+)? ?\| ?(.*?) ?\|$", re.MULTILINE)


def numbered() -> dict[int, set[str]]:
    """Row → the modules with a test of that number, as `folder/module` below `tests`."""
    found: dict[int, set[str]] = {}
    for file in TESTS.rglob("test_*.py"):
        for own, row in NUMBERED.findall(file.read_text("utf-8")):
            found.setdefault(int(own or row), set()).add(file.relative_to(TESTS).with_suffix("").as_posix())
    return found


def told() -> dict[int, list[str]]:
    """The same from the table in `chaos/README.md`; a module without a folder is one of `chaos`."""
    found: dict[int, list[str]] = {}
    for first, at_first, second, at_second in CELL.findall(README):
        for row, where in ((first, at_first), (second, at_second)):
            if row:
                modules = re.findall(r"`([\w/]+)`", where)
                found[int(row[1:])] = [m if "/" in m else f"chaos/{m}" for m in modules]
    return found


def test_every_row_has_a_test_with_its_number() -> None:
    assert ROWS - set(numbered()) == set()


def test_the_table_names_every_row_and_modules_that_have_its_test() -> None:
    table, found = told(), numbered()
    assert set(table) == ROWS
    wrong = {f"H{row}": module for row, modules in table.items() for module in modules if module not in found[row]}
    assert wrong == {}
    assert [row for row, modules in table.items() if not modules] == []
