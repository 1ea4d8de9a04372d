"""Every reason that another room gives has words of its own: found in their sources, so that a new one is noticed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import edge_agent
import offline_rules
from edge_agent.release.explanations import words_for
from edge_agent.release.refusals import REFUSALS
from edge_agent.understand.mood import reason as mood_reason
from offline_rules.reading import Mood

AGENT = Path(edge_agent.__path__[0])
RULES = Path(offline_rules.__path__[0])
GIVEN = re.compile(r'(?:Refused|NotDispatched|StillHeld|_refused)\((?:job, )?"([a-z_]+)"')
IN_A_TABLE = re.compile(r'CellState\.[A-Z_]+: \("([a-z_]+)", "[A-Z_]+"\)')
TOLD_OTHERWISE = {"controller_key_needed": "local_key"}
"""Reasons that the stage which releases them puts under another name."""


def reasons(*rooms: str) -> set[str]:
    found: set[str] = set()
    for file in (f for room in rooms for f in (AGENT / room).glob("*.py")):
        source = file.read_text(encoding="utf-8")
        found |= {*GIVEN.findall(source), *IN_A_TABLE.findall(source)}
    return found


def test_every_refusal_of_the_arm_has_words() -> None:
    found = reasons("safety", "control", "stages")
    assert {"not_in_cell", "arm_unavailable", "stopped"} <= found
    assert {r for r in found if TOLD_OTHERWISE.get(r, r) not in REFUSALS} == set()


def test_every_mood_and_every_suspicion_has_words() -> None:
    assert {mood_reason(m) for m in Mood if m is not Mood.IMPERATIVE} <= {words_for(mood_reason(m)) for m in Mood}
    claims = tomllib.loads((RULES / "data" / "suspicious.toml").read_text(encoding="utf-8"))["claim"]
    source = (RULES / "suspicious.py").read_text(encoding="utf-8")
    named = {claim["reason"] for claim in claims} | set(re.findall(r'return "([a-z_]+)"', source))
    assert named
    assert {words_for(reason) for reason in named} == {"suspicious"}
