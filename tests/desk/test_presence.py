"""Who is there, and when somebody counts as gone."""

from __future__ import annotations

from edge_agent.desk.presence import GRACE_S, Presences


def test_a_presence_lasts_until_its_own_expiry() -> None:
    there = Presences()
    there.here("op1", "page", until_s=30.0)
    assert there.is_here("op1", "page", now_s=29.9)
    assert not there.is_here("op1", "page", now_s=30.0)


def test_nobody_is_there_without_a_name() -> None:
    assert not Presences().is_here("op1", None, now_s=0.0)


def test_another_users_page_is_not_mine() -> None:
    there = Presences()
    there.here("op1", "page", until_s=30.0)
    assert not there.is_here("op2", "page", now_s=1.0)


def test_a_page_that_comes_back_in_time_was_never_gone() -> None:
    there = Presences()
    there.here("op1", "page", until_s=30.0)
    there.left("op1", "page", now_s=5.0)
    there.here("op1", "page", until_s=40.0)
    assert there.gone(now_s=5.0 + 2 * GRACE_S) == []


def test_who_left_is_named_once_after_the_grace_time() -> None:
    there = Presences()
    there.here("op1", "page", until_s=30.0)
    there.left("op1", "page", now_s=5.0)
    assert there.gone(now_s=5.0 + GRACE_S - 0.1) == []
    assert there.gone(now_s=5.0 + GRACE_S) == [("op1", "page")]
    assert there.gone(now_s=5.0 + 2 * GRACE_S) == []


def test_a_presence_that_is_not_renewed_leaves_at_its_expiry() -> None:
    there = Presences()
    there.here("op1", "page", until_s=30.0)
    assert there.gone(now_s=30.0 + GRACE_S - 0.1) == []
    assert there.gone(now_s=30.0 + GRACE_S) == [("op1", "page")]


def test_who_was_never_there_cannot_leave() -> None:
    there = Presences()
    there.left("op1", "page", now_s=0.0)
    assert there.gone(now_s=100.0) == []
