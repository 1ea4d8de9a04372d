"""Why something was only explained, in the customer's words where they gave them, with a way on."""

from __future__ import annotations

import pytest

from edge_agent.messages.codes import Lang, Role
from edge_agent.release import explanations
from tests.release.speaker import LANGS, ROLES, TRACES, words

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
