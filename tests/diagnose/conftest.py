"""In every test of this room, whatever it is about: budget and ledger count the same calls and tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from edge_agent.run.journal import Kind
from tests.diagnose.room import Room
from tests.ledger import SUMS, summed


@pytest.fixture(autouse=True)
async def ledger_agrees(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    rooms: list[Room] = []
    real = Room.__post_init__

    def made(room: Room) -> None:
        real(room)
        rooms.append(room)

    monkeypatch.setattr(Room, "__post_init__", made)
    yield
    for room in rooms:
        room.journal.broken.clear()
        await room.run.waiting.commit(room.journal)
        usage = room.run.usage().as_dict()
        assert summed(room.journal.bodies(Kind.MODEL_CALL)) == {name: usage[name] for name in SUMS}
