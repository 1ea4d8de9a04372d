"""`edge-agent`: one command a job, each a few lines over the room that does it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from edge_agent import app
from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.journal.errors import JournalRefused
from edge_agent.adapters.journal.making import create
from edge_agent.adapters.journal.query import Query
from edge_agent.adapters.journal.reading import all_rows
from edge_agent.adapters.log import configure
from edge_agent.cases.command import Wish, run_command
from edge_agent.cases.live_bench import bench
from edge_agent.cases.runner import DEFAULT_JOBS
from edge_agent.checked_file import BadFile
from edge_agent.demo.run import Wish as DemoWish
from edge_agent.demo.run import run_demo
from edge_agent.doctor import examine, exit_status, report
from edge_agent.settings import Settings, load_settings
from edge_agent.stages.explaining import cut_short, story
from offline_rules.packs import PackError
from offline_rules.reading import Lang

cli = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
lab = typer.Typer(no_args_is_help=True, help="Faults, exercises and pages for a class. 课堂：故障、练习、教学页。")
cases = typer.Typer(no_args_is_help=True, help="Labelled cases. 带标签的案例。")
cli.add_typer(lab, name="lab")
cli.add_typer(cases, name="cases")

SettingsFile = Annotated[
    Path | None, typer.Option("--settings", help="Settings file (TOML). 设置文件。", show_default=False)
]


def main() -> None:
    """The console script. A broken file is said in one message and ends with its own exit status."""
    try:
        cli()
    except BadFile as broken:
        print(broken, file=sys.stderr)
        sys.exit(broken.exit_status)
    except PackError as broken:
        print(broken, file=sys.stderr)
        sys.exit(78)
    except JournalRefused as refused:
        print(refused, file=sys.stderr)
        sys.exit(app.EX_DATAERR)


def language_of(environ: Mapping[str, str]) -> Lang:
    """Chinese where the terminal's locale says so."""
    locale = environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or ""
    return "zh" if locale.startswith("zh") else "en"


def _folder(settings: Settings) -> Path:
    return app.state_folder(settings)


@cli.command()
def init(settings: SettingsFile = None) -> None:
    """Make the journal and the state folder, once. 创建日志和状态文件夹（仅一次）。"""
    folder = _folder(load_settings(settings))
    if create(folder, SystemClock().wall_ms()):
        print(f"Journal made in {folder}. 已在 {folder} 创建日志。")
    else:
        print(f"A journal stands in {folder}; nothing was touched. {folder} 中已有日志，未作改动。")


@cli.command()
def run(
    settings: SettingsFile = None,
    simulator: Annotated[
        Path | None, typer.Option(help="Addresses of a simulated cell that runs already. 已在运行的模拟单元。")
    ] = None,
) -> None:
    """Run the agent until it is told to end. 运行智能体。"""
    loaded = load_settings(settings)
    configure(loaded.log.level, sys.stderr)
    raise typer.Exit(asyncio.run(app.serve(loaded, app.Options(simulator=simulator))))


@cli.command()
def explain(run_id: str, settings: SettingsFile = None) -> None:
    """Tell the story of one run from the journal alone. 仅凭日志讲述一次请求的经过。"""
    raise typer.Exit(_explain(_folder(load_settings(settings)), run_id))


def _explain(folder: Path, run_id: str) -> int:
    rows = tuple(all_rows(folder, Query(run=run_id, limit=5_000)))
    if not rows:
        print(f"No run {run_id} in the journal of {folder}. {folder} 的日志中没有 {run_id}。", file=sys.stderr)
        return 1
    for entry in story(rows):
        print(f"{entry.at.isoformat(timespec='milliseconds')}  {entry.what:<14} {entry.text}")
    if cut_short(rows):
        print("The run was cut short: no end was stored. 该请求被中断：日志中没有结束记录。")
    return 0


@cli.command()
def doctor(settings: SettingsFile = None) -> None:
    """Say what is missing here and how to fix it. 检查缺少什么、如何补上。"""
    findings = examine(settings, os.environ)
    print(report(findings, language_of(os.environ)))
    raise typer.Exit(exit_status(findings))


@cases.command("run")
def cases_run(
    paths: list[Path],
    json_file: Annotated[Path | None, typer.Option("--json", help="Result as JSON. 结果（JSON）。")] = None,
    html_file: Annotated[Path | None, typer.Option("--html", help="Report as one page. 报告（单页）。")] = None,
    baseline: Annotated[Path | None, typer.Option(help="An earlier result to compare with. 作对比的早先结果。")] = None,
    without: Annotated[list[str] | None, typer.Option(help="Switch a mechanism off. 关闭某个机制。")] = None,
    jobs: Annotated[int, typer.Option(help="Cells at once. 同时运行的单元数。")] = DEFAULT_JOBS,
    swapped: Annotated[bool, typer.Option(help="Also hold every record against every other expectation.")] = False,
) -> None:
    """Run labelled lines on simulated cells. 0: all as expected, 1: not, 2: bad input. 运行带标签的案例。"""
    wish = Wish(
        paths=tuple(paths),
        json=json_file,
        html=html_file,
        baseline=baseline,
        without=tuple(without or ()),
        jobs=jobs,
        swapped=swapped,
    )
    raise typer.Exit(run_command(wish, bench(), Console()))


@cli.command()
def demo(
    model: Annotated[
        str, typer.Option(envvar="MODEL", help="none: without the language model. none：不用语言模型。")
    ] = "default",
    lang: Annotated[str | None, typer.Option(help="zh or en; the terminal's own when not given. 语言。")] = None,
    leave: Annotated[bool, typer.Option("--exit", envvar="DEMO_EXIT", help="Leave after the last step.")] = False,
) -> None:
    """Play an operator's session with everything real but the arm. 演示：除机械臂外全部真实。"""
    spoken: Lang = "zh" if (lang or language_of(os.environ)) == "zh" else "en"
    wish = DemoWish(model=model != "none", lang=spoken, leave=leave)
    raise typer.Exit(asyncio.run(run_demo(wish, Console())))
