"""Messages become bytes that fit. Pure.

What is too large for the broker would be refused by it, for ever. So an event gives up, in this order, halves of
its lists, the end of its text, and everything optional; it says `trimmed`, and the journal holds the whole.
"""

from __future__ import annotations

import json
from typing import Any, Final

from edge_agent.messages.event import EVENT_MODELS, Event, event_name, flat
from edge_agent.messages.wire import MAX_EVENT_BYTES, WireModel

TRIMMABLE: Final = ("evidence", "rows", "entries", "runs", "facts", "checked", "limits", "advice", "clauses", "counts")
"""Lists and tables, the least missed first."""
_HALVINGS: Final = 8
"""A list of 50 is empty after six."""
_SHORT_TEXT: Final = 500
_KEPT: Final = frozenset({"v", "type", "kind", "default", "need_clarify", "open_prompts"})


class EventTooLarge(ValueError):
    """What is required alone does not fit: a fault of ours. Names the event."""


def encode(message: WireModel) -> bytes:
    """Any message that is no event."""
    return message.model_dump_json().encode()


def encode_event(event: Event, max_bytes: int = MAX_EVENT_BYTES) -> bytes:
    """The event as published, at most `max_bytes`. Raises EventTooLarge."""
    fields = flat(event)
    for step in (_as_it_is, _halve_lists, _cut_text, _drop_optional):
        fields = step(fields, max_bytes, event)
        payload = _bytes(fields)
        if len(payload) <= max_bytes:
            return payload
    raise EventTooLarge(f"{event_name(event.body)} of run {event.envelope.run} is larger than {max_bytes} bytes")


def _bytes(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _as_it_is(fields: dict[str, Any], _max_bytes: int, _event: Event) -> dict[str, Any]:
    return fields


def _halve_lists(fields: dict[str, Any], max_bytes: int, event: Event) -> dict[str, Any]:
    for key in TRIMMABLE:
        for _ in range(_HALVINGS):
            if len(_bytes(fields)) <= max_bytes:
                return fields
            if fields.get(key):
                fields = _marked(fields | {key: _first_half(fields[key])}, event)
    return fields


def _first_half(items: Any) -> Any:
    kept = len(items) // 2
    return dict(list(items.items())[:kept]) if isinstance(items, dict) else items[:kept]


def _cut_text(fields: dict[str, Any], _max_bytes: int, event: Event) -> dict[str, Any]:
    text = fields.get("text")
    if not isinstance(text, str) or len(text) <= _SHORT_TEXT:
        return fields
    return _marked(fields | {"text": text[: _SHORT_TEXT - 1] + "…"}, event)


def _drop_optional(fields: dict[str, Any], _max_bytes: int, event: Event) -> dict[str, Any]:
    model = EVENT_MODELS[event_name(event.body)].model_fields
    kept = {key: value for key, value in fields.items() if model[key].is_required() or key in _KEPT}
    return _marked(kept, event)


def _marked(fields: dict[str, Any], event: Event) -> dict[str, Any]:
    return fields | {"trimmed": True} if "trimmed" in type(event.body).model_fields else fields
