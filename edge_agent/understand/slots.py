"""Which slots belong to which intent, which of them are needed, and which of them really were said. Pure tables.

Grounding: a value counts only with a span of the operator's own words behind it, whoever proposed it.
"""

from __future__ import annotations

from offline_rules.reading import Intent, Reading, Slot, SlotName

OF_INTENT: dict[Intent, tuple[SlotName, ...]] = {
    Intent.QUERY_RULE: ("item_type",),
    Intent.QUERY_STATUS: ("device", "task_id", "alarms"),
    Intent.SUBMIT_FEEDBACK: ("task_id", "text"),
    Intent.DIAGNOSE: ("task_id", "device", "item_type", "window"),
    Intent.CONTROL_DEVICE: ("action", "device", "item_type", "bin", "station", "speed"),
    Intent.STOP: (),
    Intent.GENERAL: (),
    Intent.UNKNOWN: (),
}

NEEDED_BY_INTENT: dict[Intent, tuple[SlotName, ...]] = {
    Intent.QUERY_RULE: ("item_type",),
    Intent.SUBMIT_FEEDBACK: ("task_id", "text"),
    Intent.CONTROL_DEVICE: ("action",),
}

NEEDED_BY_ACTION: dict[str, tuple[SlotName, ...]] = {
    "pick": ("item_type",),
    "place": ("bin",),
    "pick_place": ("item_type", "bin"),
    "move": ("station",),
}
"""The device is never asked for where the cell has only one; where it has more, the cell contract asks."""


FREE: frozenset[SlotName] = frozenset({"window", "text", "alarms"})
"""May be said more than once."""


def grounded(reading: Reading) -> tuple[Slot, ...]:
    """The slots whose span lies in the original text; anything else does not exist."""
    return tuple(s for s in reading.slots if 0 <= s.span[0] < s.span[1] <= len(reading.original) and s.value)


def own(intent: Intent, slots: tuple[Slot, ...]) -> tuple[Slot, ...]:
    """Those of an intent; of several items in a question for a cause the first, which is what it happened to."""
    found = tuple(s for s in slots if s.name in OF_INTENT[intent])
    items = [s for s in found if s.name == "item_type"] if intent is Intent.DIAGNOSE else []
    return tuple(s for s in found if s not in items[1:])


def missing(intent: Intent, slots: tuple[Slot, ...]) -> SlotName | None:
    """The first needed slot that was not said, or None."""
    said = {s.name: s.value for s in slots}
    action = said.get("action", "") if intent is Intent.CONTROL_DEVICE else ""
    needed = (*NEEDED_BY_INTENT.get(intent, ()), *NEEDED_BY_ACTION.get(action, ()))
    return next((name for name in needed if name not in said), None)


def with_whole_text(reading: Reading, slots: tuple[Slot, ...]) -> tuple[Slot, ...]:
    """For feedback that only the model heard: no phrase says where its text begins, so all that was said is kept."""
    if any(s.name == "text" for s in slots) or not reading.original.strip():
        return slots
    return (*slots, Slot("text", reading.original.strip(), (0, len(reading.original))))


def with_wished(reading: Reading, slots: tuple[Slot, ...]) -> tuple[Slot, ...]:
    """For a wish to move that no phrase took in: the one action its words speak of."""
    said = reading.wished is None or any(s.name == "action" for s in slots)
    return slots if said or reading.wished is None else (*slots, reading.wished)


def twice(slots: tuple[Slot, ...]) -> SlotName | None:
    """A name said with two values, where no rule has asked about it already."""
    values: dict[SlotName, str] = {}
    return next((s.name for s in slots if s.name not in FREE and values.setdefault(s.name, s.value) != s.value), None)
