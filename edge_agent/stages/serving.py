"""Requests that are no sentence: where do I stand, what happened, acknowledge, release, put a fault in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from edge_agent.desk.sessions import Sessions
from edge_agent.desk.speaker import Speaker
from edge_agent.messages.codes import ErrorCode
from edge_agent.messages.content import Session
from edge_agent.messages.request import AckAlarm, Explain, History, Lab, ReleaseStop, Request, Resync
from edge_agent.release.answers import done_ack
from edge_agent.release.page import Page, Traces
from edge_agent.release.policy import Happened
from edge_agent.release.rejections import rejection
from edge_agent.release.views import history, session, timeline
from edge_agent.run.journal import Journal, Row
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.safety.permission import Denied, Role, permit_fault
from edge_agent.stages.asking_back import AskingBack
from edge_agent.stages.explaining import of_reader, paged, story
from edge_agent.stages.histories import HISTORIES, MAX_ROWS, Asked
from edge_agent.stages.job import Job, Told
from edge_agent.stages.moving import Moving

ROWS_A_PAGE = 20


class Faults(Protocol):
    """The lab's hand on the faults of this cell. Raises `LookupError` for a name that is none."""

    async def put(self, name: str, *, count: int, seed: int, args: Mapping[str, int | str], by: str) -> None: ...

    async def clear(self, name: str | None) -> None: ...


class Alarms(Protocol):
    async def acknowledge(self, alarm: str, event_id: str, by: str) -> bool:
        """False where no such alarm stands, or it has changed since."""


@dataclass(frozen=True, slots=True)
class Serving:
    moving: Moving
    asking_back: AskingBack
    sessions: Sessions
    journal: Journal
    spec: CellSpec
    faults: Faults
    alarms: Alarms
    real_driver: Callable[[], bool]
    now: Callable[[], datetime]

    async def serve(self, job: Job, request: Request) -> Told:
        match request:
            case Resync():
                return Told(self.session(job.page, job.traces, job.speaker), Happened.SERVED)
            case Explain(run=run, page=page):
                return await self._explain(job, run, page)
            case History():
                return await self._history(job, request)
            case AckAlarm(alarm=alarm, event_id=event_id):
                return await self._acknowledge(job, alarm, event_id)
            case Lab():
                return await self._lab(job, request)
            case ReleaseStop():
                return await self.moving.propose_release(job)
            case _:
                raise TypeError(f"{request.type} is a sentence, or the answer to one")

    def session(self, page: Page, traces: Traces, speaker: Speaker) -> Session:
        """Where this person stands; also what is retained for a page that is reloaded."""
        return session(
            page,
            traces,
            user=speaker.user,
            role=speaker.role.word,
            lab=self._lab_denied(speaker.role) is None,
            cell_state=self.moving.supervisor.view.state.value,
            open_prompts=[p for p in self.sessions.prompts(speaker.user) if p.prompt_id in self._open_ids(speaker)],
            runs=self.sessions.runs(speaker.user),
        )

    def _open_ids(self, speaker: Speaker) -> tuple[str | None, ...]:
        """A question that was answered, or voided by what the cell did since, is open to nobody."""
        return self.moving.supervisor.view.prompt_id, self.asking_back.open_id(speaker)

    async def _explain(self, job: Job, run: str, page: int) -> Told:
        rows: Sequence[Row] = await self.journal.rows(run=run, limit=MAX_ROWS)
        if job.speaker.role is not Role.TECHNICIAN:
            rows = of_reader(rows, job.speaker.user)
        if not rows:
            return self._refused(job, "run_unknown", {"value": run})
        pages = paged(story(rows, job.page.texts, going_on=rows[-1].epoch == self.journal.epoch))
        shown = pages[page] if page < len(pages) else []
        content = timeline(job.page, job.traces, of_run=run, page_no=page, pages=len(pages), entries=shown)
        return Told(content, Happened.SERVED)

    async def _history(self, job: Job, request: History) -> Told:
        now_ms = int(self.now().timestamp() * 1000)
        reader = None if job.speaker.role is Role.TECHNICIAN else job.speaker.user
        asked = Asked(self.journal, job.run.limits, now_ms - request.window_s * 1000, now_ms, reader)
        rows, counts = await HISTORIES[request.what](asked)
        pages = max(1, -(-len(rows) // ROWS_A_PAGE))
        content = history(
            job.page,
            job.traces,
            what=request.what,
            window_s=request.window_s,
            page_no=request.page,
            pages=pages,
            rows=rows[request.page * ROWS_A_PAGE : (request.page + 1) * ROWS_A_PAGE],
            counts=counts,
        )
        return Told(content, Happened.SERVED)

    async def _acknowledge(self, job: Job, alarm: str, event_id: str) -> Told:
        if await self.alarms.acknowledge(alarm, event_id, job.speaker.user):
            return Told(done_ack(job.page, job.traces, what="ack_alarm"), Happened.SERVED)
        return self._refused(job, "alarm_unknown", {"value": alarm})

    # -- the lab ----------------------------------------------------------------------------------------------

    def _lab_denied(self, role: Role) -> Denied | None:
        granted = permit_fault(role, simulated=self.spec.simulated, lab=self.spec.lab, real_driver=self.real_driver())
        return granted if isinstance(granted, Denied) else None

    async def _lab(self, job: Job, request: Lab) -> Told:
        if (denied := self._lab_denied(job.speaker.role)) is not None:
            return self._refused(job, "lab_forbidden", {"needed": denied.needed.word})
        try:
            if request.op == "clear":
                await self.faults.clear(request.fault)
                return Told(done_ack(job.page, job.traces, what="lab_cleared"), Happened.SERVED)
            name = request.fault or ""
            await self.faults.put(
                name, count=request.count, seed=request.seed, args=_arguments(request), by=job.speaker.user
            )
        except LookupError as missing:
            return self._refused(job, "fault_unknown", {"value": str(missing.args[0] if missing.args else name)})
        return Told(done_ack(job.page, job.traces, what="lab", data={"detail": name}), Happened.SERVED)

    def _refused(self, job: Job, reason: str, facts: Mapping[str, str], code: ErrorCode | None = None) -> Told:
        return Told(rejection(job.page, job.traces, reason=reason, code=code, facts=dict(facts)), Happened.REFUSED)


def _arguments(request: Lab) -> dict[str, int | str]:
    given = {"delay_ms": request.delay_ms, "probability": request.probability, "step": request.step}
    return {name: value if isinstance(value, int) else str(value) for name, value in given.items() if value is not None}
