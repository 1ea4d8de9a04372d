"""Sentences nobody tuned on, read by the rules; and by the worst of all models, which hears a command in everything."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from edge_agent.cases.files import read_paths
from edge_agent.cases.language.figures import LANGS, measures
from edge_agent.cases.language.heard import Group, Heard, heard
from edge_agent.cases.line import SentenceLine
from edge_agent.understand.decide import Model, interpret
from edge_agent.understand.scores import IntentScore, ModelCause, NoUsableModel
from edge_agent.understand.thresholds import Thresholds
from offline_rules.reading import Intent, Lang
from offline_rules.router import Router

HERE = Path(__file__).parent / "held_out"
SETS = sorted(path.name for path in HERE.iterdir())
STRANGERS = ["sixth", "seventh", "eighth", "ninth", "tenth", "thirteenth"]
"""Whose writers had never seen this program, and of whose talk to others nothing is taken for ours. Every set was read
once before anything was changed for it."""
ALONE = NoUsableModel(ModelCause.NONE)
EAGER = (IntentScore(Intent.CONTROL_DEVICE, 0.99), IntentScore(Intent.GENERAL, 0.01))


@cache
def router() -> Router:
    return Router.load()


def read(name: str, model: Model) -> list[Heard]:
    made = []
    for placed in read_paths([HERE / name]):
        line = placed.line
        assert isinstance(line, SentenceLine)
        assert line.lang is not None
        reading = interpret(router().read(line.text), model, Thresholds())
        made.append(heard(line, line.lang, Group(line.case or ""), reading, with_model=model is not ALONE))
    return made


@pytest.mark.parametrize("name", SETS)
def test_no_model_however_eager_moves_what_must_not_move(name: str) -> None:
    assert [h.text for h in read(name, EAGER) if h.wrong_motion] == []


@pytest.mark.parametrize("name", SETS)
def test_an_eager_model_moves_nothing_without_its_action_on_a_word(name: str) -> None:
    moved = [h for h in read(name, EAGER) if h.would_move]
    assert moved
    assert all("action" in h.read_slots for h in moved)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", SETS)
def test_the_rules_alone_reach_what_is_asked_of_them(name: str, lang: Lang) -> None:
    asked = {m.name: m for m in measures(read(name, ALONE), lang, with_model=False)}
    for of in ("wrong motions", "stops heard", "false stops", "in-scope intents", "slots"):
        assert asked[of].reached, asked[of]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", STRANGERS)
def test_what_strangers_say_to_others_is_not_taken_for_ours(name: str, lang: Lang) -> None:
    asked = {m.name: m for m in measures(read(name, ALONE), lang, with_model=False)}
    assert asked["other domains taken"].reached, asked["other domains taken"]


@pytest.mark.parametrize("name", SETS)
def test_every_set_is_large_enough_to_say_something(name: str) -> None:
    lines = [placed.line for placed in read_paths([HERE / name])]
    for lang in LANGS:
        own = [line for line in lines if isinstance(line, SentenceLine) and line.lang == lang]
        assert sum(line.case == Group.IN_SCOPE for line in own) >= 110


def test_there_are_enough_sentences_of_other_domains() -> None:
    lines = [placed.line for name in SETS for placed in read_paths([HERE / name])]
    assert sum(isinstance(line, SentenceLine) and line.case == Group.OTHER_DOMAIN for line in lines) >= 600
