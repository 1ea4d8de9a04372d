"""What an operator reads: each refusal helps every reader, the customer's own wording stands, nothing is made up."""

from __future__ import annotations

from typing import get_args

import pytest

from edge_agent.messages.codes import ErrorCode, FailureCode, FallbackType, Lang, Role
from edge_agent.messages.content import Clause, Fact, TimelineEntry
from edge_agent.messages.rejection import ERROR_CODE, RejectionName
from edge_agent.messages.states import CommandStateWord
from edge_agent.release import explanations
from edge_agent.release.audience import Audience
from edge_agent.release.needed import DIAGNOSIS_FALLBACKS
from edge_agent.release.page import Traces
from edge_agent.release.refusals import BY_CODE, REFUSALS
from edge_agent.understand.clarify import ClarifyEvidence
from edge_agent.understand.scores import IntentScore
from offline_rules.reading import Intent
from tests.release.speaker import Words

LANGS: tuple[Lang, ...] = get_args(Lang)
ROLES: tuple[Role | None, ...] = (None, *get_args(Role))
TRACES = Traces("run-1", "parse-1")
PROMPT = "prompt-0001"


def words(lang: Lang, role: Role | None = "operator", *, simulated: bool = True) -> Words:
    return Words.load(lang).to(Audience(role=role, simulated=simulated))


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("reason", sorted(REFUSALS))
def test_every_refusal_says_what_was_not_done_and_a_way_on(lang: Lang, role: Role | None, reason: str) -> None:
    for simulated in (True, False):
        said = words(lang, role, simulated=simulated).rejection(TRACES, reason=reason)
        assert said.error.code is REFUSALS[reason].code
        assert said.not_done in said.text
        assert 1 <= len(said.next_steps) <= 3
        assert [step.n for step in said.next_steps] == list(range(1, len(said.next_steps) + 1))
        assert all(step.text in said.text for step in said.next_steps)
        assert "run-1" in said.text


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("code", ErrorCode)
def test_every_error_code_has_words_of_its_own(lang: Lang, code: ErrorCode) -> None:
    said = words(lang, "viewer").rejection(TRACES, reason="nobody_foresaw_this", code=code)
    assert (said.reason, said.error.code) == ("nobody_foresaw_this", code)
    assert said.next_steps
    assert said.error.message != code.value


def test_every_request_rejection_carries_its_own_code() -> None:
    assert {name.value: REFUSALS[name.value].code for name in RejectionName} == {
        name.value: code for name, code in ERROR_CODE.items()
    }
    assert set(BY_CODE) == set(ErrorCode)


def test_a_given_code_wins_and_an_unknown_reason_without_one_is_ours() -> None:
    speaker = words("en")
    assert speaker.rejection(TRACES, reason="record_failed", code=ErrorCode.TIMEOUT).error.code is ErrorCode.TIMEOUT
    assert speaker.rejection(TRACES, reason="nobody_foresaw_this").error.code is ErrorCode.INTERNAL


@pytest.mark.parametrize(
    ("lang", "role", "holds"),
    [
        ("zh", "viewer", ["观察者", "让机械臂动作", "操作员", "技术员"]),
        ("en", "viewer", ["viewer", "move the arm", "operator", "technician"]),
        ("zh", "student", ["学员"]),
        ("en", None, ["no role"]),
    ],
)
def test_a_permission_refusal_names_role_action_and_whom_to_ask(
    lang: Lang, role: Role | None, holds: list[str]
) -> None:
    facts = {"what": "move", "needed": "operator"}
    said = words(lang, role, simulated=False).rejection(TRACES, reason="permission_denied", facts=facts)
    assert all(word in said.text for word in holds)


@pytest.mark.parametrize("lang", LANGS)
def test_an_input_refusal_names_the_slot_and_an_example(lang: Lang) -> None:
    said = words(lang).rejection(TRACES, reason="input_invalid", facts={"slot": "item_type"})
    assert "item_type" in said.text
    assert "glass" in said.text


def test_a_value_the_cell_lacks_is_named_with_what_it_has() -> None:
    said = words("en").rejection(TRACES, reason="not_in_cell", facts={"slot": "bin", "value": "9"})
    assert 'no bin "9"; it has: 1, 2, 3, 4, 5, 6.' in said.text


