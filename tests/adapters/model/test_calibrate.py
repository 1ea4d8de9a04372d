"""What a calibration stands on is counted: a process that was replaced meanwhile has forgotten what it collected."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from edge_agent.adapters.model.calibrate import calibrate
from edge_agent.adapters.model.errors import ModelRefused
from edge_agent.adapters.model.labelled import Part, Sentence, shipped
from edge_agent.adapters.model.prompt import LABELS, default_prompt
from tests.adapters.model.test_client import running


def few(part: Part, of_each: int = 2) -> tuple[Sentence, ...]:
    found = itertools.product(LABELS, ("zh", "en"))
    return tuple(
        s for label, lang in found for s in [s for s in shipped(part) if (s.intent, s.lang) == (label, lang)][:of_each]
    )


async def test_a_map_names_what_it_was_fitted_on(tmp_path: Path) -> None:
    async with running(tmp_path, "good") as model:
        report = await calibrate(model, default_prompt(), few(Part.FIT), few(Part.TUNING))
    assert report.calibration.fitted_on == len(few(Part.FIT)) == 28


async def test_a_process_that_was_replaced_meanwhile_stores_nothing(tmp_path: Path) -> None:
    async with running(tmp_path, "good", recycle_after=40) as model:
        with pytest.raises(ModelRefused, match="of 28 sentences were left"):
            await calibrate(model, default_prompt(), few(Part.FIT), few(Part.TUNING))
