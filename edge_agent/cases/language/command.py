"""`cases language-report`: folders of labelled sentences in, tables and a page out.

Each folder below a given path is a set of its own; every set is read by the rules alone and, where a model is usable,
with it. Exit status: 0, 1 where a sentence would have moved that must not, 2 where a line cannot be used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from edge_agent.cases.files import Placed, read_paths
from edge_agent.cases.language.figures import LANGS, intent_rows, measures
from edge_agent.cases.language.heard import Group, Heard, heard
from edge_agent.cases.language.page import Part, render
from edge_agent.cases.line import BadLine, SentenceLine
from edge_agent.interpret import Interpreter, InterpretOptions, interpreter

FINE: Final = 0
WOULD_MOVE: Final = 1
BAD_INPUT: Final = 2
_GROUPS: Final = ", ".join(Group)


@dataclass(frozen=True, slots=True)
class LanguageWish:
    paths: tuple[Path, ...]
    options: InterpretOptions
    html: Path | None = None


def run_language_report(wish: LanguageWish, console: Console) -> int:
    try:
        sets = {name: _labelled(read_paths([path])) for name, path in _sets(wish.paths)}
    except BadLine as error:
        console.print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
        return BAD_INPUT
    parts, problem = asyncio.run(_read(wish.options, sets, console))
    for name, with_model, every in parts:
        _tell(console, name, every, with_model=with_model)
    if problem is not None:
        console.print(problem, style="yellow", markup=False)
    if wish.html is not None:
        wish.html.parent.mkdir(parents=True, exist_ok=True)
        model = str(wish.options.model or "the default model")
        wish.html.write_text(render(parts, problem=problem, model=f"Model: {model}"), encoding="utf-8")
        console.print(f"The page with confusion matrices and the calibration curve: {wish.html}", soft_wrap=True)
    return WOULD_MOVE if any(h.wrong_motion for _, _, every in parts for h in every) else FINE


def _sets(paths: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    for path in paths:
        below = sorted(p for p in path.iterdir() if p.is_dir()) if path.is_dir() else []
        yield from ((each.name, each) for each in below or [path])


def _labelled(placed: Sequence[Placed]) -> tuple[tuple[SentenceLine, Group], ...]:
    """Raises `BadLine` for a line that no figure could count."""
    return tuple(_one(each) for each in placed)


def _one(each: Placed) -> tuple[SentenceLine, Group]:
    line = each.line
    if not isinstance(line, SentenceLine) or line.lang is None or line.case not in list(Group):
        raise BadLine(
            each.file, each.number, "case", f"a sentence with `lang` and one of these was expected: {_GROUPS}"
        )
    return line, Group(line.case)


async def _read(
    options: InterpretOptions, sets: dict[str, tuple[tuple[SentenceLine, Group], ...]], console: Console
) -> tuple[list[Part], str | None]:
    parts: list[Part] = []
    problem: str | None = None
    for use in (False, True) if options.use_model else (False,):
        async with interpreter(replace(options, use_model=use)) as reader:
            problem = problem or reader.problem
            if use and reader.model.usable() is not None:
                break
            for name, lines in sets.items():
                with console.status(f"reading {name}, {'rules and model' if use else 'rules alone'}"):
                    parts.append((name, use, await _heard(reader, lines, with_model=use)))
    return sorted(parts, key=lambda part: part[0]), problem


async def _heard(
    reader: Interpreter, lines: Sequence[tuple[SentenceLine, Group]], *, with_model: bool
) -> tuple[Heard, ...]:
    return tuple(
        [
            heard(line, line.lang or "zh", group, await reader.interpret(line.text), with_model=with_model)
            for line, group in lines
        ]
    )


def _tell(console: Console, name: str, every: Sequence[Heard], *, with_model: bool) -> None:
    title = f"{name}, {'rules and model' if with_model else 'rules alone'}"
    asked = Table("asked", *LANGS, "goal zh / en", title=title, box=SIMPLE)
    for column in asked.columns:
        column.no_wrap = True
    for zh, en in zip(*(measures(every, lang, with_model=with_model) for lang in LANGS), strict=True):
        goal = zh.goal if zh.goal == en.goal else f"{zh.goal} / {en.goal}"
        cells = (
            f"[{'green' if m.reached else 'red'}]{m.share:.1%}[/] {m.hits}/{m.of}" if m.of else "-" for m in (zh, en)
        )
        asked.add_row(zh.name, *cells, goal)
    console.print(asked)
    by_intent = Table("intent", "lang", "n", "intent", "slots", "disposition", box=SIMPLE)
    for lang in LANGS:
        for row in intent_rows(every, lang):
            shares = (row.intents / row.n, row.slots / max(1, row.intents), row.dispositions / row.n)
            by_intent.add_row(row.intent.value, lang, str(row.n), *(f"{share:.1%}" for share in shares))
    console.print(by_intent)
