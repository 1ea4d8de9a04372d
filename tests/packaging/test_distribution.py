"""Whose packages run here: ours, all three, and nobody else's beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_agent.distribution import NAME, PACKAGES, Foreign, foreign_packages, judged

SITE = Path("/v/site-packages")
OURS = {name: SITE / name for name in PACKAGES}
CLAIMS = {name: [NAME] for name in PACKAGES}


def test_this_installation_is_ours() -> None:
    assert foreign_packages() == ()


@pytest.mark.parametrize("claims", [CLAIMS, {}])
def test_a_wheel_and_an_editable_install_are_good(claims: dict[str, list[str]]) -> None:
    assert list(judged(OURS, claims, SITE)) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_a_stranger_in_the_same_folder_is_seen(package: str) -> None:
    claims = CLAIMS | {package: [NAME, "somebody-else"]}
    assert list(judged(OURS, claims, SITE)) == [Foreign(package, "somebody-else")]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_stranger_that_is_found_first_is_seen(package: str) -> None:
    places = OURS | {package: Path("/elsewhere") / package}
    assert list(judged(places, CLAIMS, SITE)) == [Foreign(package, f"/elsewhere/{package}")]


def test_a_missing_package_and_no_installation_at_all() -> None:
    gone: dict[str, Path | None] = {**OURS, "drivers": None}
    assert [each.package for each in judged(gone, CLAIMS, SITE)] == ["drivers"]
    assert [each.package for each in judged(OURS, {}, None)] == list(PACKAGES)
