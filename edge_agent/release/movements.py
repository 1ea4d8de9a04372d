"""How a motion or a stop ended, what was intended beside what was read back. Pure.

"Done" is said only for a verified receipt and end state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from edge_agent.messages.codes import ErrorCode
from edge_agent.messages.content import Motion, Stop
from edge_agent.messages.content_base import ErrorInfo
from edge_agent.messages.states import CommandStateWord
from edge_agent.messages.wire import Scalar
from edge_agent.release.page import Page, Traces, line, lines

GO_AND_LOOK: Final = ("look_at_arm", "reset_console", "site_sop")
MAX_DIFFERS: Final = 24


def motion(
    page: Page,
    traces: Traces,
    *,
    command_id: int,
    command_state: CommandStateWord,
    action: str,
    device: str,
    frames_on_wire: int,
    receipt: Mapping[str, Scalar] | None = None,
    end_state: Mapping[str, Scalar] | None = None,
    intended: Mapping[str, Scalar] | None = None,
    differs: Sequence[str] = (),
    code: ErrorCode | None = None,
    duration_ms: int | None = None,
    locked_out: bool = False,
) -> Motion:
    """`command_state` is VERIFIED, ABORTED or UNKNOWN; any other never began and is a rejection. `locked_out` and
    `code` as the journal has them."""
    known = page.facts({"command_id": command_id, "action": action, "device": device, "duration_ms": duration_ms})
    verified = command_state == "VERIFIED"
    ways_on = () if verified else page.steps(_after(locked_out), known)
    first = [page.say(f"motion.{command_state}", known), "" if code is None else page.say(f"error.{code.value}", known)]
    return Motion(
        text=lines(
            page.with_steps((*first, page.say("motion.locked") if locked_out else ""), ways_on),
            *([] if verified else _compared(page, intended or {}, end_state or {})),
        ),
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        command_id=command_id,
        command_state=command_state,
        receipt=dict(receipt or {}),
        end_state=dict(end_state or {}),
        intended=dict(intended or {}),
        differs=tuple(differs[:MAX_DIFFERS]),
        frames_on_wire=frames_on_wire,
        error=_error(page, code),
        next_steps=ways_on,
    )


def stop(
    page: Page,
    traces: Traces,
    *,
    proved: bool,
    sent: bool = True,
    command_id: int | None = None,
    command_state: CommandStateWord | None = None,
    controller: str | None = None,
    end_state: Mapping[str, Scalar] | None = None,
    code: ErrorCode | None = None,
    frames_on_wire: int = 0,
) -> Stop:
    """`proved`: the controller says stopped and two reads of the pose are the same. `sent` False: not one write of
    the stop word reached it. `frames_on_wire` counts motion writes, as everywhere: a stop makes none."""
    known = page.facts({"controller": controller, "command_id": command_id})
    ending = "proved" if proved else "not_proved" if sent else "not_sent"
    aborted = page.say("stop.command_aborted", known) if proved and command_state == "ABORTED" else ""
    how_on = page.say("stop.how_on") if proved else ""
    ways_on = page.steps(("release_stop", "query_status") if proved else GO_AND_LOOK, known)
    return Stop(
        text=lines(
            page.with_steps((page.say(f"stop.{ending}", known), aborted, how_on), ways_on),
            *([] if proved else _compared(page, {}, end_state or {})),
        ),
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        command_id=command_id,
        command_state=command_state,
        end_state=dict(end_state or {}),
        frames_on_wire=frames_on_wire,
        error=_error(page, code),
        next_steps=ways_on,
        proved=proved,
    )


def _after(locked_out: bool) -> tuple[str, ...]:
    return GO_AND_LOOK if locked_out else ("look_at_arm", "release_stop", "query_status")


def _compared(page: Page, intended: Mapping[str, Scalar], read_back: Mapping[str, Scalar]) -> list[str]:
    told = []
    if intended:
        told.append(page.say("motion.intended", {"intended": page.pairs(intended)}))
    if read_back:
        told.append(page.say("motion.read_back", {"read_back": page.pairs(read_back)}))
    return told


def _error(page: Page, code: ErrorCode | None) -> ErrorInfo | None:
    return None if code is None else ErrorInfo(code=code, message=line(page.say(f"error.{code.value}", page.facts({}))))
