"""The room's README and the closed lists hold together: each code once, with its meaning and what to do next."""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from pathlib import Path

import pytest

import edge_agent.release
from edge_agent.messages.codes import ErrorCode, FailureCode, FallbackType

README = (Path(edge_agent.release.__path__[0]) / "README.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([A-Z_]+)` \|(.*)\|(.*)\|$", re.MULTILINE)


def table(name: str) -> list[tuple[str, str, str]]:
    """The rows below the head that names this list."""
    below = README[README.index(f"| `{name}`:") :]
    return ROW.findall(below[: below.index("\n\n")])


@pytest.mark.parametrize("codes", [FallbackType, FailureCode, ErrorCode])
def test_every_code_is_told_once_and_no_other(codes: type[StrEnum]) -> None:
    rows = table(codes.__name__)
    assert Counter(code for code, _, _ in rows) == Counter(str(code) for code in codes)
    assert [code for code, means, then in rows if len(means.strip()) < 10 or len(then.strip()) < 8] == []
