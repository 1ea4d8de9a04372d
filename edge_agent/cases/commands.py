"""`edge-agent cases …`: the commands of this room."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from itertools import islice, takewhile
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.markup import escape

from edge_agent.adapters.journal.query import Query
from edge_agent.adapters.journal.reading import all_rows
from edge_agent.app.from_settings import state_folder
from edge_agent.cases.command import BAD_INPUT, Wish, run_command
from edge_agent.cases.from_run import case_of
from edge_agent.cases.incident import NoIncident
from edge_agent.cases.language.command import LanguageWish, run_language_report
from edge_agent.cases.line import BadLine
from edge_agent.cases.live_bench import bench
from edge_agent.cases.report.result import load
from edge_agent.cases.runner import DEFAULT_JOBS
from edge_agent.cases.suggest import proposals, regression
from edge_agent.cases.verdict import Verdict
from edge_agent.interpret import InterpretOptions, models_folder
from edge_agent.policies import load_policies
from edge_agent.run.journal import Kind, Row
from edge_agent.settings import load_settings

BEFORE_MS: Final = 15 * 60_000
AFTER_MS: Final = 15 * 60_000
"""Around the run's own rows: prompts are answered and motions end well within."""
MAX_ROWS: Final = 50_000

cases = typer.Typer(no_args_is_help=True, help="Labelled cases. 带标签的案例。")

SettingsFile = Annotated[
    Path | None, typer.Option("--settings", help="Settings file (TOML). 设置文件。", show_default=False)
]


@cases.command("language-report")
def language_report(
    paths: list[Path],
    html_file: Annotated[Path | None, typer.Option("--html", help="Report as one page. 报告（单页）。")] = None,
    no_model: Annotated[bool, typer.Option(help="Rules alone. 只用规则。")] = False,
    model: Annotated[Path | None, typer.Option(help="Another GGUF file. 其他 GGUF 模型文件。")] = None,
) -> None:
    """How labelled sentences are read, by language and intent, with and without the model. 句子理解报告。"""
    use_model = not no_model and os.environ.get("MODEL") != "none"
    options = InterpretOptions(models=models_folder(), use_model=use_model, model=model)
    raise typer.Exit(run_language_report(LanguageWish(tuple(paths), options, html_file), Console()))


@cases.command("run")
def run(
    paths: list[Path],
    json_file: Annotated[Path | None, typer.Option("--json", help="Result as JSON. 结果（JSON）。")] = None,
    html_file: Annotated[Path | None, typer.Option("--html", help="Report as one page. 报告（单页）。")] = None,
    baseline: Annotated[Path | None, typer.Option(help="An earlier result to compare with. 作对比的早先结果。")] = None,
    without: Annotated[list[str] | None, typer.Option(help="Switch a mechanism off. 关闭某个机制。")] = None,
    jobs: Annotated[int, typer.Option(help="Cells at once. 同时运行的单元数。")] = DEFAULT_JOBS,
    swapped: Annotated[bool, typer.Option(help="Also hold every record against every other expectation.")] = False,
    policy: Annotated[Path | None, typer.Option(help="A policy folder. 策略文件夹。")] = None,
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
    policies = None if policy is None else load_policies(policy)
    raise typer.Exit(run_command(wish, bench(policies), Console()))


@cases.command("from-run")
def from_run(
    run_id: str,
    settings: SettingsFile = None,
    append: Annotated[Path | None, typer.Option(help="Add the line to this case file. 追加到案例文件。")] = None,
) -> None:
    """Turn a journalled incident into a case line, without the people in it. 把日志中的一次经过变成案例。"""
    loaded = load_settings(settings)
    try:
        line = case_of(tuple(_around(state_folder(loaded), run_id)), run_id, loaded.users)
    except NoIncident as error:
        print(f"{error}. 日志中没有可用的请求。", file=sys.stderr)
        raise typer.Exit(1) from error
    text = json.dumps(line, ensure_ascii=False)
    print(text)
    if append is not None:
        with append.open("a", encoding="utf-8") as file:
            file.write(text + "\n")


@cases.command("suggest")
def suggest(
    result: Path,
    append: Annotated[Path | None, typer.Option(help="Add the regression lines to this file. 追加回归案例。")] = None,
) -> None:
    """Propose policy changes and a regression line for each failing case. 为每条失败的案例提出改法与回归案例。"""
    console = Console()
    try:
        found = proposals(load(result).cases)
    except BadLine as error:
        console.print(f"[red]{escape(str(error))}[/red]", highlight=False, soft_wrap=True)
        raise typer.Exit(BAD_INPUT) from error
    lines = []
    for verdict, proposed in found:
        head = f"{verdict.id}: {verdict.expected} -> {verdict.observed}"
        console.print(f"[bold]{escape(head)}[/bold]  {escape(verdict.text)}", highlight=False, soft_wrap=True)
        told = f"  {proposed.file} [{proposed.key}]: {proposed.en}。{proposed.zh}"
        console.print(escape(told), highlight=False, soft_wrap=True)
        lines.append(regression(verdict, _line_of(verdict)))
        console.print(escape(f"  {lines[-1]}"), highlight=False, soft_wrap=True)
    console.print(f"{len(found)} proposals. {len(found)} 条建议。", highlight=False)
    if append is not None and lines:
        with append.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)


def _around(folder: Path, run_id: str) -> Iterator[Row]:
    """The run's rows, what happened around it, and every fault that was put in before."""
    first = next(all_rows(folder, Query(run=run_id, limit=1)), None)
    if first is None:
        return
    yield from (r for r in all_rows(folder, Query(kinds=(Kind.FAULT,))) if r.at_ms < first.at_ms - BEFORE_MS)
    near = all_rows(folder, Query(since_ms=max(1, first.at_ms - BEFORE_MS)))
    yield from islice(takewhile(lambda row: row.at_ms <= first.at_ms + AFTER_MS, near), MAX_ROWS)


def _line_of(verdict: Verdict) -> dict[str, Any] | None:
    """The failing line as its file has it; None where the file is gone or has changed."""
    try:
        text = Path(verdict.file).read_text("utf-8").splitlines()[verdict.line - 1]
        found = json.loads(text)
    except (OSError, ValueError, IndexError):
        return None
    return found if isinstance(found, dict) and found.get("text") == verdict.text else None
