"""What a class types gives the decisions and the keys that the agent itself gives."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from edge_agent.run.retry import RetryPolicy as OwnPolicy
from edge_agent.tools.retry import RetryPolicy, call_tool_with_retry


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pauses: list[float] = []
    monkeypatch.setattr("edge_agent.tools.retry.time.sleep", pauses.append)
    return pauses


def failing(*codes: str) -> Callable[[dict[str, Any]], Mapping[str, Any]]:
    left = list(codes)

    def tool(payload: dict[str, Any]) -> Mapping[str, Any]:
        if not left:
            return {"ok": True, "data": {"bin": "2", **payload}}
        return {"ok": False, "error": {"code": left.pop(0), "message": "m"}}

    return tool


def call(tool: Any, name: str = "sorting_rules", policy: RetryPolicy | None = None, **more: Any) -> dict[str, Any]:
    return call_tool_with_retry(
        name, tool, {"item_type": "glass"}, policy=policy or RetryPolicy(jitter_s=0), trace_id_seed="seed", **more
    )


def test_it_is_the_agents_own_policy() -> None:
    assert RetryPolicy is OwnPolicy


def test_answered_at_the_third_attempt(slept: list[float]) -> None:
    result = call(failing("TIMEOUT", "CONNECTION_ERROR"), extra={"parse_trace_id": "p-1", "lesson": 3})
    assert set(result) == {
        "ok",
        "data",
        "hits",
        "error",
        "tool_name",
        "trace_id",
        "parse_trace_id",
        "attempt",
        "max_attempts",
        "meta",
        "started_at",
        "duration_ms",
    }
    assert (result["ok"], result["hits"], result["error"], result["attempt"]) == (True, 1, None, 3)
    assert (result["trace_id"], result["parse_trace_id"]) == ("seed-3", "p-1")
    assert result["data"] == {"bin": "2", "item_type": "glass"}
    assert slept == [0.2, 0.4]
    assert result["meta"]["lesson"] == 3
    assert result["meta"]["retry_decision"] is None
    assert [a["retry_decision"] for a in result["meta"]["attempts"]] == ["retry", "retry"]
    assert result["meta"]["attempts"][0]["error.code"] == "TIMEOUT"


ENDS: list[tuple[str, Any, str, dict[str, Any], tuple[str, str, int]]] = [
    ("always", failing(*["TIMEOUT"] * 9), "q", {}, ("TIMEOUT", "no_retry_reach_max_attempts", 3)),
    ("input", failing("INPUT_INVALID"), "q", {}, ("INPUT_INVALID", "no_retry_non_retryable", 1)),
    ("arm", failing("TIMEOUT"), "arm_control", {}, ("TIMEOUT", "no_retry_control", 1)),
    ("unknown code", failing("E42"), "q", {}, ("TOOL_EXECUTION_ERROR", "no_retry_non_retryable", 1)),
    ("deadline", failing("TIMEOUT"), "q", {"extra": {"deadline_s": 0.1}}, ("TIMEOUT", "no_retry_deadline", 1)),
]


@pytest.mark.parametrize(("tool", "name", "more", "expected"), [e[1:] for e in ENDS], ids=[e[0] for e in ENDS])
def test_ends(slept: list[float], tool: Any, name: str, more: dict[str, Any], expected: tuple[str, str, int]) -> None:
    result = call(tool, name, **more)
    assert (result["error"]["code"], result["meta"]["retry_decision"], result["attempt"]) == expected
    assert result["hits"] is None
    assert len(slept) == expected[2] - 1


@pytest.mark.parametrize(
    ("raised", "code"), [(TimeoutError("t"), "TIMEOUT"), (ConnectionError("c"), "CONNECTION_ERROR")]
)
def test_what_a_tool_raises(raised: Exception, code: str) -> None:
    def tool(_payload: dict[str, Any]) -> Mapping[str, Any]:
        raise raised

    assert call(tool, policy=RetryPolicy(max_attempts=1))["error"]["code"] == code


def test_a_flaky_tool_with_a_seed_gives_the_same_lesson_twice(slept: list[float]) -> None:
    def lesson() -> list[Any]:
        chance = random.Random(7)

        def flaky(_payload: dict[str, Any]) -> Mapping[str, Any]:
            if chance.random() < 0.6:
                return {"ok": False, "error": {"code": "TIMEOUT", "message": "db timeout"}}
            return {"ok": True, "data": {"bin": "2"}, "hits": 1}

        results = [call(flaky, policy=RetryPolicy()) for _ in range(5)]
        return [(r["ok"], r["attempt"], r["meta"]["attempts"]) for r in results]

    assert lesson() == lesson()
    assert len(slept) % 2 == 0
