"""The search itself: the shortest way, the whole of what there is, and never past its bounds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.safety.search.explorer import Bound, explore

PLENTY = Bound(cpu_s=10.0, states=10_000)


def steps(n: int) -> Iterator[tuple[str, int]]:
    """1, 2, … 40, by ones and by threes."""
    if n <= 37:
        yield "three", n + 3
    if n <= 39:
        yield "one", n + 1


def test_what_there_is_is_searched_whole() -> None:
    found = explore(1, steps, lambda _: "", PLENTY)
    assert (found.states, found.exhausted, found.broken, found.trace) == (40, True, "", ())
    assert found.moves == 37 + 39


@pytest.mark.parametrize(("wrong", "trace"), [(2, ("one",)), (4, ("three",)), (8, ("three", "three", "one"))])
def test_the_way_shown_is_a_shortest_one(wrong: int, trace: tuple[str, ...]) -> None:
    found = explore(1, steps, lambda n: "found" if n == wrong else "", PLENTY)
    assert (found.broken, found.last, sorted(found.trace)) == ("found", wrong, sorted(trace))
    assert found.depth == len(trace) - 1


@pytest.mark.parametrize("bound", [Bound(cpu_s=60.0, states=700), Bound(cpu_s=0.0, states=10**9)])
def test_a_bound_ends_it_and_says_so(bound: Bound) -> None:
    found = explore(0, lambda n: [("next", n + 1), ("far", n + 1_000_000)], lambda _: "", bound)
    assert not found.exhausted
    assert found.states < 3000
    assert "whole to depth" in str(found)
