"""The table of kinds and the words of the stop reasons hold together."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from edge_agent.run.collection import CollectionState, StopReason
from edge_agent.run.journal import CARRY, JournalFault, Kind


def test_carried_kinds_are_kinds() -> None:
    assert set(CARRY) <= set(Kind)
    assert CARRY[Kind.COMMAND_ID] == CARRY[Kind.LOCKOUT] == "last"


def test_every_kind_is_written_by_somebody() -> None:
    product = Path(str(files("edge_agent")))
    source = "\n".join(file.read_text("utf-8") for file in product.rglob("*.py"))
    written = set(re.findall(r"\b(?:Entry|store|_note)\(\s*Kind\.([A-Z_]+)", source))
    assert {kind.name for kind in Kind} == written


def test_a_fault_has_the_stable_code() -> None:
    assert JournalFault.code == "STORE_FAILED"


def test_collection_words() -> None:
    assert set(CollectionState) == {"COLLECTING", "SATURATED"}
    assert {"INFORMATION_SATURATED", "MODEL_UNAVAILABLE"} < set(StopReason)
