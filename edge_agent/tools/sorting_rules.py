"""Tool: the sorting rule of a sort of thing, from the live store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from edge_agent.run.retry import RetryPolicy
from edge_agent.tools.ports import RuleStore
from edge_agent.tools.store_answer import told
from edge_agent.tools.tool import TIMEOUT_S, Call, Fact, Found, Tool, ToolAnswer, ToolArgs, ToolName


class RuleArgs(ToolArgs):
    item_type: Annotated[str, Field(min_length=1, max_length=64)]


def sorting_rules(store: RuleStore, policy: RetryPolicy, timeout_s: float = TIMEOUT_S) -> Tool:
    async def ask(args: RuleArgs, _call: Call) -> ToolAnswer:
        rule = await store.rule(args.item_type)
        return Found({"item_type": args.item_type}, 0) if rule is None else Found(asdict(rule), 1)

    return Tool(ToolName.SORTING_RULES, RuleArgs, told(ask), _scope, _facts, retry=policy, timeout_s=timeout_s)


def _scope(args: RuleArgs) -> str:
    return f"item_type={args.item_type}"


def _facts(data: Mapping[str, Any], args: RuleArgs) -> tuple[Fact, ...]:
    stated = {name: data.get(name) for name in ("rule_id", "bin")}
    return tuple(Fact(ToolName.SORTING_RULES, args.item_type, k, str(v)) for k, v in stated.items() if v is not None)
