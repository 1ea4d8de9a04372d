"""Cries, and talk with a stop word in it, by a writer who had never seen this program. Read once before anything was
changed for it: 107 of 120 cries were heard, 6 of 120 others taken for one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from offline_rules.reading import StopSense
from offline_rules.router import Router

HERE = Path(__file__).parent / "stops"


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_cry_is_heard_and_nothing_else(lang: str) -> None:
    router = Router.load()
    lines = [json.loads(line) for line in (HERE / f"{lang}.jsonl").read_text("utf-8").splitlines()]
    heard = {line["text"]: router.read(line["text"]).stop is StopSense.STOP for line in lines}
    meant = {line["text"]: line.get("intent") == "STOP" for line in lines}
    assert [text for text, stops in meant.items() if heard[text] is not stops] == []
    assert sum(meant.values()) == 60
