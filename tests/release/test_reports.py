"""A diagnosis: cause and clauses that passed, or facts and never a cause."""

from __future__ import annotations

import pytest

from edge_agent.messages.codes import FallbackType, Lang
from edge_agent.messages.content import Clause, Fact
from edge_agent.release.needed import DIAGNOSIS_FALLBACKS
from tests.release.speaker import LANGS, TRACES, words

CLAUSE = Clause(text="two receipts were late", evidence=("r1",))

FACT = Fact(text="receipt of 0x10 was late", record="r1")


def test_a_diagnosis_that_passed_publishes_cause_and_clauses() -> None:
    said = words("en").diagnosis(
        TRACES,
        fallback=None,
        cause="slow_link",
        cause_text="the link is slow",
        clauses=[CLAUSE],
        steps=[("check the cable", None)],
    )
    assert said.text == "Cause: the link is slow\nBecause:\n- two receipts were late\nNext steps:\n1) check the cable"
    assert said.cause == "slow_link"


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("fallback", DIAGNOSIS_FALLBACKS)
def test_a_fallback_publishes_facts_and_never_a_cause(lang: Lang, fallback: FallbackType) -> None:
    said = words(lang).diagnosis(
        TRACES,
        fallback=fallback,
        cause="slow_link",
        cause_text="CAUSE",
        clauses=[CLAUSE],
        facts=[FACT],
        checked=["alarms of arm_01"],
        limits=["journal cut"],
        suggested="look at the cable",
        stop_reason="INFORMATION_SATURATED",
        missing="target",
    )
    assert (said.cause, said.clauses) == (None, ())
    assert "CAUSE" not in said.text
    for part in (FACT.text, "alarms of arm_01", "journal cut", "look at the cable"):
        assert part in said.text
    assert words(lang).say("stop_reason.INFORMATION_SATURATED") in said.text


def test_a_deadline_and_no_cause_are_said() -> None:
    speaker = words("en")
    late = speaker.diagnosis(TRACES, fallback=FallbackType.INSUFFICIENT_EVIDENCE, facts=[FACT], timed_out=True)
    assert "time is up" in late.text
    assert "does not yet show a cause" in speaker.diagnosis(TRACES, fallback=None).text


def test_a_text_never_outgrows_its_bound() -> None:
    many = [Fact(text="x" * 500, record="r") for _ in range(24)]
    said = words("en").diagnosis(TRACES, fallback=FallbackType.INSUFFICIENT_EVIDENCE, facts=many)
    assert len(said.text) == 4000
