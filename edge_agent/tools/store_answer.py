"""A store's error as a tool's answer: one place, so that every query tool says it alike."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from edge_agent.messages.codes import ErrorCode
from edge_agent.run.journal import JournalFault
from edge_agent.tools.ports import StoreError
from edge_agent.tools.tool import Call, Failed, ToolAnswer

A = TypeVar("A")


def told(ask: Callable[[A, Call], Awaitable[ToolAnswer]]) -> Callable[[Any, Call], Awaitable[ToolAnswer]]:
    """`ask`, with StoreError and a journal that can't be read as `Failed`."""

    async def asked(args: A, call: Call) -> ToolAnswer:
        try:
            return await ask(args, call)
        except StoreError as failed:
            return Failed(failed.code, failed.message)
        except JournalFault:
            return Failed(ErrorCode.SERVICE_UNAVAILABLE, "the journal can't be read")

    return asked
