"""Who a topic speaks for, and where an answer may go."""

from __future__ import annotations

import pytest

from edge_agent.messages.topics import Spoken, TopicKind, Topics

T = Topics("acme/berlin/hall2/line4/cell01/edge-agent/v1")
P = T.prefix


@pytest.mark.parametrize(
    ("topic", "spoken"),
    [
        (f"{P}/op/op1/req", Spoken(TopicKind.REQ, "op1")),
        (f"{P}/op/op1/stop", Spoken(TopicKind.STOP, "op1")),
        (f"{P}/op/op1/presence/say-1", Spoken(TopicKind.PRESENCE, "op1", "say-1")),
        (f"{P}/op/op1/presence/a b", None),
        (f"{P}/op/op1/req/more", None),
        (f"{P}/op/op1/run/x", None),
        (f"{P}/op/Op1/req", None),
        (f"{P}/op//req", None),
        (f"{P}/op/op1\n/req", None),
        (f"{P}x/op/op1/req", None),
        ("op/op1/req", None),
        (f"other/{P}/op/op1/req", None),
        (f"{P}/status", None),
        ("", None),
    ],
)
def test_read(topic: str, spoken: Spoken | None) -> None:
    assert T.read(topic) == spoken


@pytest.mark.parametrize("kind", TopicKind)
def test_a_filter_covers_its_topic(kind: TopicKind) -> None:
    topic = T.of(kind, user="op1", run="r", client="c", alarm="a")
    levels, pattern = topic.split("/"), T.filter(kind).split("/")
    assert len(levels) == len(pattern)
    assert all(p in ("+", level) for level, p in zip(levels, pattern, strict=True))
    assert "op1" in T.user_filter(kind, "op1") or "{user}" not in str(T.filter(kind))


@pytest.mark.parametrize(
    ("wished", "taken"),
    [
        (f"{P}/op/op1/reply/mine", True),
        (f"{P}/op/op1/reply/a/b", True),
        (f"{P}/op/op1/run/mine", True),
        (f"{P}/op/op2/reply/mine", False),
        (f"{P}/op/op1/req", False),
        (f"{P}/op/op1/stop", False),
        (f"{P}/op/op1/presence/x", False),
        (f"{P}/op/op1/last", False),
        (f"{P}/op/op1/reply/", False),
        (f"{P}/op/op1/reply/+", False),
        (f"{P}/op/op1/reply/#", False),
        (f"{P}/op/op1/reply/../../op2/req", True),  # levels are names here, not a path: still below reply/
        (f"{P}/op/op1/reply/" + "x/" * 200 + "x", False),
        ("$SYS/x", False),
        ("", False),
        (None, False),
    ],
)
def test_response_topic_only_below_the_senders_own(wished: str | None, taken: bool) -> None:
    assert T.answer("op1", "r1", wished) == (wished if taken else f"{P}/op/op1/run/r1")


@pytest.mark.parametrize("prefix", ["", "/a", "a/", "a//b", "a/+/b", "#", "a b", "a/$x", "é"])
def test_prefix_without_wildcards(prefix: str) -> None:
    with pytest.raises(ValueError, match="prefix"):
        Topics(prefix)


@pytest.mark.parametrize("level", ["", "a/b", "+", "#", "a b", "x\n"])
def test_level_is_one_level(level: str) -> None:
    with pytest.raises(ValueError, match="topic level"):
        T.of(TopicKind.RUN, user="op1", run=level)
