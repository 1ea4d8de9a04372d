"""Receipts as words: torn is nothing, unknown is wrong, and every order comes back as it was sent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.cell_modbus.mailbox import fingerprint, mailbox_words
from drivers.cell_modbus.receipt import decode_receipt
from drivers.cell_modbus.registers import EndBit
from drivers.cell_modbus.simulator.command import Command
from drivers.cell_modbus.simulator.receipt_slot import Publication, encode
from drivers.cell_modbus.simulator.words import crc16_words
from drivers.contract import Action, EndState, Job, Order, ReceiptState, WrongReply
from tests.drivers.test_cell_modbus_frames import WORKED_JOB

u16 = st.integers(0, 0xFFFF)
u32 = st.integers(0, 0xFFFF_FFFF)
i16 = st.integers(-0x8000, 0x7FFF)
orders = st.builds(
    Order,
    command_id=u32,
    device_id=u16,
    session=u32,
    action=st.sampled_from(Action),
    target=st.tuples(i16, i16, i16, i16, i16, i16),
    speed_pct=u16,
    grip_force_n=u16,
    item_class=u16,
    station=u16,
    bin=u16,
    order_hash=u32,
    validate_only=st.booleans(),
)
jobs = st.builds(Job, orders, ttl_ms=u16, max_duration_ms=u16)


def receipt_words(job: Job, **changes: int) -> list[int]:
    """A whole receipt; `changes` maps `w<register>` to a word, the CRC counted after them."""
    body = encode(Publication(Command(mailbox_words(job)), ReceiptState.DONE, progress=100, end_bits=EndBit(0b110)))
    for name, word in changes.items():
        body[int(name[1:]) - 201] = word
    return [2, *body, crc16_words(body), 2]


@given(jobs)
def test_what_the_controller_echoes_is_what_was_sent(job: Job) -> None:
    receipt = decode_receipt(tuple(receipt_words(job)))
    assert receipt is not None
    assert receipt.differs_from(job.order, fingerprint(job)) == ()
    assert receipt.end == EndState(at_target=False, holding=True, released=True)


@given(jobs, st.integers(201, 229), st.integers(1, 0xFFFF))
def test_any_altered_echo_word_is_seen(job: Job, register: int, flip: int) -> None:
    """By the receipt's own CRC, when nobody counts it anew."""
    words = receipt_words(job)
    words[register - 200] ^= flip
    assert decode_receipt(tuple(words)) is None


TORN = {
    "odd on both sides": (3, 3),
    "copies differ": (2, 4),
    "odd before": (3, 2),
    "odd after": (2, 3),
}


@pytest.mark.parametrize("name", TORN)
def test_torn(name: str) -> None:
    words = receipt_words(WORKED_JOB)
    words[0], words[31] = TORN[name]
    assert decode_receipt(tuple(words)) is None


def test_no_receipt_yet() -> None:
    assert decode_receipt((0,) * 32) is None
    assert decode_receipt(tuple(receipt_words(WORKED_JOB, w206=0))) is None


UNKNOWN = [{"w206": 8}, {"w202": 0}, {"w202": 9}, {"w203": 2}, {"w218": 1}, {"w219": 1}]


@pytest.mark.parametrize("change", UNKNOWN)
def test_whole_receipt_with_a_word_outside_the_map_is_wrong(change: dict[str, int]) -> None:
    with pytest.raises(WrongReply):
        decode_receipt(tuple(receipt_words(WORKED_JOB, **change)))
