"""Talk that was never meant for a cell: a home's commands and chat, out of public packages, read by the rules.

The eager model hears a command in everything; a motion would need no more than the rules' consent.
"""

from __future__ import annotations

from functools import cache

import pytest

from edge_agent.cases.language.figures import CLAIMED_GOAL, LANGS
from edge_agent.understand.decide import Model, interpret
from edge_agent.understand.interpretation import Interpretation
from edge_agent.understand.scores import ModelCause, NoUsableModel
from edge_agent.understand.thresholds import Thresholds
from offline_rules.reading import Intent, Lang, Reading
from offline_rules.router import Router
from tests.language.public_sentences import JUDGED, public_sentences
from tests.language.test_held_out import EAGER

ALONE = NoUsableModel(ModelCause.NONE)
NOT_OURS = (Intent.GENERAL, Intent.UNKNOWN)


@cache
def said(lang: Lang) -> tuple[str, ...]:
    return public_sentences(lang)[:JUDGED]


@cache
def readings(lang: Lang) -> tuple[Reading, ...]:
    router = Router.load()
    return tuple(router.read(text) for text in said(lang))


def read(lang: Lang, model: Model) -> dict[str, Interpretation]:
    return {made.original: interpret(made, model, Thresholds()) for made in readings(lang)}


@pytest.mark.parametrize("lang", LANGS)
def test_there_are_thousands_and_no_two_are_alike(lang: Lang) -> None:
    assert len(set(said(lang))) == JUDGED


@pytest.mark.parametrize("lang", LANGS)
def test_none_moves_whatever_the_model_hears(lang: Lang) -> None:
    assert [text for text, made in read(lang, EAGER).items() if made.would_move] == []


@pytest.mark.parametrize("lang", LANGS)
def test_hardly_any_is_taken_for_a_wish_of_ours(lang: Lang) -> None:
    taken = [text for text, made in read(lang, ALONE).items() if made.intent not in NOT_OURS]
    assert len(taken) <= CLAIMED_GOAL[lang] * JUDGED, taken


@pytest.mark.parametrize("lang", LANGS)
def test_a_stop_among_them_is_a_bare_one(lang: Lang) -> None:
    """A doubtful stop is a stop; of ten thousand sentences a handful are."""
    stops = [text for text, made in read(lang, ALONE).items() if made.intent is Intent.STOP]
    assert len(stops) <= 10, stops
