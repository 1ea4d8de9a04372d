"""The lesson's face of the rules."""

from __future__ import annotations

import pytest

from offline_rules import OfflineDecision, offline_route

CONTROL = "control_requires_llm_or_confirmation"
BROKEN = {"task_id": "t001", "text": "玻璃破损"}
HOME = {"action": "home", "device": "arm_01"}
GLASS = {"item_type": "glass"}
METAL = {"action": "place", "item_type": "metal"}
_d = OfflineDecision


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("查一下 glass 的分拣规则", _d(True, "QUERY_RULE", GLASS, "keyword_rule+item_type")),
        ("查一下glass的规则", _d(True, "QUERY_RULE", GLASS, "keyword_rule+item_type")),
        ("提交反馈 t001 玻璃破损", _d(True, "SUBMIT_FEEDBACK", BROKEN, "keyword_feedback+task_id")),
        ("提交反馈t001玻璃破损", _d(True, "SUBMIT_FEEDBACK", BROKEN, "keyword_feedback+task_id")),
        ("让机械臂回零", _d(False, "CONTROL_DEVICE", {"action": "home"}, CONTROL)),
        ("动作=回零 设备=arm_01", _d(True, "CONTROL_DEVICE", HOME, "explicit_form")),
        ("急停", _d(True, "STOP", {}, "keyword_stop")),
        ("提交反馈 玻璃破损", _d(False, "SUBMIT_FEEDBACK", {"text": "玻璃破损"}, "keyword_feedback")),
        ("", _d(False, "UNKNOWN", {}, "empty_text")),
        ("帮我处理一下", _d(False, "UNKNOWN", {}, "vague_verb")),
        ("把金属放1号箱还是3号箱", _d(False, "UNKNOWN", METAL, "two_values")),
        ("你好", _d(False, "GENERAL", {}, "keyword_general")),
    ],
)
def test_offline_route(text: str, decision: OfflineDecision) -> None:
    assert offline_route(text) == decision
