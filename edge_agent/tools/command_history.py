"""Tool: what was commanded, and how it ended, from the journal. One entry a command, newest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from edge_agent.run.journal import Journal, Kind, Row
from edge_agent.run.retry import RetryPolicy
from edge_agent.tools.store_answer import told
from edge_agent.tools.tool import TIMEOUT_S, Call, Fact, Found, Tool, ToolAnswer, ToolName
from edge_agent.tools.window import WindowArgs, minute, within

MAX_ROWS: Final = 2_000
SHOWN: Final = 20
STATED: Final = ("action", "state", "reason", "code", "controller_code", "detail", "lockout")
KEPT: Final = ("command_id", "state", "reason", "why", "code", "frames", "user")


class CommandArgs(WindowArgs):
    command_id: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    """0: every command of the window."""
    failed_only: bool = False


def command_history(journal: Journal, policy: RetryPolicy, timeout_s: float = TIMEOUT_S) -> Tool:
    async def ask(args: CommandArgs, call: Call) -> ToolAnswer:
        since_ms = within(args, call.now_ms)
        rows = await journal.rows(
            kinds=[Kind.COMMAND, Kind.LOCKOUT, Kind.STOP], since_ms=since_ms, newest_first=True, limit=MAX_ROWS
        )
        until_ms = args.until_ms or call.now_ms
        commands = _commands([row for row in reversed(rows) if row.at_ms <= until_ms], args)
        return Found({"commands": commands[:SHOWN], "count": len(commands)}, len(commands))

    return Tool(ToolName.COMMAND_HISTORY, CommandArgs, told(ask), _scope, _facts, retry=policy, timeout_s=timeout_s)


def _commands(rows: list[Row], args: CommandArgs) -> list[dict[str, Any]]:
    """Rows of one command folded into one entry, later rows over earlier ones; newest command first."""
    found: dict[int, dict[str, Any]] = {}
    for row in rows:
        command_id = row.body.get("command_id")
        if isinstance(command_id, int) and command_id and args.command_id in (0, command_id):
            _fold(found.setdefault(command_id, {"command_id": command_id, "at": minute(row.at_ms)}), row)
    kept = [each for each in found.values() if not args.failed_only or each.get("state") != "VERIFIED"]
    return list(reversed(kept))


def _fold(entry: dict[str, Any], row: Row) -> None:
    if row.kind is Kind.LOCKOUT:
        entry["lockout"] = row.body.get("reason")
        return
    if row.kind is Kind.STOP:
        return
    body = row.body
    entry.update({name: body[name] for name in KEPT if body.get(name) not in (None, "", [])})
    if body.get("detail"):
        entry["detail"] = [str(each) for each in body["detail"]]
    order = body.get("order")
    if isinstance(order, Mapping):
        entry |= {name: order[name] for name in ("action", "item_class", "bin", "station") if order.get(name)}
    code = _own_code(body)
    if code:
        entry["controller_code"] = f"{code:04x}"


def _own_code(body: Mapping[str, Any]) -> int:
    """The controller's code for this very command; what stood there of an older one says nothing about it."""
    receipt = body.get("receipt")
    if not isinstance(receipt, Mapping):
        return 0
    echo = receipt.get("echo")
    same = not isinstance(echo, Mapping) or echo.get("command_id") == body.get("command_id")
    return int(receipt.get("code") or 0) if same else 0


def _scope(args: CommandArgs) -> str:
    which = f"command_id={args.command_id}" if args.command_id else "commands"
    return f"{which} {args.span}" + (" failed" if args.failed_only else "")


def _facts(data: Mapping[str, Any], args: CommandArgs) -> tuple[Fact, ...]:
    del args
    commands = [each for each in data.get("commands", ()) if isinstance(each, Mapping)]
    return tuple(
        Fact(ToolName.COMMAND_HISTORY, f"command {each.get('command_id')}", name, str(value))
        for each in commands
        for name in STATED
        for value in _values(each.get(name))
    )


def _values(value: Any) -> list[Any]:
    several = value if isinstance(value, list) else [value]
    return [each for each in several if each not in (None, "")]
