"""Packaged data is found in a checkout and in a wheel's layout, and never in a stranger's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_agent.places import AGENT, AT_THE_TOP, Place, PlaceMissing, checkout, packaged


@pytest.mark.parametrize("place", Place)
def test_every_place_is_there(place: Place) -> None:
    assert packaged(place).is_dir()


def test_this_is_a_checkout() -> None:
    root = checkout()
    assert root is not None
    assert packaged(Place.CASES) == root / "labeled_cases"


@pytest.mark.parametrize("place", sorted(AT_THE_TOP))
def test_a_wheel_has_its_copy(tmp_path: Path, place: Place) -> None:
    agent = tmp_path / "site-packages" / "edge_agent"
    copy = agent / "_data" / place
    copy.mkdir(parents=True)
    (tmp_path / "site-packages" / place).mkdir()  # another project's package of that name
    assert packaged(place, agent=agent) == copy


def test_a_checkout_is_asked_before_a_copy(tmp_path: Path) -> None:
    agent = tmp_path / "edge_agent"
    (agent / "_data" / "systemd").mkdir(parents=True)
    (tmp_path / "systemd").mkdir()
    (tmp_path / "pyproject.toml").touch()
    assert packaged(Place.SYSTEMD, agent=agent) == tmp_path / "systemd"


def test_what_is_missing_is_named_with_where_it_was_sought(tmp_path: Path) -> None:
    agent = tmp_path / "edge_agent"
    with pytest.raises(PlaceMissing, match="Install the package again") as caught:
        packaged(Place.DATA, "default_cell.toml", agent=agent)
    assert str(agent / "data" / "default_cell.toml") in str(caught.value)


def test_the_agent_folder_is_the_one_that_runs() -> None:
    assert (AGENT / "places.py").is_file()
