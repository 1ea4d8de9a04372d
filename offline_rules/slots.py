"""Values by their shape: bins, stations, devices, task numbers, times and speeds, in both languages.

A shape names a value whether or not this cell has it, because what the cell lacks must be refused by name. Every value
stands on a span of what was written; names and synonyms of the cell come from the vocabulary, not from here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from offline_rules.lexicon import DATA, Kind, Lexicon
from offline_rules.normalise import Normal
from offline_rules.reading import Slot, SlotName


@dataclass(frozen=True, slots=True)
class Found:
    """A slot and the stretch of the *normalised* text it stands on."""

    slot: Slot
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Shape:
    """`pattern`'s first group that matched is the value, as `spell` writes it; `after` must be found before it."""

    name: SlotName
    pattern: re.Pattern[str]
    spell: Callable[[str], str]
    after: re.Pattern[str]


def _number(said: str) -> str:
    """`02` and `two` are 2; `2.5` and `-1` stay what they are, for no cell has them."""
    word = _numbers().get(said, said)
    return str(int(word)) if word.isdigit() else word


def _arm(said: str) -> str:
    return f"arm_{int(_number(said)):02d}"


def _device(said: str) -> str:
    """`arm 1`, `arm-01`, `robot 1` → `arm_01`; another machine keeps its own number."""
    kind, number = _KIND_AND_NUMBER.findall(said)[0]
    return _arm(number) if kind in _ARMS else f"{kind}_{number}"


def _task(said: str) -> str:
    return "t" + re.sub(r"\D", "", said)


def _padded_task(said: str) -> str:
    """A task number said without its letter: `task 14` is t014."""
    return f"t{int(said):03d}"


_SPELL: Final[dict[str, Callable[[str], str]]] = {
    "number": _number,
    "arm": _arm,
    "device": _device,
    "task": _task,
    "padded_task": _padded_task,
    "upper": str.upper,
    "same": str.strip,
}
_ARMS: Final = frozenset({"arm", "robot", "cobot", "bot"})
"""What people call an arm; the cell's names begin with `arm`."""
_KIND_AND_NUMBER: Final = re.compile(r"([a-z]+)[\s\-_#]*(\d+)", re.ASCII)
_KINDS: Final[dict[SlotName, Kind]] = {"bin": "bin", "station": "station", "device": "device"}
_CAPITAL_STATION: Final = re.compile(
    r"\b(?:to|at|from|on|off) ([a-hj-z])(?=$|[.,!;:]| or [a-z]$| ?[\u4e00-\u9fff]"
    r"| (?:and|then|to|into|in|up|over|across|goes|please|pls|now|round|→|->)(?: |$))"
    r"|(?:(?<=\bto [a-z] or )|(?<=\bat [a-z] or )|(?<=\bfrom [a-z] or ))([a-z])$",
    re.ASCII,
)


def find_slots(normal: Normal, lexicon: Lexicon) -> tuple[Found, ...]:
    """All shaped values, left to right, none over another; the earlier shape in the table wins."""
    taken: list[Found] = []
    for found in (*_shaped(normal, lexicon), *_capital_stations(normal, lexicon)):
        if all(found.end <= other.start or found.start >= other.end for other in taken):
            taken.append(found)
    return tuple(sorted(taken, key=lambda f: f.start))


def grounded(normal: Normal, name: SlotName, value: str, start: int, end: int, lexicon: Lexicon) -> Slot:
    """A value in the cell's spelling, on its span of the original."""
    kind = _KINDS.get(name)
    own = lexicon.value(kind, value) if kind else value
    known = own is not None and name != "speed"
    return Slot(name, value if own is None else own, normal.span(start, end), known)


def _shaped(normal: Normal, lexicon: Lexicon) -> Iterator[Found]:
    for shape in _shapes():
        for match in shape.pattern.finditer(normal.text):
            if shape.after.search(normal.text, 0, match.start()) is None:
                continue
            value = shape.spell(match.group(match.lastindex or 1))
            start, end = match.span()
            yield Found(grounded(normal, shape.name, value, start, end, lexicon), start, end)


def _capital_stations(normal: Normal, lexicon: Lexicon) -> Iterator[Found]:
    """A bare capital letter in "go to B", "the can at C and …"; a small `a` there is an article."""
    for match in _CAPITAL_STATION.finditer(normal.text):
        start, end = match.span(match.lastindex or 0)
        if normal.original[normal.starts[start]].isupper():
            yield Found(grounded(normal, "station", normal.text[start:end].upper(), start, end, lexicon), start, end)


@cache
def _shapes() -> tuple[_Shape, ...]:
    tables = tomllib.loads((DATA / "shapes.toml").read_text(encoding="utf-8"))
    parts: dict[str, str] = tables["parts"]
    return tuple(
        _Shape(
            shape["name"],
            re.compile(_whole(shape["pattern"], parts), re.ASCII),
            _SPELL[shape["spell"]],
            re.compile(_whole(shape.get("after", ""), parts), re.ASCII),
        )
        for shape in tables["shape"]
    )


def _whole(pattern: str, parts: Mapping[str, str]) -> str:
    for name, part in parts.items():
        pattern = pattern.replace(f"@{name}@", part)
    return pattern


@cache
def _numbers() -> dict[str, str]:
    numbers: dict[str, str] = tomllib.loads((DATA / "shapes.toml").read_text(encoding="utf-8"))["numbers"]
    return numbers
