"""Plays the session and says, step by step, whether it came out right. Then stays up for whoever wants to try."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape

from edge_agent.adapters.console.serial_line import LineMissing
from edge_agent.adapters.mqtt.broker import BrokerDidNotStart, BrokerMissing
from edge_agent.demo.ending import Ended, until_told_to_end
from edge_agent.demo.person import Person, Technician, Unheard
from edge_agent.demo.site import (
    OPERATOR,
    PASSWORDS,
    PIN,
    PREFIX,
    TECHNICIAN,
    VIEWER,
    AgentDied,
    Site,
    running_site,
)
from edge_agent.demo.steps import STEPS, Stage, Step, StepFailed
from edge_agent.hmi.launch import PageDied, installed, running_page
from offline_rules.reading import Lang

READY_S = 120.0
"""A first start joins the model's parts and reads its prompt once; later ones take a second."""
STEP_S = 40.0
ALL_RIGHT, NOT_ALL, CANNOT = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Wish:
    """`leave`: end after the last step instead of staying up."""

    model: bool
    lang: Lang
    leave: bool


async def run_demo(wish: Wish, console: Console) -> int:
    """0 when every step came out right, also where somebody ended it afterwards; ended before that, 128 + the
    signal's number, as a shell counts."""
    played: list[int] = []
    try:
        return await until_told_to_end(_session(wish, console, played), lambda: _ending(console, wish.lang))
    except Ended as ended:
        return played[0] if played else 128 + ended.by
    except (BrokerMissing, BrokerDidNotStart, LineMissing, AgentDied, PageDied) as error:
        console.print(f"[red]{escape(str(error))}[/red]")
        return CANNOT


async def _session(wish: Wish, console: Console, played: list[int]) -> int:
    """`played` gets the outcome as soon as the last step is over."""
    async with running_site(model=wish.model, lang=wish.lang) as site, AsyncExitStack() as stack:
        # The people leave before somebody else may come: two terminals on one line would each get half of it.
        async with AsyncExitStack() as people:
            with console.status("starting broker, arm and agent / 正在启动消息服务器、机械臂和智能体"):
                stage = await _stage(site, people, console)
            failed = await _play(stage, wish, console)
        played.append(NOT_ALL if failed else ALL_RIGHT)
        if not wish.leave:
            await _stay(site, wish, console, await _page(site, wish, stack))
        return played[0]


def _ending(console: Console, lang: Lang) -> None:
    """Said at once: what was started needs a moment to end in order."""
    with suppress(OSError):  # the terminal itself may be what is gone
        console.print(
            "\n正在结束并停止所启动的一切……" if lang == "zh" else "\nEnding; stopping all that was started ..."
        )


async def _stage(site: Site, stack: AsyncExitStack, console: Console) -> Stage:
    await site.start_agent()
    people = [
        await stack.enter_async_context(Person.at(site.broker.port, user, PASSWORDS[user], PREFIX))
        for user in (OPERATOR, VIEWER)
    ]
    technician = await stack.enter_async_context(Technician.at(site.console))
    stage = Stage(site, people[0], people[1], technician, lambda who, text: _line(console, who, text))
    await people[0].until_cell(lambda cell: cell["state"] == "READY", READY_S)
    if site.model:
        await people[0].until_model(READY_S)
    return stage


async def _play(stage: Stage, wish: Wish, console: Console) -> int:
    began, failed = time.monotonic(), 0
    for number, step in enumerate(STEPS, start=1):
        console.print(f"\n[bold]{number}/{len(STEPS)} {escape(step.zh if wish.lang == 'zh' else step.en)}[/bold]")
        failed += not await _one(stage, step, console)
    took_s = time.monotonic() - began
    right = len(STEPS) - failed
    colour = "green" if not failed else "red"
    console.print(f"\n[bold {colour}]{right} of {len(STEPS)} steps came out right, {took_s:.0f} s[/bold {colour}]")
    return failed


async def _one(stage: Stage, step: Step, console: Console) -> bool:
    try:
        stage.site.check_alive()
        async with asyncio.timeout(STEP_S):
            checked = await step.act(stage)
    except (StepFailed, Unheard) as wrong:
        console.print(f"  [red]✗ {escape(str(wrong))}[/red]")
        return False
    except TimeoutError:
        console.print(f"  [red]✗ no end within {STEP_S:.0f} s[/red]")
        return False
    console.print(f"  [green]✓ {escape(checked)}[/green]")
    return True


def _line(console: Console, who: str, text: str) -> None:
    for line in text.splitlines() or [""]:
        console.print(f"  [cyan]{escape(who):>8}[/cyan] {escape(line)}", highlight=False)


async def _page(site: Site, wish: Wish, stack: AsyncExitStack) -> str | None:
    """The address of the operator's page; None where its extra is not installed."""
    if not installed():
        return None
    log = site.folder / "page.log"
    return await stack.enter_async_context(running_page(site.broker.port, log=log, prefix=PREFIX, lang=wish.lang))


async def _stay(site: Site, wish: Wish, console: Console, page: str | None) -> None:
    """Until somebody ends it."""
    port, settings = site.broker.port, site.settings
    say = f"edge-agent say --port {port} --user {OPERATOR} --password {PASSWORDS[OPERATOR]}"
    told = {
        "zh": (
            "系统保持运行，按 Ctrl-C 结束。另开一个终端试试：",
            "日志与检查：",
            f"技术员控制台（用户 {TECHNICIAN}，PIN {PIN}；先 login {TECHNICIAN}）：",
            "操作页面",
            "操作页面没有安装（缺少 NiceGUI）：make setup",
        ),
        "en": (
            "It stays up until Ctrl-C. Try it from another terminal:",
            "The agent's log, and a check-up:",
            f"The technician's console (user {TECHNICIAN}, PIN {PIN}; begin with login {TECHNICIAN}):",
            "The operator's page",
            "The operator's page is not installed (NiceGUI is missing): make setup",
        ),
    }[wish.lang]
    logins = ", ".join(f"{user}/{PASSWORDS[user]}" for user in (OPERATOR, VIEWER, TECHNICIAN))
    lines = (
        f"\n{told[0]}\n  .venv/bin/{say} '查一下 glass 的分拣规则'",
        f"{told[1]}\n  {site.log}\n  .venv/bin/edge-agent doctor --settings {settings}",
        f"{told[2]}\n  picocom {site.console}\n  .venv/bin/pyserial-miniterm {site.console}",
        f"{told[3]} ({logins}):\n  {page}" if page is not None else told[4],
    )
    for line in lines:
        console.print(escape(line), highlight=False, soft_wrap=True)
    await asyncio.Event().wait()
