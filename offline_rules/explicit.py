"""The explicit form, a command with every slot named: `动作=回零，设备=arm_01` or `action=home device=arm_01`.

It is the form that leads to a motion without a language model, so it is read to the letter: pairs only, known keys
only, no quotes, no question mark. `confirm=yes` is heard and left aside; a text can not confirm.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from offline_rules.lexicon import DATA, Lexicon
from offline_rules.normalise import Normal, spaced
from offline_rules.reading import Slot, SlotName
from offline_rules.slots import grounded

_PAIR: Final = re.compile(r"([^\s=,;.]{1,20})\s*=\s*([^\s=,;.]{1,40})")
_PARTED: Final = re.compile(r"[\s,;]+|[\s,;]*[.!]?\s*$")
_BIN: Final = re.compile(r"(?:bin |bin)?(-?\d{1,9})(?:号箱子|号箱|号)?")
_STATION: Final = re.compile(r"(?:工位|station)?([a-z]|\d{1,3})(?:工位|区)?")
_DEVICE: Final = re.compile(r"[a-z]{1,12}[_-]\d{1,3}")


@dataclass(frozen=True, slots=True)
class Explicit:
    """The slots that were named (a name twice, if said with two values), and what was left aside."""

    slots: tuple[Slot, ...]
    ignored: tuple[str, ...]
    declined: bool
    """`confirm=no`: whoever writes it does not want the motion."""


def explicit_form(original: str, lexicon: Lexicon) -> Explicit | None:
    """The explicit form that a text is, as a whole; None where anything in it is not of the form."""
    if "=" not in original and "\uff1d" not in original:
        return None
    normal = spaced(original)
    slots: list[Slot] = []
    ignored: list[str] = []
    declined = False
    for pair in _pairs(normal.text.strip()) or ():
        name = _tables().keys.get(pair.group(1))
        if name is None:
            return None
        if name == "confirm":
            answer = _tables().confirm.get(pair.group(2))
            if answer is None:
                return None
            declined = declined or not answer
            ignored.append(pair.group())
            continue
        slot = _slot(normal, name, pair, lexicon)
        if slot is None:
            return None
        slots.append(slot)
    return Explicit(tuple(slots), tuple(ignored), declined) if any(s.name == "action" for s in slots) else None


def _pairs(text: str) -> list[re.Match[str]] | None:
    """All pairs of a text, or None where something else stands between them."""
    pairs = []
    at = 0
    while at < len(text):
        pair = _PAIR.match(text, at)
        if pair is None:
            return None
        pairs.append(pair)
        parted = _PARTED.match(text, pair.end())
        at = pair.end() if parted is None else parted.end()
    return pairs


def _slot(normal: Normal, name: SlotName, pair: re.Match[str], lexicon: Lexicon) -> Slot | None:
    said, start, end = pair.group(2), pair.start(2), pair.end(2)
    value = _value(name, said, lexicon)
    return None if value is None else grounded(normal, name, value, start, end, lexicon)


def _value(name: SlotName, said: str, lexicon: Lexicon) -> str | None:
    """The value in the cell's spelling, or as said where it has the right shape; None for anything else."""
    if name == "action":
        return _tables().actions.get(said)
    synonym = next((value for kind, value, word in lexicon.words() if kind == name and word.casefold() == said), None)
    if synonym is not None or name == "item_type":
        return synonym
    if name == "device":
        return said.replace("-", "_") if _DEVICE.fullmatch(said) else None
    shape = _BIN if name == "bin" else _STATION
    found = shape.fullmatch(said)
    return None if found is None else found.group(1).upper()


@dataclass(frozen=True, slots=True)
class _Tables:
    keys: dict[str, SlotName | Literal["confirm"]]
    actions: dict[str, str]
    confirm: dict[str, bool]


@cache
def _tables() -> _Tables:
    tables = tomllib.loads((DATA / "explicit.toml").read_text(encoding="utf-8"))
    actions = {word: action for action, words in tables["actions"].items() for word in words}
    return _Tables(tables["keys"], actions, tables["confirm"])
