"""`edge-agent`: one command a job, each a few lines over the room that does it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.journal.errors import JournalBusy, JournalRefused
from edge_agent.adapters.journal.folder import hold
from edge_agent.adapters.journal.making import create
from edge_agent.adapters.journal.query import Query
from edge_agent.adapters.journal.reading import all_rows
from edge_agent.adapters.log import configure
from edge_agent.adapters.model.errors import ModelRefused
from edge_agent.adapters.model.profile import Figures
from edge_agent.adapters.mqtt.settings import MqttSettings, TlsSettings
from edge_agent.app.from_settings import state_folder
from edge_agent.app.serve import EX_DATAERR, serve
from edge_agent.app.site import Options
from edge_agent.cases.commands import cases
from edge_agent.checked_file import BadFile
from edge_agent.demo.run import Wish as DemoWish
from edge_agent.demo.run import run_demo
from edge_agent.doctor.examine import examine
from edge_agent.doctor.finding import exit_status, report
from edge_agent.hmi.commands import hmi
from edge_agent.interpret import InterpretOptions, explained, models_folder, run_jsonl, run_text
from edge_agent.lab.commands import lab
from edge_agent.measure_model import run_calibrate, run_qualify, table
from edge_agent.messages.topics import DEFAULT_PREFIX
from edge_agent.release.texts import texts
from edge_agent.run.journal import Kind
from edge_agent.say import SayOptions
from edge_agent.say import say as talk
from edge_agent.settings import Settings, load_settings
from edge_agent.stages.explaining import printed
from offline_rules.packs import PackError
from offline_rules.reading import Lang

cli = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
cli.add_typer(lab, name="lab")
cli.add_typer(cases, name="cases")
cli.command("hmi")(hmi)

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
    except ModelRefused as refused:
        print(refused, file=sys.stderr)
        sys.exit(1)
    except JournalRefused as refused:
        print(refused, file=sys.stderr)
        sys.exit(EX_DATAERR)


def language_of(environ: Mapping[str, str]) -> Lang:
    """Chinese where the terminal's locale says so."""
    locale = environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or ""
    return "zh" if locale.startswith("zh") else "en"


def _folder(settings: Settings) -> Path:
    return state_folder(settings)


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
    raise typer.Exit(asyncio.run(serve(loaded, Options(simulator=simulator))))


@cli.command()
def explain(
    run_id: str,
    settings: SettingsFile = None,
    lang: Annotated[str | None, typer.Option(help="zh or en; the terminal's own when not given. 语言。")] = None,
) -> None:
    """Tell the story of one run from the journal alone. 仅凭日志讲述一次请求的经过。"""
    raise typer.Exit(_explain(_folder(load_settings(settings)), run_id, spoken(lang)))


def _explain(folder: Path, run_id: str, lang: Lang) -> int:
    rows = tuple(all_rows(folder, Query(run=run_id, limit=5_000)))
    if not rows:
        print(f"No run {run_id} in the journal of {folder}. {folder} 的日志中没有 {run_id}。", file=sys.stderr)
        print(
            "edge-agent explain takes the id of a request (26 characters). 请给出请求的编号（26 个字符）。",
            file=sys.stderr,
        )
        return 1
    for line in printed(run_id, rows, texts(lang), going_on=_still_there(folder, rows[-1].epoch)):
        print(line)
    return 0


def _still_there(folder: Path, epoch: int) -> bool:
    """The agent runs, and this is its present life."""
    present = max((row.epoch for row in all_rows(folder, Query(kinds=(Kind.EPOCH,)))), default=0)
    try:
        hold(folder).close()
    except JournalBusy:
        return epoch == present
    return False


@cli.command()
def doctor(settings: SettingsFile = None) -> None:
    """Say what is missing here and how to fix it. 检查缺少什么、如何补上。"""
    findings = examine(settings, os.environ)
    print(report(findings, language_of(os.environ)))
    raise typer.Exit(exit_status(findings))


@cli.command()
def demo(
    model: Annotated[
        str, typer.Option(envvar="MODEL", help="none: without the language model. none：不用语言模型。")
    ] = "default",
    lang: Annotated[str | None, typer.Option(help="zh or en; the terminal's own when not given. 语言。")] = None,
    leave: Annotated[bool, typer.Option("--exit", envvar="DEMO_EXIT", help="Leave after the last step.")] = False,
) -> None:
    """Play an operator's session with everything real but the arm. 演示：除机械臂外全部真实。"""
    wish = DemoWish(model=model != "none", lang=spoken(lang), leave=leave)
    raise typer.Exit(asyncio.run(run_demo(wish, Console())))


