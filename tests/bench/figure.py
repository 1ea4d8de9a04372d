"""One measured figure beside its floor or its peer, and how a list of them is shown.

A figure alone says little on an unknown machine: what counts is its ratio to the floor, measured in the same run, turn
and turn about, so that whatever else the machine is doing weighs on both alike.
"""

from __future__ import annotations

import json
import math
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Figure:
    """`floor`: the least that the same machine could do it in; `peer`: what somebody else's program takes for the
    same. `None` where there is none. `ratio` and `peer_ratio` are medians over medians."""

    name: str
    unit: str
    value: float
    p50: float
    p99: float
    floor: float | None
    ratio: float | None
    peer: float | None
    peer_name: str | None
    peer_ratio: float | None
    n: int


def quantile(samples: Sequence[float], share: float) -> float:
    """The smallest sample that `share` of all do not exceed."""
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def beside_floor(name: str, samples: Sequence[float], floor: Sequence[float], unit: str = "ms") -> Figure:
    p50, low = quantile(samples, 0.5), quantile(floor, 0.5)
    return Figure(
        name=name,
        unit=unit,
        value=p50,
        p50=p50,
        p99=quantile(samples, 0.99),
        floor=low,
        ratio=p50 / low,
        peer=None,
        peer_name=None,
        peer_ratio=None,
        n=len(samples),
    )


def table(figures: Sequence[Figure]) -> str:
    head = f"{'figure':<24}{'p50':>10}{'p99':>10}{'floor':>10}{'ratio':>8}{'peer':>10}{'n':>7}"
    return "\n".join([head, "-" * len(head), *(_row(f) for f in figures)])


def _row(figure: Figure) -> str:
    def cell(value: float | None, width: int) -> str:
        return f"{'-' if value is None else format(value, '.3g'):>{width}}"

    numbers = cell(figure.p50, 10) + cell(figure.p99, 10) + cell(figure.floor, 10) + cell(figure.ratio, 8)
    return f"{figure.name + ' ' + figure.unit:<24}{numbers}{cell(figure.peer, 10)}{figure.n:>7}"


def machine() -> dict[str, object]:
    return {"cpus": os.cpu_count(), "arch": platform.machine(), "python": platform.python_version()}


def save(file: Path, figures: Sequence[Figure]) -> None:
    file.write_text(json.dumps({"machine": machine(), "results": [asdict(f) for f in figures]}, indent=1) + "\n")
