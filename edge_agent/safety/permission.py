"""Who may do what. A table; a refusal names the role that would do, and is never tried again."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Literal, TypeAlias


class Role(IntEnum):
    VIEWER = 0
    STUDENT = 1
    OPERATOR = 2
    TECHNICIAN = 3

    @property
    def word(self) -> RoleWord:
        return _WORDS[self]


RoleWord: TypeAlias = Literal["viewer", "student", "operator", "technician"]
_WORDS: dict[Role, RoleWord] = {
    Role.VIEWER: "viewer",
    Role.STUDENT: "student",
    Role.OPERATOR: "operator",
    Role.TECHNICIAN: "technician",
}


def role_of(word: str) -> Role:
    """Raises `KeyError` for a word that is no role."""
    return Role[word.upper()]


class Operation(StrEnum):
    ASK = "ask"
    MOVE = "move"
    RECORD = "record"
    STOP = "stop"
    RELEASE_STOP = "release_stop"
    ACK_ALARM = "ack_alarm"
    RESET_LOCKOUT = "reset_lockout"
    RESOLVE = "resolve"
    INJECT_FAULT = "inject_fault"


LOCAL_ONLY = frozenset({Operation.RESET_LOCKOUT, Operation.RESOLVE})
"""Only at the cell's own console, whatever the role."""

_NEEDED: dict[Operation, Role] = {
    Operation.ASK: Role.VIEWER,
    Operation.STOP: Role.VIEWER,
    Operation.RECORD: Role.STUDENT,
    Operation.MOVE: Role.OPERATOR,
    Operation.RELEASE_STOP: Role.OPERATOR,
    Operation.ACK_ALARM: Role.OPERATOR,
    Operation.RESET_LOCKOUT: Role.TECHNICIAN,
    Operation.RESOLVE: Role.TECHNICIAN,
    Operation.INJECT_FAULT: Role.TECHNICIAN,
}
_ON_A_SIMULATED_CELL: dict[Operation, Role] = {
    Operation.MOVE: Role.STUDENT,
    Operation.RELEASE_STOP: Role.STUDENT,
    Operation.ACK_ALARM: Role.STUDENT,
    Operation.INJECT_FAULT: Role.STUDENT,
}


@dataclass(frozen=True, slots=True)
class Granted:
    pass


@dataclass(frozen=True, slots=True)
class Denied:
    """`needed` is the lowest role that may; `local` says it must be done at the cell's console."""

    operation: Operation
    role: Role
    needed: Role
    local: bool = False


def permit(operation: Operation, role: Role, *, simulated: bool, local: bool = False) -> Granted | Denied:
    needed = _ON_A_SIMULATED_CELL.get(operation, _NEEDED[operation]) if simulated else _NEEDED[operation]
    if operation in LOCAL_ONLY and not local:
        return Denied(operation, role, needed, local=True)
    return Granted() if role >= needed else Denied(operation, role, needed)


def permit_fault(role: Role, *, simulated: bool, lab: bool, real_driver: bool) -> Granted | Denied:
    """Faults: on a simulated cell by students and above; elsewhere only where the site opened its lab, by a
    technician; on a driver marked real, by nobody."""
    if real_driver or not (simulated or lab):
        return Denied(Operation.INJECT_FAULT, role, Role.TECHNICIAN, local=True)
    return permit(Operation.INJECT_FAULT, role, simulated=simulated)
