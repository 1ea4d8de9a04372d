"""Whatever the model process does, the caller gets a value in time, and the next caller a new process.

The other side is a real process that misbehaves on request; `test_real_model.py` holds the real one to the same.
"""

from __future__ import annotations

import asyncio
import os
import signal
import struct
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from edge_agent.adapters.model import profile
from edge_agent.adapters.model.breaker import BreakerPolicy, BreakerState
from edge_agent.adapters.model.client import ModelState, WorkerModel, WorkerSettings
from edge_agent.adapters.model.prompt import LABELS
from edge_agent.understand.port import FailureKind, ModelFailure, ModelPurpose, Probabilities, Written
from edge_agent.understand.scores import ModelCause, NoUsableModel

NAMES = [label.value for label in LABELS]
FAKE = Path(__file__).with_name("fake_worker.py")
QUICK = BreakerPolicy(first_delay_s=0.01, max_delay_s=0.02, pause_s=600.0)
SCHEMA = {"type": "object", "properties": {"cause": {"enum": ["a", None]}}, "required": ["cause"]}
PATIENT_S = 30.0


def gguf(path: Path) -> Path:
    path.write_bytes(struct.pack("<4sIQQ", b"GGUF", 3, 1, 0))
    return path


@asynccontextmanager
async def running(
    folder: Path, *modes: str, policy: BreakerPolicy = QUICK, recycle_after: int = 1_000
) -> AsyncIterator[WorkerModel]:
    settings = WorkerSettings(
        model=gguf(folder / "m.gguf"),
        state_dir=folder,
        queue=4,
        recycle_after=recycle_after,
        breaker=policy,
        command=(sys.executable, str(FAKE), str(folder), *modes),
    )
    model = WorkerModel(settings)
    await model.start(wait_s=PATIENT_S)
    try:
        yield model
    finally:
        await model.close()


def processes(folder: Path) -> int:
    return len(list(folder.glob("born-*")))


async def until(holds: Callable[[], bool], what: str) -> None:
    for _ in range(3_000):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"never came: {what}")


async def choose(model: WorkerModel, deadline_s: float = PATIENT_S) -> Probabilities | ModelFailure:
    return await model.choose("让机械臂回零", NAMES, deadline_s=deadline_s)


async def test_probabilities_of_the_options_in_their_order_with_their_cost(tmp_path: Path) -> None:
    async with running(tmp_path, "good") as model:
        got = await choose(model)
        assert isinstance(got, Probabilities)
        assert [name for name, _ in got.values] == NAMES
        assert sum(p for _, p in got.values) == pytest.approx(1)
        assert (got.usage.input_tokens, got.usage.known) == (12, True)


async def test_some_of_the_labels_sum_to_one_again(tmp_path: Path) -> None:
    async with running(tmp_path, "good") as model:
        got = await model.choose("x", ["QUERY_RULE", "QUERY_STATUS"], deadline_s=PATIENT_S)
        assert isinstance(got, Probabilities)
        assert dict(got.values)["QUERY_RULE"] == pytest.approx(0.9 / 0.95)


async def test_other_choices_and_texts(tmp_path: Path) -> None:
    async with running(tmp_path, "good") as model:
        tool = await model.choose("x", ["a", "b"], deadline_s=PATIENT_S, purpose=ModelPurpose.NEXT_TOOL)
        assert isinstance(tool, Probabilities)
        assert tool.cut
        text = await model.write("x", SCHEMA, deadline_s=PATIENT_S, max_tokens=20)
        assert isinstance(text, Written)
        assert text.usage.output_tokens == 5


@pytest.mark.parametrize("options", [[], ["A", "A"], [str(n) for n in range(33)], ["NO_SUCH_INTENT"]])
async def test_options_that_cannot_be_chosen_from(tmp_path: Path, options: list[str]) -> None:
    async with running(tmp_path, "good") as model:
        got = await model.choose("x", options, deadline_s=PATIENT_S)
        assert isinstance(got, ModelFailure)
        assert got.kind is FailureKind.ILLEGAL


