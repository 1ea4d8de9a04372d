"""`edge-agent lab …`: faults, demos, exercises and pages for a class."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from logging import CRITICAL, getLogger
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.table import Table

from drivers.package import FaultInfo
from edge_agent.adapters.journal.errors import JournalRefused
from edge_agent.adapters.mqtt.broker import BrokerMissing
from edge_agent.cases.line import BadLine
from edge_agent.cases.report.result import load
from edge_agent.cell_file import load_cell
from edge_agent.lab import telling
from edge_agent.lab.catalogue import HEADINGS, WHERE, catalogue
from edge_agent.lab.checking import asked, check, results, run_once
from edge_agent.lab.class_room import MAX_CELLS, ClassWish, cards, class_room
from edge_agent.lab.code_diff import code_diff
from edge_agent.lab.demos import DEMOS
from edge_agent.lab.exercise import STOCK_POLICY, Exercise, NoSuchExercise, exercise, exercises
from edge_agent.lab.hand_in import hand_in
from edge_agent.lab.pages import NoSuchPage, page
from edge_agent.lab.predictions import predictions, read_answers, unanswered
from edge_agent.lab.sheet import sheet
from edge_agent.lab.why import NoSuch, why
from edge_agent.lab.workbook import DEFAULT_FOLDER, Workbook, open_workbook
from edge_agent.messages.codes import Lang
from edge_agent.policies import load_policies
from edge_agent.world import package_of

BAD_INPUT = 2
NOTHING_CHECKED: Mapping[Lang, str] = {
    "zh": "{folder} 里没有检查过的练习，{out} 没有写。先运行：edge-agent lab check NAME",
    "en": "no exercise in {folder} was checked yet, so {out} was not written; first: edge-agent lab check NAME",
}

CLASS_TOLD: Mapping[Lang, str] = {
    "zh": "每组要输入的命令：{folder}/gNN/card.txt（含口令）\n老师的总览：{page}（每两秒刷新）\n"
    "结束：Ctrl-C，所有单元随之结束",
    "en": "what each group types: {folder}/gNN/card.txt (with its password)\n"
    "the teacher's page: {page} (new every two seconds)\nto end the class, and every cell with it: Ctrl-C",
}

UNLOCK: Mapping[Lang, str] = {
    "zh": "\n某组被锁定后由老师解除：picocom -b 115200 {folder}/gNN/console，输入 login teacher，PIN {pin}，"
    "看过原因后输入 reset_lockout 原因",
    "en": "\na locked-out cell is the teacher's to reset: picocom -b 115200 {folder}/gNN/console, then: login teacher, "
    "PIN {pin}, and once you have looked: reset_lockout REASON",
}
NO_CONSOLE: Mapping[Lang, str] = {
    "zh": "\n没有控制台，锁定的单元在这堂课里无法解除（{why}）",
    "en": "\nno console, so a locked-out cell can not be reset in this class ({why})",
}

lab = typer.Typer(no_args_is_help=True, help="Faults, exercises and pages for a class. 课堂：故障、练习、教学页。")

LangOption = Annotated[str | None, typer.Option("--lang", help="zh or en; the terminal's own when not given. 语言。")]
Folder = Annotated[Path, typer.Option("--folder", help="The group's folder. 小组的文件夹。")]


@lab.command("faults")
def faults(lang: LangOption = None) -> None:
    """Every fault that can be put in, and what must come of it. 可以放入的故障，以及应有的处理。"""
    told = _lang(lang)
    table = Table(*HEADINGS[told])
    for row in catalogue(told, _of_cell()):
        table.add_row(*map(escape, (row.put_in, WHERE[told][row.where], row.what, row.expect, row.evidence)))
    Console().print(table)


@lab.command("demo")
def demo(name: Annotated[str, typer.Argument(help="retry, offline or clarify")]) -> None:
    """A demo of the lesson, over the function that the agent runs. 课程演示：与运行时同一个函数。"""
    if name not in DEMOS:
        raise _told(f"{name}: {', '.join(DEMOS)}")
    for each in DEMOS[name]():
        print(json.dumps(each, ensure_ascii=False))


@lab.command("list")
def list_(lang: LangOption = None) -> None:
    """The exercises. 练习列表。"""
    for each in exercises():
        print(f"{each.order:>2}  {each.id:<24} {each.told(_lang(lang)).title}")


@lab.command("run")
def run(
    name: str,
    folder: Folder = DEFAULT_FOLDER,
    look: Annotated[bool, typer.Option("--look", help="Look without a prediction. 不预测直接看。")] = False,
    lang: LangOption = None,
) -> None:
    """Hand an exercise out; once it is predicted, run it as the policy stands. 领取练习；填好预测后运行。"""
    told = _lang(lang)
    with _broken():
        book = _book(name, folder)
        _print(telling.story(book, told))
        answers = read_answers(book.answers)
        if not look and not book.before.is_file() and unanswered(answers, (line.id for line in book.exercise.lines)):
            _print(telling.asks_for_a_prediction(book, told))
            return
        result = asyncio.run(run_once(book))
        foretold = predictions(read_answers(book.predicted), asked(book, load(book.before)))
    _print(telling.came(book, result, foretold, told))


@lab.command("check")
def check_(name: str, folder: Folder = DEFAULT_FOLDER, lang: LangOption = None) -> None:
    """Run it again with the changed policy: before, after, predictions. 0: done, 1: not yet. 检查练习。"""
    with _broken():
        book = _book(name, folder)
        done = asyncio.run(check(book))
    _print(telling.checked(book, done, _lang(lang)))
    raise typer.Exit(0 if done.passed else 1)


@lab.command("report")
def report(
    folder: Folder = DEFAULT_FOLDER,
    out: Annotated[Path, typer.Option(help="The page. 输出的网页。")] = Path("lab-report.html"),
    group: Annotated[str, typer.Option(help="The group's name. 组名。")] = "",
    lang: LangOption = None,
) -> None:
    """One page to hand in: sheet, policy diff, before and after, timelines. 交作业的单页报告。"""
    with _broken():
        known = {each.id: each for each in exercises()}
        if not [each for each in results(folder) if each.name in known]:
            raise _told(NOTHING_CHECKED[_lang(lang)].format(folder=folder, out=out))
        out.write_text(hand_in(folder, known, _lang(lang), group, code_diff()), "utf-8")
    print(out)


@lab.command("template")
def template(
    policy: Annotated[Path, typer.Option(help="A policy folder. 策略文件夹。")] = STOCK_POLICY, lang: LangOption = None
) -> None:
    """The mechanism design sheet as Markdown, filled in from the policy. 机制设计表（Markdown）。"""
    with _broken():
        print(sheet(load_policies(policy), _lang(lang)))


@lab.command("why")
def why_(
    code: str,
    tool: Annotated[str, typer.Option(help="sorting_rules, arm_control, … 工具名。")] = "sorting_rules",
    attempt: Annotated[int, typer.Option(min=1, max=100, help="Which attempt failed. 第几次失败。")] = 1,
    policy: Annotated[Path | None, typer.Option(help="A policy folder. 策略文件夹。")] = None,
    lang: LangOption = None,
) -> None:
    """Is this failure tried again, and by which line of which file? 会不会重试，由哪一行决定。"""
    try:
        with _broken():
            found = why(code, tool, load_policies(policy or STOCK_POLICY), policy, attempt)
    except NoSuch as error:
        raise _told(str(error)) from error
    print(f"{code} / {tool}: {found.decision}")
    print(found.zh if _lang(lang) == "zh" else found.en)
    print(f"  {found.place}")
    if found.policy is not None:
        print(f"  {found.policy}")


@lab.command("doc")
def doc(
    name: str, lang: LangOption = None, plain: Annotated[bool, typer.Option(help="Markdown as it is.")] = False
) -> None:
    """A teaching page. 教学页。"""
    try:
        text = page(name, _lang(lang), _of_cell())
    except NoSuchPage as error:
        raise _told(str(error)) from error
    if plain or not sys.stdout.isatty():
        print(text)
    else:
        Console().print(Markdown(text))


@lab.command("class")
def class_(
    cells: Annotated[int, typer.Option(min=1, max=MAX_CELLS, help="How many groups. 小组数。")] = 4,
    folder: Annotated[Path, typer.Option("--folder", help="The class's folder. 班级文件夹。")] = Path("class-work"),
    model: Annotated[bool, typer.Option("--model/--no-model", help="One worker for all. 共用一个模型进程。")] = True,
    lang: LangOption = None,
) -> None:
    """N simulated cells on one broker, and a page that shows them all. 一个消息服务器上的 N 个模拟单元。"""
    getLogger("pymodbus").setLevel(CRITICAL)
    wish = ClassWish(cells, folder, _lang(lang), model)
    try:
        asyncio.run(_hold_class(wish, Console()))
    except (BrokerMissing, JournalRefused) as error:
        raise _told(str(error)) from error


async def _hold_class(wish: ClassWish, console: Console) -> None:
    stopping, loop = asyncio.Event(), asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, stopping.set)
    async with class_room(wish) as room:
        table = Table("login", "password", "topics", "folder")
        for row in cards(room):
            table.add_row(*row)
        console.print(table)
        page = room.page.resolve().as_uri()
        told = CLASS_TOLD[wish.lang].format(folder=wish.folder, page=page)
        unlock = NO_CONSOLE if room.no_console else UNLOCK
        told += unlock[wish.lang].format(folder=wish.folder, pin=room.teacher_pin, why=room.no_console)
        console.print(told, highlight=False, soft_wrap=True, markup=False)
        await room.run(stopping)


def _book(name: str, folder: Path) -> Workbook:
    getLogger("pymodbus").setLevel(CRITICAL)  # it logs every frame of a fault that was put in
    return open_workbook(_found(name), folder)


def _found(name: str) -> Exercise:
    try:
        return exercise(name, exercises())
    except NoSuchExercise as error:
        raise _told(str(error)) from error


def _print(lines: Iterable[str]) -> None:
    """As they are: no width is guessed, so that a line can be copied whole."""
    for line in lines:
        print(line)


def _of_cell() -> Mapping[str, FaultInfo]:
    return package_of(load_cell().devices[0]).FAULTS


def _lang(lang: str | None) -> Lang:
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "zh" if (lang or locale).startswith("zh") else "en"


@contextmanager
def _broken() -> Iterator[None]:
    """A case file or an answer file that cannot be used is told by file, line and field."""
    try:
        yield
    except BadLine as error:
        raise _told(str(error)) from error


def _told(text: str) -> typer.Exit:
    print(text, file=sys.stderr)
    return typer.Exit(BAD_INPUT)
