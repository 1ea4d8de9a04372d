"""JSON without its traps: duplicate keys, NaN, numbers of 400 digits, NUL, lone surrogates, depth. Pure.

The models alone would let the first, the third and the fourth of these through.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

MAX_DEPTH: Final = 16
"""A request is three levels deep at most; a parser that recurses must never be asked for 3,000."""
MAX_DIGITS: Final = 19
"""As many as a signed 64-bit number has."""
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


class NotStrictJson(ValueError):
    """The sender is to blame; the text says what was found."""


def loads(payload: bytes) -> Any:
    """The value in `payload` (UTF-8). Raises NotStrictJson for everything that is not plain JSON."""
    try:
        text = payload.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotStrictJson(f"not UTF-8 at byte {error.start}") from error
    _check_depth(text)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_int=_integer,
            parse_float=_decimal,
        )
    except json.JSONDecodeError as error:
        raise NotStrictJson(f"not JSON: {error.msg} at character {error.pos}") from error
    return value


def check_texts(value: Any) -> None:
    """Raise NotStrictJson if a text or key anywhere in `value` holds NUL or half a surrogate pair."""
    if isinstance(value, str):
        _check_text(value)
    elif isinstance(value, dict):
        for key, item in value.items():
            _check_text(key)
            check_texts(item)
    elif isinstance(value, list):
        for item in value:
            check_texts(item)


def _check_text(text: str) -> None:
    if "\x00" in text:
        raise NotStrictJson("NUL in a text")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise NotStrictJson("half of a surrogate pair in a text")


def _check_depth(text: str) -> None:
    depth = 0
    for character in _STRINGS.sub("", text):
        if character in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise NotStrictJson(f"nested deeper than {MAX_DEPTH}")
        elif character in "]}":
            depth -= 1


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotStrictJson("a key stands twice")
    return found


def _constant(word: str) -> Any:
    raise NotStrictJson(f"{word} is no JSON number")


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise NotStrictJson(f"a number of more than {MAX_DIGITS} digits")
    return int(digits)


def _decimal(digits: str) -> float:
    number = float(digits) if len(digits) <= 2 * MAX_DIGITS else math.inf
    if not math.isfinite(number):
        raise NotStrictJson("a number out of range")
    return number
