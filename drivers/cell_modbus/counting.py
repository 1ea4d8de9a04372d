"""Which frames from the agent are motion or stop writes, and how many of each came, by command id."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, TextIO

from drivers.cell_modbus.registers import MAILBOX_WORDS, Reg
from drivers.cell_modbus.simulator import mbap
from drivers.cell_modbus.simulator.mbap import Frame, WriteRequest

MAX_IDS = 200_000
"""Command ids that are counted one by one; more end the count, loudly."""
COMMAND_ID_OFFSET = Reg.COMMIT - 3 - Reg.MAILBOX

Kind = Literal["motion", "stop", "other"]


@dataclass(frozen=True, slots=True)
class Sight:
    """What a request is to the counter."""

    kind: Kind
    command_id: int = 0


OTHER = Sight("other")


def look(frame: Frame) -> Sight:
    """A motion write is an FC16 that reaches the commit word; a stop write one that sets the stop word."""
    request = mbap.parse_request(frame.pdu)
    if not isinstance(request, WriteRequest):
        return OTHER
    written = range(request.address, request.address + len(request.words))
    if Reg.COMMIT in written:
        return Sight("motion", _command_id(request))
    if Reg.STOP in written and request.words[Reg.STOP - request.address] != 0:
        return Sight("stop")
    return OTHER


def _command_id(request: WriteRequest) -> int:
    """0 for a write that is no whole mailbox: counted too, it should not be there."""
    if (request.address, len(request.words)) != (Reg.MAILBOX, MAILBOX_WORDS):
        return 0
    high, low = request.words[COMMAND_ID_OFFSET : COMMAND_ID_OFFSET + 2]
    return high << 16 | low


@dataclass(slots=True)
class Count:
    """Motion writes by command id, and stop writes, as they came from the agent."""

    log: TextIO | None = None
    motions: Counter[int] = field(default_factory=Counter)
    stops: int = 0

    def add(self, sight: Sight) -> None:
        if sight.kind == "motion":
            if len(self.motions) >= MAX_IDS and sight.command_id not in self.motions:
                raise RuntimeError(f"more than {MAX_IDS} command ids; the count is full")
            self.motions[sight.command_id] += 1
        elif sight.kind == "stop":
            self.stops += 1
        if sight.kind != "other" and self.log is not None:
            row = {"kind": sight.kind, "command_id": sight.command_id, "t_ms": round(time.monotonic() * 1000, 3)}
            print(json.dumps(row), file=self.log, flush=True)

    def clear(self) -> None:
        """The log stays."""
        self.motions.clear()
        self.stops = 0