def test_steps_are_cut_to_role_and_cell() -> None:
    def examples(role: Role, simulated: bool) -> list[str | None]:
        said = words("en", role, simulated=simulated).rejection(TRACES, reason="prompt_late")
        return [step.text for step in said.next_steps]

    assert any("confirm" in str(text) for text in examples("operator", False))
    assert not any("confirm" in str(text) for text in examples("student", False))
    assert any("confirm" in str(text) for text in examples("student", True))


def test_advice_is_headed_as_advice() -> None:
    headings: dict[Lang, str] = {"zh": "建议，未下发控制", "en": "advice only, nothing was sent"}
    for lang, heading in headings.items():
        said = words(lang).rejection(TRACES, reason="arm_unavailable", advice=["look at the plug"])
        assert f"{heading}\n" in said.text
        assert said.advice == ("look at the plug",)


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


WITHOUT_MODEL = {
    ("zh", "operator"): """当前大模型不可用/不稳定，为保证安全我不会直接下发设备控制指令。
你可以选择：
1）改为查询规则/提交反馈（我可以离线处理）
2）补充明确指令并确认（例如：动作=回零，设备=arm_01，是否确认=是）
3）转为人工操作：请按现场 SOP 执行急停/复位流程""",
    ("en", "operator"): "The language model is not available, so I will not send a control command from this sentence. "
    "You can: 1) ask for a rule or file feedback (I can do that offline) 2) give the explicit command and confirm it "
    "(for example: action=home, device=arm_01, confirm=yes) 3) hand over to a person: follow the site's SOP for stop "
    "and reset.",
    ("zh", "viewer"): """当前大模型不可用/不稳定，为保证安全我不会直接下发设备控制指令。
你可以选择：
1）改为查询规则/提交反馈（我可以离线处理）
2）转为人工操作：请按现场 SOP 执行急停/复位流程""",
}


@pytest.mark.parametrize(("lang", "role"), sorted(WITHOUT_MODEL))
def test_a_control_wish_without_a_model_in_the_customers_words(lang: Lang, role: Role) -> None:
    said = words(lang, role).explanation(TRACES, reason="control_requires_llm_or_confirmation")
    assert said.text == WITHOUT_MODEL[lang, role]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("reason", [*explanations.STEPS, "never_heard_of"])
def test_every_explanation_shows_a_way_on(lang: Lang, role: Role | None, reason: str) -> None:
    said = words(lang, role, simulated=False).explanation(TRACES, reason=reason)
    assert said.reason == reason
    assert 1 <= len(said.next_steps) <= 3


def test_an_explanation_is_told_as_what_it_is() -> None:
    speaker = words("en")
    assert "invisible" in speaker.explanation(TRACES, reason="mixed_script", told_as="suspicious").text
    meaning = speaker.explanation(TRACES, reason="mood_meaning_of", facts={"action": "home"})
    assert 'what "home" means: the arm goes back' in meaning.text
    unknown = speaker.explanation(TRACES, reason="mood_meaning_of", facts={"action": "dance"})
    assert "what a word means" in unknown.text


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


@pytest.mark.parametrize(
    ("state", "code", "locked", "holds", "steps"),
    [
        ("VERIFIED", None, False, ["has done", "40 ms"], 0),
        ("ABORTED", ErrorCode.DEVICE_FAULT, True, ["broke off", "locked out", "Intended:", "Read back:"], 3),
        ("UNKNOWN", ErrorCode.RECEIPT_MISSING, True, ["not known", "no receipt", "not sent again"], 3),
        ("ABORTED", None, False, ["broke off", "release the stop"], 3),
    ],
)
def test_how_a_motion_ended(
    state: CommandStateWord, code: ErrorCode | None, locked: bool, holds: list[str], steps: int
) -> None:
    said = words("en").motion(
        TRACES,
        command_id=5,
        command_state=state,
        action="home",
        device="arm_01",
        frames_on_wire=1,
        intended={"bin": "2", "nothing": None},
        end_state={"bin": "3"},
        code=code,
        duration_ms=40,
        locked_out=locked,
    )
    assert all(part in said.text for part in holds)
    assert len(said.next_steps) == steps
    assert (said.error is None) == (code is None)


def test_done_is_said_for_a_verified_command_alone() -> None:
    states: tuple[CommandStateWord, ...] = ("ABORTED", "UNKNOWN")
    for state in states:
        said = words("en").motion(
            TRACES,
            command_id=5,
            command_state=state,
            action="home",
            device="arm_01",
            frames_on_wire=1,
        )
        assert "done" not in said.text


