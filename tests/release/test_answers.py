"""An answer says where it comes from, and one without a result whom to ask."""

from __future__ import annotations

import pytest

from edge_agent.messages.codes import Lang
from tests.release.speaker import TRACES, words

RULE = {"rule_id": "R-GLASS-01", "item_type": "glass", "bin": "2"}


@pytest.mark.parametrize(
    ("lang", "age_s", "attempt", "holds", "lacks"),
    [
        ("zh", None, 1, ["glass 放 2 号箱（规则 R-GLASS-01）。"], ["离线副本", "尝试"]),
        ("zh", 7200.0, 1, ["离线副本", "2 小时"], []),
        ("en", 30.0, 3, ["offline copy", "30 s old"], ["attempt 3"]),
        ("en", None, 3, ["attempt 3"], ["offline copy"]),
        ("en", 86_400.0 * 3, 1, ["3 days old"], []),
        ("en", 600.0, 1, ["10 min old"], []),
    ],
)
def test_an_answer_says_where_it_comes_from(
    lang: Lang, age_s: float | None, attempt: int, holds: list[str], lacks: list[str]
) -> None:
    said = words(lang).answer(TRACES, what="rule", data=RULE, age_s=age_s, attempt=attempt)
    assert all(part in said.text for part in holds)
    assert not any(part in said.text for part in lacks)
    assert (said.degraded, said.age_s) == (age_s is not None, age_s)


def test_answers_say_that_the_model_is_down() -> None:
    speaker = words("en")
    for said in (
        speaker.answer(TRACES, what="rule", data=RULE, model_down=True),
        speaker.record(TRACES, record_id="f-1", data={"task_id": "t001"}, model_down=True),
        speaker.no_entry(TRACES, what="rule", data=RULE, model_down=True),
        speaker.ask_a_person(TRACES, what="rule", data=RULE, code="TIMEOUT", attempts=3, model_down=True),
    ):
        assert "language model is not available" in said.text


def test_alarms_are_listed_one_a_line() -> None:
    row: dict[str, str | bool] = {
        "severity": "high",
        "message": "link lost",
        "cause": "cable",
        "response": "look",
        "acked": False,
    }
    said = words("en").answer(TRACES, what="alarms", data={"count": 1}, rows=[row])
    assert "[high] link lost (cause: cable; what to do: look)" in said.text


def test_an_empty_scope_names_itself_and_whom_to_ask() -> None:
    said = words("zh").no_entry(TRACES, what="rule", data={"item_type": "glass"})
    assert said.text == "没有“glass 的分拣规则”的记录。请问技术员。"
    assert (said.hits, said.ask_whom) == (0, "技术员")


def test_a_query_that_failed_names_attempts_code_trace_and_whom_to_ask() -> None:
    said = words("en").ask_a_person(TRACES, what="rule", data={}, code="TIMEOUT", attempts=3)
    assert all(part in said.text for part in ("3 attempts", "TIMEOUT", "run-1", "technician"))


def test_a_record_that_stood_already_is_told_as_such() -> None:
    speaker, data = words("en"), {"task_id": "t001", "feedback": "broken"}
    assert '"broken" (number f-1)' in speaker.record(TRACES, record_id="f-1", data=data).text
    again = speaker.record(TRACES, record_id="f-1", data=data, repeated=True)
    assert "not stored again" in again.text
    assert again.repeated


HOLDING = {"device": "arm_01", "cell_state": "READY", "controller_state": "idle", "holds_part": True}


@pytest.mark.parametrize(
    ("what", "data", "holds"),
    [
        ("device", HOLDING, "就绪，控制器空闲，夹爪夹着工件"),
        ("task", {"task_id": "t001", "state": "done"}, "任务 t001：已完成。"),
        ("rule", {"other": "x"}, "查到：other x"),
    ],
)
def test_an_answer_is_told_whatever_shape_its_row_has(what: str, data: dict[str, str | bool], holds: str) -> None:
    assert holds in words("zh").answer(TRACES, what=what, data=data).text
