"""Tool: passages of the site's own pages that fit some words. What a page says is data, whatever it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, Final

from pydantic import Field

from edge_agent.run.retry import RetryPolicy
from edge_agent.tools.ports import Knowledge
from edge_agent.tools.store_answer import told
from edge_agent.tools.tool import TIMEOUT_S, Call, Fact, Found, Tool, ToolAnswer, ToolArgs, ToolName

SHOWN: Final = 3


class KnowledgeArgs(ToolArgs):
    words: Annotated[str, Field(min_length=1, max_length=200)]


def knowledge_search(store: Knowledge, policy: RetryPolicy, timeout_s: float = TIMEOUT_S) -> Tool:
    async def ask(args: KnowledgeArgs, _call: Call) -> ToolAnswer:
        pages = await store.search(args.words, SHOWN)
        return Found({"pages": [asdict(page) for page in pages]}, len(pages))

    return Tool(ToolName.KNOWLEDGE_SEARCH, KnowledgeArgs, told(ask), _scope, _facts, retry=policy, timeout_s=timeout_s)


def _scope(args: KnowledgeArgs) -> str:
    return f"words={args.words}"


def _facts(data: Mapping[str, Any], args: KnowledgeArgs) -> tuple[Fact, ...]:
    """That a page is there; what it advises is no fact about this cell."""
    del args
    pages = [each for each in data.get("pages", ()) if isinstance(each, Mapping)]
    return tuple(
        Fact(ToolName.KNOWLEDGE_SEARCH, str(each.get("page")), "title", str(each.get("title"))) for each in pages
    )