@cli.command()
def say(
    text: Annotated[str | None, typer.Argument(help="What to say; none: sentence after sentence. 要说的话。")] = None,
    host: Annotated[str, typer.Option(help="The broker. 消息服务器。")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Its port. 端口。")] = 1883,
    user: Annotated[str, typer.Option(help="Your login there. 登录名。")] = "op1",
    password: Annotated[str | None, typer.Option(envvar="EDGE_AGENT_PASSWORD", help="Your password. 密码。")] = None,
    prefix: Annotated[str, typer.Option(help="The cell's topics. 单元的主题前缀。")] = DEFAULT_PREFIX,
    ca: Annotated[Path | None, typer.Option(help="CA file: speak TLS. CA 文件：使用 TLS。")] = None,
    lang: Annotated[str | None, typer.Option(help="zh or en. 语言。")] = None,
    answer: Annotated[list[str] | None, typer.Option(help="Answers to questions, in turn. 依次作答。")] = None,
    yes: Annotated[bool, typer.Option(help="Confirm every confirmation. 对确认一律回答“是”。")] = False,
    json_lines: Annotated[bool, typer.Option("--json", help="Events as JSON lines. 输出 JSON。")] = False,
) -> None:
    """Talk to the agent as an ordinary user of the broker. 以普通用户身份与智能体对话。"""
    tls = None if ca is None else TlsSettings(ca_file=ca)
    settings = MqttSettings(host=host, port=port, username=user, password=password, prefix=prefix, tls=tls)
    options = SayOptions(
        lang=spoken(lang),
        answers=tuple(answer or ()),
        yes=yes,
        interactive=sys.stdin.isatty(),
        json_lines=json_lines,
    )
    raise typer.Exit(int(talk(settings, text, options, Console())))


@cli.command()
def interpret(
    text: Annotated[str | None, typer.Argument(help="A sentence. 一句话。")] = None,
    jsonl: Annotated[str | None, typer.Option(help='A file of {"text": …} lines, or -. JSON 行文件，或 -。')] = None,
    no_model: Annotated[bool, typer.Option(help="Rules alone. 只用规则。")] = False,
    model: Annotated[Path | None, typer.Option(help="Another GGUF file. 其他 GGUF 模型文件。")] = None,
    rules: Annotated[list[Path] | None, typer.Option(help="Folders of more phrases. 更多短语的文件夹。")] = None,
    cell: Annotated[Path | None, typer.Option(help="A cell file. 单元文件。")] = None,
) -> None:
    """Say how a sentence is read; touches no broker and no arm. 说明一句话会被怎样理解。"""
    options = InterpretOptions(
        models=models_folder(),
        use_model=not no_model and os.environ.get("MODEL") != "none",
        model=model,
        rules=tuple(rules or ()),
        cell=cell,
    )
    if (text is None) == (jsonl is None):
        raise typer.BadParameter("give a sentence, or --jsonl FILE. 请给出一句话，或 --jsonl 文件。")
    if text is not None:
        heard, problem = run_text(text, options)
        for name, value in explained(heard, language_of(os.environ)):
            print(f"{name:<18} {value}")
    else:
        with _lines(str(jsonl)) as lines:
            problem = run_jsonl(lines, options, print)
    if problem is not None:
        print(problem, file=sys.stderr)


@contextmanager
def _lines(name: str) -> Iterator[Iterable[str]]:
    """Standard input for `-`; bytes that are no UTF-8 become marks, so that one bad line stops nothing."""
    if name == "-":
        yield (line.decode("utf-8", "replace") for line in sys.stdin.buffer)
        return
    with ExitStack() as stack:
        try:
            file = stack.enter_context(Path(name).open(encoding="utf-8", errors="replace"))
        except OSError as error:
            raise typer.BadParameter(
                f"{name} can not be read 无法读取: {error.strerror}", param_hint="--jsonl"
            ) from error
        yield file


def spoken(lang: str | None) -> Lang:
    """The language asked for, else the terminal's own."""
    return "zh" if (lang or language_of(os.environ)) == "zh" else "en"


@cli.command()
def calibrate(
    model: Annotated[Path | None, typer.Argument(help="A GGUF file; none: the default. 模型文件。")] = None,
    sentences: Annotated[Path | None, typer.Option(help="Labelled sentences (JSON lines). 带标签的句子。")] = None,
) -> None:
    """Fit a model's scores and thresholds on labelled sentences. 用带标签的句子标定模型。"""
    with _progress() as tick:
        report = run_calibrate(models_folder(), tick, model=model, sentences=sentences)
    _figures(report.figures)


@cli.command()
def qualify(
    model: Annotated[Path | None, typer.Argument(help="A GGUF file; none: the default. 模型文件。")] = None,
    held_out: Annotated[Path | None, typer.Option(help="Sentences nothing was fitted on. 未用于标定的句子。")] = None,
) -> None:
    """Measure a model; only one that passes may propose a motion. 测评模型，合格才能提出动作。"""
    with _progress() as tick:
        _, report = run_qualify(models_folder(), tick, model=model, held_out=held_out)
    _figures(report.qualification.figures)
    for reason in report.qualification.reasons:
        print(f"- {reason}")
    passed = report.qualification.passed
    print("passed 合格" if passed else "fell short: control through it stays off 不合格，不用于控制")
    raise typer.Exit(0 if passed else 1)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("sentences 句子", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _figures(figures: list[Figures]) -> None:
    print("lang   n   accuracy coverage   asked  wrong acts")
    for row in table(figures):
        print(f"{row[0]:<6}{row[1]:>4}{row[2]:>10}{row[3]:>9}{row[4]:>8}{row[5]:>11}")
