"""One prompt, one answer, one person, one action; and which of several wrongs is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from drivers.contract import Action
from edge_agent.safety.confirm import Answer, Confirmed, Prompt, ReleaseStop, check, digest
from tests.safety.given import proposal

HOME = proposal(Action.HOME)
SEEN = digest(HOME, epoch=4, boot_id=3)
PROMPT = Prompt("p1", "op1", SEEN, 4, HOME, expires_at_s=30.0)
ANSWER = Answer("p1", SEEN, "op1", 4)


def test_the_answer_that_holds() -> None:
    assert check(PROMPT, ANSWER, 29.9) == Confirmed(HOME)


@pytest.mark.parametrize(
    ("prompt", "answer", "now_s", "why"),
    [
        (None, {}, 0.0, "prompt_wrong"),
        ({}, {"prompt_id": "p2"}, 0.0, "prompt_wrong"),
        ({}, {"user": "op2"}, 0.0, "prompt_foreign"),
        ({}, {"epoch": 3}, 0.0, "stale_epoch"),
        ({"used": True}, {}, 0.0, "prompt_used"),
        ({"void": "stop_requested"}, {}, 0.0, "prompt_void"),
        ({"void": ""}, {}, 0.0, "prompt_void"),
        ({}, {}, 30.0, "prompt_late"),
        ({}, {"digest": "0" * 64}, 0.0, "prompt_wrong"),
        ({"used": True, "void": "x"}, {"user": "op2", "epoch": 3, "digest": ""}, 99.0, "prompt_foreign"),
        ({"used": True, "void": "x"}, {"digest": ""}, 99.0, "prompt_used"),
    ],
)
def test_what_is_wrong_is_told(prompt: dict[str, Any] | None, answer: dict[str, Any], now_s: float, why: str) -> None:
    shown = None if prompt is None else replace(PROMPT, **prompt)
    assert check(shown, replace(ANSWER, **answer), now_s) == why


OTHER_ORDERS: tuple[dict[str, Any], ...] = (
    {"action": Action.PARK},
    {"device_id": 8},
    {"target": (1, 0, 0, 0, 0, 0)},
    {"speed_pct": 41},
    {"grip_force_n": 1},
    {"item_class": 1},
    {"station": 1},
    {"bin": 1},
    {"order_hash": 1},
    {"validate_only": True},
)


def test_a_digest_is_of_all_that_will_be_sent_and_of_both_lives() -> None:
    digests = [
        SEEN,
        digest(HOME, epoch=5, boot_id=3),
        digest(HOME, epoch=4, boot_id=2),
        digest(ReleaseStop(), epoch=4, boot_id=3),
        digest(replace(HOME, slots=(("bin", "1"),)), epoch=4, boot_id=3),
        digest(replace(HOME, device=replace(HOME.device, name="second")), epoch=4, boot_id=3),
        *(digest(replace(HOME, order=replace(HOME.order, **changed)), epoch=4, boot_id=3) for changed in OTHER_ORDERS),
    ]
    assert len(set(digests)) == len(digests)
    assert all(len(d) == 64 for d in digests)
    assert digest(HOME, epoch=4, boot_id=3) == SEEN
