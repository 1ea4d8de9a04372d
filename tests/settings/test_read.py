"""A setting that nobody reads promises what does not happen: each one's name stands in the code that uses it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

import edge_agent
from edge_agent.app.from_settings import cell_of, worker_of
from edge_agent.places import Place, packaged
from edge_agent.settings import Breaker, Cell, Lab, Model, Settings

ROOM = Path(edge_agent.__file__).parent
WHOLE = frozenset({"budget", "retry", "retention", "breaker"})
"""Sections that are handed on as one value."""


def leaves(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        if name not in WHOLE and isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from leaves(kind, (*path, name))
        else:
            yield (*path, name)


READERS = "\n".join(
    file.read_text("utf-8")
    for file in (*ROOM.glob("*.py"), *ROOM.glob("app/*.py"), *ROOM.glob("doctor/*.py"))
    if file.name != "settings.py"
)


@pytest.mark.parametrize("leaf", list(leaves(Settings)), ids=".".join)
def test_every_setting_is_read(leaf: tuple[str, ...]) -> None:
    assert re.search(rf"\.{leaf[-1]}\b", READERS)


def test_the_models_figures_reach_its_worker() -> None:
    model = Model(threads=2, start_deadline_s=9, recycle_after=7, breaker=Breaker(max_deaths=2, pause_s=5))
    given = worker_of(Settings(model=model), Path("m.gguf"), Path("models"))
    assert (given.threads, given.start_deadline_s, given.recycle_after) == (2, 9, 7)
    assert (given.breaker.max_deaths, given.breaker.pause_s) == (2, 5)


@pytest.mark.parametrize("opened", [True, False])
def test_a_sites_lab_is_opened_by_its_settings_too(opened: bool, tmp_path: Path) -> None:
    closed = packaged(Place.DATA, "default_cell.toml").read_text("utf-8").replace("lab = true", "lab = false")
    file = tmp_path / "cell.toml"
    file.write_text(closed, "utf-8")
    assert cell_of(Settings(cell=Cell(file=file), lab=Lab(enabled=opened))).lab is opened
