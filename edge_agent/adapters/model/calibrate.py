"""`calibrate` and `qualify`: what a model file is worth here, measured on labelled sentences and stored.

`calibrate` fits the map on one set of sentences, and on another what the map is worth: how much the words' own leaning
counts beside it, and the thresholds. `qualify` measures the model by itself on sentences nothing was fitted on and says
whether free-worded control may go through it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from edge_agent.adapters.model import judge, profile, wire
from edge_agent.adapters.model.client import WorkerModel
from edge_agent.adapters.model.errors import ModelRefused
from edge_agent.adapters.model.labelled import Sentence
from edge_agent.adapters.model.profile import Calibration, Figures, Qualification
from edge_agent.adapters.model.prompt import LABELS, Prompt
from edge_agent.understand.port import ModelFailure
from edge_agent.understand.scores import IntentScore, Scores
from offline_rules.reading import Leaning
from offline_rules.router import Router

READ_TOKENS = 400
"""Of one pass' 262k scores; 100 read two points worse on held-out sentences, 1,600 no better."""
L2 = 0.003
FITTED = 900
SURVEYED = 32
"""At most so many sentences of a label and language are fitted on, and choose the tokens: a pass takes 0.1 s. What was
read with 260 of each stands in the README."""
CALL_DEADLINE_S = 60.0
"""A calibration may run beside anything; a sentence that takes a minute means the machine is stuck."""
FIT_DEADLINE_S = 900.0
"""The work of a fit grows with the sentences: some 700 of them took a minute of a core of their own."""

Progress = Callable[[int, int], None]
"""Steps done, steps in all."""


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    calibration: Calibration
    judged: tuple[judge.Judged, ...]
    """The tuning sentences, judged by map and leaning together."""
    figures: list[Figures]


@dataclass(frozen=True, slots=True)
class QualificationReport:
    qualification: Qualification
    judged: tuple[judge.Judged, ...]


def _silent(_done: int, _of: int) -> None:
    return None


async def calibrate(
    model: WorkerModel,
    prompt: Prompt,
    sentences: Sequence[Sentence],
    tuning: Sequence[Sentence],
    *,
    progress: Progress = _silent,
) -> CalibrationReport:
    """Fits in the worker, which uses the new map from then on. Raises `ModelRefused` when the worker gives up."""
    surveyed, fitted_on = _spread(sentences, SURVEYED), _spread(sentences, FITTED)
    steps, done = len(surveyed) + len(fitted_on) + len(tuning), 0
    for op, every in (("survey", surveyed), ("collect", fitted_on)):
        for sentence in every:
            await _ask(model, wire.Seen, op=op, text=prompt.ask(sentence.text), label=LABELS.index(sentence.intent))
            progress(done := done + 1, steps)
        if op == "survey":
            await _ask(model, wire.Picked, op="pick", how_many=READ_TOKENS)
    fitted = await _ask(model, wire.Fitted, deadline_s=FIT_DEADLINE_S, op="fit", l2=L2)
    if fitted.rows != len(fitted_on):
        raise ModelRefused(
            f"The model process was replaced while it collected: {fitted.rows} of {len(fitted_on)} sentences were left."
            " Nothing was stored. Run it again, with nothing else on the machine."
        )
    heard = []
    for sentence in tuning:
        heard.append(await _judge(model, sentence))
        progress(done := done + 1, steps)
    weight = judge.fit_weight(heard, leanings := _leanings(tuning))
    judged = judge.joined_with(heard, leanings, weight)
    calibration = Calibration(
        model_sha256=model.model_sha256,
        prompt_sha256=prompt.digest,
        tokens=fitted.tokens,
        weights=fitted.weights,
        bias=fitted.bias,
        thresholds=judge.fit_thresholds(judged),
        leaning_weight=weight,
        fitted_on=len(fitted_on),
    )
    model.calibration = calibration
    return CalibrationReport(calibration, judged, judge.figures(judged, calibration.as_thresholds()))


def _spread(sentences: Sequence[Sentence], at_most: int) -> list[Sentence]:
    """Of each label and language at most so many, from all over."""
    chosen: list[Sentence] = []
    for label, lang in itertools.product(LABELS, judge.LANGS):
        own = [s for s in sentences if (s.intent, s.lang) == (label, lang)]
        step = max(1.0, len(own) / at_most)
        chosen += [own[int(n * step)] for n in range(min(at_most, len(own)))]
    return chosen


def _leanings(sentences: Sequence[Sentence]) -> list[Leaning]:
    read = Router.load().read
    return [read(sentence.text).leaning for sentence in sentences]


async def qualify(
    model: WorkerModel, prompt: Prompt, held_out: Sequence[Sentence], *, progress: Progress = _silent
) -> QualificationReport:
    """Measures a calibrated model on sentences nothing was fitted on. Raises `ModelRefused` without a calibration."""
    calibration = model.calibration
    if calibration is None:
        raise ModelRefused("This model has no calibration yet: run `edge-agent calibrate` first. Control stays off.")
    judged: list[judge.Judged] = []
    for n, sentence in enumerate(held_out):
        judged.append(await _judge(model, sentence))
        progress(n + 1, len(held_out))
    measured = judge.figures(judged, calibration.as_thresholds())
    reasons = judge.shortfalls(measured)
    qualification = Qualification(
        model_sha256=model.model_sha256,
        prompt_sha256=prompt.digest,
        calibration_sha256=calibration.digest,
        passed=not reasons,
        reasons=reasons,
        figures=measured,
    )
    model.qualification = qualification
    return QualificationReport(qualification, tuple(judged))


def keep(report: CalibrationReport | QualificationReport, folder: Path) -> Path:
    """Stores what was measured, under the hash of model and prompt."""
    if isinstance(report, CalibrationReport):
        return profile.store(report.calibration, folder)
    return profile.store(report.qualification, folder)


async def _judge(model: WorkerModel, sentence: Sentence) -> judge.Judged:
    got = await model.choose(sentence.text, [label.value for label in LABELS], deadline_s=CALL_DEADLINE_S)
    if isinstance(got, ModelFailure):
        raise ModelRefused(f"The measurement stopped at {sentence.text!r}: {got.detail}. Nothing was stored.")
    return judge.Judged(sentence.text, sentence.lang, sentence.intent, _scores([p for _, p in got.values]))


async def _ask(
    model: WorkerModel, kind: type[wire.R], *, deadline_s: float = CALL_DEADLINE_S, **request: object
) -> wire.R:
    return await model.operate(dict(request), kind, deadline_s=deadline_s)


def _scores(row: Sequence[float]) -> Scores:
    return tuple(IntentScore(label.value, p) for label, p in zip(LABELS, row, strict=True))
