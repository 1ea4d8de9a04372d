"""`interpret`: one row a line, in order, whatever the line holds; nothing moves where no model is usable."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from edge_agent.cli import cli
from edge_agent.interpret import InterpretOptions, explained, run_jsonl, run_text

KEYS = [
    "text",
    "intent",
    "slots",
    "mood",
    "disposition",
    "would_move",
    "reason",
    "candidates",
    "scores",
    "source",
    "parse_trace_id",
]


@pytest.fixture
def no_model(tmp_path: Path) -> InterpretOptions:
    return InterpretOptions(models=tmp_path / "models", use_model=False)


def rows(lines: list[str], options: InterpretOptions) -> list[dict[str, object]]:
    out: list[str] = []
    assert run_jsonl(lines, options, out.append) is None
    return [json.loads(line) for line in out]


def test_keys_and_order(no_model: InterpretOptions) -> None:
    texts = ["查一下 glass 的分拣规则", "stop", "让机械臂回零", "动作=回零 设备=arm_01", "帮我处理一下"]
    made = rows([json.dumps({"text": t, "note": "ignored"}) for t in texts], no_model)
    assert [list(r) for r in made] == [KEYS] * len(texts)
    assert [r["text"] for r in made] == texts
    assert [r["disposition"] for r in made] == ["ANSWER", "STOP", "EXPLAIN", "PROPOSE_MOTION", "CLARIFY"]
    assert [r["would_move"] for r in made] == [False, False, False, True, False]
    assert made[0]["slots"] == {"item_type": "glass"}
    assert made[2]["reason"] == "control_requires_llm_or_confirmation"
    assert len({str(r["parse_trace_id"]) for r in made}) == len(texts)


@pytest.mark.parametrize(
    "line",
    ["not json", "[]", "7", '{"text": 7}', '{"txt": "停"}', "[" * 100_000, '{"text": null}', "\x00", '{"text": "x"'],
)
def test_a_line_that_is_none_gets_its_row_and_stops_nothing(line: str, no_model: InterpretOptions) -> None:
    bad, good = rows([line, '{"text": "stop"}'], no_model)
    assert (bad["disposition"], bad["reason"], bad["would_move"]) == ("REFUSE", "line_invalid", False)
    assert good["disposition"] == "STOP"


@pytest.mark.parametrize("text", ["", " ", "😀" * 20, "\ud800", "a" * 10_000, "\u202e停\u202c", "\x00\x01", "回" * 501])
def test_odd_texts_are_refused_or_explained(text: str, no_model: InterpretOptions) -> None:
    (made,) = rows([json.dumps({"text": text})], no_model)
    assert made["disposition"] in ("REFUSE", "EXPLAIN", "STOP")
    assert made["text"] == text


def test_empty_lines_are_no_sentences(no_model: InterpretOptions) -> None:
    assert len(rows(["\n", '{"text": "stop"}\n', "  \n"], no_model)) == 1


def test_a_model_file_that_is_none_is_a_sentence_and_the_rules_answer(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"not a model")
    out: list[str] = []
    options = InterpretOptions(models=tmp_path, model=broken)
    problem = run_jsonl(['{"text": "查一下 glass 的分拣规则"}', '{"text": "让机械臂回零"}'], options, out.append)
    assert problem is not None
    assert "broken.gguf refused: it is not a GGUF file" in problem
    assert [json.loads(line)["disposition"] for line in out] == ["ANSWER", "EXPLAIN"]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_one_sentence_with_what_stands_behind_it(lang: str, no_model: InterpretOptions) -> None:
    made, problem = run_text("查一下 glass 的分拣规则", no_model)
    assert problem is None
    told = dict(explained(made, lang))
    assert told["item_type"] == "glass ← “glass” [4:9]"


def test_a_file_that_is_not_there_is_named_and_nothing_is_read(tmp_path: Path) -> None:
    ended = CliRunner().invoke(cli, ["interpret", "--no-model", "--jsonl", str(tmp_path / "none.jsonl")])
    assert ended.exit_code == 2
    assert "can not be read" in ended.output
