"""What the agent tells a page of the past: whose words, which pieces of time, and how much was used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from edge_agent.run.budget import BudgetLimits
from edge_agent.run.journal import Kind, Row
from edge_agent.stages.histories import HISTORIES, STEPS, Asked

HOUR_MS = 3_600_000
NOW_MS = 1_800_000_000_000
USAGE = {"model_calls": 1, "tool_calls": 1, "total_tokens": 50, "run_bytes": 900}


class Rows:
    """A journal that holds what it was given, as the real one gives it: by kind, in order or the newest first."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    async def rows(self, *, kinds: Sequence[Kind], since_ms: int, limit: int, newest_first: bool = False) -> list[Row]:
        found = [r for r in self._rows if r.kind in kinds and r.at_ms >= since_ms][:limit]
        return found[::-1] if newest_first else found


def row(kind: Kind, at_ms: int, run: str | None = None, key: str | None = None, **body: Any) -> Row:
    return Row(0, at_ms, 1, kind, run, key, body, "", "")


def request(run: str, at_ms: int, type_: str, user: str, **fields: Any) -> Row:
    return row(Kind.REQUEST, at_ms, run, user=user, request={"type": type_, **fields})


def end(run: str, at_ms: int, user: str, outcome: str = "SUCCESS", usage: dict[str, int] | None = None) -> Row:
    return row(Kind.TERMINAL, at_ms, run, user=user, outcome=outcome, fallback_type=None, usage=usage or USAGE)


def move(number: int, at_ms: int, bin_: int, state: str = "VERIFIED", action: str = "pick_place") -> tuple[Row, Row]:
    order = {"action": action, "bin": bin_}
    return (
        row(Kind.COMMAND, at_ms - 1, key=f"{number}", command_id=number, state="JOURNALLED", order=order),
        row(Kind.COMMAND, at_ms, key=f"{number}/end", command_id=number, state=state, reason="", frames=1),
    )


async def told(
    what: str, rows: Sequence[Row], reader: str | None = "op1"
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    journal: Any = Rows(rows)
    asked = Asked(journal, BudgetLimits(), NOW_MS - 24 * HOUR_MS, NOW_MS, reader)
    return await HISTORIES[what](asked)


RUNS = (
    request("a", NOW_MS - 9000, "ask", "op1", text="查一下 glass"),
    end("a", NOW_MS - 8900, "op1"),
    request("b", NOW_MS - 8000, "resync", "op1"),
    end("b", NOW_MS - 7999, "op1"),
    request("c", NOW_MS - 7000, "confirm", "op2"),
    end("c", NOW_MS - 4000, "op2", "FAILED", USAGE | {"tool_calls": 0}),
    request("d", NOW_MS - 3000, "ask", "op2", text="let the arm go home"),
    row(Kind.ATTEMPT, NOW_MS - 2900, "d", tool="arm_status"),
    row(Kind.ATTEMPT, NOW_MS - 2800, "d", tool="arm_status"),
    end("d", NOW_MS - 2000, "op2", usage=USAGE | {"model_calls": 7}),
)


@pytest.mark.parametrize(
    ("reader", "said"), [("op1", ["", "", "查一下 glass"]), (None, ["let the arm go home", "", "查一下 glass"])]
)
async def test_one_reads_ones_own_words(reader: str | None, said: list[str]) -> None:
    rows, counts = await told("runs", RUNS, reader)
    assert [r["run"] for r in rows] == ["d", "c", "a"], "the newest first, and not what a page asks by itself"
    assert [r["said"] for r in rows] == said
    assert counts == {"SUCCESS": 2, "FAILED": 1}


async def test_parts_are_counted_by_bin_and_piece_of_time() -> None:
    rows = [
        *move(1, NOW_MS - 23 * HOUR_MS, 2),
        *move(2, NOW_MS - 30_000, 2),
        *move(3, NOW_MS - 20_000, 2),
        *move(4, NOW_MS - 10_000, 5, action="place"),
        *move(5, NOW_MS - 9_000, 5, state="UNKNOWN"),
        *move(6, NOW_MS - 8_000, 5, action="move"),
    ]
    pieces, sums = await told("items", rows)
    assert sums == {"bin 2": 3, "bin 5": 1}
    assert [(p["bin"], p["items"]) for p in pieces] == [("2", 1), ("2", 2), ("5", 1)]
    assert {p["step_ms"] for p in pieces} == {24 * HOUR_MS // STEPS}
    assert all(NOW_MS - 24 * HOUR_MS <= p["at_ms"] < NOW_MS for p in pieces)


async def test_latencies_tell_attempts_and_use_beside_the_limits() -> None:
    rows, counts = await told("latencies", RUNS)
    assert [(r["run"], r["ms"], r["attempts"]) for r in rows] == [("d", 1000, 3), ("c", 3000, 0), ("a", 100, 1)]
    assert counts["p50_ms"] == 1000
    assert counts["p95_ms"] == 3000
    assert (counts["once"], counts["twice"], counts["more"]) == (1, 0, 1)
    assert (counts["most_model_calls"], counts["limit_model_calls"]) == (7, BudgetLimits().model_calls)


async def test_commands_are_told_by_their_ends() -> None:
    rows, counts = await told("commands", [*move(1, NOW_MS - 2, 2), *move(2, NOW_MS - 1, 2, state="ABORTED")])
    assert [r["command_id"] for r in rows] == [2, 1]
    assert counts == {"ABORTED": 1, "VERIFIED": 1}


@pytest.mark.parametrize("what", HISTORIES)
async def test_an_empty_journal_has_an_empty_history(what: str) -> None:
    rows, counts = await told(what, [])
    assert rows == []
    assert "p50_ms" not in counts
