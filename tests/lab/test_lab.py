"""Catalogue, demos, sheet, reasons and pages: what a class reads."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from drivers.package import FaultInfo
from edge_agent.cases.faults import GROUPS
from edge_agent.cell_file import load_cell
from edge_agent.lab.catalogue import as_markdown, catalogue
from edge_agent.lab.commands import lab
from edge_agent.lab.demos import DEMOS
from edge_agent.lab.exercise import STOCK_POLICY
from edge_agent.lab.sheet import sheet
from edge_agent.lab.why import NoSuch, why
from edge_agent.lab_faults import OWN
from edge_agent.messages.codes import Lang
from edge_agent.policies import Policies, load_policies
from edge_agent.run.retry import RetryPolicy
from edge_agent.world import package_of

LANGS: tuple[Lang, ...] = ("zh", "en")
OF_CELL: dict[str, FaultInfo] = dict(package_of(load_cell().devices[0]).FAULTS)


@pytest.mark.parametrize("lang", LANGS)
def test_every_fault_has_a_row_with_words(lang: Lang) -> None:
    rows = catalogue(lang, OF_CELL)
    known = {f"{group}.{name}" for group, names in GROUPS.items() for name in names}
    assert {row.name for row in rows} == known | {"understanding.scores"}
    assert len({row.name for row in rows}) == len(rows)
    assert [row.name for row in rows if not row.what] == []
    assert as_markdown(rows, lang).count("\n") == len(rows) + 1


def test_the_first_rows_are_those_a_lesson_begins_with() -> None:
    first = [row.name for row in catalogue("en", OF_CELL)][:6]
    assert first == [
        "query.timeout",
        "arm.unavailable",
        "query.permission_denied",
        "query.input_invalid",
        "understanding.scores",
        "model.down",
    ]


def test_what_a_running_cell_can_be_given_is_what_the_table_says() -> None:
    in_class = {row.name for row in catalogue("en", OF_CELL) if row.where == "class"}
    assert in_class == {*OWN, *(f"{info.group}.{name}" for name, info in OF_CELL.items())}


def test_the_demo_of_retries() -> None:
    told = list(DEMOS["retry"]())
    assert [each["ok"] for each in told] == [True, False, False, False, True]
    assert told[0]["attempt"] == 3
    assert [a["retry_decision"] for a in told[0]["meta"]["attempts"]] == ["retry", "retry"]
    assert {each["meta"]["retry_decision"] for each in told if not each["ok"]} == {"no_retry_reach_max_attempts"}
    assert next(iter(DEMOS["retry"]()))["trace_id"] == told[0]["trace_id"]


def test_the_demo_without_a_model() -> None:
    told = [(each["intent"], each["ok"]) for each in DEMOS["offline"]()]
    assert told == [("QUERY_RULE", True), ("SUBMIT_FEEDBACK", True), ("CONTROL_DEVICE", False)]
    assert list(DEMOS["offline"]())[2]["reason"] == "control_requires_llm_or_confirmation"


def test_the_demo_of_a_question() -> None:
    [told] = DEMOS["clarify"]()
    assert (told["need_clarify"], told["reason"]) == (True, "top_score_low")
    assert [name for name, _ in told["candidates"]][:2] == ["QUERY_RULE", "SUBMIT_FEEDBACK"]


@pytest.mark.parametrize("lang", LANGS)
def test_the_sheet_is_filled_in_from_the_policy(lang: Lang) -> None:
    policies = replace(load_policies(STOCK_POLICY), retry=RetryPolicy(max_attempts=7))
    text = sheet(policies, lang)
    assert sum(line.startswith("| ") for line in text.splitlines()) >= 7
    assert " 7 " in text
    assert "{" not in text


@pytest.mark.parametrize(
    ("code", "tool", "attempt", "decision", "line"),
    [
        ("TIMEOUT", "sorting_rules", 1, "retry", 'NextStep("retry"'),
        ("TIMEOUT", "sorting_rules", 3, "no_retry_reach_max_attempts", "max_attempts"),
        ("NOT_FOUND", "sorting_rules", 1, "no_retry_non_retryable", "retryable_error_codes"),
        ("PERMISSION_DENIED", "arm_control", 1, "no_retry_non_retryable", "NEVER_RETRIED"),
        ("TIMEOUT", "arm_control", 1, "no_retry_control", "failure.control"),
        ("BUDGET_EXHAUSTED", "sorting_rules", 1, "no_retry_budget", "BUDGET_CODE"),
    ],
)
def test_why_names_the_line_that_decides(code: str, tool: str, attempt: int, decision: str, line: str) -> None:
    found = why(code, tool, Policies(), None, attempt)
    assert found.decision == decision
    file, _, number = found.place.partition(":")
    assert line in Path(file).read_text("utf-8").splitlines()[int(number) - 1]


def test_why_names_the_policys_own_line() -> None:
    found = why("TIMEOUT", "sorting_rules", load_policies(STOCK_POLICY), STOCK_POLICY)
    assert found.policy is not None
    file, _, number = found.policy.rpartition(":")
    assert Path(file).read_text("utf-8").splitlines()[int(number) - 1].startswith("retryable")


@pytest.mark.parametrize(("code", "tool"), [("NO_SUCH", "sorting_rules"), ("TIMEOUT", "no_tool")])
def test_why_asks_for_what_there_is(code: str, tool: str) -> None:
    with pytest.raises(NoSuch, match="there are"):
        why(code, tool, Policies(), None)


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (["faults", "--lang", "zh"], 0),
        (["list"], 0),
        (["demo", "clarify"], 0),
        (["demo", "nothing"], 2),
        (["template", "--lang", "zh"], 0),
        (["why", "TIMEOUT"], 0),
        (["why", "NOTHING"], 2),
        (["run", "nothing"], 2),
        (["doc", "nothing"], 2),
    ],
)
def test_the_commands(command: list[str], status: int) -> None:
    assert CliRunner().invoke(lab, command).exit_code == status


def test_a_demo_prints_one_object_a_line() -> None:
    lines = CliRunner().invoke(lab, ["demo", "offline"]).stdout.splitlines()
    assert [json.loads(line)["text"] for line in lines][2] == "让机械臂回零"
