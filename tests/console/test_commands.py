"""The commands that look, and the findings that are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_agent.release.texts import texts
from edge_agent.run.journal import Entry, Kind
from edge_agent.safety.cell import CellState
from tests.console.bench import CODE, bench

pytestmark = pytest.mark.net


ANSWERS = (
    ("help", "reset_lockout REASON"),
    ("help resolve", "what you found at the arm"),
    ("lockout", "There is no lockout"),
    ("reset_lockout because", "no lockout to reset"),
    ("alarms", "No alarms."),
    ("alarms ack arm.link_lost", "No such alarm"),
    ("explain", "No request of this login"),
    ("explain 01M8P5QGKNX961P2FQTYG96SA9", "01M8P5QGKNX961P2FQTYG96SA9"),
    ("cases", "seed.jsonl"),
    ("wire", "L3_FULL_ECHO"),
    ("lab", "takes no lab faults"),
    ("lab something else", "lab put FAULT"),
    ("lab put arm.no_part", "Lab faults updated"),
    ("lab put arm.no_such_thing", "arm.no_such_thing"),
    ("lab clear", "faults are cleared"),
    ("resolve", "resolve COMMAND_ID did"),
    ("resolve 5 maybe looked", "resolve COMMAND_ID did"),
    ("resolve 5 did looked", "not in the journal"),
    ("say", "Write: say SENTENCE"),
    ("login W!", "Write: login NAME"),
    ("x" * 600, "too long"),
    ("lab clear\x01", "noise"),
    ("lang de", "lang zh or lang en"),
    ("what is the rule for glass", "bin 2"),
    ("lang zh", "中文。"),
    ("查一下 glass 的分拣规则", "2 号箱"),
    ("lang", "English."),
)
"""What is typed by somebody who is logged in, and a part of what must come. In order: the language changes last."""


async def test_each_command_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await cell.login()
        for typed, answer in ANSWERS:
            await cell.terminal.line(typed)
            await cell.terminal.until(answer)
            await cell.terminal.until("> ")
        assert cell.agent.supervisor.view.state is CellState.READY
        assert (await cell.cell.observe()).frames == 0


async def test_an_unknown_outcome_gets_a_finding_and_stays_unknown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await cell.agent.parts.journal.append(Entry(Kind.COMMAND, {"command_id": 17, "state": "UNKNOWN", "why": "x"}))
        await cell.login()
        await cell.terminal.line("resolve 17 didnt the part is still at the station")
        await cell.terminal.until("Finding written")
        (row,) = await cell.rows(Kind.RESOLVE)
        assert row.body == {
            "command_id": 17,
            "happened": False,
            "by": "wang",
            "why": "the part is still at the station",
        }
        (command,) = await cell.rows(Kind.COMMAND)
        assert command.body["state"] == "UNKNOWN"


async def test_a_run_is_explained_and_an_alarm_acknowledged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        line = cell.terminal
        await cell.login()
        await line.line("home the arm")
        await line.until(f"[{CODE}]> ")
        await line.keys(f"{CODE}\r")
        await line.until("receipt and end state were checked")
        await line.line("explain")
        story = await line.until("0 tokens in")
        assert "done and checked; motion frames: 1" in story
        for heading in ("sent", "arm", "used"):
            assert texts("en").say(f"story_section.{heading}") in story
        cell.agent.supervisor.lock_out("receipt_missing")
        await line.until("ALARM urgent arm.outcome_unknown [active]")
        await line.line("alarms ack arm.outcome_unknown")
        await line.until("[active, acknowledged]")
        await line.line("lang zh")
        await line.line("alarms")
        await line.until("报警 紧急 arm.outcome_unknown")
        await line.line("status")
        await line.until("模式 远程自动")
        alarms = [(row.body["acked"], row.body["by"]) for row in await cell.rows(Kind.ALARM)]
        assert (True, "wang") in alarms


async def test_a_controller_that_asks_for_its_key_keeps_the_lockout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        line = cell.terminal
        await cell.login()
        cell.agent.supervisor.lock_out("receipt_missing")
        await cell.cell.rig.set_input("guard", False)
        await line.until("LOCKED_OUT")
        await line.line("reset_lockout looked")
        await line.until("NOT reset")
        assert cell.agent.supervisor.view.state is CellState.LOCKED_OUT
        assert await cell.rows(Kind.RESET) == ()
        await cell.cell.rig.set_input("guard", True)
        await cell.cell.rig.press_key()
        await line.line("reset_lockout guard closed again")
        await line.until("The lockout is reset")
        await cell.state(CellState.READY)


async def test_without_login_only_what_shows_and_stops(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        line = cell.terminal
        for typed in ("home the arm", "lockout", "reset_lockout x", "resolve 1 did x", "release_stop", "lab clear"):
            await line.line(typed)
            await line.until("log in first")
        await line.line("help")
        await line.until("lang zh|en")
        assert await cell.rows(Kind.REQUEST) == ()
