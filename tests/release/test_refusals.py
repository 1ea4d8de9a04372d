"""What was not done and a way on, for every reader of every refusal."""

from __future__ import annotations

import pytest

from edge_agent.messages.codes import ErrorCode, Lang, Role
from edge_agent.messages.rejection import ERROR_CODE, RejectionName
from edge_agent.release.refusals import BY_CODE, REFUSALS
from tests.release.speaker import LANGS, ROLES, TRACES, words


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


def test_a_controllers_refusal_is_told_with_what_its_code_means() -> None:
    said = words("zh").rejection(TRACES, reason="controller_rejected", facts={"receipt_code": "07ff"})
    assert "代码 07FF：控制器内部错误" in said.text
    unknown = words("zh").rejection(TRACES, reason="controller_rejected", facts={"receipt_code": "9999"})
    assert "控制器拒绝了这条指令。" in unknown.text


def test_a_refused_action_is_named_where_no_tool_is() -> None:
    facts = {"action": "home", "needed": "operator"}
    said = words("zh", "viewer").rejection(TRACES, reason="permission_denied", facts=facts)
    assert "不能使用“回零”；需要操作员" in said.text
