"""The two questions: in the customer's own words, cut to the reader, and never with more than they say."""

from __future__ import annotations

import pytest

from edge_agent.messages.codes import Lang
from edge_agent.release.audience import Audience
from edge_agent.understand.clarify import ClarifyEvidence
from edge_agent.understand.scores import IntentScore
from offline_rules.reading import Intent
from tests.release.speaker import LANGS, PROMPT, TRACES, Words, words

SCORES = ClarifyEvidence(
    reason="top_score_low", top_intent="QUERY_RULE", top_score=0.41, second_score=0.39, margin=0.02
)

THREE = [
    IntentScore(Intent.QUERY_RULE, 0.41),
    IntentScore(Intent.SUBMIT_FEEDBACK, 0.39),
    IntentScore(Intent.CONTROL_DEVICE, 0.2),
]

QUESTION = {
    "zh": """我不确定你要做哪一种操作（为避免误执行，需要你确认一下）：
1）查询分拣规则（例：查一下 glass 的分拣规则）
2）提交异常反馈（例：提交反馈 t001 玻璃破损）
3）设备控制（例：让机械臂回零/夹取/移动到工位 A）
请回复序号（1/2/3），或补充关键字段：物品类型(item_type) / 任务号(task_id) / 设备动作(action)。""",
    "en": """I am not sure which of these you mean (please choose, so that nothing is done by mistake):
1) ask for a sorting rule (for example: what is the rule for glass)
2) file feedback about a problem (for example: feedback t001 glass broken)
3) control the device (for example: home the arm / pick / move to station A)
Reply with a number (1/2/3), or give the key field: item type (item_type) / task number (task_id) / device action """
    "(action).",
}


@pytest.mark.parametrize("lang", LANGS)
def test_the_question_in_the_customers_words(lang: Lang) -> None:
    said = words(lang).clarification(
        TRACES, reason="top_score_low", prompt_id=PROMPT, expires_in_s=30, candidates=THREE, scores=SCORES
    )
    assert said.text == QUESTION[lang]
    assert [(c.n, c.intent, c.score) for c in said.candidates] == [
        (1, "QUERY_RULE", 0.41),
        (2, "SUBMIT_FEEDBACK", 0.39),
        (3, "CONTROL_DEVICE", 0.2),
    ]
    assert (said.top_intent, said.top_score, said.second_score) == ("QUERY_RULE", 0.41, 0.39)


def test_a_reader_is_not_offered_what_they_may_not_do() -> None:
    asked = words("zh", "student", simulated=False).clarification(
        TRACES, reason="margin_low", prompt_id=PROMPT, expires_in_s=30, candidates=THREE
    )
    assert [c.intent for c in asked.candidates] == ["QUERY_RULE", "SUBMIT_FEEDBACK"]
    assert asked.text.endswith("请回复序号（1/2），或补充关键字段：物品类型(item_type) / 任务号(task_id)。")


def test_an_only_candidate_is_offered_whatever_the_role() -> None:
    only = [IntentScore(Intent.CONTROL_DEVICE, 0.5)]
    asked = words("en", "viewer").clarification(
        TRACES, reason="margin_low", prompt_id=PROMPT, expires_in_s=30, candidates=only
    )
    assert [c.intent for c in asked.candidates] == ["CONTROL_DEVICE"]


@pytest.mark.parametrize(
    ("lang", "missing", "intent", "values", "holds"),
    [
        ("zh", "task_id", "SUBMIT_FEEDBACK", (), "任务号(task_id)。请补充，例如：t001"),
        ("en", "item_type", None, (), "item type (item_type). Please add it."),
        ("zh", "bin", "CONTROL_DEVICE", ("1", "3"), "箱号(bin)说了不止一个值：1、3"),
        ("en", "bin", None, ("1", "3"), "more than one bin (bin): 1, 3"),
        ("en", "colour", None, (), "colour (colour)"),
    ],
)
def test_one_missing_slot_is_asked_for(
    lang: Lang, missing: str, intent: str | None, values: tuple[str, ...], holds: str
) -> None:
    asked = words(lang).clarification(
        TRACES,
        reason="missing_slot",
        prompt_id=PROMPT,
        expires_in_s=30,
        missing=missing,
        intent=intent,
        values=values,
        candidates=THREE,
    )
    assert holds in asked.text
    assert (asked.candidates, asked.missing) == ((), missing)


@pytest.mark.parametrize(
    ("reason", "candidates", "holds"),
    [
        ("top_score_low", (), "too many things"),
        ("stop_heard_by_model_only", (IntentScore(Intent.STOP, 0.9),), "Shall the arm stop now?"),
    ],
)
def test_other_questions(reason: str, candidates: tuple[IntentScore, ...], holds: str) -> None:
    asked = words("en").clarification(TRACES, reason=reason, prompt_id=PROMPT, expires_in_s=30, candidates=candidates)
    assert holds in asked.text


def test_a_confirmation_says_exactly_what_would_move() -> None:
    asked = words("en").confirmation(
        TRACES,
        prompt_id=PROMPT,
        digest="ab" * 32,
        action="pick_place",
        device="arm_01",
        slots={"item_type": "glass", "bin": "3"},
        expires_in_s=30,
        checks=["guard_open", "drives_off"],
        warnings=[("against_rule", {"item": "glass", "rule_bin": "2", "bin": "3"}), ("made_up", {})],
    )
    for part in ("arm_01", "pick and place", "item type: glass", "bin: 3", "guard closed, drives on", "30 s"):
        assert part in asked.text
    assert "goes to bin 2; you asked for bin 3" in asked.warnings[0].text
    assert asked.warnings[1].text == "made_up"
    assert asked.default == "no"


def test_a_bare_confirmation_has_no_line_of_checks() -> None:
    asked = words("en").confirmation(
        TRACES, prompt_id=PROMPT, digest="ab" * 32, action="release_stop", device="arm_01", slots={}, expires_in_s=30
    )
    assert "Checked" not in asked.text


def test_a_cell_without_stations_is_not_given_one_in_an_example() -> None:
    bare = Words.load("en", Audience(stations=(), items=()))
    asked = bare.clarification(TRACES, reason="margin_low", prompt_id=PROMPT, expires_in_s=30, candidates=THREE)
    assert "station" not in asked.text
