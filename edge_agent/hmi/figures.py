"""From histories to what a chart shows: groups of outcomes, layers over time, shares of a limit. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from edge_agent.hmi.charts import Stack
from edge_agent.messages.wire import Scalar

GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "success": ("SUCCESS",),
    "fallback": (
        "DEGRADED_ANSWER",
        "INSUFFICIENT_EVIDENCE",
        "MISSING_REQUIRED_CONTEXT",
        "EVIDENCE_VALIDATION_FAILED",
        "SEMANTIC_UNSUPPORTED",
        "SEMANTIC_UNAVAILABLE",
        "COMMAND_NOT_VERIFIED",
    ),
    "asked": ("CLARIFICATION", "CONFIRMATION_REQUIRED"),
    "refused": ("SAFE_REJECTION",),
    "failed": ("FAILED", "CANCELLED"),
}
USED: Final = ("model_calls", "tool_calls", "total_tokens", "run_bytes")
MAX_COLUMNS: Final = 24


def grouped(counts: Mapping[str, int]) -> dict[str, int]:
    """Outcomes and fallback types, gathered into what a person asks about. What is unknown counts as failed."""
    group_of = {name: group for group, names in GROUPS.items() for name in names}
    told = dict.fromkeys(GROUPS, 0)
    for name, count in counts.items():
        told[group_of.get(name, "failed")] += count
    return told


def stacked(
    rows: Sequence[Mapping[str, Scalar]], bins: Sequence[str], window_s: int, now: datetime
) -> tuple[Stack, ...]:
    """Parts a bin over the window, a column a piece of it; the empty pieces too. Rows as the agent's `items`."""
    step_s = next((_number(r.get("step_ms")) / 1000 for r in rows), window_s / MAX_COLUMNS)
    begin_s = now.timestamp() - window_s
    columns = max(1, min(MAX_COLUMNS * 2, round(window_s / step_s)))
    layers = [[0] * len(bins) for _ in range(columns)]
    for row in rows:
        number = int((_number(row.get("at_ms")) / 1000 - begin_s) / step_s + 0.5)
        name = str(row.get("bin"))
        if name in bins:
            layers[min(columns - 1, max(0, number))][bins.index(name)] += int(_number(row.get("items")))
    shown = "%H:%M" if window_s <= 86_400 else "%m-%d"
    labels = {0, columns // 2, columns - 1}
    return tuple(
        Stack(
            datetime.fromtimestamp(begin_s + n * step_s).astimezone().strftime(shown) if n in labels else "",
            tuple(layers[n]),
        )
        for n in range(columns)
    )


def shares(counts: Mapping[str, int]) -> tuple[tuple[str, float, int], ...]:
    """For each kind of budget: its name, the largest use as a share of the limit, and that use."""
    told = []
    for name in USED:
        most, limit = counts.get(f"most_{name}", 0), counts.get(f"limit_{name}", 0)
        told.append((name, most / limit if limit else 0.0, most))
    return tuple(told)


def took_ms(rows: Sequence[Mapping[str, Scalar]]) -> tuple[float, ...]:
    """Oldest first; the agent tells the newest first."""
    return tuple(_number(row.get("ms")) for row in reversed(rows))


def _number(value: Scalar) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