async def test_h25_two_who_ask_at_once_are_both_answered(tmp_path: Path) -> None:
    async with running(tmp_path, "good") as model:
        both = await asyncio.gather(choose(model), choose(model))
        assert all(isinstance(got, Probabilities) for got in both)


async def test_the_queue_has_an_end(tmp_path: Path) -> None:
    async with running(tmp_path, "hang") as model:
        crowd = [asyncio.create_task(choose(model, 2.0)) for _ in range(8)]
        got = await asyncio.gather(*crowd)
        kinds = [g.kind for g in got if isinstance(g, ModelFailure)]
        assert len(kinds) == 8
        assert FailureKind.UNAVAILABLE in kinds


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("die", FailureKind.UNAVAILABLE),
        ("hang", FailureKind.TIMEOUT),
        ("garbage", FailureKind.ILLEGAL),
        ("nan", FailureKind.ILLEGAL),
        ("endless_line", FailureKind.UNAVAILABLE),
    ],
)
async def test_h23_h24_a_bad_end_is_a_value_and_the_next_process_answers(
    tmp_path: Path, mode: str, kind: FailureKind
) -> None:
    async with running(tmp_path, mode, "good") as model:
        first = model.pid
        got = await choose(model, 1.0 if mode == "hang" else PATIENT_S)
        assert isinstance(got, ModelFailure)
        assert (got.kind, got.usage.known) == (kind, False)
        assert isinstance(await choose(model), Probabilities)
        assert model.pid != first
        with pytest.raises(ProcessLookupError):
            os.kill(first or 0, 0)


async def test_a_crash_names_its_reason_for_the_journal(tmp_path: Path) -> None:
    async with running(tmp_path, "die") as model:
        got = await choose(model)
        assert isinstance(got, ModelFailure)
        assert "signal 6" in got.detail
        assert "GGML_ASSERT" in got.detail


async def test_too_long_is_illegal_and_kills_nobody(tmp_path: Path) -> None:
    async with running(tmp_path, "too_long") as model:
        before = model.pid
        got = await choose(model)
        assert isinstance(got, ModelFailure)
        assert (got.kind, model.pid) == (FailureKind.ILLEGAL, before)


async def test_killed_while_idle_it_is_down_at_once_and_then_replaced(tmp_path: Path) -> None:
    async with running(tmp_path, "good") as model:
        first = model.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        await until(lambda: model.pid != first, "the end is noticed")
        await until(lambda: model.state is ModelState.READY, "a new process")
        assert isinstance(await choose(model), Probabilities)


async def test_three_deaths_open_the_breaker_and_nobody_waits_for_it(tmp_path: Path) -> None:
    async with running(tmp_path, "die") as model:
        got = [await choose(model) for _ in range(3)]
        assert all(isinstance(g, ModelFailure) for g in got)
        await until(lambda: model.breaker is BreakerState.OPEN, "the breaker opens")
        assert model.usable() == NoUsableModel(ModelCause.BREAKER_OPEN)
        assert isinstance(await choose(model), ModelFailure)
        assert processes(tmp_path) == 3


async def test_a_half_open_breaker_closes_with_the_first_good_answer(tmp_path: Path) -> None:
    policy = BreakerPolicy(first_delay_s=0.01, max_delay_s=0.02, pause_s=0.05)
    async with running(tmp_path, "die", "die", "die", "good", policy=policy) as model:
        for _ in range(3):
            await choose(model)
        await until(lambda: model.state is ModelState.READY, "the fourth process")
        assert model.breaker is BreakerState.CLOSED
        assert isinstance(await choose(model), Probabilities)


async def test_a_file_that_ends_every_process_opens_the_breaker_and_start_returns(tmp_path: Path) -> None:
    async with running(tmp_path, "die_on_load") as model:
        assert model.breaker is BreakerState.OPEN
        assert "signal 11" in (model.problem or "")


