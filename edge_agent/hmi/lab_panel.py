"""Faults for a class, where the cell allows them: put one in, see what is in, take all out."""

from __future__ import annotations

from collections.abc import Mapping

from edge_agent.hmi.kit import Part, box, choice, press, text
from edge_agent.hmi.sight import Sight
from edge_agent.lab_faults import OWN
from edge_agent.messages.content import DoneAck
from edge_agent.world import fault_names

COUNTS = ("1", "2", "3", "5", "10")
Shown = tuple[tuple[tuple[str, int, str], ...], str]


class LabPanel:
    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        names = (*OWN, *(name for device in sight.spec.devices for name in fault_names(device)))
        self._names = tuple(sorted(set(names)))
        self._fault, self._count, self._said = self._names[0], "1", ""
        self._part: Part[Shown] | None = None
        with box("div", "scroll", data_id="lab") as self._holder:
            pass

    def open(self) -> None:
        """Built when it is first opened: few people open it, and its list of faults is long."""
        if self._part is not None:
            return
        words = self._sight.words
        with self._holder:
            text(words.say("lab.heading"), "h2")
            text(words.say("lab.lead"), "p", "lead")
            with box("div", "lab-form"):
                choice(
                    self._choose, words.say("lab.fault"), {n: n for n in self._names}, self._fault, data_id="fault-name"
                )
                choice(self._times, words.say("lab.count"), {c: f"× {c}" for c in COUNTS}, self._count)
                press(words.say("lab.put"), self._put, "button strong", data_id="put")
                press(words.say("lab.clear"), self._clear, "button", data_id="clear")
            with box("div") as holder:
                self._part = Part[Shown](holder, self._build)

    def show(self) -> None:
        if self._part is None:
            return
        cell = self._sight.visit.now.cell
        faults = cell.faults_injected if cell is not None else ()
        self._part.show((tuple((f.name, f.left, f.by) for f in faults), self._said))

    def _build(self, shown: Shown) -> None:
        faults, said = shown
        words = self._sight.words
        if said:
            text(said, "p", "strip", role="status")
        for name, left, by in faults:
            text(words.say("fault.one", name=name, left=left, by=by), "p", "strip fault")
        if not faults:
            text(words.say("lab.none"), "p", "empty")

    def _choose(self, name: str) -> None:
        if name in self._names:
            self._fault = name

    def _times(self, count: str) -> None:
        if count in COUNTS:
            self._count = count

    async def _put(self) -> None:
        await self._ask(op="put", fault=self._fault, count=int(self._count))

    async def _clear(self) -> None:
        await self._ask(op="clear")

    async def _ask(self, **fields: object) -> None:
        self._said = await self._answer(fields) if self._sight.visit.may() else self._sight.words.say("unsent.idle")
        self._sight.paint()

    async def _answer(self, fields: Mapping[str, object]) -> str:
        told = await self._sight.visit.fetch("lab", **fields)
        if isinstance(told, DoneAck):
            return self._sight.words.say("lab.done")
        return told.text if told is not None else self._sight.words.say("history.unanswered")
