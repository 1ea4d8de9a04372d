"""The AsyncAPI 3 document of the topics and messages, made from their tables. Pure."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from edge_agent.messages.schemas_of import MODELS
from edge_agent.messages.topics import TOPICS, TopicKind, TopicRule
from edge_agent.messages.wire import CLIENT_PATTERN, USER_PATTERN, WIRE_VERSION

ADDRESS_PREFIX: Final = "edge-agent/v1/{cell}"
_PARAMETERS: Final[dict[str, str]] = {
    "cell": "The cell; a site may set another path in front of everything.",
    "user": f"Who speaks: the login, bound by the broker. {USER_PATTERN}",
    "client": f"A page or terminal of that user. {CLIENT_PATTERN}",
    "run": "The request's id, or - where that could not be read.",
    "alarm": "The alarm's id.",
}
_EVENTS: Final = tuple(name for name in MODELS if name.startswith("event."))
_CARRIES: Final[dict[TopicKind, tuple[str, ...]]] = {
    TopicKind.STATUS: ("status",),
    TopicKind.STATE_CELL: ("cell_state",),
    TopicKind.CAPABILITIES: ("capabilities",),
    TopicKind.ALARM: ("alarm",),
    TopicKind.REQ: tuple(name for name in MODELS if name.startswith("request.")),
    TopicKind.STOP: ("stop",),
    TopicKind.RUN: _EVENTS,
    TopicKind.REPLY: _EVENTS,
    TopicKind.LAST: ("event.content.session",),
    TopicKind.PRESENCE: ("presence",),
    TopicKind.AUDIT: ("audit",),
}
_PLAIN: Final[dict[str, dict[str, Any]]] = {
    "presence": {
        "name": "presence",
        "contentType": "text/plain",
        "payload": {"type": "string", "enum": ["HERE", ""]},
        "summary": "HERE, renewed every 10 s; empty (also as last will) when gone.",
    },
    "audit": {
        "name": "audit",
        "contentType": "text/plain",
        "payload": {"type": "string"},
        "summary": "One line a decision.",
    },
}


def document(version: str) -> dict[str, Any]:
    """The whole document; payloads refer to the schema files beside it."""
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Sorting cell agent",
            "version": version,
            "description": f"Messages of version {WIRE_VERSION}. At most 8 KiB a request, 16 KiB a packet.",
        },
        "defaultContentType": "application/json",
        "channels": {kind.value: _channel(kind, rule) for kind, rule in TOPICS.items()},
        "operations": {kind.value: _operation(kind, rule) for kind, rule in TOPICS.items()},
        "components": {"messages": {_key(name): _message(name) for name in (*MODELS, *_PLAIN)}},
    }


def yaml(value: Any, indent: int = 0) -> str:
    """`value` (JSON-like) as YAML, texts always quoted, so that no text can become something else."""
    pad = "  " * indent
    match value:
        case dict() if value:
            return "".join(f"{pad}{_yaml_key(key)}:{_yaml_below(item, indent)}" for key, item in value.items())
        case list() if value:
            return "".join(f"{pad}-{_yaml_below(item, indent)}" for item in value)
        case _:
            return f"{pad}{json.dumps(value, ensure_ascii=False)}\n"


def _yaml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", key) else json.dumps(key)


def _yaml_below(item: Any, indent: int) -> str:
    return "\n" + yaml(item, indent + 1) if isinstance(item, dict | list) and item else f" {yaml(item)}"


def _key(name: str) -> str:
    return name.replace(".", "_")


def _channel(kind: TopicKind, rule: TopicRule) -> dict[str, Any]:
    address = f"{ADDRESS_PREFIX}/{rule.path}"
    return {
        "address": address,
        "description": f"From the {rule.sender}: {rule.says}.",
        "messages": {_key(name): {"$ref": f"#/components/messages/{_key(name)}"} for name in _CARRIES[kind]},
        "parameters": {name: {"description": _PARAMETERS[name]} for name in re.findall(r"\{(\w+)\}", address)},
    }


def _operation(kind: TopicKind, rule: TopicRule) -> dict[str, Any]:
    mqtt: dict[str, Any] = {"qos": rule.qos, "retain": rule.retain, "bindingVersion": "0.2.0"}
    if rule.expiry_s:
        mqtt["messageExpiryInterval"] = rule.expiry_s
    return {
        "action": "send" if rule.sender == "agent" else "receive",
        "channel": {"$ref": f"#/channels/{kind.value}"},
        "bindings": {"mqtt": mqtt},
    }


def _message(name: str) -> dict[str, Any]:
    if name in _PLAIN:
        return _PLAIN[name]
    summary = (MODELS[name].__doc__ or "").strip().split("\n")[0]
    return {"name": name, "summary": summary, "payload": {"$ref": f"./schemas/{name}.json"}}
