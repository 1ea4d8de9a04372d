"""What a clause must prove, what a cause needs, and who refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edge_agent.diagnose.cause_table import Cause, CauseTable, parse_pattern
from edge_agent.diagnose.dossier import Dossier
from edge_agent.diagnose.draft import Clause, Draft, DraftInvalid, draft_schema, parse_draft
from edge_agent.diagnose.evidence_guard import claims, failing
from edge_agent.diagnose.likely import likely
from edge_agent.diagnose.semantic_guard import by_table
from edge_agent.diagnose.target import Target
from edge_agent.messages.codes import ErrorCode, EvidenceStatus, InvocationStatus
from edge_agent.release.policy import Basis
from edge_agent.tools.result import Projection, ToolError, ToolResult
from edge_agent.tools.tool import Fact
from tests.diagnose.room import T014, TABLE

TASK = (Fact("task_status", "t014", "code", "0601"), Fact("task_status", "t014", "command_id", "7"))
READY = ToolResult(
    tool_name="task_status",
    invocation=InvocationStatus.READY,
    evidence=EvidenceStatus.EVIDENCE_FOUND,
    trace_id="t",
    parse_trace_id="p",
    attempt=1,
    max_attempts=1,
    started_at="2026-03-01T08:00:00.000Z",
    duration_ms=1.0,
    hits=1,
    record="r1",
    scope="task_id=t014",
    facts=TASK,
    projection=Projection('{"bin":"2","code":"0601","device":"arm_01","at":"2026-03-01 07:59","note":"二号箱 3.5 kg"}'),
)
ALARM = replace(
    READY,
    tool_name="alarm_history",
    record="r2",
    facts=(Fact("alarm_history", "arm.link_lost", "type", "arm.link_lost"),),
    projection=Projection('{"alarms":[{"type":"arm.link_lost"}]}'),
)
BROKEN = replace(
    READY,
    invocation=InvocationStatus.ERROR,
    evidence=EvidenceStatus.ERROR,
    record="r3",
    facts=(),
    error=ToolError(ErrorCode.TIMEOUT, "m"),
)
DOSSIER = Dossier([READY, ALARM, BROKEN])


def draft(text: str, *records: str, cause: str | None = "no_part") -> Draft:
    return Draft(cause, (Clause(text, records or ("r1",)),))


STANDS = [
    "任务 t014 的控制器代码是 0601",
    "Task T014 ended with code 0601, bin 2",
    "代码 ０６０１（全角）",
    "at 07:59 on 2026-03-01",
    "arm_01 reported it",
    "放入二号箱",
    "bin two",
    "3.5 kg",
    "no number at all",
    "这一次没有数字，也没有编号",
]
FALLS = [
    ("code 0602", "0602"),
    ("bin 3", "3"),
    ("放入三号箱", "3"),
    ("bin three", "3"),
    ("arm_02 reported it", "arm_02"),
    ("arm_left reported it", "arm_left"),
    ("at 08:59", "08:59"),
    ("task t015", "t015"),
    ("十二次失败", "12"),
    ("3.6 kg", "3.6"),
    ("060", "060"),
]


@pytest.mark.parametrize("text", STANDS)
def test_a_clause_that_stands(text: str) -> None:
    assert failing(draft(text), DOSSIER) == ()


@pytest.mark.parametrize(("text", "strange"), FALLS)
def test_a_clause_that_claims_what_no_record_shows(text: str, strange: str) -> None:
    (fault,) = failing(draft(text), DOSSIER)
    assert strange in fault


@pytest.mark.parametrize("records", [("r9",), ("r1", "r9"), ("r3",), ("other-run/r1",)])
def test_a_citation_that_is_no_ready_record_of_this_run(records: tuple[str, ...]) -> None:
    (fault,) = failing(draft("code 0601", *records), DOSSIER)
    assert "no READY record" in fault


def test_a_fact_cited_from_another_record_than_its_own() -> None:
    assert failing(draft("code 0601", "r2"), DOSSIER)
    assert failing(draft("code 0601", "r2", "r1"), DOSSIER) == ()


def test_a_cause_without_a_clause() -> None:
    assert failing(Draft("no_part"), DOSSIER)
    assert failing(Draft(None), DOSSIER) == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [("二十三次", {"23"}), ("十号", {"10"}), ("〇五号", {"05"}), ("一下", set()), ("R-GLASS-01.", {"r-glass-01"})],
)
def test_what_must_be_proved(text: str, told: set[str]) -> None:
    assert claims(text) == told


def test_only_ready_records_make_a_basis() -> None:
    assert Dossier([BROKEN]).basis is Basis.NOTHING
    empty = replace(READY, evidence=EvidenceStatus.NO_EVIDENCE, facts=(), hits=0)
    assert Dossier([BROKEN, empty]).basis is Basis.EMPTY_SCOPES
    assert DOSSIER.basis is Basis.FACTS


def cause(needs: list[list[str]], excluded: tuple[str, ...] = (), name: str = "c") -> Cause:
    groups = tuple(tuple(parse_pattern(p) for p in group) for group in needs)
    return Cause(name, "zh", "en", groups, tuple(parse_pattern(p) for p in excluded), ())


FACTS = (
    Fact("command_history", "command 7", "state", "REJECTED"),
    Fact("command_history", "command 7", "controller_code", "0601"),
    Fact("command_history", "command 8", "state", "UNKNOWN"),
    Fact("arm_status", "arm_01", "linked", "true"),
)
NEEDS: list[tuple[list[list[str]], bool]] = [
    ([["command_history.controller_code=0601"]], True),
    ([["command_history.controller_code=0602|0601"]], True),
    ([["command_history.controller_code=0602"]], False),
    ([["command_history.controller_code"]], True),
    ([["command_history.state=REJECTED", "command_history.controller_code=0601"]], True),
    ([["command_history.state=UNKNOWN", "command_history.controller_code=0601"]], False),
    ([["command_history.state=UNKNOWN", "arm_status.linked=true"]], True),
    ([["arm_status.linked=false"], ["command_history.state=UNKNOWN"]], True),
]


@pytest.mark.parametrize(("needs", "there"), NEEDS)
def test_evidence_of_a_cause_is_about_one_subject(needs: list[list[str]], there: bool) -> None:
    assert bool(cause(needs).evidence(FACTS)) is there


def test_the_cited_records_must_hold_the_evidence() -> None:
    no_part = TABLE.causes["no_part"]
    assert by_table(draft("x", "r1"), no_part, T014, DOSSIER) is None
    judged = by_table(draft("x", "r2"), no_part, T014, DOSSIER)
    assert judged is not None
    assert judged.verdict == "UNSUPPORTED"


def test_a_contradiction_anywhere_in_the_run_refuses() -> None:
    contradicted = cause([["task_status.code=0601"]], ("alarm_history.type=arm.link_lost",))
    judged = by_table(draft("x", "r1"), contradicted, T014, DOSSIER)
    assert judged is not None
    assert "contradicted" in judged.why


ARM = Target("?", device="arm_01")
OTHER = (
    Fact("task_status", "t014", "command_id", "7"),
    Fact("command_history", "command 8", "controller_code", "0602"),
)
LOCKED = (
    Fact("arm_status", "arm_01", "cell_state", "LOCKED_OUT"),
    Fact("command_history", "command 7", "controller_code", "0601"),
    Fact("command_history", "command 8", "controller_code", "0602"),
)
LATCHED = Fact("command_history", "command 8", "lockout", "aborted")
GLASS = Target("?", item_type="glass")
DONE = Fact("task_status", "t014", "state", "done")
LIKELY: list[tuple[str, Target, tuple[Fact, ...], list[str]]] = [
    ("a task that was done is explained by nothing", T014, (DONE, *ALARM.facts), []),
    ("another command explains nothing", T014, OTHER, []),
    ("without a task every command counts", Target("?", device="arm_01"), OTHER, ["part_lost"]),
    ("the task's own records come first", T014, (*TASK, *ALARM.facts), ["no_part"]),
    ("what is around counts where nothing else does", T014, ALARM.facts, ["link_lost"]),
    ("a locked cell is explained by what latched it", ARM, (*LOCKED, LATCHED), ["part_lost"]),
    ("a locked cell whose latch is not known", ARM, LOCKED, ["no_part", "part_lost"]),
    ("an item is explained by its commands first", GLASS, (*LOCKED[1:2], *ALARM.facts), ["no_part"]),
    ("a device may have several", Target("?", device="arm_01"), (*TASK, *ALARM.facts), ["no_part", "link_lost"]),
]


@pytest.mark.parametrize(("target", "facts", "expected"), [x[1:] for x in LIKELY], ids=[x[0] for x in LIKELY])
def test_likely_causes(target: Target, facts: tuple[Fact, ...], expected: list[str]) -> None:
    assert [c.id for c in likely(target, facts, TABLE)] == expected


LEGAL = '{"cause": null, "clauses": [], "next_steps": []}'
INVALID = [
    ("", "EMPTY"),
    (" \n", "EMPTY"),
    ("{", "INVALID_JSON"),
    ("the arm was tired", "INVALID_JSON"),
    ('{"cause": NaN}', "INVALID_JSON"),
    ('{"cause": null, "cause": null, "clauses": [], "next_steps": []}', "INVALID_JSON"),
    ("[" * 3000, "INVALID_JSON"),
    ('{"cause": "\\u0000", "clauses": [], "next_steps": []}', "INVALID_JSON"),
    ("[]", "SCHEMA"),
    ('{"cause": null}', "SCHEMA"),
    ('{"cause": "ghosts", "clauses": [], "next_steps": []}', "SCHEMA"),
    ('{"cause": null, "clauses": [], "next_steps": ["dance"]}', "SCHEMA"),
    ('{"cause": null, "clauses": [{"text": "x", "evidence": []}], "next_steps": []}', "SCHEMA"),
    ('{"cause": null, "clauses": [], "next_steps": [], "more": 1}', "SCHEMA"),
    (LEGAL + " " * 50_000, "SCHEMA"),
]


@pytest.mark.parametrize(("text", "kind"), INVALID)
def test_what_is_no_draft(text: str, kind: str) -> None:
    got = parse_draft(text, TABLE)
    assert isinstance(got, DraftInvalid)
    assert got.kind == kind
    assert len(got.sha256) == 64


def test_what_is_a_draft() -> None:
    assert parse_draft(LEGAL, TABLE) == Draft(None)


def test_the_schema_names_only_what_there_is() -> None:
    schema = str(draft_schema(TABLE, ["no_part"], ["r1"]))
    assert "no_part" in schema
    assert "part_lost" not in schema
    bare = CauseTable((), {}, {})
    assert draft_schema(bare, [], [])["type"] == "object"
