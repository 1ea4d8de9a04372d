"""Whose story is told: an id is the sender's to pick, so it alone opens nobody's run."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from edge_agent.cases.cell import USERS, Flat
from edge_agent.desk.arrival import Arrival
from edge_agent.run.journal import Kind, Row
from edge_agent.stages.explaining import of_reader
from tests.stages.site import DEADLINE_S, USER, OneAgent, one_agent

OTHER = USERS["student"]


async def ask_as(site: OneAgent, user: str, said: dict[str, Any]) -> list[Flat]:
    before = len(site.streams.get(said["id"], []))
    task = await site.agent.receive(Arrival(json.dumps(said).encode(), user, "mqtt"))
    await asyncio.wait_for(task, DEADLINE_S)
    return site.told(said["id"])[before:]


async def explained_to(site: OneAgent, user: str, run: str) -> Flat:
    return (await ask_as(site, user, site.request("explain", run=run)))[-2]


@pytest.mark.net
async def test_the_same_id_opens_nobody_elses_run() -> None:
    async with one_agent() as site:
        first = site.request("ask", text="what is the rule for glass")
        await asyncio.wait_for(await site.send(first), DEADLINE_S)
        assert (await explained_to(site, OTHER, first["id"]))["kind"] == "rejection"
        second = await ask_as(site, OTHER, {**first, "text": "what is the rule for metal"})
        assert (second[-2]["kind"], second[-1]["outcome"]) == ("answer", "SUCCESS")
        told = {user: json.dumps(await explained_to(site, user, first["id"])) for user in (USER, OTHER)}
        assert "glass" in told[USER]
        assert "metal" not in told[USER]
        assert "metal" in told[OTHER]
        assert "glass" not in told[OTHER]
        everything = json.dumps(await explained_to(site, USERS["technician"], first["id"]))
        assert "glass" in everything
        assert "metal" in everything


def row(seq: int, kind: Kind, user: str | None) -> Row:
    return Row(seq, 0, 1, kind, "r1", None, {} if user is None else {"user": user}, "", "")


ANN, BEN, NOBODY = "ann", "ben", None


@pytest.mark.parametrize(
    ("kinds", "read"),
    [
        ([(Kind.REQUEST, ANN), (Kind.READING, NOBODY), (Kind.TERMINAL, ANN)], [1, 2, 3]),
        ([(Kind.REQUEST, BEN), (Kind.READING, NOBODY), (Kind.TERMINAL, BEN)], []),
        ([(Kind.REQUEST, BEN), (Kind.READING, NOBODY), (Kind.REJECTION, ANN)], [3]),
        ([(Kind.REQUEST, ANN), (Kind.READING, NOBODY), (Kind.REJECTION, BEN)], [1, 2]),
        ([(Kind.REQUEST, ANN), (Kind.REQUEST, BEN), (Kind.READING, NOBODY), (Kind.EVENT, BEN)], [1]),
    ],
)
def test_a_row_is_read_by_whom_it_is_of(kinds: list[tuple[Kind, str | None]], read: list[int]) -> None:
    rows = [row(seq, kind, user) for seq, (kind, user) in enumerate(kinds, start=1)]
    assert [each.seq for each in of_reader(rows, "ann")] == read
