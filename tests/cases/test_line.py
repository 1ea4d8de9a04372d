"""Case lines: the short form runs as it is; whatever cannot be used is named by file, line and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edge_agent.cases.cell import Script
from edge_agent.cases.conduct import script_of, setup_of
from edge_agent.cases.faults import Fault, UnknownFault, parse_fault
from edge_agent.cases.files import read_paths
from edge_agent.cases.line import BadLine, CaseLine, SentenceLine, parse_line
from edge_agent.messages.codes import Phase
from edge_agent.safety.cell import CellState

SHORT = {"text": "x", "case": "C", "expected": "ANSWER"}

FOUR = [
    '{"text":"让机械臂夹取 glass 并放到 2 号箱","case":"CONTROL_TOOL_FAIL","llm_available":true,"tool_result":'
    '{"ok":false,"error":{"code":"SERVICE_UNAVAILABLE","message":"arm service down"}},'
    '"expected":"SAFE_REJECT_OR_DEGRADE"}',
    '{"text":"查一下 glass 的分拣规则","case":"QUERY_TOOL_TIMEOUT","llm_available":true,"tool_result":'
    '{"ok":false,"error":{"code":"TIMEOUT","message":"db timeout"}},"expected":"RETRY_THEN_DEGRADE"}',
    '{"text":"帮我处理一下","case":"INTENT_AMBIGUOUS","llm_available":true,"intent_scores":[["QUERY_RULE",0.41],'
    '["SUBMIT_FEEDBACK",0.39],["GENERAL",0.20]],"expected":"CLARIFY_WITH_CANDIDATES"}',
    '{"text":"查一下 metal 的规则","case":"LLM_DOWN","llm_available":false,"expected":"OFFLINE_ROUTE"}',
]


@pytest.mark.parametrize("text", FOUR)
def test_the_short_form_is_read_as_it_is(text: str) -> None:
    assert isinstance(parse_line("f", 1, text), CaseLine)


def read(**fields: Any) -> CaseLine:
    parsed = parse_line("f.jsonl", 3, json.dumps({**SHORT, **fields}))
    assert isinstance(parsed, CaseLine)
    return parsed


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("{", "JSON"),
        ("[]", "line: a JSON object"),
        ('{"text": "x", "text": "y", "case": "C", "expected": "ANSWER"}', "JSON: the key 'text' stands there twice"),
        ('{"text": "x", "case": "C", "expected": "ANSWER", "deadline_ms": NaN}', "JSON: NaN"),
        ('{"text": "x", "case": "C"}', "expected: missing"),
        ('{"text": "x", "case": "C", "expected": "ANSWER", "would_move": false}', "expected: stands beside"),
    ],
)
def test_a_line_that_is_none_is_named(text: str, named: str) -> None:
    with pytest.raises(BadLine) as raised:
        parse_line("f.jsonl", 3, text)
    assert str(raised.value).startswith(f"f.jsonl:3: {named}")


ERR = {"ok": False, "error": {"code": "TIMEOUT", "message": ""}}


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"expectd": 1}, "expectd: unknown field; did you mean 'expected'"),
        ({"expected": "ANSWERED"}, "expected: 'ANSWERED' is none of the known ones; did you mean 'ANSWER'"),
        ({"expected": "FALLBACK_NOTHING"}, "expected: 'FALLBACK_NOTHING' is none"),
        ({"role": "boss"}, "role: "),
        ({"llm_available": "yes"}, "llm_available: "),
        ({"cell_state": "BROKEN"}, "cell_state: 'BROKEN' is none"),
        ({"cancel_at": "SOON"}, "cancel_at: 'SOON' is none"),
        ({"mechanisms": ["retries"]}, "mechanisms: 'retries' is none of the known ones; did you mean 'retry'"),
        ({"faults": ["kill_agent_at(lunch)"]}, "faults: kill_agent_at: one of confirmed,"),
        ({"faults": ["receipt_wrong"]}, "faults: there is no fault 'receipt_wrong'; did you mean"),
        ({"faults": ["unavailable"]}, "faults: 'unavailable' is ambiguous: query.unavailable or arm.unavailable"),
        ({"budget": {"model_calls": -1}}, "budget.model_calls: "),
        ({"budget": {"calls": 1}}, "budget.calls: unknown field"),
        ({"budget": {"model_calls": True}}, "budget.model_calls: "),
        ({"intent_scores": [["QUERY_RULES", 0.4]]}, "intent_scores: 'QUERY_RULES' is none"),
        ({"intent_scores": [["QUERY_RULE"]]}, "intent_scores[0]"),
        ({"intent_scores": 3}, "intent_scores: "),
        ({"tool_result": {"ok": True, "error": {"code": "TIMEOUT"}}}, "tool_result: ok true goes without error"),
        ({"tool_result": {"ok": False}}, "tool_result: ok true goes without error"),
        ({"tool_result": {"ok": False, "error": {"code": "SLOW"}}}, "tool_result.error.code: 'SLOW' is none"),
        ({"tool_result": ERR, "tool_results": [ERR]}, "line: give tool_result or tool_results, not both"),
        ({"model_script": [{"pick": "x"}]}, "model_script[0]"),
        ({"model_script": [{"raw": 3}]}, "model_script: item 1: raw: str was expected"),
        ({"model_script": [{}]}, "model_script: item 1: one of"),
        ({"model_script": [{"verdict": "MAYBE"}]}, "model_script: item 1: verdict: SUPPORTED or UNSUPPORTED"),
        ({"frames_on_wire": -1}, "frames_on_wire: "),
        ({"turns": [{"text": "x", "expected": "ANSWER"}]}, "turns[0].expected: unknown field"),
        ({"mechanisms": 1}, "mechanisms: "),
        ({"cell_state": 1}, "cell_state: "),
    ],
)
def test_a_field_that_cannot_be_used_is_named(fields: dict[str, Any], named: str) -> None:
    with pytest.raises(BadLine) as raised:
        read(**fields)
    assert str(raised.value).startswith(f"f.jsonl:3: {named}"), raised.value


def test_all_fields_together() -> None:
    line = read(
        id="i",
        lang="zh",
        role="technician",
        tool_results={"sorting_rules": [ERR, {"ok": True, "data": {"bin": "2"}}]},
        model_script=[{"choose": "sorting_rules"}, {"draft": {}}, {"fail": "timeout"}],
        faults=["query.slow(20)", "flaky(0.5)", "duplicate_message", "controller_reboot(executing)"],
        replies=["1", {"confirm": True}, None],
        turns=["earlier", {"text": "and then", "replies": ["2"]}],
        budget={"model_calls": 3},
        cell_state="STOPPED",
        deadline_ms=500,
        cancel_at="QUERYING",
        evidence={"attempt": 1, "missing": None},
        frames_on_wire=0,
        mechanisms=["mood"],
    )
    setup = setup_of(line, frozenset())
    assert (setup.role, setup.cell_state, setup.cancel_at) == ("technician", CellState.STOPPED, Phase.QUERYING)
    assert [str(f) for f in setup.faults] == ["query.slow(20)", "query.flaky(0.5)", "arm.controller_reboot(executing)"]
    assert setup.budget == {"model_calls": 3}
    assert [t.text for t in line.turns] == ["earlier", "and then"]
    script = script_of(line)
    assert script.named_results is not None
    assert [r.ok for r in script.named_results["sorting_rules"]] == [False, True]
    assert len(script.model_items) == 3


def test_a_bare_line_scripts_nothing() -> None:
    assert script_of(read()) == Script()


@pytest.mark.parametrize(
    ("text", "fault", "arguments"),
    [
        ("receipt_late", Fault("arm", "receipt_late"), {}),
        ("receipt_late(900)", Fault("arm", "receipt_late", "900"), {"delay_ms": 900}),
        ("query.slow(300)", Fault("query", "slow", "300"), {"ms": 300}),
        ("flaky(0.25)", Fault("query", "flaky", "0.25"), {"percent": 25}),
        ("kill_agent_at(sent)", Fault("process", "kill_agent_at", "sent"), {"step": "sent"}),
        ("guard_open(executing)", Fault("arm", "guard_open", "executing"), {"when": "executing"}),
    ],
)
def test_how_a_fault_is_written(text: str, fault: Fault, arguments: dict[str, int | str]) -> None:
    assert parse_fault(text) == fault
    assert fault.arguments() == arguments


@pytest.mark.parametrize("text", ["", "a b", "slow(300)", "flaky(2)", "flaky(x)", "drop(3)", "guard_open(later)"])
def test_a_fault_that_is_none(text: str) -> None:
    with pytest.raises(UnknownFault):
        parse_fault(text)


def test_files_are_found_and_ids_stand_once(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.jsonl").write_text(json.dumps(SHORT) + "\n\n" + json.dumps({**SHORT, "text": "y"}) + "\n")
    (tmp_path / "sub" / "b.jsonl").write_text('{"text": "x", "would_move": false}\n')
    found = read_paths([tmp_path])
    assert [p.number for p in found] == [1, 3, 1]
    assert isinstance(found[2].line, SentenceLine)
    assert len({p.id for p in found}) == 3
    assert [p.id for p in read_paths([tmp_path])] == [p.id for p in found]


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (json.dumps({**SHORT, "id": "i"}) + "\n" + json.dumps({**SHORT, "id": "i"}), "id: 'i' stands already in"),
        (b"\xff\xfe", "file: byte 0 is no UTF-8"),
        (None, "path: no *.jsonl file is there"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, content: str | bytes | None, named: str) -> None:
    if content is not None:
        raw = content if isinstance(content, bytes) else content.encode()
        (tmp_path / "a.jsonl").write_bytes(raw)
    with pytest.raises(BadLine) as raised:
        read_paths([tmp_path])
    assert named in str(raised.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadLine, match="cannot be read"):
        read_paths([tmp_path / "none.jsonl"])
