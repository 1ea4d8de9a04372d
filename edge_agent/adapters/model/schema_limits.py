"""Which JSON schemas may become a grammar. An odd one ends the library's process, so anything unusual is refused here.

Allowed: object, array, string, integer, boolean, null and enum, nested at most six deep, with bounded lengths. No
references, no patterns: nothing in a schema may come from what an operator wrote.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

MAX_SCHEMA_BYTES = 16_384
MAX_DEPTH = 6
MAX_LENGTH = 400
MAX_ITEMS = 32
MAX_ENUM = 64

ALLOWED_KEYS = frozenset(
    {
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
    }
)
TYPES = frozenset({"object", "array", "string", "integer", "boolean", "null"})


def objection(schema: Mapping[str, object]) -> str | None:
    """What is wrong with it, or None."""
    if len(json.dumps(schema)) > MAX_SCHEMA_BYTES:
        return f"schema over {MAX_SCHEMA_BYTES} bytes"
    return _objection(schema, 0)


def _objection(schema: object, depth: int) -> str | None:
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
        return "schema nested too deep, or no object"
    unknown = set(schema) - ALLOWED_KEYS
    if unknown:
        return f"schema key {sorted(unknown)[0]!r} is not allowed"
    if "enum" in schema:
        return _enum_objection(schema["enum"])
    if schema.get("type") not in TYPES:
        return f"schema type {schema.get('type')!r} is not allowed"
    return _bounds_objection(schema) or _inner_objection(schema, depth)


def _enum_objection(values: object) -> str | None:
    plain = isinstance(values, list) and all(v is None or isinstance(v, str | int) for v in values)
    return None if plain and 0 < len(values) <= MAX_ENUM else "enum must hold 1 to 64 plain values"  # type: ignore[arg-type]


def _bounds_objection(schema: Mapping[str, object]) -> str | None:
    for key, most in (("maxLength", MAX_LENGTH), ("maxItems", MAX_ITEMS)):
        value = schema.get(key, 0)
        if not isinstance(value, int) or not 0 <= value <= most:
            return f"{key} must be 0 to {most}"
    if schema["type"] == "string" and "maxLength" not in schema:
        return "a string needs maxLength"
    if schema["type"] == "array" and "maxItems" not in schema:
        return "an array needs maxItems"
    return None


def _inner_objection(schema: Mapping[str, object], depth: int) -> str | None:
    inner = schema.get("properties", {})
    if not isinstance(inner, Mapping):
        return "properties must be an object"
    children = [*inner.values(), *([schema["items"]] if "items" in schema else [])]
    return next((o for o in (_objection(child, depth + 1) for child in children) if o), None)
