"""What has no labelled case: every word that the agent can answer with, and every fault that can be put in."""

from __future__ import annotations

from functools import cache

import pytest

from edge_agent.cases import labels
from edge_agent.cases.alike import alike, pattern
from edge_agent.cases.faults import GROUPS
from edge_agent.cases.files import Placed, read_paths
from edge_agent.cases.line import CaseLine, parse_line
from edge_agent.cases.live_bench import bench
from edge_agent.cases.live_cell import shipped_rules
from edge_agent.cases.runner import run_lines
from edge_agent.messages.codes import ErrorCode, FailureCode, FallbackType
from edge_agent.places import Place, packaged
from edge_agent.release.refusals import REFUSALS
from offline_rules.router import Router
from tests.diagnose import test_progress
from tests.ledger import disagreements
from tests.tools import test_boundary

LANGS = ("zh", "en")
LEAST_A_LANGUAGE = 250
SCENARIOS = [f"scenario-{number:02}" for number in range(1, 33)]

NO_LINE_BRINGS_IT_UP = {
    "identity": "a message without a login: the transport's tests",
    "rate_limited": "more messages than a line has: the transport's tests",
    "busy": "two requests at the same moment: the supervisor's tests",
    "stopped_again": "a stop that comes during a release: the tests of control",
    "stopping": "the moment between stop and its proof: the supervisor's tests",
    "broker_lost": "the in-process transport has no broker to lose while it waits",
    "link_lost": "a cable drawn at the moment of sending: the wire's tests",
    "controller_not_idle": "a controller moved by somebody else: the interlock table",
    "controller_reset_required": "a controller that wants its local key: the interlock table",
    "drives_off": "an input that no fault opens: the interlock table",
    "protective_stop": "an input that no fault opens: the interlock table",
    "not_remote_automatic": "as a cell state it is refused earlier, as mode",
    "manual": "refused earlier, as mode",
    "offline": "refused earlier, as what took the arm away",
    "not_locked_out": "a request of the console alone",
    "arm_moving": "a request of the console alone",
    "console_only": "a request of the console alone",
    "local_key": "a release the controller does not take: the supervisor's tests",
    "release_failed": "a release the controller does not take: the supervisor's tests",
    "lab_forbidden": "the case cell is simulated: the permission table",
    "site_rule": "a rule of a policy folder: the exercises",
    "simulated_only": "the case cell is simulated: the permission table",
    "level_too_low": "a driver without verified receipts: the driver contract's tests",
}
"""Refusals that need two people, time, real hardware or another door. Each is tried where it is at home."""
WORDS_FOR_OTHERS = {
    "interlock_open",
    "not_in_cell",
    "out_of_range",
    "outcome_unknown",
    "query_refused",
    "suspicious",
    "transition",
    "zone",
    "cancelled",
    "arm_tool_failed",
}
"""Refusals that another reason is told by, or that only stand by for a code without one."""


BROUGHT_UP_BY = {
    ErrorCode.DUPLICATE_SCOPE: test_progress.test_a_duplicate_is_not_run_and_costs_a_call,
    ErrorCode.RESULT_TOO_LARGE: test_boundary.test_data_that_can_not_be_kept,
    ErrorCode.PROJECTION_FAILED: test_boundary.test_a_projection_that_fails,
    ErrorCode.TOOL_EXECUTION_ERROR: test_boundary.test_a_tool_that_raises_is_to_blame,
    ErrorCode.INTERNAL: test_boundary.test_a_mistake_of_ours_is_a_result_too,
}
"""Codes that a line can only script: a code that a line puts in itself proves nothing about who brings it up."""


@cache
def placed() -> tuple[Placed, ...]:
    return read_paths([packaged(Place.CASES)])


def cases(lang: str | None = None) -> list[CaseLine]:
    """Pipeline cases, of one language or of both."""
    return [p.line for p in placed() if isinstance(p.line, CaseLine) and lang in (None, p.line.spoken_lang)]


def rules() -> Router:
    return shipped_rules()


def test_every_scenario_is_a_case() -> None:
    ids = {p.id for p in placed()}
    assert [id_ for id_ in SCENARIOS if id_ not in ids] == []


@pytest.mark.parametrize("lang", LANGS)
def test_every_expectation_and_every_fault_has_a_case(lang: str) -> None:
    expected = {line.expected for line in cases(lang)}
    put_in = {(f.group, f.name) for line in cases(lang) for f in line.put_in()}
    known = [(group, name) for group, names in GROUPS.items() for name in names]
    assert [label for label in labels.ALL if label not in expected] == []
    assert [fault for fault in known if fault not in put_in] == []


@pytest.mark.net
async def test_every_code_and_every_reason_is_brought_up_by_a_case() -> None:
    lines = tuple(p for p in placed() if isinstance(p.line, CaseLine))
    ran = await run_lines(bench(), lines, jobs=4)
    assert [(r.verdict.id, r.verdict.differs) for r in ran if not r.verdict.passed] == []
    assert [said for r in ran if r.record is not None for said in disagreements(r.record.rows)] == []
    words = {str(word) for word in (*ErrorCode, *FailureCode, *FallbackType, *REFUSALS)}
    for lang in LANGS:
        records = [(r, r.record) for r in ran if r.record is not None and r.record.line.spoken_lang == lang]
        seen = {c for r, record in records for c in set(r.verdict.codes) - set(map(str, record.line.scripted_codes))}
        assert words - seen == {*NO_LINE_BRINGS_IT_UP, *WORDS_FOR_OTHERS, *BROUGHT_UP_BY}, lang


@pytest.mark.parametrize("lang", LANGS)
def test_there_are_enough_lines_in_both_languages(lang: str) -> None:
    """Sentences that are only read are not counted: they have no expectation, code or fault."""
    assert len(cases(lang)) >= LEAST_A_LANGUAGE


def test_no_two_lines_differ_in_nouns_and_numbers_alone() -> None:
    assert alike(placed(), rules().read) == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("夹取玻璃放到2号箱", "夹取<item_type>放到<bin>"),
        ("pick metal to bin 9", "pick <item_type> to <no bin>"),
        ("every 5 minutes", "every n minutes"),
    ],
)
def test_the_pattern_of_a_text(text: str, told: str) -> None:
    assert pattern(rules().read(text)) == told


def test_twins_are_found() -> None:
    texts = [
        '{"id":"a","text":"夹取玻璃放到2号箱","disposition":"PROPOSE_MOTION"}',
        '{"id":"b","text":"夹取金属放到3号箱","disposition":"PROPOSE_MOTION"}',
        '{"id":"c","text":"夹取金属放到9号箱","disposition":"REFUSE"}',
    ]
    lines = [parse_line("x", n, text) for n, text in enumerate(texts, start=1)]
    found = alike([Placed(str(line.id), "x", 1, line) for line in lines], rules().read)
    assert found == (("a", "b"),)
