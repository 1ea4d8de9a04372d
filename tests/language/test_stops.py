"""Cries, and talk with a stop word in it, by writers who had never seen this program; each set was read once before
anything was changed for it. Heard of 120 cries, and taken for one of 120 others: fourteenth 107 and 6, fifteenth 98
and 4, sixteenth 118 (the other two asked about) and none, seventeenth all and none."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from offline_rules.reading import StopSense
from offline_rules.router import Router

HERE = Path(__file__).parent / "stops"
READ_WRONGLY = frozenset(
    {
        "我爸的血压药不能随便停。",
        "Full stop on the arm, the cable's about to snap",
        "drop what ur doing n freeze",
    }
)
"""Whoever mends one takes it out of here."""


@cache
def router() -> Router:
    return Router.load()


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("name", sorted(path.name for path in HERE.iterdir()))
def test_every_cry_is_heard_and_nothing_else(name: str, lang: str) -> None:
    lines = [json.loads(line) for line in (HERE / name / f"{lang}.jsonl").read_text("utf-8").splitlines()]
    meant = {line["text"]: line.get("intent") == "STOP" for line in lines}
    wrong = {text for text, stop in meant.items() if (router().read(text).stop is StopSense.STOP) is not stop}
    assert wrong == READ_WRONGLY & meant.keys()
    assert sum(meant.values()) == 60
