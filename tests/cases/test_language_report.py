"""The language report: its figures, its page, and what it does with a line it cannot count."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from edge_agent.cases.language.command import BAD_INPUT, FINE, LanguageWish, run_language_report
from edge_agent.cases.language.figures import Measure, calibration, confusion, expected_error, intent_rows, measures
from edge_agent.cases.language.heard import Group, Heard
from edge_agent.cases.language.page import render
from edge_agent.interpret import InterpretOptions
from edge_agent.understand.interpretation import Disposition
from offline_rules.reading import Intent

RULE = Heard(
    "玻璃放哪",
    "zh",
    Group.IN_SCOPE,
    Intent.QUERY_RULE,
    {"item_type": "glass"},
    Disposition.ANSWER,
    Intent.QUERY_RULE,
    {"item_type": "glass"},
    Disposition.ANSWER,
    False,
    "keyword_rule",
    True,
    (Intent.QUERY_RULE, 0.95),
)
OTHER = replace(RULE, text="放首歌", group=Group.OTHER_DOMAIN, intent=None, slots={}, disposition=None)
STAYS = replace(OTHER, read_intent=Intent.GENERAL, read_slots={}, read_disposition=Disposition.EXPLAIN)
MOVES = replace(
    STAYS, group=Group.MUST_NOT_MOVE, would_move=True, read_disposition=Disposition.PROPOSE_MOTION, top=None
)
CONTROL = replace(
    RULE, intent=Intent.CONTROL_DEVICE, disposition=Disposition.PROPOSE_MOTION, read_intent=Intent.CONTROL_DEVICE
)


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        (RULE, None),
        (STAYS, None),
        (replace(RULE, read_slots={"item_type": "metal"}), "other slots"),
        (replace(RULE, read_slots={**RULE.read_slots, "bin": "2"}), "other slots"),
        (replace(RULE, read_slots={**RULE.read_slots, "window": "昨天"}), None),
        (replace(RULE, read_intent=Intent.DIAGNOSE), "another intent"),
        (replace(RULE, read_disposition=Disposition.CLARIFY), "another disposition"),
        (OTHER, "claimed"),
        (MOVES, "would move"),
        (replace(STAYS, read_disposition=Disposition.STOP), "stops"),
        (replace(CONTROL, read_disposition=Disposition.PROPOSE_MOTION, would_move=True), None),
        (replace(CONTROL, read_disposition=Disposition.EXPLAIN), "another disposition"),
        (replace(CONTROL, read_disposition=Disposition.EXPLAIN, with_model=False), None),
    ],
)
def test_what_is_wrong_with_a_reading(made: Heard, fault: str | None) -> None:
    assert made.fault == fault


def test_what_is_asked_counts_what_it_names() -> None:
    wrong = replace(RULE, read_intent=Intent.DIAGNOSE)
    found = {m.name: (m.hits, m.of) for m in measures([RULE, wrong, OTHER, STAYS, MOVES], "zh", with_model=True)}
    assert found["wrong motions"] == (1, 5)
    assert found["in-scope intents"] == (1, 2)
    assert found["slots"] == (1, 1)
    assert found["other domains taken"] == (1, 2)
    assert {of for _, of in ((m.hits, m.of) for m in measures([RULE], "en", with_model=True))} == {0}


@pytest.mark.parametrize(
    ("measure", "reached"),
    [
        (Measure("x", 90, 100, at_least=0.9), True),
        (Measure("x", 89, 100, at_least=0.9), False),
        (Measure("x", 1, 1000, at_most=0.0), False),
        (Measure("x", 0, 1000, at_most=0.0), True),
        (Measure("x", 0, 0, at_least=0.9), True),
    ],
)
def test_a_goal(measure: Measure, reached: bool) -> None:
    assert measure.reached is reached


def test_tables() -> None:
    wrong = replace(RULE, read_intent=Intent.DIAGNOSE)
    (row,) = intent_rows([RULE, wrong], "zh")
    assert (row.n, row.intents, row.slots, row.dispositions) == (2, 1, 1, 2)
    table = confusion([RULE, wrong, STAYS, MOVES], "zh")
    assert table == {("QUERY_RULE", "QUERY_RULE"): 1, ("QUERY_RULE", "DIAGNOSE"): 1, ("GENERAL", "GENERAL"): 1}


def test_calibration_compares_what_was_said_with_what_was_right() -> None:
    unsure = replace(RULE, top=(Intent.DIAGNOSE.value, 0.55))
    bins = calibration([RULE, unsure, MOVES, replace(RULE, top=(Intent.QUERY_RULE.value, 1.0))])
    assert [(b.low, b.n, b.right) for b in bins] == [(0.5, 1, 0.0), (0.9, 2, 1.0)]
    assert expected_error(bins) == pytest.approx((0.55 + 2 * 0.025) / 3)


def test_the_page_needs_nothing_but_itself_and_shows_text_as_text() -> None:
    odd = replace(RULE, text="<script>alert(1)</script>", read_intent=Intent.DIAGNOSE)
    page = render([("x", True, [RULE, odd]), ("x", False, [RULE])], problem=None, model="m")
    assert "http" not in page
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "<svg" in page


def report(folder: Path, console: Console) -> int:
    options = InterpretOptions(models=folder / "models", use_model=False)
    return run_language_report(LanguageWish((folder / "sets",), options, folder / "out" / "x.html"), console)


def labelled(folder: Path, **line: object) -> None:
    (folder / "sets" / "a").mkdir(parents=True)
    (folder / "sets" / "a" / "x.jsonl").write_text(json.dumps(line), encoding="utf-8")


def test_a_folder_of_sets_becomes_tables_and_a_page(tmp_path: Path) -> None:
    labelled(
        tmp_path,
        text="玻璃放哪",
        lang="zh",
        case="in_scope",
        intent="QUERY_RULE",
        disposition="ANSWER",
        slots={"item_type": "glass"},
    )
    console = Console(record=True, width=160)
    assert report(tmp_path, console) == FINE
    assert "100.0% 1/1" in console.export_text()
    assert "rules alone" in (tmp_path / "out" / "x.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "line",
    [
        {"text": "x", "lang": "zh", "case": "nonesuch", "would_move": False},
        {"text": "x", "case": "unclear", "would_move": False},
    ],
)
def test_a_line_nothing_can_count_is_named(line: dict[str, object], tmp_path: Path) -> None:
    labelled(tmp_path, **line)
    console = Console(record=True, width=200)
    assert report(tmp_path, console) == BAD_INPUT
    assert "x.jsonl:1: case" in console.export_text()