async def test_a_refused_file_is_said_once_and_not_tried_again(tmp_path: Path) -> None:
    async with running(tmp_path, "refuse") as model:
        assert model.state is ModelState.REFUSED
        assert (model.problem or "").startswith("Model file m.gguf refused: it is truncated or damaged.")
        assert model.usable() == NoUsableModel(ModelCause.DOWN)
        got = await choose(model)
        assert isinstance(got, ModelFailure)
        assert processes(tmp_path) == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not a GGUF file"),
        (b"PK\x03\x04" + bytes(40), "not a GGUF file"),
        (struct.pack("<4sIQQ", b"GGUF", 99, 1, 0), "version is 99"),
        (struct.pack("<4sIQQ", b"GGUF", 3, 0, 0), "no weights"),
        (b"GGUF\x03", "not a GGUF file"),
    ],
)
async def test_no_process_is_started_for_what_is_no_model_file(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(content)
    model = WorkerModel(WorkerSettings(path, tmp_path))
    await model.start(wait_s=PATIENT_S)
    assert model.state is ModelState.REFUSED
    assert says in (model.problem or "")
    await model.close()


async def test_a_missing_file_is_refused_with_its_name(tmp_path: Path) -> None:
    model = WorkerModel(WorkerSettings(tmp_path / "gone.gguf", tmp_path))
    await model.start(wait_s=PATIENT_S)
    assert "gone.gguf" in (model.problem or "")


async def test_a_caller_that_leaves_breaks_nothing(tmp_path: Path) -> None:
    async with running(tmp_path, "good") as model:
        before = model.pid
        leaving = asyncio.create_task(choose(model))
        await asyncio.sleep(0)
        leaving.cancel()
        got = await asyncio.gather(*(choose(model) for _ in range(3)))
        assert all(isinstance(g, Probabilities) for g in got)
        assert model.pid == before


async def test_an_old_process_is_replaced_when_nobody_waits(tmp_path: Path) -> None:
    async with running(tmp_path, "good", recycle_after=2) as model:
        first = model.pid
        for _ in range(2):
            assert isinstance(await choose(model), Probabilities)
        await until(lambda: model.pid not in (first, None), "the new process")
        assert isinstance(await choose(model), Probabilities)
        assert model.breaker is BreakerState.CLOSED


async def test_close_leaves_no_process_behind(tmp_path: Path) -> None:
    async with running(tmp_path, "hang") as model:
        pid = model.pid
        waiting = asyncio.create_task(choose(model))
        await until(lambda: model.state is ModelState.BUSY, "a call is under way")
        await model.close()
        assert isinstance(await waiting, ModelFailure)
    with pytest.raises(ProcessLookupError):
        os.kill(pid or 0, 0)


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "string", "maxLength": 5_000}, "maxLength"),
        ({"type": "string"}, "needs maxLength"),
        ({"type": "array", "items": {"type": "null"}}, "needs maxItems"),
        ({"$ref": "#/x"}, "not allowed"),
        ({"type": "string", "pattern": "(a*)*", "maxLength": 5}, "not allowed"),
        ({"type": "number"}, "not allowed"),
        ({"enum": []}, "enum"),
        ({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"$ref": "x"}}}}}, "allowed"),
    ],
)
async def test_a_schema_that_could_end_the_library_never_reaches_it(
    tmp_path: Path, schema: dict[str, object], says: str
) -> None:
    async with running(tmp_path, "die") as model:
        got = await model.write("x", schema, deadline_s=PATIENT_S, max_tokens=5)
        assert isinstance(got, ModelFailure)
        assert got.kind is FailureKind.ILLEGAL
        assert says in got.detail


async def test_usable_only_with_a_passed_qualification_of_this_very_calibration(tmp_path: Path) -> None:
    async with running(tmp_path, "good") as model:
        assert model.usable() == NoUsableModel(ModelCause.NOT_QUALIFIED)
        key = {"model_sha256": model.model_sha256, "prompt_sha256": "0" * 64}
        calibration = profile.Calibration(
            **key, tokens=[1], weights=[[0.0] * 7], bias=[0.0] * 7, thresholds=[], leaning_weight=0.5, fitted_on=1
        )
        model.calibration = calibration
        figures = {"reasons": [], "figures": [], "calibration_sha256": calibration.digest}
        model.qualification = profile.Qualification.model_validate({**key, **figures, "passed": False})
        assert model.usable() == NoUsableModel(ModelCause.NOT_QUALIFIED)
        model.qualification = profile.Qualification.model_validate({**key, **figures, "passed": True})
        assert model.usable() is None
