"""The three demos of the lesson, each over the function that the agent itself runs. Seeded: the same every time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from edge_agent.tools.retry import RetryPolicy, call_tool_with_retry
from edge_agent.understand.clarify import MIN_MARGIN, MIN_TOP_SCORE, IntentScore, candidates, should_clarify
from offline_rules.offline import offline_route

SEED: Final = 7
TIMEOUT_P: Final = 0.6
CALLS: Final = 5
SENTENCES: Final = ("查一下 glass 的分拣规则", "提交反馈 t001 玻璃破损", "让机械臂回零")
UNCLEAR: Final = (("QUERY_RULE", 0.41), ("SUBMIT_FEEDBACK", 0.39), ("GENERAL", 0.20))
QUICK: Final = RetryPolicy(base_delay_s=0.02, jitter_s=0.01)
"""The product's own policy with a tenth of its pauses: a class does not wait."""


def flaky_tool(seed: int, probability: float = TIMEOUT_P) -> Callable[[dict[str, Any]], Mapping[str, Any]]:
    chance = random.Random(seed)

    def tool(payload: dict[str, Any]) -> Mapping[str, Any]:
        if chance.random() < probability:
            return {"ok": False, "error": {"code": "TIMEOUT", "message": "db timeout"}}
        return {"ok": True, "data": {**payload, "bin": "2"}, "hits": 1}

    return tool


def retry() -> Iterator[dict[str, Any]]:
    """Five questions to a tool that answers TIMEOUT six times in ten."""
    tool = flaky_tool(SEED)
    for number in range(1, CALLS + 1):
        seed = f"lesson-{number}"
        yield call_tool_with_retry("sorting_rules", tool, {"item_type": "glass"}, policy=QUICK, trace_id_seed=seed)


def offline() -> Iterator[dict[str, Any]]:
    """Three sentences, and what the rules alone make of them."""
    for text in SENTENCES:
        found = offline_route(text)
        yield {
            "text": text,
            "ok": found.ok,
            "intent": found.intent,
            "slots": dict(found.slots),
            "reason": found.reason,
        }


def clarify() -> Iterator[dict[str, Any]]:
    """帮我处理一下: two intents so close that the agent must ask."""
    scores = tuple(IntentScore(name, score) for name, score in UNCLEAR)
    ask, evidence = should_clarify(scores, min_top_score=MIN_TOP_SCORE, min_margin=MIN_MARGIN)
    offered = [[each.intent, each.score] for each in candidates(scores)]
    yield {"text": "帮我处理一下", "need_clarify": ask, **evidence, "candidates": offered}


DEMOS: Final[Mapping[str, Callable[[], Iterator[dict[str, Any]]]]] = {
    "retry": retry,
    "offline": offline,
    "clarify": clarify,
}
