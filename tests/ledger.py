"""The ledger beside the budget: what a run's `done` says was used is what its rows add up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from edge_agent.run.journal import Kind, Row

SUMS = ("model_calls", "input_tokens", "output_tokens", "total_tokens")


def summed(calls: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Of a run's `model_call` rows."""
    rows = list(calls)
    read, written = (sum(row[name] for row in rows) for name in ("input_tokens", "output_tokens"))
    return {"model_calls": len(rows), "input_tokens": read, "output_tokens": written, "total_tokens": read + written}


def disagreements(rows: Iterable[Row]) -> list[str]:
    """One line a run whose `done` and ledger differ. An id that two people used is left out: its rows are of both."""
    known = list(rows)
    ends = [row for row in known if row.kind is Kind.TERMINAL]
    once = {run for run, times in Counter(row.run for row in ends).items() if times == 1}
    found = []
    for end in (row for row in ends if row.run in once):
        usage = end.body["usage"]
        told = {name: usage[name] for name in SUMS}
        ledger = summed(row.body for row in known if row.kind is Kind.MODEL_CALL and row.run == end.run)
        if told != ledger:
            found.append(f"run {end.run}: done says {told}, the ledger {ledger}")
        if usage["tool_calls"] != sum(usage["tool_calls_by_name"].values()):
            found.append(f"run {end.run}: {usage['tool_calls']} tool calls, by name {usage['tool_calls_by_name']}")
    return found
