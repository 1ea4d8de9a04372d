"""Words 200..231 as a receipt. Pure.

A torn receipt (sequence odd, copies differ, CRC bad) is `None`: it is being written, not wrong. A whole receipt
with a word that the map does not know raises `WrongReply`.
"""

from __future__ import annotations

from drivers.cell_modbus.mailbox import VALIDATE_ONLY, crc16
from drivers.cell_modbus.registers import ACTION_OF_CODE, EndBit
from drivers.cell_modbus.status import Words, in_table, pose_at, u32
from drivers.contract import EndState, Order, Receipt, ReceiptState, WrongReply

# Offsets from register 200.
SEQUENCE, DEVICE, ACTION, FLAGS, SESSION, STATE, CODE, POSE = 0, 1, 2, 3, 4, 6, 7, 8
SPEED, FORCE, ITEM, STATION, ZEROS, BIN, ORDER_HASH = 14, 15, 16, 17, slice(18, 20), 20, 21
PROGRESS, COMMAND_ID, FINGERPRINT, DURATION, END_BITS, CRC, SEQUENCE_COPY = 23, 24, 26, 27, 29, 30, 31


def decode_receipt(words: Words) -> Receipt | None:
    """The receipt of the 32 words, or None while none is readable (none yet, or torn)."""
    if is_torn(words):
        return None
    state = in_table(ReceiptState, "receipt state", words[STATE])
    if state is ReceiptState.NONE:
        return None
    return Receipt(
        state=state,
        code=words[CODE],
        echo=_echo(words),
        fingerprint=words[FINGERPRINT],
        progress=words[PROGRESS],
        duration_ms=u32(words, DURATION),
        end=_end_state(words[END_BITS]),
    )


def is_torn(words: Words) -> bool:
    """The controller was writing while we read, or the words do not belong together."""
    sequence = words[SEQUENCE]
    return sequence % 2 == 1 or sequence != words[SEQUENCE_COPY] or crc16(words[DEVICE:CRC]) != words[CRC]


def _echo(words: Words) -> Order:
    action = ACTION_OF_CODE.get(words[ACTION])
    if action is None or words[FLAGS] not in (0, VALIDATE_ONLY) or any(words[ZEROS]):
        raise WrongReply(
            f"receipt echoes action {words[ACTION]}, flags {words[FLAGS]}, spare {words[ZEROS]}: no order of ours"
        )
    return Order(
        command_id=u32(words, COMMAND_ID),
        device_id=words[DEVICE],
        session=u32(words, SESSION),
        action=action,
        target=pose_at(words, POSE),
        speed_pct=words[SPEED],
        grip_force_n=words[FORCE],
        item_class=words[ITEM],
        station=words[STATION],
        bin=words[BIN],
        order_hash=u32(words, ORDER_HASH),
        validate_only=words[FLAGS] == VALIDATE_ONLY,
    )


def _end_state(word: int) -> EndState:
    return EndState(
        at_target=bool(word & EndBit.AT_TARGET),
        holding=bool(word & EndBit.HOLDING),
        released=bool(word & EndBit.RELEASED),
    )
