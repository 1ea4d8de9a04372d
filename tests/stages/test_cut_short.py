"""A real agent is killed with SIGKILL in the middle of a run: what `edge-agent explain` then tells, from the journal
alone, read as somebody reads it who was called at night."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from edge_agent.adapters.journal.making import create
from edge_agent.cli import cli
from edge_agent.messages.codes import Lang
from edge_agent.messages.topics import TopicKind
from edge_agent.run.journal import Kind
from tests.chaos.site import Site, is_gone, lane
from tests.chaos.visitor import HOME, ask, confirmation, logged_in, message, visitor

pytestmark = [pytest.mark.net, pytest.mark.timeout(180)]

LOCALES: dict[Lang, str] = {"zh": "zh_CN.UTF-8", "en": "en_GB.UTF-8"}
QUESTION = "why did t014 fail?"
SLOW_MS = 1_200
FIRST_LIFE = 1


@dataclass(frozen=True)
class Says:
    """What the story must hold, and what it must not: in each language."""

    holds: dict[Lang, tuple[str, ...]]
    lacks: dict[Lang, tuple[str, ...]]


LOOKING = Says(
    {
        "en": (
            "No end is stored: the agent's life ended in the middle of this run",
            "Nobody was given an answer.",
            "No command to the arm is on record.",
            "then ask again",
            "phase: collecting facts",
            f'op1 over mqtt: "{QUESTION}"',
            "How it was released\n  nothing is stored",
            "Why the run ended\n  nothing is stored",
            "Guards\n  nothing is stored",
            "r1: task status, task_id=t014: READY / EVIDENCE_FOUND",
            "t014: code = 0601",
            "the run's own count was lost with it",
        ),
        "zh": (
            "没有结束记录：代理在这次运行中途退出",
            "没有人得到答复。",
            "没有发给机械臂的指令记录。",
            "重新提问",
            "阶段：正在收集事实",
            f"op1 通过 mqtt：“{QUESTION}”",
            "如何放行\n  没有记录",
            "为什么结束\n  没有记录",
            "核对\n  没有记录",
            "r1：任务状态，task_id=t014：READY / EVIDENCE_FOUND",
            "t014: code = 0601",
            "这次运行自己的计数已随它丢失",
        ),
    },
    {"en": ("may have moved",), "zh": ("可能已经动作",)},
)
MOVING = Says(
    {
        "en": ("No end is stored", "the arm may have moved", "Keep out of its reach", "answer to a confirmation: yes"),
        "zh": ("没有结束记录", "机械臂可能已经动作", "不要靠近运动范围", "回答确认：是"),
    },
    {"en": ("done and checked",), "zh": ("已完成并核对",)},
)


def explained(site: Site, run: str, lang: Lang) -> str:
    """The command's own output, in a terminal of that language."""
    done = subprocess.run(
        [sys.executable, "-m", "edge_agent", "explain", run, "--settings", str(site.folder / "settings.toml")],
        env={**os.environ, "LC_ALL": LOCALES[lang], "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def check(site: Site, run: str, says: Says) -> None:
    for lang in LOCALES:
        story = explained(site, run, lang)
        for part in says.holds[lang]:
            assert part in story, f"{part!r} is not in:\n{story}"
        for part in says.lacks[lang]:
            assert part not in story, f"{part!r} is in:\n{story}"


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with lane() as here:
        there = await here.fresh()
        yield there
        await there.leave()


async def killed_while_looking(site: Site) -> str:
    """The run of a diagnosis whose agent was killed after its first record and before its second."""
    await site.start()
    await site.ready("READY")
    async with logged_in(site, "student1") as student, visitor("mqtt", site) as operator:
        slow = message("lab", op="put", fault="query.slow", count=50, delay_ms=SLOW_MS, epoch=FIRST_LIFE)
        await student.send_raw(TopicKind.REQ, slow.payload, slow.run)
        await site.until_rows(1, Kind.FAULT)
        said = message("ask", text=QUESTION, lang="en")
        await operator.send(said)
        await site.until_rows(1, Kind.RECORD, run=said.run)
        os.kill(site.pid, signal.SIGSTOP)  # however slow this machine is, the run goes no further
        assert "no end yet: it is still going on" in explained(site, said.run, "en")
        await site.kill()
    assert is_gone(site.pid)
    return said.run


async def test_a_search_that_was_cut_short_and_what_the_next_life_says_of_it(site: Site) -> None:
    run = await killed_while_looking(site)
    assert site.rows(Kind.TERMINAL, run=run) == []
    check(site, run, LOOKING)
    await site.start()
    await site.ready("READY")
    await site.until_rows(1, Kind.TERMINAL, run=run)
    story = explained(site, run, "en")
    assert "the agent's life ended on the way; the next one told so and did nothing of it again" in story
    assert "failure INTERNAL_FAILURE: " in story
    assert "No end is stored" not in story


async def test_a_motion_that_was_cut_short(site: Site) -> None:
    await site.start(kill_at="sent")
    await site.ready("READY")
    async with visitor("mqtt", site) as operator:
        _, prompt = await ask(operator, HOME)
        answer = confirmation(operator, prompt)
        await operator.send(answer)
        assert await site.ended() is not None
    assert is_gone(site.pid)
    check(site, answer.run, MOVING)


def test_a_run_that_is_not_there_is_said(tmp_path: Path) -> None:
    create(tmp_path, 0)
    done = CliRunner().invoke(cli, ["explain", "nobody"], env={"EDGE_AGENT_JOURNAL__FOLDER": str(tmp_path)})
    assert done.exit_code == 1
    assert "No run nobody in the journal" in done.stderr
    assert "日志中没有 nobody" in done.stderr
    assert "edge-agent explain" in done.stderr
