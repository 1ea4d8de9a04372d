"""Lists that another room owns, and texts that a person reads."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from drivers.contract import Mode
from edge_agent.messages import states
from edge_agent.messages.alarm import SEVERITY, AlarmType
from edge_agent.messages.codes import ErrorCode, Lang
from edge_agent.messages.parse import parse_request
from edge_agent.messages.rejection import Rejection, RejectionName
from edge_agent.messages.rejection_text import NOT_DONE, NOT_DONE_AGAIN, TOLD, rejection_content
from edge_agent.messages.request import REQUEST_MODELS, RequestType
from edge_agent.run.collection import StopReason
from edge_agent.run.lifecycle import RunState
from edge_agent.safety.cell import CellState
from edge_agent.safety.command import CommandState

LANGS: tuple[Lang, ...] = ("zh", "en")


@pytest.mark.parametrize(
    ("words", "owner"),
    [
        (states.RunStateWord, RunState),
        (states.StopReasonWord, StopReason),
        (states.CellStateWord, CellState),
        (states.CommandStateWord, CommandState),
    ],
)
def test_words_are_their_owners(words: object, owner: type[RunState]) -> None:
    assert list(get_args(words)) == [member.value for member in owner]


def test_modes_are_the_drivers() -> None:
    assert list(get_args(states.ModeWord)) == [mode.name for mode in Mode]


def test_tables_are_whole() -> None:
    assert set(TOLD) == set(RejectionName)
    assert set(SEVERITY) == set(get_args(AlarmType))
    assert set(REQUEST_MODELS) == set(get_args(RequestType))


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", RejectionName)
def test_every_rejection_is_told(name: RejectionName, lang: Lang) -> None:
    rejection = Rejection(name, "k", readable_id=True, detail="d")
    content = rejection_content(rejection, lang=lang, trace_id="t", parse_trace_id="p")
    told = TOLD[name][lang]
    assert content.text.startswith(told.happened)
    assert content.not_done in content.text
    assert content.next_steps[0].text in content.text
    assert content.error.code in ErrorCode
    assert bool(re.search(r"[一-鿿]", content.text)) == (lang == "zh")
    assert not re.search(r"emergency stop|guarantee|certified|exactly once|\bsafe\b", content.text, re.IGNORECASE)


def test_language_of_the_request_wins() -> None:
    rejection = parse_request(b'{"lang":"en","type":"ask"}', "op1")
    assert isinstance(rejection, Rejection)
    content = rejection_content(rejection, lang="zh", trace_id="t", parse_trace_id="p")
    assert content.not_done == NOT_DONE["en"]


def test_a_duplicate_does_not_say_that_nothing_ever_moved() -> None:
    rejection = Rejection(RejectionName.DUPLICATE, "k", readable_id=True, detail="d")
    content = rejection_content(rejection, lang="en", trace_id="t", parse_trace_id="p", first_state="VERIFIED")
    assert content.not_done == NOT_DONE_AGAIN["en"]
    assert (content.first_run, content.first_state) == ("k", "VERIFIED")
