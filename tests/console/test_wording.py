"""Both languages say all that the console can say."""

from __future__ import annotations

from typing import get_args

import pytest

from drivers.contract import Mode
from edge_agent.console.commands import COMMANDS, SAY, command_of
from edge_agent.console.entrance import Admission
from edge_agent.console.page import QUIET
from edge_agent.console.questions import Verdict
from edge_agent.console.wording import console_texts
from edge_agent.messages.alarm import Severity
from edge_agent.messages.codes import Lang, Phase
from edge_agent.release.texts import require


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_word_has_its_text(lang: Lang) -> None:
    held = [
        "not_stopped",
        "not_locked_out",
        "arm_moving",
        "link_lost",
        "journal_fault",
        "controller_key_needed",
        "not_remote_automatic",
        "interlock_open",
        "controller_not_idle",
    ]
    require(
        console_texts(lang),
        [
            *(f"help.{name}" for name in COMMANDS),
            *(f"login.{each.name.lower()}" for each in Admission),
            *(f"question.{each.name.lower()}" for each in Verdict if each is not Verdict.NOT_MINE),
            *(f"phases.{each}" for each in Phase if each not in QUIET),
            *(f"held.{reason}" for reason in held),
            *(f"mode.{each.name}" for each in Mode),
            *(f"severity.{each}" for each in get_args(Severity)),
            *(f"left.{why}" for why in ("logout", "idle", "port_lost", "agent_stops")),
        ],
    )


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_help_names_the_commands_and_nothing_else(lang: Lang) -> None:
    assert set(console_texts(lang).under("help")) == set(COMMANDS)


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("status", "status", ""),
        ("  STATUS ", "status", ""),
        ("status of the arm", "say", "status of the arm"),
        ("say status", "say", "status"),
        ("help stop", "help", "stop"),
        ("help me with the glass", "say", "help me with the glass"),
        ("stop it now", "stop", "it now"),
        ("stopwatch", "say", "stopwatch"),
        ("explain", "explain", ""),
        ("explain 01M8P5QGKNX961P2FQTYG96SA9 2", "explain", "01M8P5QGKNX961P2FQTYG96SA9 2"),
        ("explain why it stopped", "say", "explain why it stopped"),
        ("alarms ack arm.link_lost", "alarms", "ack arm.link_lost"),
        ("alarms of yesterday", "say", "alarms of yesterday"),
        ("reset_lockout  guard was open", "reset_lockout", "guard was open"),
        ("reset the lockout", "say", "reset the lockout"),
        ("查一下 glass 的规则", "say", "查一下 glass 的规则"),
        ("", "say", ""),
    ],
)
def test_command_or_sentence(text: str, name: str, rest: str) -> None:
    command, behind = command_of(text)
    assert (command.name, behind) == (name, rest)


def test_what_changes_something_needs_a_login_and_a_clean_line() -> None:
    open_to_all = {each.name for each in COMMANDS.values() if not each.login}
    assert open_to_all == {"help", "status", "stop", "login", "lang"}
    changing = {"say", "release_stop", "reset_lockout", "resolve", "lab", "login"}
    assert {each.name for each in COMMANDS.values() if each.clean} == changing
    assert SAY.login
