"""What is refused before it becomes a run says what was judged, and whom to ask."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from edge_agent.cases.cell import USERS
from edge_agent.desk.arrival import Arrival
from tests.stages.site import DEADLINE_S, USER, OneAgent, one_agent

pytestmark = pytest.mark.net


async def refused(site: OneAgent, user: str, said: dict[str, Any]) -> str:
    task = await site.agent.receive(Arrival(json.dumps(said).encode(), user, "mqtt"))
    await asyncio.wait_for(task, DEADLINE_S)
    content = next(e for e in site.told(said["id"]) if e["type"] == "content")
    assert content["kind"] == "rejection"
    return str(content["text"])


async def test_a_refusal_names_what_was_judged() -> None:
    async with one_agent() as site:
        told = await refused(site, USERS["viewer"], site.request("lab", op="clear"))
        assert 'Your role is viewer; it may not do "put lab faults in", which needs the role student' in told
        assert "Ask the technician for it." in told
        zh = await refused(site, USERS["viewer"], {**site.request("lab", op="clear"), "lang": "zh"})
        assert "你的角色是观察者，不能做“放入教学故障”；需要学员。可以向技术员申请。" in zh
        old = site.request("ask", text="what is the rule for glass", issued_at="2026-01-01T00:00:00.000Z")
        assert "ms on arrival, at most 5000 ms" in await refused(site, USER, old)
        odd = site.request("ask", text="what is the rule for glass", more=1)
        assert "The request is malformed: ask.more: " in await refused(site, USER, odd)
