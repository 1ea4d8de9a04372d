"""What comes after the end of its run is published to nobody, wherever on the way the end came."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.messages.codes import Phase
from edge_agent.release.answers import answer
from edge_agent.run.journal import Kind
from edge_agent.stages.job import Job
from tests.stages.site import USER, one_agent

pytestmark = pytest.mark.net


async def test_an_answer_that_is_ready_after_the_cancel_is_told_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    async with one_agent() as site:

        def called_off(*args: Any, **more: Any) -> Any:
            for each in site.agent.runs.of(USER):
                each.run.cancel("operator_cancel")
            return answer(*args, **more)

        monkeypatch.setattr("edge_agent.stages.telling.answer", called_off)
        events = await site.ask("ask", text="what is the rule for glass")
        assert [e["type"] for e in events if e["type"] != "status"] == ["metadata", "failure", "done"]
        assert (events[-2]["code"], events[-1]["outcome"]) == ("RUN_CANCELLED", "CANCELLED")


async def test_a_motion_called_off_while_the_cell_is_checked_is_never_written_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with one_agent() as site:
        yes = site.yes(await site.card("action=home device=arm_01"))
        real = Job.phase

        async def phase(self: Job, phase: Phase, **more: Any) -> None:
            await real(self, phase, **more)
            if phase is Phase.CHECKING_CELL:
                self.run.cancel("operator_cancel")

        monkeypatch.setattr(Job, "phase", phase)
        await (await site.send(yes))
        failure, done = site.told(yes["id"])[-2:]
        assert (failure["type"], failure.get("code"), done["outcome"]) == ("failure", "RUN_CANCELLED", "CANCELLED")
        commands = await site.agent.parts.journal.rows(kinds=(Kind.COMMAND,))
        assert [row.body["state"] for row in commands if row.body["state"] not in ("PROPOSED", "CANCELLED")] == []
