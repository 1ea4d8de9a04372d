"""A bounded view of a record's data: what a model or an operator may see. Data only, whatever it says.

Control characters and bidirectional marks are taken out, long texts and lists are cut, and the whole is cut to its
cap in bytes; each cut is told. Pure.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from edge_agent.tools.result import Projection

PROJECTION_BYTES: Final = 65_536
RECORD_BYTES: Final = 1_048_576
TEXT_CHARS: Final = 2_000
LIST_ITEMS: Final = 50
OBJECT_KEYS: Final = 64
DEPTH: Final = 8


def json_text(data: Mapping[str, Any]) -> str:
    """Raises ValueError or TypeError for what JSON can't hold, RecursionError where it is too deep."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def project(data: Mapping[str, Any], cap_bytes: int = PROJECTION_BYTES) -> Projection:
    """JSON text of at most `cap_bytes`; beyond the cap it is no longer whole JSON, and says so by `truncated`."""
    cuts = _Cuts()
    text = json_text(cuts.bounded(data, DEPTH)).encode("utf-8", "replace")
    if len(text) > cap_bytes:
        cuts.made = True
        text = text[:cap_bytes]
    return Projection(text.decode("utf-8", "ignore"), cuts.made)


def plain_text(text: str) -> str:
    """Without control, format and private characters, so that it can't steer a terminal or hide words."""
    if text.isprintable():  # nearly every text, and none of those characters is printable
        return text
    return "".join(c if c == "\n" or unicodedata.category(c)[0] != "C" else " " for c in text)


class _Cuts:
    """Walks once and remembers whether anything was left out."""

    def __init__(self) -> None:
        self.made = False

    def bounded(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return self._kept(plain_text(value[: TEXT_CHARS + 1]), TEXT_CHARS)
        if not isinstance(value, Mapping | list | tuple):
            return value
        if depth == 0:
            self.made = True
            return None
        if isinstance(value, Mapping):
            kept = self._kept(list(value.items()), OBJECT_KEYS)
            return {plain_text(str(k))[:TEXT_CHARS]: self.bounded(v, depth - 1) for k, v in kept}
        return [self.bounded(each, depth - 1) for each in self._kept(list(value), LIST_ITEMS)]

    def _kept(self, whole: Any, limit: int) -> Any:
        self.made = self.made or len(whole) > limit
        return whole[:limit]
