"""Lists that another room owns, and tables that must be whole."""

from __future__ import annotations

from typing import get_args

import pytest

from drivers.contract import Mode
from edge_agent.messages import states
from edge_agent.messages.alarm import SEVERITY, AlarmType
from edge_agent.messages.rejection import ERROR_CODE, RejectionName
from edge_agent.messages.request import REQUEST_MODELS, RequestType
from edge_agent.run.collection import StopReason
from edge_agent.run.lifecycle import RunState
from edge_agent.safety.cell import CellState
from edge_agent.safety.command import CommandState


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
    assert set(ERROR_CODE) == set(RejectionName)
    assert set(SEVERITY) == set(get_args(AlarmType))
    assert set(REQUEST_MODELS) == set(get_args(RequestType))