@pytest.mark.parametrize(
    ("proved", "sent", "holds"),
    [
        (True, True, ["Stopped", "Command 5", "release_stop"]),
        (False, True, ["nothing proves", "locked out"]),
        (False, False, ["did not reach", "wired stop"]),
    ],
)
def test_how_a_stop_ended(proved: bool, sent: bool, holds: list[str]) -> None:
    state: CommandStateWord = "ABORTED" if proved else "UNKNOWN"
    said = words("en").stop(TRACES, proved=proved, sent=sent, command_id=5, command_state=state, end_state={"bin": "2"})
    assert all(part in said.text for part in holds)
    assert said.proved is proved


@pytest.mark.parametrize("state", ["VERIFIED", "REJECTED", "CANCELLED"])
def test_a_stop_tells_no_end_of_a_command_that_ended_by_itself(state: CommandStateWord) -> None:
    said = words("en").stop(TRACES, proved=True, command_id=5, command_state=state)
    assert "Command 5" not in said.text


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


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("code", FailureCode)
def test_every_failure_has_a_text(lang: Lang, code: FailureCode) -> None:
    said = words(lang).failure(code, "run-1")
    assert said.code is code
    assert len(said.text) > 5


@pytest.mark.parametrize("lang", LANGS)
def test_acknowledgements_and_views(lang: Lang) -> None:
    speaker = words(lang)
    for what in speaker.page.texts.under("done_ack"):
        assert speaker.done_ack(TRACES, what=what, data={"detail": "query.timeout"}).text
    session = speaker.session(
        TRACES, user="ann", role="operator", lab=False, cell_state="READY", open_prompts=[], runs=[]
    )
    assert speaker.say("cell_state.READY") in session.text
    history = speaker.history(
        TRACES, what="runs", window_s=7200, page_no=0, pages=1, rows=[{"run": "r"}], counts={"SUCCESS": 1}
    )
    assert "2" in history.text
    entries: list[TimelineEntry] = []
    timeline = speaker.timeline(TRACES, of_run="r1", page_no=0, pages=1, entries=entries)
    assert "r1" in timeline.text
    assert (session.lang, speaker.lang) == (lang, lang)


def test_a_cell_without_stations_is_not_given_one_in_an_example() -> None:
    bare = Words.load("en", Audience(stations=(), items=()))
    asked = bare.clarification(TRACES, reason="margin_low", prompt_id=PROMPT, expires_in_s=30, candidates=THREE)
    assert "station" not in asked.text


def test_a_text_never_outgrows_its_bound() -> None:
    many = [Fact(text="x" * 500, record="r") for _ in range(24)]
    said = words("en").diagnosis(TRACES, fallback=FallbackType.INSUFFICIENT_EVIDENCE, facts=many)
    assert len(said.text) == 4000


def test_a_controllers_refusal_is_told_with_what_its_code_means() -> None:
    said = words("zh").rejection(TRACES, reason="controller_rejected", facts={"receipt_code": "07ff"})
    assert "代码 07FF：控制器内部错误" in said.text
    unknown = words("zh").rejection(TRACES, reason="controller_rejected", facts={"receipt_code": "9999"})
    assert "控制器拒绝了这条指令。" in unknown.text


def test_a_refused_action_is_named_where_no_tool_is() -> None:
    facts = {"action": "home", "needed": "operator"}
    said = words("zh", "viewer").rejection(TRACES, reason="permission_denied", facts=facts)
    assert "不能使用“回零”；需要操作员" in said.text


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


@pytest.mark.parametrize(
    ("reason", "told_as", "named"),
    [
        ("mood_question", None, "mood_question"),
        ("mood_question", "suspicious", "mood_question"),
        ("keyword_general", None, "capability"),
        ("role_claim", None, "suspicious"),
        ("no_match_fallback_to_explain", "mood_deferred", "mood_deferred"),
        ("no_match_fallback_to_explain", None, "no_match_fallback_to_explain"),
        ("no_match_fallback_to_explain", "mood_unheard_of", "no_match_fallback_to_explain"),
        ("never_heard_of", "suspicious", "suspicious"),
    ],
)
def test_which_words_tell_a_reason(reason: str, told_as: str | None, named: str) -> None:
    assert explanations.words_for(reason, told_as) == named
