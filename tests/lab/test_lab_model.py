"""What a model with a fault of the lab in it answers, call by call."""

from __future__ import annotations

import json

import pytest

from edge_agent.diagnose.cause_table import load_causes
from edge_agent.diagnose.draft import Draft, DraftInvalid, draft_schema, parse_draft
from edge_agent.lab_faults import LabFaults
from edge_agent.lab_model import LabModel
from edge_agent.understand.port import FailureKind, ModelFailure, ModelPurpose, Probabilities, Written
from edge_agent.understand.scores import ModelCause, NoUsableModel
from edge_agent.understand.scripted import SCORED, ScriptedModel
from tests.diagnose.room import reading
from tests.tools.desk import MemoryJournal

TABLE = load_causes()
SCHEMA = draft_schema(TABLE, ["no_part", "link_lost"], ["r1"])


async def model_with(*names: str, slept: list[float] | None = None, **args: int | str) -> LabModel:
    faults = LabFaults(MemoryJournal(), {}, None)
    for name in names:
        await faults.put(name, count=1, seed=0, args=args, by="teacher")

    async def sleep(seconds: float) -> None:
        (slept if slept is not None else []).append(seconds)

    return LabModel(ScriptedModel(reading), faults, sleep)


async def scored(model: LabModel) -> Probabilities | ModelFailure:
    return await model.choose("why", SCORED, deadline_s=1.5)


@pytest.mark.parametrize(
    ("fault", "kind", "slept"),
    [
        ("model.crash", FailureKind.UNAVAILABLE, []),
        ("model.hang", FailureKind.TIMEOUT, [1.5]),
        ("model.slow", FailureKind.TIMEOUT, [1.5]),
    ],
)
async def test_a_call_that_is_struck_and_the_next_that_is_not(
    fault: str, kind: FailureKind, slept: list[float]
) -> None:
    waited: list[float] = []
    model = await model_with(fault, slept=waited, delay_ms=9_000)
    answer = await scored(model)
    assert isinstance(answer, ModelFailure)
    assert (answer.kind, waited) == (kind, slept)
    assert isinstance(await scored(model), Probabilities)


async def test_a_slow_model_answers_in_the_end() -> None:
    waited: list[float] = []
    model = await model_with("model.slow", slept=waited, delay_ms=200)
    assert isinstance(await scored(model), Probabilities)
    assert waited == [0.2]


async def test_a_model_that_is_down_stays_down() -> None:
    model = await model_with("model.down")
    assert model.usable() == NoUsableModel(ModelCause.DOWN)
    assert [type(await scored(model)) for _ in range(2)] == [ModelFailure, ModelFailure]


@pytest.mark.parametrize(
    ("fault", "cause", "cites"),
    [("model.unsupported_claim", "link_lost", "r1"), ("model.wrong_citation", "no_part", "r99")],
)
async def test_a_draft_that_the_guards_must_refuse(fault: str, cause: str, cites: str) -> None:
    model = await model_with(fault)
    assert model.style() == "mixed"
    draft = parse_draft(await written(model), TABLE)
    assert isinstance(draft, Draft)
    assert (draft.cause, draft.clauses[0].evidence) == (cause, (cites,))


async def test_a_draft_that_is_no_json() -> None:
    text = await written(await model_with("model.bad_json"))
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    assert isinstance(parse_draft(text, TABLE), DraftInvalid)


@pytest.mark.parametrize(("context", "chosen"), [("Found:\nnothing yet", "task_status"), ("Found:\nx", "conclude")])
async def test_it_looks_once_and_concludes(context: str, chosen: str) -> None:
    model = await model_with("model.bad_json")
    options = ("task_status", "alarm_history", "conclude")
    answer = await model.choose(context, options, deadline_s=1.5, purpose=ModelPurpose.NEXT_TOOL)
    assert isinstance(answer, Probabilities)
    assert answer.best() == chosen


async def written(model: LabModel) -> str:
    answer = await model.write("", SCHEMA, deadline_s=15.0, max_tokens=100)
    assert isinstance(answer, Written)
    return answer.text
