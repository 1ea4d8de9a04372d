"""Where the data lies that comes with the product: one function, the same answer from a wheel and from a checkout.

Data inside a package lies at one place in both. `labeled_cases` and `systemd` stand at the top of a checkout and
are copied into `edge_agent/_data` when a wheel is built; an editable install has no copy, so the checkout itself
is asked. A neighbour of the package counts as a checkout only with a `pyproject.toml` beside it: in site-packages
a folder `systemd` may be another project's.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Final

import edge_agent


class Place(StrEnum):
    """What can be asked for; the value names its folder."""

    DATA = "data"
    """Default cell, seeds, qualification figures, templates of the agent."""
    LAB = "lab"
    """Teaching pages."""
    SCHEMAS = "messages"
    """JSON Schemas and asyncapi.yaml."""
    PHRASES = "offline_rules"
    """Words and phrase packs."""
    CASES = "labeled_cases"
    SYSTEMD = "systemd"
    """Units, broker settings, example settings."""


class PlaceMissing(Exception):
    """The installation lacks data it came with. Nothing to configure: install it again."""

    def __init__(self, place: Place, asked: tuple[Path, ...]) -> None:
        looked = ", ".join(str(path) for path in asked)
        super().__init__(
            f"packaged data missing: {place}; looked at {looked}. Install the package again.\n"
            f"安装包数据缺失：{place}；已查找 {looked}。请重新安装。"
        )
        self.place, self.asked = place, asked


AGENT: Final = Path(edge_agent.__path__[0])
AT_THE_TOP: Final = frozenset({Place.CASES, Place.SYSTEMD})


def packaged(place: Place, *parts: str, agent: Path = AGENT) -> Path:
    """The folder of `place`, or the file `parts` in it. Raises `PlaceMissing`."""
    asked = tuple(folder.joinpath(*parts) for folder in _folders(place, agent))
    found = next((path for path in asked if path.exists()), None)
    if found is None:
        raise PlaceMissing(place, asked)
    return found


def checkout(agent: Path = AGENT) -> Path | None:
    """The checkout this package runs from; None when it was installed from a wheel."""
    root = agent.parent
    return root if (root / "pyproject.toml").is_file() else None


def _folders(place: Place, agent: Path) -> tuple[Path, ...]:
    """In the order in which they are asked."""
    if place is Place.PHRASES:
        return (agent.parent / place / "data",)
    if place not in AT_THE_TOP:
        return (agent / place,)
    root = checkout(agent)
    copied = agent / "_data" / place
    return (copied,) if root is None else (root / place, copied)
