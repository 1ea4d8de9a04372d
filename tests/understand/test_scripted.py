"""The scripted model answers as a case tells it to, and by the stated default where the case says nothing."""

from __future__ import annotations

import pytest

from edge_agent.understand.port import FailureKind, ModelFailure, ModelPurpose, Probabilities, Written
from edge_agent.understand.scores import IntentScore
from edge_agent.understand.scripted import SCORED, ScriptedModel, script, scripted_scores
from offline_rules.reading import Intent, Reading
from tests.understand.readings import RULE, VAGUE


def read(text: str) -> Reading:
    return RULE if text == RULE.original else VAGUE


def test_nine_tenths_to_what_the_rules_read_and_the_rest_spread() -> None:
    scores = {s.intent: s.score for s in scripted_scores(RULE)}
    assert scores[Intent.QUERY_RULE] == 0.9
    assert sum(scores.values()) == pytest.approx(1)
    assert len({round(v, 9) for i, v in scores.items() if i != Intent.QUERY_RULE}) == 1


def test_even_where_they_read_nothing() -> None:
    assert {round(s.score, 9) for s in scripted_scores(VAGUE)} == {round(1 / len(SCORED), 9)}


async def test_given_scores_answer_every_intent_call() -> None:
    given = (IntentScore("QUERY_RULE", 0.41), IntentScore("SUBMIT_FEEDBACK", 0.39), IntentScore("GENERAL", 0.2))
    model = ScriptedModel(read, scores=given)
    got = await model.choose("x", SCORED, deadline_s=1)
    assert isinstance(got, Probabilities)
    assert got.values == (("QUERY_RULE", 0.41), ("SUBMIT_FEEDBACK", 0.39), ("GENERAL", 0.2))


@pytest.mark.parametrize(
    ("item", "kind"),
    [("timeout", FailureKind.TIMEOUT), ("crash", FailureKind.UNAVAILABLE), ("illegal", FailureKind.ILLEGAL)],
)
async def test_a_scripted_failure_takes_one_call(item: str, kind: FailureKind) -> None:
    model = ScriptedModel(read, script=script([{"fail": item}]))
    got = await model.choose("x", SCORED, deadline_s=1)
    assert isinstance(got, ModelFailure)
    assert got.kind is kind
    assert isinstance(await model.choose("x", SCORED, deadline_s=1), Probabilities)
    assert model.calls == 2


async def test_the_script_is_for_the_diagnosis_and_not_used_up_by_the_intent() -> None:
    model = ScriptedModel(read, script=script([{"choose": "alarms"}, {"draft": {"cause": None}}, {"raw": "{"}]))
    await model.choose("x", SCORED, deadline_s=1)
    chosen = await model.choose("x", ("arm", "alarms"), deadline_s=1, purpose=ModelPurpose.NEXT_TOOL)
    assert isinstance(chosen, Probabilities)
    assert chosen.best() == "alarms"
    draft = await model.write("x", {}, deadline_s=1, max_tokens=9)
    assert draft == Written('{"cause": null}', draft.usage)
    assert (await model.write("x", {}, deadline_s=1, max_tokens=9)) == Written("{", draft.usage)


async def test_a_scripted_choice_that_is_no_option_is_illegal() -> None:
    model = ScriptedModel(read, script=script([{"verdict": "MAYBE"}]))
    got = await model.choose("x", ("SUPPORTED", "UNSUPPORTED"), deadline_s=1, purpose=ModelPurpose.VERDICT)
    assert isinstance(got, ModelFailure)
