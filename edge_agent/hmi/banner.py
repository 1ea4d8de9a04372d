"""The mode banner: what the cell is doing, what that means, why it is locked and the way out, what was put in."""

from __future__ import annotations

from dataclasses import dataclass

from edge_agent.hmi.kit import Part, box, press, text
from edge_agent.hmi.now import Connection
from edge_agent.hmi.sight import Sight
from edge_agent.messages.cell_state import CellStateMessage
from edge_agent.messages.states import CellStateWord

TONES: dict[CellStateWord, str] = {
    "OFFLINE": "off",
    "READY": "ready",
    "AWAITING_CONFIRMATION": "ask",
    "DISPATCHING": "busy",
    "AWAITING_RECEIPT": "busy",
    "EXECUTING": "busy",
    "STOPPING": "stop",
    "STOPPED": "stop",
    "LOCKED_OUT": "locked",
    "MANUAL": "off",
}
SYMBOLS: dict[str, str] = {
    "off": "M5 5 L19 19 M19 5 L5 19",
    "ready": "M4 12 L10 18 L20 6",
    "ask": "M9 9 a3.2 3.2 0 1 1 4.6 2.9 c-1.1 .6 -1.6 1.2 -1.6 2.6 M12 18.6 v.1",
    "busy": "M5 4 L19 12 L5 20 Z",
    "stop": "M5 5 H19 V19 H5 Z",
    "locked": "M7 11 V8 a5 5 0 0 1 10 0 V11 M5 11 H19 V21 H5 Z",
}
"""Shape and word say it, the colour only helps."""
CURRENT = frozenset({Connection.LIVE, Connection.WAITING})
"""With any other, a state is what was heard last and promises nothing."""


@dataclass(frozen=True, slots=True)
class Told:
    state: CellStateWord | None
    connection: Connection
    simulated: bool | None
    why: str | None
    unknown: int
    faults: tuple[tuple[str, int, str], ...]
    operates: bool


class Banner:
    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        with box("section", "banner-holder", aria_live="polite", data_id="banner") as holder:
            self._part = Part[Told](holder, self._build)

    def show(self) -> None:
        now = self._sight.visit.now
        self._part.show(_told(now.cell, self._sight.connection(), self._sight.operates))

    def _build(self, told: Told) -> None:
        words = self._sight.words
        if told.connection not in CURRENT:
            with box("p", "strip lost", role="alert", data_id="lost"):
                text(words.say(f"connection_say.{told.connection}"))
        current = told.connection in CURRENT
        tone = TONES[told.state] if told.state is not None and (current or told.state == "LOCKED_OUT") else "off"
        with box("div", f"banner {tone}", data_state=told.state or "unknown"):
            with box("svg", "symbol", viewBox="0 0 24 24", aria_hidden="true"):
                box("path", d=SYMBOLS[tone])
            with box("div", "banner-words"):
                self._state(told, current)
            if told.state == "STOPPED" and told.operates and current:
                press(words.say("release.button"), self._release, "button", data_id="release")
        for name, left, by in told.faults:
            with box("p", "strip fault", data_id="fault"):
                text(words.say("fault.one", name=name, left=left, by=by))

    def _state(self, told: Told, current: bool) -> None:
        words = self._sight.words
        with box("p", "state-line"):
            state = words.word("cell_state", told.state) if told.state is not None else "–"
            text(state if current else words.say("banner.last", state=state), "strong", "state")
            if told.simulated is not None:
                text(words.say("mark.simulated" if told.simulated else "mark.real"), classes="mark")
        if current or told.state is None:
            text(words.say(f"banner.{told.state or 'unknown'}"), "p", "meaning")
        if told.state == "LOCKED_OUT":
            why = words.word("why", told.why) if told.why is not None else "–"
            text(words.say("lockout.reason", why=why), "p", "why", data_id="lockout-reason")
            if told.unknown:
                text(words.say("lockout.unknown", count=told.unknown), "p", "why")
            text(words.say("lockout.way_out"), "p", "way-out", data_id="way-out")

    async def _release(self) -> None:
        await self._sight.tried(self._sight.visit.release())


def _told(cell: CellStateMessage | None, connection: Connection, operates: bool) -> Told:
    if cell is None:
        return Told(None, connection, None, None, 0, (), operates)
    faults = tuple((f.name, f.left, f.by) for f in cell.faults_injected)
    why = cell.lockout_reason
    return Told(cell.state, connection, cell.simulated, why, cell.unknown_outcomes, faults, operates)
