"""A breadth-first search that knows nothing of arms: states in, the shortest way to a broken property out.

States are remembered by their 64-bit hash, so that millions fit; two states that share one would hide the second
from the search (for ten million states the chance is about three in a million). The way to a state is found again
by walking forward along the remembered hashes.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

S = TypeVar("S", bound=Hashable)

CHECK_CLOCK_EVERY = 512
"""States between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Seconds are of this process's own CPU, so that a busy machine does not shorten the search."""

    cpu_s: float
    states: int


@dataclass(frozen=True, slots=True)
class Found(Generic[S]):
    """`broken` names the property, `trace` the labels from the first state to it; both empty when all held.
    `depth` is the last one searched whole; `exhausted`: there is no further state."""

    states: int
    moves: int
    depth: int
    cpu_s: float
    exhausted: bool
    broken: str = ""
    trace: tuple[str, ...] = ()
    last: S | None = None

    def __str__(self) -> str:
        whole = "all" if self.exhausted else f"whole to depth {self.depth}"
        rate = self.states / self.cpu_s if self.cpu_s else 0.0
        return f"{self.states} states, {self.moves} moves, {whole}, {self.cpu_s:.1f} s CPU ({rate:.0f} states/s)"


def explore(
    start: S,
    moves: Callable[[S], Iterable[tuple[str, S]]],
    broken: Callable[[S], str],
    bound: Bound,
) -> Found[S]:
    """Stops at the first state for which `broken` gives a name, at the end of the states, or at the bound."""
    collects = gc.isenabled()
    gc.disable()  # millions of tuples and no cycle among them: looking for some takes a third of the time
    try:
        return _explore(start, moves, broken, bound)
    finally:
        if collects:
            gc.enable()


def _explore(
    start: S, moves: Callable[[S], Iterable[tuple[str, S]]], broken: Callable[[S], str], bound: Bound
) -> Found[S]:
    began_s = time.process_time()
    came_from = {hash(start): 0}
    level, depth, made, looked_at = [start], 0, 0, 0
    while level:
        following: list[S] = []
        for state in level:
            looked_at += 1
            if looked_at % CHECK_CLOCK_EVERY == 0 and _over(bound, began_s, len(came_from)):
                return Found(len(came_from), made, depth - 1, time.process_time() - began_s, False)
            mark = hash(state)
            for _, after in moves(state):
                made += 1
                key = hash(after)
                if key in came_from:
                    continue
                came_from[key] = mark
                if name := broken(after):
                    trace = _walk(start, moves, came_from, key)
                    spent_s = time.process_time() - began_s
                    return Found(len(came_from), made, depth, spent_s, False, name, trace, after)
                following.append(after)
        level, depth = following, depth + 1
    return Found(len(came_from), made, depth - 1, time.process_time() - began_s, True)


def _over(bound: Bound, began_s: float, states: int) -> bool:
    return states >= bound.states or time.process_time() - began_s >= bound.cpu_s


def _walk(
    start: S, moves: Callable[[S], Iterable[tuple[str, S]]], came_from: dict[int, int], key: int
) -> tuple[str, ...]:
    first, steps = hash(start), [key]
    while steps[-1] != first:
        steps.append(came_from[steps[-1]])
    labels, state = [], start
    for wanted in reversed(steps[:-1]):
        label, state = next((label, after) for label, after in moves(state) if hash(after) == wanted)
        labels.append(label)
    return tuple(labels)
