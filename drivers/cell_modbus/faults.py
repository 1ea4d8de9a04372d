"""Faults of the simulated arm and of its wire: a table of names, and the port that holds those which are in. Pure.

A fault has a name, an edge where it strikes, a seed for whatever chance it has, and a count of strikes. Nothing
here does harm by itself: simulator and proxy ask `take` at their edges. Only simulated cells have this port.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from drivers.package import ActiveFault, FaultArgument, FaultInfo

MAX_COUNT = 10_000
MAX_ACTIVE = 16


class Edge(StrEnum):
    """Where a fault strikes."""

    REQUEST = "request"
    """The controller judges a command."""
    REPLY = "reply"
    """The controller acknowledges the mailbox write."""
    RECEIPT = "receipt"
    """The controller publishes a receipt; all publications of one command are one strike."""
    CELL = "cell"
    """Inputs, power, part and heartbeat; `when`: now, or executing (in the middle of the next motion)."""
    LINK = "link"
    """The proxy's listener."""
    FRAME = "frame"
    """The proxy's next frames; `frames`: motion, stop or any; `direction`: request or response."""


PROXY_EDGES = frozenset({Edge.LINK, Edge.FRAME})
EDGE_OF: dict[str, Edge] = {}


class BadFault(ValueError):
    """An unknown name or argument, or a count out of bounds; nothing was put in."""


def _row(edge: Edge, name: str, zh: str, en: str, **defaults: FaultArgument) -> tuple[str, FaultInfo]:
    EDGE_OF[name] = edge
    group = "wire" if edge is Edge.FRAME else "arm"
    return name, FaultInfo(name, group, MappingProxyType(defaults), zh, en)


CATALOGUE: Mapping[str, FaultInfo] = MappingProxyType(
    dict(
        [
            _row(Edge.LINK, "unavailable", "控制器拒绝连接", "the controller refuses connections"),
            _row(Edge.REQUEST, "unreachable", "拒绝：位置够不着 (0302)", "rejected: out of reach (0302)"),
            _row(Edge.REQUEST, "no_part", "拒绝：没有物品 (0601)", "rejected: no part there (0601)"),
            _row(Edge.REQUEST, "ttl_exceeded", "启动晚于有效期 (0106)", "not started within its time to live (0106)"),
            _row(Edge.REQUEST, "command_swallowed", "写入被应答但没有任何动作", "write acknowledged, nothing follows"),
            _row(Edge.REQUEST, "never_finishes", "动作开始后永不结束", "the motion starts and never ends"),
            _row(Edge.CELL, "part_lost", "搬运途中掉落 (0602)", "part lost while carried (0602)"),
            _row(Edge.CELL, "controller_reboot", "控制器重启", "the controller restarts", when="now"),
            _row(Edge.CELL, "controller_estop", "控制器急停按下", "the controller's own stop button is in", when="now"),
            _row(Edge.CELL, "guard_open", "防护门打开", "the guard is open", when="now"),
            _row(Edge.CELL, "heartbeat_frozen", "控制器心跳不动", "the controller's heartbeat stands", when="now"),
            _row(Edge.RECEIPT, "receipt_missing", "动作执行但没有回执", "the motion runs, no receipt"),
            _row(Edge.RECEIPT, "receipt_late", "回执迟到", "the receipt comes late", delay_ms=1_000),
            _row(Edge.RECEIPT, "receipt_wrong_id", "回执编号不符", "the receipt has another id"),
            _row(Edge.RECEIPT, "receipt_wrong_device", "回执设备不符", "the receipt names another device"),
            _row(Edge.RECEIPT, "receipt_wrong_parameter", "回执参数不符", "the receipt has another parameter"),
            _row(Edge.RECEIPT, "receipt_bad_crc", "回执校验错", "the receipt's own CRC is wrong"),
            _row(Edge.RECEIPT, "receipt_wrong_echo", "回执回显的指令校验不符", "the echoed command CRC differs"),
            _row(Edge.RECEIPT, "receipt_torn", "回执撕裂", "the receipt stays half written"),
            _row(
                Edge.REPLY, "reply_lost_after_execution", "动作已执行，应答丢失", "the motion runs, the reply is lost"
            ),
            _row(Edge.REPLY, "duplicate_reply", "应答重复", "the reply comes twice"),
            _row(Edge.REPLY, "reply_wrong_address", "应答地址不符", "acknowledged at another address"),
            _row(Edge.REPLY, "reply_wrong_count", "应答数量不符", "acknowledged with another count"),
            _row(
                Edge.REPLY,
                "exception_after_execution",
                "动作已执行却应答异常",
                "the motion runs, the reply is an exception",
            ),
            _row(Edge.FRAME, "drop", "丢帧", "a frame is lost", frames="motion", direction="response"),
            _row(Edge.FRAME, "delay", "延迟", "a frame is late", frames="motion", direction="response", delay_ms=400),
            _row(Edge.FRAME, "duplicate", "重复帧", "a frame comes twice", frames="motion", direction="request"),
            _row(Edge.FRAME, "garbage", "乱码", "noise instead of a frame", frames="motion", direction="response"),
            _row(Edge.FRAME, "cut", "断线", "the link is cut after a frame", frames="motion", direction="request"),
        ]
    )
)

