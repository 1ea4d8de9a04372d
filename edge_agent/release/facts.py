"""From tags to words: what a caller knows (`slot="bin"`, `needed="operator"`) as the facts a text can hold. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from edge_agent.release.audience import Audience
from edge_agent.release.texts import Fact, Facts, Texts

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "action": ("action",),
    "needed": ("role",),
    "ask": ("role",),
    "what": ("what", "action"),
    "cell_state": ("cell_state",),
    "controller_state": ("controller",),
    "controller": ("controller",),
    "state": ("cell_state", "controller", "command_state", "task_state"),
    "first_state": ("first_state",),
    "gripper": ("gripper",),
    "why": ("why",),
    "missing": ("context", "slot"),
}
"""Which fact is a tag, and in which groups of the wording its word stands; an unknown tag stays as it is."""


def spoken(texts: Texts, audience: Audience, facts: Facts) -> Facts:
    """`facts` in the reader's words, with what every text may use: the role, examples of the cell, whom to ask."""
    told: dict[str, Fact] = {**_of_the_cell(audience), **_of_the_slot(texts, audience, facts)}
    told["role"] = texts.word("role", audience.role or "none")
    told["ask"] = texts.word("role", "technician")
    for name, value in facts.items():
        told[name] = _word(texts, GROUPS.get(name, ()), value)
    if "action" in told:
        told.setdefault("what", told["action"])
    return {**told, **_of_the_receipt(texts, facts)}


def joined(texts: Texts, values: Sequence[str]) -> str:
    return texts.say("layout.list_join").join(values)


def age_words(texts: Texts, age_s: float) -> str:
    """The largest unit that still gives 2 or more; whole numbers."""
    for unit, seconds in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if age_s >= 2 * seconds:
            return texts.say(f"layout.{unit}", {"n": round(age_s / seconds)})
    return texts.say("layout.seconds", {"n": round(age_s)})


def _word(texts: Texts, groups: Sequence[str], value: Fact) -> Fact:
    for group in groups:
        for key in (f"{group}.{value}", f"{group}.{str(value).upper()}"):
            if texts.has(key):
                return texts.say(key)
    return value


def _of_the_cell(audience: Audience) -> Facts:
    """The first of each kind; a kind the cell lacks gives no fact, so that no example names it."""
    kinds = {"device": audience.devices, "item": audience.items, "bin": audience.bins, "station": audience.stations}
    return {name: values[0] for name, values in kinds.items() if values}


def _of_the_slot(texts: Texts, audience: Audience, facts: Facts) -> Facts:
    """The label, an example and the cell's own values of the slot a text speaks of."""
    slot = facts.get("slot")
    if not isinstance(slot, str):
        return {}
    told: dict[str, Fact] = {"label": texts.word("slot", slot), "name": slot}
    example = slot_example(texts, audience, slot)
    if example is not None:
        told["example"] = example
    if known := audience.known(slot):
        told["known"] = joined(texts, known)
    return told


def _of_the_receipt(texts: Texts, facts: Facts) -> Facts:
    """A controller's code (four hex digits) with what it means."""
    code = str(facts.get("receipt_code", "")).upper()
    key = f"controller_code.{code}"
    return {"controller_code": code, "meaning": texts.say(key)} if texts.has(key) else {}


def slot_example(texts: Texts, audience: Audience, slot: str) -> str | None:
    key = f"slot_example.{slot}"
    return texts.try_say(key, _of_the_cell(audience)) if texts.has(key) else None
