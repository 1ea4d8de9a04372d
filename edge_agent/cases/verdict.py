"""What came of one line, in the form that the report and every comparison use. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from edge_agent.cases import labels
from edge_agent.cases.assertion import Difference
from edge_agent.cases.expect import differences, observed_as
from edge_agent.cases.files import Placed
from edge_agent.cases.line import CaseLine, SentenceLine
from edge_agent.cases.record import CaseRecord, RunSeen
from edge_agent.cases.sentences import sentence_differences, wrong_motion
from edge_agent.cases.timeline import timeline
from edge_agent.run.journal import Kind

FRAMES_EXPECTED: Final[Mapping[str, int]] = {
    labels.EXECUTE_VERIFIED: 1,
    labels.LOCKOUT: 1,
    "FALLBACK_COMMAND_NOT_VERIFIED": 1,
}
"""Motion frames that an expectation itself allows; a line's `frames_on_wire` goes before it."""
MAX_SHOWN_CHARS: Final = 300


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Differs(_Model):
    name: str
    expected: str
    seen: str


class At(_Model):
    at_ms: int
    lane: str
    what: str


class Verdict(_Model):
    """One line's row of the report. `misfired`: motion frames beyond those expected; for a sentence 1 where a motion
    would have been proposed that may not be."""

    id: str
    file: str
    line: int
    kind: Literal["pipeline", "sentence"]
    case: str
    text: str
    expected: str
    observed: str
    passed: bool
    differs: tuple[Differs, ...] = ()
    frames: int = 0
    misfired: int = 0
    took_ms: float = 0.0
    why: str = ""
    codes: tuple[str, ...] = ()
    timeline: tuple[At, ...] = ()


def of_case(placed: Placed, line: CaseLine, record: CaseRecord) -> Verdict:
    found = differences(record)
    allowed = FRAMES_EXPECTED.get(line.expected, 0) if line.frames_on_wire is None else line.frames_on_wire
    return Verdict(
        id=placed.id,
        file=placed.file,
        line=placed.number,
        kind="pipeline",
        case=line.case,
        text=line.text[:MAX_SHOWN_CHARS],
        expected=line.expected,
        observed=line.expected if not found else observed_as(record),
        passed=not found,
        differs=tuple(map(_differs, found)),
        frames=record.frames,
        misfired=max(0, record.frames - allowed),
        took_ms=round(record.took_ms, 1),
        why=line.why,
        codes=_codes(record),
        timeline=tuple(At(at_ms=m.at_ms, lane=m.lane, what=m.what) for m in timeline(record.rows)),
    )


def of_sentence(placed: Placed, line: SentenceLine, read: Mapping[str, Any], took_ms: float) -> Verdict:
    found = sentence_differences(line, read)
    return Verdict(
        id=placed.id,
        file=placed.file,
        line=placed.number,
        kind="sentence",
        case=line.case or "SENTENCE",
        text=line.text[:MAX_SHOWN_CHARS],
        expected=_wanted(line),
        observed=str(read.get("disposition", "")),
        passed=not found,
        differs=tuple(map(_differs, found)),
        misfired=int(wrong_motion(line, read)),
        took_ms=round(took_ms, 1),
        why=line.why,
    )


def _wanted(line: SentenceLine) -> str:
    if line.disposition is not None:
        return line.disposition
    return "would move" if line.would_move else "would not move"


def _codes(record: CaseRecord) -> tuple[str, ...]:
    """Codes, reasons and fallback types that this line brought up: what the set as a whole covers. The judged run's
    first, then those of its other runs and of what was only written down."""
    runs = (record.judged, *record.turns, *record.runs)
    found = [code for run in runs for code in _of_run(run)]
    found += [row.body.get("error.code") for row in record.of_kind(Kind.ATTEMPT)]
    found += [row.body.get("end") for row in record.of_kind(Kind.MODEL_CALL) if row.body.get("end") != "ok"]
    return tuple(dict.fromkeys(str(code) for code in found if code))


def _of_run(run: RunSeen) -> list[object]:
    codes: list[object] = [(each.get("error") or {}).get("code") for each in (run.content, *run.evidence)]
    return [*codes, run.failure.get("code"), run.done.get("fallback_type"), run.content.get("reason")]


def _differs(found: Difference) -> Differs:
    return Differs(name=found.name, expected=found.expected, seen=found.seen)
