"""`interpret`: what the agent would make of a sentence, with its evidence. Touches no broker and no arm.

One JSON object a sentence, in the order of the input:
`{"text", "intent", "slots", "mood", "disposition", "would_move", "reason", "candidates", "scores", "source",
"parse_trace_id"}`. `slots` maps a name to its value, `scores` an intent to its probability (empty where no model was
asked), `candidates` is what a clarification offers, best first.

A model that is refused, down or not qualified is one sentence in `Interpreter.problem`; the rules answer either way.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError

from edge_agent.adapters.model.assemble import default_model
from edge_agent.adapters.model.client import WorkerModel, WorkerSettings
from edge_agent.adapters.model.errors import ModelRefused
from edge_agent.cell_file import load_cell
from edge_agent.run.ids import TRACE_ENTROPY_BYTES, ParseTraceId, parse_trace_id
from edge_agent.understand.decide import Model, asks_model, interpret
from edge_agent.understand.interpretation import Disposition, Interpretation
from edge_agent.understand.no_model import NoModel
from edge_agent.understand.port import ModelPort, Probabilities
from edge_agent.understand.scores import IntentScore, ModelCause, NoUsableModel
from edge_agent.understand.scripted import SCORED
from edge_agent.understand.thresholds import Thresholds
from edge_agent.world import router
from offline_rules.reading import Intent, Mood, Reading

Row: TypeAlias = dict[str, object]

SCORING_ATTEMPTS = 2
CHOOSE_DEADLINE_S = 15.0
"""Nobody stands beside an arm here: a slow machine shall change the time a line takes and not what it says."""
MODEL_START_S = 120.0
BAD_LINE = "line_invalid"


def models_folder() -> Path:
    """Where a model's file and its measured profile are kept for the commands that run without a site."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "edge-agent" / "models"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@dataclass(frozen=True, slots=True)
class InterpretOptions:
    """`model` None: the installed default, joined into `models`. `cell` None: the default cell."""

    models: Path
    use_model: bool = True
    model: Path | None = None
    rules: tuple[Path, ...] = ()
    cell: Path | None = None


@dataclass(frozen=True, slots=True)
class Interpreter:
    read: Callable[[str], Reading]
    model: ModelPort
    thresholds: Thresholds
    problem: str | None
    """Why no model has a say, as a sentence for the reader of the output; None where one has, or none was wanted."""
    entropy: Callable[[int], bytes] = secrets.token_bytes

    async def interpret(self, text: str) -> Interpretation:
        reading = self.read(text)
        return interpret(reading, await self._scores(reading), self.thresholds)

    async def row(self, text: str) -> Row:
        return row(await self.interpret(text), parse_trace_id(self.entropy(TRACE_ENTROPY_BYTES)))

    async def _scores(self, reading: Reading) -> Model:
        down = self.model.usable()
        if not asks_model(reading):
            return down or ()
        for _ in range(SCORING_ATTEMPTS):
            if down is not None:
                return down
            got = await self.model.choose(reading.original, SCORED, deadline_s=CHOOSE_DEADLINE_S)
            if isinstance(got, Probabilities):
                return tuple(IntentScore(name, score) for name, score in got.values)
            down = self.model.usable()
        return NoUsableModel(ModelCause.DOWN)


