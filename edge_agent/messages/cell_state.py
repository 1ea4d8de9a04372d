"""The cell as the agent sees it. Retained. Pure."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from edge_agent.messages.states import CellStateWord, ModeWord
from edge_agent.messages.wire import WIRE_VERSION, Count, Epoch, Line, RunId, Scalars, UtcTime, Version, WireModel, Word


class InjectedFault(WireModel):
    """A fault somebody put in on purpose; shown on every screen while it is there."""

    name: Word
    left: Count
    seed: Count
    by: Word


class CellStateMessage(WireModel):
    """`arm`: what was last read of the arm, for a picture (pose in 0.1 mm and 0.1 degree, gripper, part)."""

    v: Version = WIRE_VERSION
    at: UtcTime
    epoch: Epoch
    state: CellStateWord
    mode: ModeWord
    simulated: bool
    active_run: RunId | None = None
    active_command: Count | None = None
    unknown_outcomes: Count = 0
    lockout_reason: Word | None = None
    lockout_text: Line | None = None
    faults_injected: Annotated[tuple[InjectedFault, ...], Field(max_length=16)] = ()
    arm: Scalars = Field(default_factory=dict)
