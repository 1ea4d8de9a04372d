"""The bytes of the map: the worked frame of the register map, the check words, and what does not fit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.cell_modbus.mailbox import OutOfRange, crc16, fingerprint, mailbox_words
from drivers.cell_modbus.simulator import mbap
from drivers.cell_modbus.simulator.mbap import Frame, WriteRequest
from drivers.cell_modbus.simulator.words import crc16_words, pack_words
from drivers.contract import Action, Job, Order

WORKED_JOB = Job(
    Order(
        command_id=0x1092,
        device_id=7,
        session=0x0001A2B3,
        action=Action.PICK,
        target=(2500, -100, 1200, 0, 0, 0),
        speed_pct=40,
        grip_force_n=30,
        item_class=3,
        bin=3,
        order_hash=0x00C0FFEE,
    ),
    ttl_ms=500,
    max_duration_ms=6000,
)
WORKED_FRAME = bytes.fromhex(
    "1234 0000 003F 01 10 0064 001C 38"
    "0101 0007 0002 0000 0001 A2B3 01F4 1770 09C4 FF9C 04B0 0000 0000 0000 0028 001E 0003 0000 0000 0000 0003"
    "00C0 FFEE 0000 0000 1092 F5AE B5C8"
)


def test_worked_frame_byte_for_byte() -> None:
    body = b"\x10\x00\x64\x00\x1c\x38" + pack_words(mailbox_words(WORKED_JOB))
    assert Frame(0x1234, 1, body).encode() == WORKED_FRAME
    assert fingerprint(WORKED_JOB) == 0xF5AE


def test_worked_frame_read_back_by_the_simulator() -> None:
    assert mbap.parse_request(WORKED_FRAME[7:]) == WriteRequest(100, mailbox_words(WORKED_JOB))


@given(st.lists(st.integers(0, 0xFFFF), max_size=40))
def test_both_check_sums_agree(words: list[int]) -> None:
    assert crc16(tuple(words)) == crc16_words(words)


@pytest.mark.parametrize(
    "order",
    [
        replace(WORKED_JOB.order, target=(40_000, 0, 0, 0, 0, 0)),
        replace(WORKED_JOB.order, speed_pct=-1),
        replace(WORKED_JOB.order, command_id=2**32),
        replace(WORKED_JOB.order, device_id=70_000),
    ],
)
def test_a_number_that_does_not_fit_is_refused_before_the_wire(order: Order) -> None:
    with pytest.raises(OutOfRange):
        mailbox_words(replace(WORKED_JOB, order=order))
