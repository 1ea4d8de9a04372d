"""What a run measured, for the table at its end and for this folder's README."""

from __future__ import annotations

FIGURES: dict[str, str] = {}


def note(what: str, figure: object) -> None:
    FIGURES[what] = str(figure)


def lines() -> list[str]:
    width = max(map(len, FIGURES), default=0)
    return [f"{what:<{width}}  {figure}" for what, figure in FIGURES.items()]
