"""No sentence of the product claims more protection than it gives.

Words that claim it do not stand in any tracked text, except in the sentences below. Data that an operator's own words
are compared with (stop words, labelled cases) and tests are no sentences of the product.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from edge_agent.places import checkout

ROOT = checkout() or Path()

CLAIMS = re.compile(
    r"\bsafe(?:r|st|ly)?\b|\bfail-?safe\b|\bcertifi(?:ed|cation)\b|\bguarante\w+|(?<!wired )\bemergency[ -]stop\w*"
    r"|\bexactly[ -]once\b|保证|确保安全|安全地|认证|(?<!控制器)(?<!有线)急停(?!按钮)|恰好一次",
    re.IGNORECASE,
)
"""Identifiers (SAFE_REJECTION, controller_estop) are words of their own to `\\b`, as they have an underscore."""

DATA = ("tests/", "labeled_cases/", "offline_rules/data/", "edge_agent/adapters/model/data/", "LICENSE", ".lock/")

EXEMPT: dict[str, tuple[str, ...]] = {
    # the customer's own sentences
    "当前大模型不可用/不稳定，为保证安全我不会直接下发设备控制指令。": ("edge_agent/release/", "edge_agent/messages/"),
    "转为人工操作：请按现场 SOP 执行急停/复位流程": ("edge_agent/release/",),
}
"""Sentence → folders where it may stand."""


def texts() -> list[str]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = [name for name in done.stdout.split("\0") if name and not name.startswith(DATA)]
    return [name for name in names if (ROOT / name).is_file()]


def claims(name: str, text: str) -> list[str]:
    """`file:line: word` of each claim that is not exempt."""
    for sentence, places in EXEMPT.items():
        if name.startswith(places):
            text = text.replace(sentence, "")
    return [
        f"{name}:{number}: {match[0]}"
        for number, line in enumerate(text.splitlines(), start=1)
        for match in CLAIMS.finditer(line)
    ]


def test_nothing_claims_more_than_it_does() -> None:
    found = [each for name in texts() for each in claims(name, (ROOT / name).read_text(encoding="utf-8"))]
    assert found == []


@pytest.mark.parametrize(
    "claim",
    [
        "This makes the cell safe.",
        "the arm is Safely parked",
        "a certified product",
        "We guarantee it",
        "press the emergency stop",
        "delivered exactly once",
        "系统保证不会误动作",
        "按下急停",
    ],
)
def test_a_claim_is_seen(claim: str) -> None:
    assert claims("README.md", claim) != []


@pytest.mark.parametrize(
    "word",
    ["SAFE_REJECTION", "SAFETY_VALIDATING", "edge_agent/safety/", "控制器急停", "有线急停", "a wired emergency stop"],
)
def test_an_identifier_is_none(word: str) -> None:
    assert claims("README.md", word) == []


@pytest.mark.parametrize("sentence", EXEMPT)
def test_an_exemption_is_used_and_holds_in_its_place_alone(sentence: str) -> None:
    places = EXEMPT[sentence]
    assert any(sentence in (ROOT / name).read_text(encoding="utf-8") for name in texts() if name.startswith(places))
    assert claims("elsewhere.md", sentence) != []
