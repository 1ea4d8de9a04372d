"""Who may do what, all of it."""

from __future__ import annotations

import pytest

from edge_agent.safety.permission import Denied, Granted, Operation, Role, permit, permit_fault, role_of

Op, R = Operation, Role

LOWEST: dict[Operation, tuple[Role, Role]] = {
    Op.ASK: (R.VIEWER, R.VIEWER),
    Op.STOP: (R.VIEWER, R.VIEWER),
    Op.RECORD: (R.STUDENT, R.STUDENT),
    Op.MOVE: (R.OPERATOR, R.STUDENT),
    Op.RELEASE_STOP: (R.OPERATOR, R.STUDENT),
    Op.ACK_ALARM: (R.OPERATOR, R.STUDENT),
    Op.RESET_LOCKOUT: (R.TECHNICIAN, R.TECHNICIAN),
    Op.RESOLVE: (R.TECHNICIAN, R.TECHNICIAN),
    Op.INJECT_FAULT: (R.TECHNICIAN, R.STUDENT),
}
"""The lowest role on a real cell, on a simulated one."""


def test_the_table_is_whole() -> None:
    assert set(LOWEST) == set(Operation)


@pytest.mark.parametrize("simulated", [False, True])
@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("operation", Operation)
def test_roles(operation: Operation, role: Role, simulated: bool) -> None:
    needed = LOWEST[operation][simulated]
    granted = permit(operation, role, simulated=simulated, local=True)
    assert granted == (Granted() if role >= needed else Denied(operation, role, needed))


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("operation", Operation)
def test_what_is_local_is_refused_from_afar_whatever_the_role(operation: Operation, role: Role) -> None:
    granted = permit(operation, role, simulated=False)
    local = operation in (Op.RESET_LOCKOUT, Op.RESOLVE)
    assert (isinstance(granted, Denied) and granted.local) is local


@pytest.mark.parametrize(
    ("role", "simulated", "lab", "real_driver", "may"),
    [
        (R.VIEWER, True, False, False, False),
        (R.STUDENT, True, False, False, True),
        (R.STUDENT, False, True, False, False),
        (R.OPERATOR, False, True, False, False),
        (R.TECHNICIAN, False, True, False, True),
        (R.TECHNICIAN, False, False, False, False),
        (R.TECHNICIAN, True, True, True, False),
        (R.TECHNICIAN, False, True, True, False),
    ],
)
def test_faults(role: Role, simulated: bool, lab: bool, real_driver: bool, may: bool) -> None:
    granted = permit_fault(role, simulated=simulated, lab=lab, real_driver=real_driver)
    assert isinstance(granted, Granted) is may
    nobody = real_driver or not (simulated or lab)
    assert (isinstance(granted, Denied) and granted.local) is nobody


@pytest.mark.parametrize("role", Role)
def test_words(role: Role) -> None:
    assert role_of(role.word) is role
    assert role.word == role.name.lower()


def test_a_word_that_is_no_role() -> None:
    with pytest.raises(KeyError):
        role_of("admin")
