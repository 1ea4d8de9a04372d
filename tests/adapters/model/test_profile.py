"""What was measured about a model is found under what it depends on, and a broken file is no qualification."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from edge_agent.adapters.model import profile
from edge_agent.adapters.model.assemble import DEFAULT_SHA256
from edge_agent.adapters.model.errors import ProfileBroken
from edge_agent.adapters.model.measure import JSON_SCHEMA
from edge_agent.adapters.model.prompt import LABELS, default_prompt
from edge_agent.adapters.model.schema_limits import objection

A, B = "a" * 64, "b" * 64


def calibration(model: str = A, prompt: str = B) -> profile.Calibration:
    return profile.Calibration(
        model_sha256=model,
        prompt_sha256=prompt,
        tokens=[3, 5],
        weights=[[0.25] * 7, [1e-6] * 7],
        bias=[0.0] * 7,
        thresholds=[],
        leaning_weight=0.5,
        fitted_on=2,
    )


def test_stored_and_found_again_digit_for_digit(tmp_path: Path) -> None:
    made = calibration()
    profile.store(made, tmp_path / "new")
    found = profile.load(profile.Calibration, tmp_path / "new", A, B)
    assert found is not None
    assert (found, found.digest) == (made, made.digest)


@pytest.mark.parametrize(("model", "prompt"), [(B, B), (A, A)])
def test_another_model_or_prompt_finds_nothing(tmp_path: Path, model: str, prompt: str) -> None:
    profile.store(calibration(), tmp_path)
    assert profile.load(profile.Calibration, tmp_path, model, prompt) is None


@pytest.mark.parametrize("content", ["", "{}", "null", '{"format": 2}', '{"format": "1"}', "\u0000"])
def test_a_broken_file_is_named(tmp_path: Path, content: str) -> None:
    path = profile.store(calibration(), tmp_path)
    path.write_text(content)
    with pytest.raises(ProfileBroken, match=path.name):
        profile.load(profile.Calibration, tmp_path, A, B)


def test_what_another_version_measured_hides_nothing(tmp_path: Path) -> None:
    path = profile.store(calibration(DEFAULT_SHA256, default_prompt().digest), tmp_path)
    own = profile.load(profile.Calibration, tmp_path, DEFAULT_SHA256, default_prompt().digest)
    path.write_text(path.read_text().replace('"format":2', '"format":1'))
    shipped = profile.load(profile.Calibration, tmp_path, DEFAULT_SHA256, default_prompt().digest)
    assert own is not None
    assert shipped is not None
    assert shipped != own


def test_the_default_model_is_shipped_calibrated_and_qualified(tmp_path: Path) -> None:
    prompt = default_prompt().digest
    shipped = profile.load(profile.Calibration, tmp_path, DEFAULT_SHA256, prompt)
    judged = profile.load(profile.Qualification, tmp_path, DEFAULT_SHA256, prompt)
    assert shipped is not None
    assert judged is not None
    assert judged.passed
    assert judged.calibration_sha256 == shipped.digest
    assert {len(row) for row in shipped.weights} == {len(LABELS)}
    assert len(shipped.weights) == len(shipped.tokens)


def test_no_shipped_measurement_is_left_over_from_an_older_prompt() -> None:
    shipped = [f.name for f in files("edge_agent.adapters.model").joinpath("data").iterdir() if "-" in f.name]
    key = profile.key(DEFAULT_SHA256, default_prompt().digest)
    assert sorted(shipped) == [f"calibration-{key}.json", f"qualification-{key}.json"]


def test_the_schema_of_the_comparison_is_one_the_library_may_see() -> None:
    assert objection(JSON_SCHEMA) is None


def test_an_old_qualification_of_the_sites_own_does_not_hide_the_shipped_one(tmp_path: Path) -> None:
    digest = default_prompt().digest
    shipped = profile.load(profile.Calibration, tmp_path, DEFAULT_SHA256, digest)
    assert shipped is not None
    old = profile.Qualification(
        model_sha256=DEFAULT_SHA256,
        prompt_sha256=digest,
        calibration_sha256=A,
        passed=True,
        reasons=[],
        figures=[],
    )
    profile.store(old, tmp_path)
    found = profile.load_qualification(shipped, tmp_path)
    assert found is not None
    assert found.calibration_sha256 == shipped.digest
