"""The one receipt of the controller: words 200..231 with their sequence guard, and the faults of that edge.

A receipt is always the command *as used*. A fault spoils every publication of the command it was taken for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from drivers.cell_modbus.faults import EDGE_OF, Edge, FaultPort, Taken
from drivers.cell_modbus.registers import RECEIPT_WORDS, EndBit
from drivers.cell_modbus.simulator import command as mailbox
from drivers.cell_modbus.simulator.command import Command
from drivers.cell_modbus.simulator.words import crc16_words, split_u32
from drivers.contract import ReceiptState

# Offsets from register 200.
DEVICE, FIRST_PARAMETER, COMMAND_ID_LOW, ECHO, CRC = 1, 8, 25, 26, 30
USED_PARAMETERS = 10
"""Pose, speed, force, item, station; the two words after them are always 0."""

NO_END_BITS = EndBit(0)
MAX_WAITING = 64
"""Late publications of one command: a handful; more are dropped, oldest first."""


@dataclass(frozen=True, slots=True)
class Publication:
    """What happened to a command so far."""

    command: Command
    state: ReceiptState
    code: int = 0
    progress: int = 0
    duration_ms: int = 0
    end_bits: EndBit = NO_END_BITS


def encode(publication: Publication) -> list[int]:
    """Words 201..229."""
    words = publication.command.words
    return [
        words[mailbox.DEVICE],
        words[mailbox.ACTION],
        words[mailbox.FLAGS],
        *words[mailbox.SESSION : mailbox.SESSION + 2],
        publication.state,
        publication.code,
        *words[mailbox.TARGET : mailbox.BIN],
        words[mailbox.BIN],
        *words[mailbox.ORDER_HASH : mailbox.ORDER_HASH + 2],
        publication.progress,
        *words[mailbox.COMMAND_ID : mailbox.COMMAND_ID + 2],
        words[mailbox.CRC],
        *split_u32(publication.duration_ms),
        publication.end_bits,
    ]


Spoil = Callable[[list[int], float], None]
"""Alters the words 200.. of one receipt; the number, 0 to 1, is the strike's own chance."""


def _add_one(offset: int) -> Spoil:
    def spoil(words: list[int], chance: float) -> None:
        del chance
        words[offset] = (words[offset] + 1) & 0xFFFF

    return spoil


def _parameter(words: list[int], chance: float) -> None:
    _add_one(FIRST_PARAMETER + int(chance * USED_PARAMETERS))(words, chance)


def _tear(words: list[int], chance: float) -> None:
    del chance
    words[0] |= 1


BEFORE_CRC: Mapping[str, Spoil] = {
    "receipt_wrong_id": _add_one(COMMAND_ID_LOW),
    "receipt_wrong_device": _add_one(DEVICE),
    "receipt_wrong_parameter": _parameter,
    "receipt_wrong_echo": _add_one(ECHO),
}
AFTER_CRC: Mapping[str, Spoil] = {
    "receipt_bad_crc": _add_one(CRC),
    "receipt_torn": _tear,
}


@dataclass(frozen=True, slots=True)
class Strike:
    """A fault of this edge, and the number it drew for this command."""

    taken: Taken
    chance: float


@dataclass(slots=True)
class ReceiptSlot:
    """Publishes receipts; `words` is what a reader sees now."""

    faults: FaultPort
    command_id: int = 0
    _words: tuple[int, ...] = (0,) * RECEIPT_WORDS
    _sequence: int = 0
    _strikes: list[Strike] = field(default_factory=list)
    _waiting: list[tuple[float, tuple[int, ...]]] = field(default_factory=list)

    def open(self, command: Command) -> None:
        """From here on the slot is this command's; its faults are taken now, once."""
        self.command_id = command.command_id
        names = [name for name, edge in EDGE_OF.items() if edge is Edge.RECEIPT]
        taken = [found for name in names if (found := self.faults.take(name)) is not None]
        self._strikes = [Strike(each, each.chance.random()) for each in taken]

    def publish(self, publication: Publication, now_ms: float) -> None:
        if any(strike.taken.name == "receipt_missing" for strike in self._strikes):
            return
        words = self._whole(publication)
        late = [each.taken.number("delay_ms") for each in self._strikes if each.taken.name == "receipt_late"]
        if late:
            self._waiting = [*self._waiting, (now_ms + late[0], words)][-MAX_WAITING:]
        else:
            self._words = words

    def words(self, now_ms: float) -> tuple[int, ...]:
        while self._waiting and self._waiting[0][0] <= now_ms:
            self._words = self._waiting.pop(0)[1]
        return self._words

    def clear(self) -> None:
        """Power-up: no receipt, whatever was under way."""
        self.command_id, self._sequence = 0, 0
        self._words = (0,) * RECEIPT_WORDS
        self._strikes.clear()
        self._waiting.clear()

    def _whole(self, publication: Publication) -> tuple[int, ...]:
        self._sequence = (self._sequence + 2) & 0xFFFF
        words = [self._sequence, *encode(publication)]
        self._spoil(BEFORE_CRC, words)
        words += [crc16_words(words[1:]), self._sequence]
        self._spoil(AFTER_CRC, words)
        return tuple(words)

    def _spoil(self, table: Mapping[str, Spoil], words: list[int]) -> None:
        for strike in self._strikes:
            if strike.taken.name in table:
                table[strike.taken.name](words, strike.chance)
