"""The JSON Schema of every message, made from the models. Pure."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from edge_agent.messages.alarm import AlarmMessage
from edge_agent.messages.capabilities import CapabilitiesMessage
from edge_agent.messages.cell_state import CellStateMessage
from edge_agent.messages.event import EVENT_MODELS
from edge_agent.messages.examples import EVENT_EXAMPLES, REQUEST_EXAMPLES, RETAINED_EXAMPLES, STOP_EXAMPLE
from edge_agent.messages.request import REQUEST_MODELS, StopRequest
from edge_agent.messages.status import StatusMessage
from edge_agent.messages.wire import WireModel

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
RETAINED_MODELS: Final[dict[str, type[WireModel]]] = {
    "status": StatusMessage,
    "cell_state": CellStateMessage,
    "capabilities": CapabilitiesMessage,
    "alarm": AlarmMessage,
}
MODELS: Final[dict[str, type[WireModel]]] = {
    **{f"request.{name}": model for name, model in REQUEST_MODELS.items()},
    "stop": StopRequest,
    **{f"event.{name}": model for name, model in EVENT_MODELS.items()},
    **RETAINED_MODELS,
}
"""By file name, without `.json`."""
EXAMPLES: Final[dict[str, dict[str, Any]]] = {
    **{f"request.{name}": example for name, example in REQUEST_EXAMPLES.items()},
    "stop": STOP_EXAMPLE,
    **{f"event.{name}": example for name, example in EVENT_EXAMPLES.items()},
    **RETAINED_EXAMPLES,
}


def schemas() -> dict[str, dict[str, Any]]:
    """Every schema by its file name, each with its example."""
    return {name: _schema(name, model) for name, model in MODELS.items()}


def schema_hash() -> str:
    """Changes when any message does; told in the capabilities."""
    text = json.dumps(schemas(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _schema(name: str, model: type[WireModel]) -> dict[str, Any]:
    made = _plain(model.model_json_schema(mode="validation"))
    return {"$schema": DRAFT, **made, "title": name, "examples": [EXAMPLES[name]]}


def _plain(schema: Any) -> Any:
    """Without the hint for code generators (`discriminator`) that is of OpenAPI and no JSON Schema."""
    match schema:
        case dict():
            hint = schema.get("discriminator")
            drop = "discriminator" if isinstance(hint, dict) and "propertyName" in hint else None
            return {key: _plain(item) for key, item in schema.items() if key != drop}
        case list():
            return [_plain(item) for item in schema]
        case _:
            return schema