CHOICES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "when": frozenset({"now", "executing"}),
        "frames": frozenset({"motion", "stop", "any"}),
        "direction": frozenset({"request", "response"}),
    }
)
MAX_DELAY_MS = 60_000


@dataclass(slots=True)
class Taken:
    """One strike: its arguments and its chance."""

    name: str
    args: Mapping[str, FaultArgument]
    chance: random.Random

    def number(self, name: str) -> int:
        value = self.args[name]
        assert isinstance(value, int)
        return value


@dataclass(slots=True)
class _Entry:
    seed: int
    left: int
    args: Mapping[str, FaultArgument]
    chance: random.Random


@dataclass(slots=True)
class FaultPort:
    """The faults that are in, at the edges of one process."""

    _entries: dict[str, _Entry] = field(default_factory=dict)

    def put(self, name: str, *, seed: int, count: int, args: Mapping[str, FaultArgument]) -> None:
        """Puts `name` in for `count` strikes, in place of an earlier one of the name. Raises `BadFault`."""
        merged = checked_arguments(name, args)
        if not 1 <= count <= MAX_COUNT:
            raise BadFault(f"count {count} is not within 1 and {MAX_COUNT}")
        if name not in self._entries and len(self._entries) >= MAX_ACTIVE:
            raise BadFault(f"{MAX_ACTIVE} faults are in already; clear them first")
        self._entries[name] = _Entry(seed, count, merged, random.Random(seed))

    def take(self, name: str, **wanted: FaultArgument) -> Taken | None:
        """One strike of `name`, if it is in and its arguments are the wanted ones; counts it."""
        entry = self._entries.get(name)
        if entry is None or any(entry.args.get(key) != value for key, value in wanted.items()):
            return None
        entry.left -= 1
        if entry.left == 0:
            del self._entries[name]
        return Taken(name, entry.args, entry.chance)

    def holds(self, name: str) -> bool:
        """For faults that are a level (a frozen heartbeat, a refused link): in until cleared, not counted."""
        return name in self._entries

    def clear(self) -> None:
        self._entries.clear()

    def active(self) -> tuple[ActiveFault, ...]:
        return tuple(ActiveFault(name, e.seed, e.left, e.args) for name, e in self._entries.items())


def checked_arguments(name: str, args: Mapping[str, FaultArgument]) -> Mapping[str, FaultArgument]:
    """The fault's defaults with `args` over them. Raises `BadFault`."""
    info = CATALOGUE.get(name)
    if info is None:
        raise BadFault(f"no fault is called {name}; there are: {', '.join(CATALOGUE)}")
    for key, value in args.items():
        _check_argument(info, key, value)
    return MappingProxyType({**info.defaults, **args})


def _check_argument(info: FaultInfo, key: str, value: FaultArgument) -> None:
    if key not in info.defaults:
        raise BadFault(f"{info.name} has no argument {key}; it has: {', '.join(info.defaults) or 'none'}")
    if key in CHOICES and value not in CHOICES[key]:
        raise BadFault(f"{info.name}: {key} is one of {', '.join(sorted(CHOICES[key]))}")
    if key == "delay_ms" and not (isinstance(value, int) and 0 <= value <= MAX_DELAY_MS):
        raise BadFault(f"{info.name}: delay_ms is a whole number from 0 to {MAX_DELAY_MS}")
