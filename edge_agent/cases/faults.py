"""Names of the faults a case line may put in, by group, and how one is written. Pure.

`receipt_late`, `arm.unavailable`, `query.slow(300)`, `flaky(0.5)`, `kill_agent_at(sent)`: a name, with its group where
two groups share it, with one argument where it takes one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from edge_agent.control.ports import STEP_NAMES

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "query": (
        "timeout",
        "unavailable",
        "rate_limit",
        "connection_error",
        "permission_denied",
        "input_invalid",
        "not_found",
        "empty",
        "slow",
        "flaky",
    ),
    "arm": (
        "unavailable",
        "receipt_missing",
        "receipt_late",
        "receipt_wrong_id",
        "receipt_wrong_device",
        "receipt_wrong_parameter",
        "receipt_wrong_echo",
        "receipt_bad_crc",
        "receipt_torn",
        "reply_lost_after_execution",
        "duplicate_reply",
        "reply_wrong_address",
        "reply_wrong_count",
        "exception_after_execution",
        "controller_reboot",
        "controller_estop",
        "guard_open",
        "no_part",
        "part_lost",
        "unreachable",
        "heartbeat_frozen",
        "ttl_exceeded",
        "command_swallowed",
        "never_finishes",
    ),
    "wire": ("drop", "delay", "duplicate", "garbage", "cut"),
    "model": ("down", "crash", "hang", "slow", "bad_json", "unsupported_claim", "wrong_citation"),
    "transport": ("broker_restart", "duplicate_message", "stale_message", "retained_command"),
    "store": ("disk_full", "read_back_fails"),
    "process": ("kill_agent_at",),
    "inside": ("unrecognised_exception", "rules_raise"),
}
ARGUMENT: Final[Mapping[str, str]] = {
    "slow": "ms",
    "flaky": "p",
    "delay": "ms",
    "receipt_late": "ms",
    "kill_agent_at": "step",
    "controller_reboot": "when",
    "controller_estop": "when",
    "guard_open": "when",
    "heartbeat_frozen": "when",
}
"""Faults that take one argument, and what it is: milliseconds, a probability, the name of a step, or when it strikes
(`now`, or `executing`: in the middle of the next motion)."""
WHEN: Final = ("now", "executing")

ON_THE_ARM: Final = frozenset({"arm", "wire"})
_FORM = re.compile(r"^(?:(?P<group>[a-z]+)\.)?(?P<name>[a-z_]+)(?:\((?P<argument>[a-z0-9_.]{1,32})\))?$")


class UnknownFault(ValueError):
    """No such fault, or one that needs its group or its argument. The text says which there are."""


@dataclass(frozen=True, slots=True)
class Fault:
    group: str
    name: str
    argument: str | None = None

    @property
    def on_the_arm(self) -> bool:
        return self.group in ON_THE_ARM

    def arguments(self) -> dict[str, int | str]:
        """As whoever puts the fault in names them: `ms`, `percent`, `delay_ms`, `when`, `step`."""
        if self.argument is None:
            return {}
        match ARGUMENT[self.name]:
            case "ms":
                return {"ms" if self.name == "slow" else "delay_ms": round(float(self.argument))}
            case "p":
                return {"percent": round(float(self.argument) * 100)}
            case named:
                return {named: self.argument}

    def __str__(self) -> str:
        told = f"{self.group}.{self.name}"
        return told if self.argument is None else f"{told}({self.argument})"


def parse_fault(text: str) -> Fault:
    """Raises `UnknownFault`."""
    form = _FORM.match(text)
    if form is None:
        raise UnknownFault(f"{text!r} is not of the form name, group.name or name(argument)")
    group, name, argument = form["group"], form["name"], form["argument"]
    homes = [g for g, names in GROUPS.items() if name in names and group in (None, g)]
    if not homes:
        raise UnknownFault(f"there is no fault {text!r}{_nearest(name)}")
    if len(homes) > 1:
        raise UnknownFault(f"{text!r} is ambiguous: {' or '.join(f'{g}.{name}' for g in homes)}")
    _check_argument(name, argument)
    return Fault(homes[0], name, argument)


def _check_argument(name: str, argument: str | None) -> None:
    takes = ARGUMENT.get(name)
    if takes is None and argument is not None:
        raise UnknownFault(f"{name} takes no argument")
    if takes == "when" and argument not in (None, *WHEN):
        raise UnknownFault(f"{name}: now or executing was expected")
    if takes == "step" and argument not in STEP_NAMES:
        raise UnknownFault(f"{name}: one of {', '.join(STEP_NAMES)} was expected")
    if argument is None or takes in ("step", "when"):
        return
    try:
        value = float(argument)
    except ValueError as error:
        raise UnknownFault(f"{name}: {takes} must be a number") from error
    if takes == "p" and not 0 <= value <= 1:
        raise UnknownFault(f"{name}: p lies between 0 and 1")


def _nearest(name: str) -> str:
    near = get_close_matches(name, sorted({n for names in GROUPS.values() for n in names}), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
