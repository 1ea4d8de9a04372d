"""What a page asks the journal for: runs, commands, parts in bins, and how long runs took and what they used. Pure
over rows; each answers with rows for a table and counts for a chart.

What a page asks on its own account (where do I stand, this very question) is no request of a person and is left out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

from edge_agent.messages.wire import Scalar
from edge_agent.run.budget import BudgetLimits
from edge_agent.run.journal import Journal, Kind, Row

MAX_ROWS: Final = 5_000
STEPS: Final = 24
"""Pieces of a window in which parts are counted."""
LEAST_STEP_MS: Final = 60_000
SAID_CHARS: Final = 40
OF_PAGES: Final = frozenset({"resync", "history", "explain"})
USED: Final = ("model_calls", "tool_calls", "total_tokens", "run_bytes")

Told: TypeAlias = tuple[list[dict[str, Scalar]], dict[str, int]]


class Asked:
    """`reader` sees the words of their own requests; None reads everybody's. `since_ms` to `now_ms`: the window."""

    __slots__ = ("journal", "limits", "now_ms", "reader", "since_ms")

    def __init__(self, journal: Journal, limits: BudgetLimits, since_ms: int, now_ms: int, reader: str | None) -> None:
        self.journal, self.limits, self.since_ms, self.now_ms, self.reader = journal, limits, since_ms, now_ms, reader


async def runs(asked: Asked) -> Told:
    """Newest first."""
    rows = await _rows(asked, (Kind.REQUEST, Kind.TERMINAL), newest_first=True)
    requests = _requests(rows)
    ends = [r for r in rows if r.kind is Kind.TERMINAL and not _of_a_page(requests.get(r.run))]
    told: list[dict[str, Scalar]] = [
        {
            "run": r.run,
            "at_ms": r.at_ms,
            "user": r.body.get("user"),
            "outcome": r.body["outcome"],
            "fallback": r.body.get("fallback_type"),
            "type": _type(requests.get(r.run)),
            "said": _said(requests.get(r.run), asked.reader),
        }
        for r in ends
    ]
    return told, _counted(r.body.get("fallback_type") or r.body["outcome"] for r in ends)


async def commands(asked: Asked) -> Told:
    """Newest first."""
    rows = await _rows(asked, (Kind.COMMAND,), newest_first=True)
    ends = [r for r in rows if _is_end(r)]
    told: list[dict[str, Scalar]] = [
        {
            "command_id": r.body["command_id"],
            "at_ms": r.at_ms,
            "state": r.body["state"],
            "reason": r.body["reason"],
            "frames": r.body["frames"],
        }
        for r in ends
    ]
    return told, _counted(r.body["state"] for r in ends)


async def items(asked: Asked) -> Told:
    """Parts that verified commands put into bins: a row for each bin and piece of the window, and the sums."""
    rows = await _rows(asked, (Kind.COMMAND,))
    orders = {r.body["command_id"]: r.body["order"] for r in rows if "order" in r.body}
    step_ms = max(LEAST_STEP_MS, (asked.now_ms - asked.since_ms) // STEPS)
    pieces: dict[tuple[int, int], int] = {}
    for row in rows:
        order = orders.get(row.body["command_id"])
        if order is not None and _is_end(row) and row.body["state"] == "VERIFIED" and _fills_a_bin(order):
            piece = asked.since_ms + (row.at_ms - asked.since_ms) // step_ms * step_ms
            pieces[piece, order["bin"]] = pieces.get((piece, order["bin"]), 0) + 1
    told: list[dict[str, Scalar]] = [
        {"at_ms": at_ms, "step_ms": step_ms, "bin": str(number), "items": count}
        for (at_ms, number), count in sorted(pieces.items())
    ]
    sums: dict[str, int] = {}
    for (_, number), count in sorted(pieces.items(), key=lambda piece: piece[0][1]):
        sums[f"bin {number}"] = sums.get(f"bin {number}", 0) + count
    return told, sums


async def latencies(asked: Asked) -> Told:
    """Newest first: milliseconds from a request's row to its end's, its tool attempts and what it used. The counts
    hold the percentiles, the largest use of each kind, its limit, and the runs by their attempts."""
    rows = await _rows(asked, (Kind.REQUEST, Kind.TERMINAL, Kind.ATTEMPT), newest_first=True)
    requests = _requests(rows)
    failed = _counted(r.run for r in rows if r.kind is Kind.ATTEMPT)
    told: list[dict[str, Scalar]] = []
    for row in rows:
        request = requests.get(row.run)
        if row.kind is Kind.TERMINAL and request is not None and not _of_a_page(request):
            used = row.body["usage"]
            told.append(
                {
                    "run": row.run,
                    "at_ms": row.at_ms,
                    "ms": row.at_ms - request.at_ms,
                    "attempts": failed.get(str(row.run), 0) + (1 if used["tool_calls"] else 0),
                    **{name: used[name] for name in USED},
                }
            )
    return told, _summary(told, asked.limits)


def _summary(told: Sequence[dict[str, Scalar]], limits: BudgetLimits) -> dict[str, int]:
    took = sorted(_whole(row["ms"]) for row in told)
    attempts = [_whole(row["attempts"]) for row in told]
    counts = {"runs": len(told)}
    if took:
        counts |= {"p50_ms": took[len(took) // 2], "p95_ms": took[min(len(took) - 1, len(took) * 95 // 100)]}
    for name in USED:
        counts[f"most_{name}"] = max((_whole(row[name]) for row in told), default=0)
        counts[f"limit_{name}"] = int(getattr(limits, name))
    counts |= {"once": attempts.count(1), "twice": attempts.count(2), "more": sum(a > 2 for a in attempts)}
    return counts


async def _rows(asked: Asked, kinds: tuple[Kind, ...], *, newest_first: bool = False) -> Sequence[Row]:
    return await asked.journal.rows(kinds=kinds, since_ms=asked.since_ms, limit=MAX_ROWS, newest_first=newest_first)


def _requests(rows: Iterable[Row]) -> dict[str | None, Row]:
    return {r.run: r for r in rows if r.kind is Kind.REQUEST}


def _of_a_page(request: Row | None) -> bool:
    return request is not None and _message(request).get("type") in OF_PAGES


def _said(request: Row | None, reader: str | None) -> str:
    if request is None or reader not in (None, request.body.get("user")):
        return ""
    return str(_message(request).get("text") or "")[:SAID_CHARS]


def _type(request: Row | None) -> str:
    return "" if request is None else str(_message(request).get("type", ""))


def _message(request: Row) -> dict[str, Any]:
    message = request.body.get("request")
    return message if isinstance(message, dict) else {}


def _is_end(row: Row) -> bool:
    return (row.key or "").endswith("/end")


def _fills_a_bin(order: dict[str, Any]) -> bool:
    return order["action"] in ("place", "pick_place")


def _whole(value: Scalar) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _counted(names: Iterable[object]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name in names:
        counts[str(name)] = counts.get(str(name), 0) + 1
    return counts


HISTORIES: Final[dict[str, Callable[[Asked], Awaitable[Told]]]] = {
    "runs": runs,
    "commands": commands,
    "items": items,
    "latencies": latencies,
}
