"""Every reason to refuse, as data: the error code it carries, what was not done, and the ways on. Pure.

The words are in the wording files under `rejection.REASON`; steps are in the order they should be tried, more than
three because some readers are not offered some. A reason that is not here is told by its error code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from edge_agent.messages.codes import ErrorCode
from edge_agent.messages.rejection import ERROR_CODE, RejectionName

_C = ErrorCode
_N = RejectionName


@dataclass(frozen=True, slots=True)
class Refusal:
    """`not_done` and `steps` are names in the wording."""

    code: ErrorCode
    not_done: str
    steps: tuple[str, ...]


def _of(code: ErrorCode, not_done: str, steps: str) -> Refusal:
    return Refusal(code, not_done, tuple(steps.split()))


def _request(name: RejectionName, not_done: str, steps: str) -> tuple[str, Refusal]:
    return name.value, _of(ERROR_CODE[name], not_done, steps)


REQUESTS: Final[Mapping[str, Refusal]] = dict(
    (
        _request(_N.TOO_LARGE, "nothing_ran", "shorten check_format"),
        _request(_N.MALFORMED, "nothing_ran", "check_format new_id"),
        _request(_N.IDENTITY, "nothing_ran", "own_login call_technician"),
        _request(_N.FORBIDDEN, "nothing_ran", "ask_role query_rule query_status"),
        _request(_N.NOT_LIVE, "no_command_sent", "attach say_again query_status"),
        _request(_N.RETAINED, "nothing_ran", "send_fresh query_status"),
        _request(_N.EXPIRED, "nothing_ran", "send_fresh check_clock"),
        _request(_N.CLOCK, "nothing_ran", "check_clock send_fresh"),
        _request(_N.STALE_EPOCH, "nothing_ran", "resync say_again query_status"),
        _request(_N.DUPLICATE, "not_repeated", "see_first new_id"),
        _request(_N.RATE_LIMITED, "nothing_ran", "wait"),
        _request(_N.MODE, "no_command_sent", "remote_auto query_status query_rule"),
        _request(_N.LOCKED_OUT, "no_command_sent", "look_at_arm reset_console query_status"),
        _request(_N.NOT_STOPPED, "not_changed", "query_status say_stop"),
        _request(_N.BUSY, "nothing_ran", "wait query_status"),
        _request(_N.PROMPT_WRONG, "no_command_sent", "say_again query_status resync"),
        _request(_N.PROMPT_LATE, "no_command_sent", "say_again query_status"),
        _request(_N.PROMPT_USED, "no_command_sent", "query_status say_again"),
        _request(_N.PROMPT_FOREIGN, "no_command_sent", "resync say_again query_status"),
        _request(_N.PROMPT_VOID, "no_command_sent", "query_status wait_state say_again"),
    )
)

_CELL: Final[Mapping[str, Refusal]] = {
    "controller_estop": _of(_C.INTERLOCK_OPEN, "no_command_sent", "site_sop local_key query_status"),
    "guard_open": _of(_C.INTERLOCK_OPEN, "no_command_sent", "close_interlock wait_state query_status"),
    "protective_stop": _of(_C.INTERLOCK_OPEN, "no_command_sent", "look_at_arm local_key query_status"),
    "drives_off": _of(_C.INTERLOCK_OPEN, "no_command_sent", "close_interlock call_technician query_status"),
    "controller_reset_required": _of(_C.INTERLOCK_OPEN, "no_command_sent", "local_key call_technician query_status"),
    "not_remote_automatic": _of(_C.INTERLOCK_OPEN, "no_command_sent", "remote_auto query_status query_rule"),
    "controller_not_idle": _of(_C.INTERLOCK_OPEN, "no_command_sent", "wait_state query_status"),
    "gripper_occupied": _of(_C.INTERLOCK_OPEN, "no_command_sent", "place_first query_status"),
    "gripper_empty": _of(_C.INTERLOCK_OPEN, "no_command_sent", "pick_first query_status"),
    "interlock_open": _of(_C.INTERLOCK_OPEN, "no_command_sent", "close_interlock wait_state query_status"),
    "manual": _of(_C.INTERLOCK_OPEN, "no_command_sent", "remote_auto query_status query_rule"),
    "stopped": _of(_C.INTERLOCK_OPEN, "no_command_sent", "release_stop query_status operator_does"),
    "stopped_again": _of(_C.INTERLOCK_OPEN, "not_changed", "release_stop query_status operator_does"),
    "stopping": _of(_C.INTERLOCK_OPEN, "no_command_sent", "wait_still query_status"),
    "link_lost": _of(_C.SERVICE_UNAVAILABLE, "no_command_sent", "check_arm_power call_technician query_rule"),
    "journal_fault": _of(_C.STORE_FAILED, "no_command_sent", "technician_storage site_sop say_stop"),
    "offline": _of(_C.SERVICE_UNAVAILABLE, "no_command_sent", "check_arm_power call_technician query_rule"),
    "broker_lost": _of(_C.SERVICE_UNAVAILABLE, "no_command_sent", "wait_state query_status"),
    "level_too_low": _of(_C.INTERLOCK_OPEN, "no_command_sent", "site_sop query_status"),
}

_INPUT: Final[Mapping[str, Refusal]] = {
    "not_in_cell": _of(_C.INPUT_INVALID, "no_command_sent", "pick_known query_rule"),
    "out_of_cell": _of(_C.INPUT_INVALID, "no_command_sent", "pick_known query_rule"),
    "slot_not_of_action": _of(_C.INPUT_INVALID, "no_command_sent", "leave_out explicit_form ask_capability"),
    "place_is_fixed": _of(_C.INPUT_INVALID, "no_command_sent", "leave_out explicit_form ask_capability"),
    "out_of_range": _of(_C.INPUT_INVALID, "no_command_sent", "pick_known rephrase"),
    "zone": _of(_C.INPUT_INVALID, "no_command_sent", "say_command query_status call_technician"),
    "transition": _of(_C.INTERLOCK_OPEN, "no_command_sent", "query_status say_command"),
    "missing_slot": _of(_C.INPUT_INVALID, "no_command_sent", "give_field ask_capability"),
    "input_invalid": _of(_C.INPUT_INVALID, "not_answered", "give_field query_rule"),
    "empty_text": _of(_C.INPUT_INVALID, "nothing_ran", "say_something ask_capability"),
    "too_long": _of(_C.INPUT_INVALID, "nothing_ran", "shorten say_something"),
    "suspicious": _of(_C.INPUT_INVALID, "no_command_sent", "rephrase explicit_form query_rule"),
    "reset_is_local": _of(_C.PERMISSION_DENIED, "not_reset", "look_at_arm reset_console local_key"),
}

_WHO: Final[Mapping[str, Refusal]] = {
    "permission_denied": _of(_C.PERMISSION_DENIED, "no_command_sent", "ask_role operator_does query_rule"),
    "record_permission_denied": _of(_C.PERMISSION_DENIED, "not_stored", "ask_role call_technician query_rule"),
    "tool_permission_denied": _of(_C.PERMISSION_DENIED, "not_answered", "ask_role call_technician query_status"),
    "site_rule": _of(_C.PERMISSION_DENIED, "no_command_sent", "call_technician query_rule query_status"),
    "simulated_only": _of(_C.PERMISSION_DENIED, "no_command_sent", "operator_does simulated_cell query_rule"),
    "console_only": _of(_C.PERMISSION_DENIED, "not_changed", "call_technician query_status"),
    "lab_forbidden": _of(_C.PERMISSION_DENIED, "not_changed", "simulated_cell call_technician"),
    "fault_unknown": _of(_C.NOT_FOUND, "not_changed", "list_faults call_technician"),
}

_ENDED: Final[Mapping[str, Refusal]] = {
    "declined": _of(_C.RUN_INACTIVE, "no_command_sent", "say_again query_status"),
    "cancelled": _of(_C.RUN_INACTIVE, "no_command_sent", "say_again query_status"),
    "nothing_to_cancel": _of(_C.NOT_FOUND, "not_changed", "query_status say_stop"),
    "arm_unavailable": _of(_C.SERVICE_UNAVAILABLE, "no_command_sent", "check_arm_power call_technician query_rule"),
    "arm_tool_failed": _of(_C.DEVICE_FAULT, "no_command_sent", "query_status call_technician query_rule"),
    "controller_rejected": _of(_C.RECEIPT_REJECTED, "not_moved", "query_status say_again call_technician"),
    "outcome_unknown": _of(_C.OUTCOME_UNKNOWN, "not_resent", "look_at_arm reset_console site_sop"),
    "record_failed": _of(_C.SERVICE_UNAVAILABLE, "not_stored", "ask_again ask_person"),
    "query_refused": _of(_C.INPUT_INVALID, "not_answered", "ask_person query_rule"),
    "not_locked_out": _of(_C.INTERLOCK_OPEN, "not_changed", "query_status say_command"),
    "arm_moving": _of(_C.INTERLOCK_OPEN, "not_reset", "wait_still site_sop"),
    "local_key": _of(_C.INTERLOCK_OPEN, "not_released", "local_key call_technician"),
    "release_failed": _of(_C.INTERLOCK_OPEN, "not_released", "look_at_arm local_key call_technician"),
    "alarm_unknown": _of(_C.NOT_FOUND, "not_acknowledged", "refresh_alarms query_alarms"),
    "run_unknown": _of(_C.NOT_FOUND, "not_changed", "resync call_technician"),
}

REFUSALS: Final[Mapping[str, Refusal]] = {**REQUESTS, **_CELL, **_INPUT, **_WHO, **_ENDED}

BY_CODE: Final[Mapping[ErrorCode, Refusal]] = {
    code: _of(code, not_done, steps)
    for code, not_done, steps in (
        (_C.TIMEOUT, "not_answered", "ask_again ask_person"),
        (_C.SERVICE_UNAVAILABLE, "not_answered", "ask_again ask_person"),
        (_C.RATE_LIMIT, "not_answered", "wait ask_person"),
        (_C.CONNECTION_ERROR, "not_answered", "ask_again ask_person"),
        (_C.INPUT_INVALID, "nothing_ran", "rephrase ask_capability query_rule"),
        (_C.PERMISSION_DENIED, "nothing_ran", "ask_role call_technician query_rule"),
        (_C.NOT_FOUND, "not_answered", "rephrase ask_person"),
        (_C.INTERLOCK_OPEN, "no_command_sent", "query_status close_interlock"),
        (_C.LOCKED_OUT, "no_command_sent", "look_at_arm reset_console query_status"),
        (_C.RECEIPT_MISSING, "not_resent", "look_at_arm reset_console site_sop"),
        (_C.RECEIPT_LATE, "not_resent", "look_at_arm reset_console site_sop"),
        (_C.RECEIPT_MISMATCH, "not_resent", "look_at_arm reset_console site_sop"),
        (_C.RECEIPT_REJECTED, "not_moved", "query_status say_again call_technician"),
        (_C.DEVICE_FAULT, "not_resent", "look_at_arm call_technician query_status"),
        (_C.OUTCOME_UNKNOWN, "not_resent", "look_at_arm reset_console site_sop"),
        (_C.DUPLICATE_SCOPE, "not_answered", "narrow ask_person"),
        (_C.STALE_REQUEST, "nothing_ran", "send_fresh check_clock"),
        (_C.DUPLICATE_REQUEST, "not_repeated", "see_first new_id"),
        (_C.RESULT_TOO_LARGE, "not_answered", "narrow ask_person"),
        (_C.PROJECTION_FAILED, "not_answered", "ask_person ask_again"),
        (_C.STORE_FAILED, "nothing_ran", "technician_storage say_stop"),
        (_C.BUDGET_EXHAUSTED, "not_answered", "narrow ask_again"),
        (_C.RUN_INACTIVE, "nothing_ran", "ask_again query_status"),
        (_C.MODEL_UNAVAILABLE, "no_command_sent", "query_rule feedback explicit_form"),
        (_C.MODEL_TIMEOUT, "no_command_sent", "query_rule feedback explicit_form"),
        (_C.MODEL_OUTPUT_ILLEGAL, "no_command_sent", "query_rule feedback explicit_form"),
        (_C.TOOL_EXECUTION_ERROR, "not_answered", "ask_again ask_person"),
        (_C.INTERNAL, "nothing_ran", "ask_again ask_person"),
    )
}
"""What is said where the reason has no words of its own."""
