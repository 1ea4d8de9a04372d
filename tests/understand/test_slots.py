"""Every slot name belongs to an intent: one that belonged to none would be dropped before it could be refused."""

from __future__ import annotations

from typing import get_args

from edge_agent.understand.slots import NEEDED_BY_ACTION, NEEDED_BY_INTENT, OF_INTENT
from offline_rules.reading import Intent, SlotName


def test_every_name_belongs_to_an_intent() -> None:
    assert {name for names in OF_INTENT.values() for name in names} == set(get_args(SlotName))


def test_what_is_needed_is_owned() -> None:
    assert all(set(needed) <= set(OF_INTENT[intent]) for intent, needed in NEEDED_BY_INTENT.items())
    assert all(set(needed) <= set(OF_INTENT[Intent.CONTROL_DEVICE]) for needed in NEEDED_BY_ACTION.values())


def test_every_intent_has_a_row() -> None:
    assert set(OF_INTENT) == set(Intent)
