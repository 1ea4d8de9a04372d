"""A fault on a cell that is marked real: refused to everybody, written down, and nothing is put in."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from edge_agent.cases import live_cell as room
from edge_agent.cases.cell import CLIENT, Setup
from edge_agent.cases.live_cell import LiveCell
from edge_agent.cell_file import load_cell
from edge_agent.messages.codes import Role
from edge_agent.messages.wire import utc_text
from edge_agent.run.ids import ulid
from edge_agent.run.journal import Kind

pytestmark = pytest.mark.net


@asynccontextmanager
async def cell_marked(monkeypatch: pytest.MonkeyPatch, *, simulated: bool) -> AsyncIterator[LiveCell]:
    monkeypatch.setattr(room, "case_spec", lambda: replace(load_cell(), simulated=simulated, lab=simulated))
    async with room.live_cell() as cell:
        await cell.begin(Setup())
        yield cell


async def put(cell: LiveCell, role: Role, fault: str) -> dict[str, Any]:
    """The content that came of it."""
    request_id = ulid(time.time_ns() // 1_000_000, secrets.token_bytes(10))
    head = {"v": 1, "id": request_id, "type": "lab", "issued_at": utc_text(cell.agent.now()), "attached": CLIENT}
    events = await cell.submit(role, {**head, "epoch": cell.epoch, "lang": "en", "op": "put", "fault": fault})
    return dict(next(event for event in events if event["type"] == "content"))


@pytest.mark.parametrize(
    ("role", "reason"), [("student", "forbidden"), ("operator", "forbidden"), ("technician", "lab_forbidden")]
)
@pytest.mark.parametrize("fault", ["query.timeout", "arm.guard_open"])
async def test_nobody_puts_a_fault_into_a_real_cell(
    monkeypatch: pytest.MonkeyPatch, role: Role, reason: str, fault: str
) -> None:
    async with cell_marked(monkeypatch, simulated=False) as cell:
        told = await put(cell, role, fault)
        assert (told["kind"], told["reason"]) == ("rejection", reason)
        assert told["error"]["code"] == "PERMISSION_DENIED"
        rows = await cell.journal.rows(limit=100)
        assert Kind.FAULT not in {row.kind for row in rows}
        written = [r for r in rows if r.body.get("name") == reason or r.body.get("event", {}).get("reason") == reason]
        assert written, "a refusal is written down"


async def test_on_a_simulated_cell_it_goes_in_and_is_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    async with cell_marked(monkeypatch, simulated=True) as cell:
        assert (await put(cell, "student", "query.timeout"))["kind"] == "done_ack"
        assert [row.body["fault"] for row in await cell.journal.rows(kinds=(Kind.FAULT,), limit=10)] == [
            "query.timeout"
        ]
