"""Words of a case line, checked: one among those that are known, and the nearest where it is none. Pure."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any


def word(value: Any, kind: type[Any]) -> Any:
    """JSON has only strings; a strict model wants the member."""
    if not isinstance(value, str):
        return value
    known = [member.value for member in kind]
    if value not in known:
        raise ValueError(not_among(value, known))
    return kind(value)


def not_among(value: object, known: Any) -> str:
    return f"{value!r} is none of the known ones{did_you_mean(str(value), known)}"


def did_you_mean(value: str, known: Any) -> str:
    near = get_close_matches(value, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; there are: {', '.join(known)}"
