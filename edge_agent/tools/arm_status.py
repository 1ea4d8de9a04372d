"""Tool: what the supervision last read of a device. Reads memory; moves nothing and asks the wire for nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from edge_agent.run.retry import RetryPolicy
from edge_agent.tools.ports import ArmView
from edge_agent.tools.tool import TIMEOUT_S, Call, Fact, Found, Tool, ToolAnswer, ToolArgs, ToolName

STATED: Final = (
    "cell_state",
    "reason",
    "lockout",
    "linked",
    "mode",
    "controller_state",
    "fault_code",
    "estop_ok",
    "guard_closed",
    "protective_ok",
    "drives_on",
    "reset_required",
    "holds_part",
    "unknown_outcomes",
)
"""Values of the view that are facts; poses and counters change with every read and explain nothing."""


class ArmArgs(ToolArgs):
    device: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]


def arm_status(view: ArmView, policy: RetryPolicy, timeout_s: float = TIMEOUT_S) -> Tool:
    async def ask(args: ArmArgs, _call: Call) -> ToolAnswer:
        seen = view.arm(args.device)
        return Found({"device": args.device}, 0) if seen is None else Found({"device": args.device, **seen}, 1)

    return Tool(ToolName.ARM_STATUS, ArmArgs, ask, _scope, _facts, retry=policy, timeout_s=timeout_s)


def _scope(args: ArmArgs) -> str:
    return f"device={args.device}"


def _facts(data: Mapping[str, Any], args: ArmArgs) -> tuple[Fact, ...]:
    stated = ((name, data.get(name)) for name in STATED)
    return tuple(Fact(ToolName.ARM_STATUS, args.device, k, word(v)) for k, v in stated if v not in (None, ""))


def word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
