"""What the runner needs of the agent under test: one cell, real from intake to wire, with hands on its edges.

The cell is the real pipeline with its journal in a folder of its own and a simulated controller over real Modbus
behind a counting proxy; only the transport is in-process, the retry sleep returns at once, and what a line scripts is
put in at its own edge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from edge_agent.cases.faults import Fault
from edge_agent.cases.mechanisms import Mechanism
from edge_agent.cases.spoken import ModelItem, ScriptedResult
from edge_agent.messages.codes import Phase, Role
from edge_agent.run.journal import Row
from edge_agent.safety.cell import CellState

Flat: TypeAlias = Mapping[str, Any]
"""An event as the wire has it."""

CLIENT: Final = "case-runner"
"""The presence client every request of a case is attached to."""
USERS: Final[Mapping[Role, str]] = {
    "viewer": "case-viewer",
    "student": "case-student",
    "operator": "case-operator",
    "technician": "case-technician",
}
"""The logins of the cell under test, one a role."""


@dataclass(frozen=True, slots=True)
class Script:
    """What tools and model answer from here on. `own_results` go to the intent's own tool (a control line: in place of
    the driver's dispatch), the n-th call gets the n-th, the last repeats; `scores` None: the scripted model's own."""

    own_results: tuple[ScriptedResult, ...] = ()
    named_results: Mapping[str, tuple[ScriptedResult, ...]] | None = None
    model_items: tuple[ModelItem, ...] = ()
    scores: tuple[tuple[str, float], ...] | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """How a line finds the cell; the login of `role` is attached as `CLIENT`. `budget` holds the limits
    that differ from the defaults; `prompt_ms` is how long a question stays open. Faults of the transport that its
    messages can play are not here: the runner does."""

    role: Role = "operator"
    llm_available: bool = True
    cell_state: CellState = CellState.READY
    faults: tuple[Fault, ...] = ()
    budget: Mapping[str, int] | None = None
    deadline_ms: int | None = None
    cancel_at: Phase | None = None
    client_gone_at: Phase | None = None
    prompt_ms: int | None = None
    without: frozenset[Mechanism] = frozenset()


@dataclass(frozen=True, slots=True)
class Observed:
    """What stands since `begin`: motion writes and stop writes as the proxy counted them, journal rows in order."""

    frames: int
    stop_words: int
    cell_state: CellState
    rows: tuple[Row, ...]


class CellUnderTest(Protocol):
    async def begin(self, setup: Setup) -> None:
        """Puts the cell into the line's starting state: nothing counted, no prompt, no lockout but a wanted one."""

    async def put(self, fault: Fault) -> None:
        """One more fault, between two messages."""

    async def script(self, script: Script) -> None:
        """From here on tools and model answer this; called before each turn."""

    async def submit(self, role: Role, message: Mapping[str, object], *, retained: bool = False) -> Sequence[Flat]:
        """Hands a request to the transport and gives the events that were published for it, up to `done`, or for a
        client that has gone those until the run ended. Raises `TimeoutError` where it does not end."""

    @property
    def epoch(self) -> int:
        """The life of the agent now: what a confirmation must quote."""

    async def observe(self) -> Observed: ...


CellFactory: TypeAlias = Callable[[], AbstractAsyncContextManager[CellUnderTest]]
