"""The gate between a model and the arm, shown with two real models: one that passed and one that falls short."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from edge_agent.adapters.model.assemble import DEFAULT_NAME, default_model, installed, small_model
from edge_agent.adapters.model.errors import ModelRefused
from edge_agent.adapters.model.labelled import Part, shipped
from edge_agent.adapters.model.prompt import LABELS
from edge_agent.interpret import InterpretOptions, run_jsonl
from edge_agent.measure_model import run_calibrate, run_qualify

pytestmark = [
    pytest.mark.model,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(not installed(), reason="the model package is not installed (make setup)"),
]

WISH = "让机械臂回零"
QUERY = "查一下 glass 的分拣规则"
EXPLICIT = "动作=回零 设备=arm_01"
A_CLASS = 2
"""Enough to fit something; what is tried here is the gate and not the model."""


def few(part: Part, folder: Path, share: int) -> Path:
    """Some of the shipped sentences, as many of each class and language."""
    picked = [
        sentence
        for label, lang in itertools.product(LABELS, ("zh", "en"))
        for sentence in [s for s in shipped(part) if s.intent is label and s.lang == lang][:share]
    ]
    file = folder / f"{part}.jsonl"
    file.write_text("\n".join(s.model_dump_json() for s in picked), encoding="utf-8")
    return file


def dispositions(options: InterpretOptions) -> tuple[dict[str, str], str | None]:
    out: list[str] = []
    lines = [json.dumps({"text": text}) for text in (WISH, QUERY, EXPLICIT)]
    problem = run_jsonl(lines, options, out.append)
    return {row["text"]: row["disposition"] for row in map(json.loads, out)}, problem


def test_the_default_model_may_propose(tmp_path: Path) -> None:
    default_model(tmp_path)
    read, problem = dispositions(InterpretOptions(models=tmp_path, model=tmp_path / DEFAULT_NAME))
    assert problem is None
    assert read == {WISH: "PROPOSE_MOTION", QUERY: "ANSWER", EXPLICIT: "PROPOSE_MOTION"}


def test_a_model_that_falls_short_may_not_and_the_rules_carry_on(tmp_path: Path) -> None:
    try:
        small = small_model()
    except ModelRefused as missing:
        pytest.skip(str(missing))
    off = {WISH: "EXPLAIN", QUERY: "ANSWER", EXPLICIT: "PROPOSE_MOTION"}
    options = InterpretOptions(models=tmp_path, model=small)
    read, problem = dispositions(options)
    assert read == off
    assert "not qualified" in (problem or "")
    fit, tuning = few(Part.FIT, tmp_path, A_CLASS), few(Part.TUNING, tmp_path, A_CLASS)
    run_calibrate(tmp_path, lambda _done, _of: None, model=small, sentences=fit, tuning=tuning)
    _, report = run_qualify(
        tmp_path, lambda _done, _of: None, model=small, held_out=few(Part.HELD_OUT, tmp_path, A_CLASS)
    )
    assert not report.qualification.passed
    read, problem = dispositions(options)
    assert read == off
    assert "fell short of the qualification" in (problem or "")
