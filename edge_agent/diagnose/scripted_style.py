"""Which style a script of model answers is written for: with envelopes (`json`), or with labels and a draft."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from edge_agent.diagnose.thinker import Style, parse_request


def style_of_script(items: Iterable[Mapping[str, object]]) -> Style:
    return "json" if any(parse_request(str(item.get("raw", ""))) is not None for item in items) else "mixed"