class InputLine(BaseModel):
    """A line of a file: its text. Other keys (a label, an expectation) are for other readers."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    text: str


@asynccontextmanager
async def interpreter(options: InterpretOptions) -> AsyncIterator[Interpreter]:
    """Raises what a broken cell or phrase file raises: file, key and what was expected."""
    read = router(load_cell(options.cell), options.rules).read
    model, problem = await _model(options)
    try:
        thresholds = model.thresholds if isinstance(model, WorkerModel) else Thresholds()
        yield Interpreter(read, model, thresholds, problem)
    finally:
        if isinstance(model, WorkerModel):
            await model.close()


async def interpret_lines(lines: Iterable[str], reader: Interpreter) -> AsyncIterator[Row]:
    """One row a line, in order; a line that is no `{"text": …}` gets a row that says so and stops nothing."""
    for line in lines:
        if line.strip():
            yield await _line(line, reader)


def run_text(text: str, options: InterpretOptions) -> tuple[Interpretation, str | None]:
    """For the command line: one sentence, and why no model had a say."""
    return asyncio.run(_text(text, options))


def run_jsonl(lines: Iterable[str], options: InterpretOptions, emit: Callable[[str], None]) -> str | None:
    """For the command line: writes one line each through `emit`; returns why no model had a say."""
    return asyncio.run(_jsonl(lines, options, emit))


def to_json(made: Row) -> str:
    """Readable Chinese; half characters, which no encoding has, stay escaped."""
    text = json.dumps(made, ensure_ascii=False)
    return text if _encodable(text) else json.dumps(made)


def row(made: Interpretation, trace: ParseTraceId) -> Row:
    return {
        "text": made.text,
        "intent": made.intent.value,
        "slots": {s.name: s.value for s in made.slots},
        "mood": made.mood.value,
        "disposition": made.disposition.value,
        "would_move": made.would_move,
        "reason": made.reason,
        "candidates": [{"intent": c.intent, "score": round(c.score, 4)} for c in made.candidates],
        "scores": {s.intent: round(s.score, 4) for s in made.scores},
        "source": made.source,
        "parse_trace_id": trace,
    }


def explained(made: Interpretation, lang: str) -> Iterator[tuple[str, str]]:
    """What stands behind a reading, as name and value, for a person at a terminal."""
    zh = lang == "zh"
    yield ("读作" if zh else "read as"), f"{made.intent} → {made.disposition}"
    yield ("依据" if zh else "because"), f"{made.reason} ({made.source}, {made.mood})"
    for slot in made.slots:
        start, end = slot.span
        unknown = "" if slot.known else ("（本单元没有）" if zh else " (not in this cell)")
        yield slot.name, f"{slot.value} ← “{made.text[start:end]}” [{start}:{end}]{unknown}"
    for score in made.scores:
        yield f"p({score.intent})", f"{score.score:.3f}"
    if made.leaning_on:
        yield ("字词偏向" if zh else "words lean on"), " · ".join(made.leaning_on)
    if made.beside:
        yield ("没有听懂" if zh else "not taken in"), " · ".join(made.beside)
    if made.missing is not None:
        yield ("还缺" if zh else "missing"), made.missing
    if made.no_model is not None:
        yield ("模型" if zh else "model"), made.no_model.value
    yield ("会动吗" if zh else "would move"), str(made.would_move).lower()


async def _model(options: InterpretOptions) -> tuple[ModelPort, str | None]:
    if not options.use_model:
        return NoModel(), None
    try:
        options.models.mkdir(parents=True, exist_ok=True)
        file = options.model
        if file is None:
            file = await asyncio.to_thread(default_model, options.models)
    except (ModelRefused, OSError) as missing:
        return NoModel(), str(missing)
    worker = WorkerModel(WorkerSettings(model=file, state_dir=options.models))
    await worker.start(wait_s=MODEL_START_S)
    return worker, _why_unusable(worker)


def _why_unusable(worker: WorkerModel) -> str | None:
    down = worker.usable()
    if down is None:
        return None
    if worker.profile_problem or worker.problem:
        return worker.profile_problem or worker.problem
    if worker.qualification is not None and down.cause is ModelCause.NOT_QUALIFIED:
        missed = "; ".join(worker.qualification.reasons)
        return f"This model fell short of the qualification ({missed}): control through it stays off, rules carry on."
    return "This model is not qualified: run `edge-agent calibrate` and `edge-agent qualify`. Rules carry on."


async def _text(text: str, options: InterpretOptions) -> tuple[Interpretation, str | None]:
    async with interpreter(options) as reader:
        return await reader.interpret(text), reader.problem


async def _jsonl(lines: Iterable[str], options: InterpretOptions, emit: Callable[[str], None]) -> str | None:
    async with interpreter(options) as reader:
        async for made in interpret_lines(lines, reader):
            emit(to_json(made))
        return reader.problem


async def _line(line: str, reader: Interpreter) -> Row:
    try:
        given = json.loads(line)
        text = InputLine.model_validate(given).text
    except (ValueError, ValidationError, RecursionError):
        return _bad_line(parse_trace_id(reader.entropy(TRACE_ENTROPY_BYTES)))
    return await reader.row(text)


def _bad_line(trace: ParseTraceId) -> Row:
    return row(
        Interpretation("", "en", Intent.UNKNOWN, (), Mood.STATEMENT, Disposition.REFUSE, BAD_LINE, "rules"), trace
    )


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
