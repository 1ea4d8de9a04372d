"""Tool: alarms of a window, newest first, from the journal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from edge_agent.run.journal import Journal, Kind, Row
from edge_agent.run.retry import RetryPolicy
from edge_agent.tools.store_answer import told
from edge_agent.tools.tool import TIMEOUT_S, Call, Fact, Found, Tool, ToolAnswer, ToolName
from edge_agent.tools.window import WindowArgs, minute, within

MAX_ROWS: Final = 500
SHOWN: Final = 20
STATED: Final = ("type", "severity", "active", "acked", "message", "cause")


class AlarmArgs(WindowArgs):
    source: Annotated[str, Field(max_length=64)] = ""
    """Only alarms of this source (a device); empty: all."""
    active_only: bool = False


def alarm_history(journal: Journal, policy: RetryPolicy, timeout_s: float = TIMEOUT_S) -> Tool:
    async def ask(args: AlarmArgs, call: Call) -> ToolAnswer:
        since_ms = within(args, call.now_ms)
        rows = await journal.rows(kinds=[Kind.ALARM], since_ms=since_ms, newest_first=True, limit=MAX_ROWS)
        fitting = [row for row in rows if _fits(row, args, call.now_ms)]
        alarms = [_alarm(row) for row in _newest_of_each(fitting) if not args.active_only or row.body.get("active")]
        return Found({"alarms": alarms[:SHOWN], "count": len(alarms)}, len(alarms))

    return Tool(ToolName.ALARM_HISTORY, AlarmArgs, told(ask), _scope, _facts, retry=policy, timeout_s=timeout_s)


def _fits(row: Row, args: AlarmArgs, now_ms: int) -> bool:
    return args.source in ("", row.body.get("source")) and row.at_ms <= (args.until_ms or now_ms)


def _newest_of_each(rows: list[Row]) -> list[Row]:
    """One row an occurrence: a raised, acknowledged and cleared alarm is one alarm."""
    seen: dict[object, Row] = {}
    for row in rows:
        seen.setdefault((row.body.get("id"), row.body.get("raised_at")), row)
    return list(seen.values())


def _alarm(row: Row) -> dict[str, Any]:
    return {"at": minute(row.at_ms), "id": row.body.get("id"), **{name: row.body.get(name) for name in STATED}}


def _scope(args: AlarmArgs) -> str:
    return f"alarms source={args.source or 'any'} {args.span}" + (" active" if args.active_only else "")


def _facts(data: Mapping[str, Any], args: AlarmArgs) -> tuple[Fact, ...]:
    del args
    alarms = [each for each in data.get("alarms", ()) if isinstance(each, Mapping)]
    return tuple(
        Fact(ToolName.ALARM_HISTORY, str(each.get("id") or each.get("type")), "type", str(each.get("type")))
        for each in alarms
    ) + tuple(
        Fact(ToolName.ALARM_HISTORY, str(each.get("id") or each.get("type")), "at", str(each["at"]))
        for each in alarms
        if each.get("at")
    )
