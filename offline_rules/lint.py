"""The pack linter: every problem of a folder of packs, with file, line and key.

    python -m offline_rules.lint FOLDER [CASES.jsonl …]

Beside what `Router.load` refuses it reads a sample sentence of every phrase back (a phrase that none of its own
samples reaches is dead), and checks the packs against labelled sentences. Exit status: 0 clean, 1 problems, 2 usage.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from offline_rules.checks import guard_sentences, static_problems
from offline_rules.lexicon import Lexicon, default_lexicon
from offline_rules.packs import MAX_PHRASES, Pack, PackError, Phrase, Problem, load_packs, read_pack, shipped
from offline_rules.reading import Intent
from offline_rules.router import Router, all_classes
from offline_rules.sample import samples

MAX_CASES: Final = 100_000
"""Labelled lines that are read; a file with more is not a case file."""


def lint(folder: Path, cases: Sequence[Path] = (), lexicon: Lexicon | None = None) -> list[Problem]:
    """All problems of the packs in `folder`, on top of the shipped ones, in the order of files and lines."""
    cell = default_lexicon() if lexicon is None else lexicon
    packs, problems = _readable(folder)
    own = {pack.file for pack in packs}
    whole = load_packs(shipped()) if folder.resolve() not in shipped() else ()
    together = (*whole, *packs)
    found = [p for p in static_problems(together, all_classes(together), cell) if p.file in own or p.file == "cell"]
    if not found and not problems:
        router = Router.of(together, cell)
        found += _unreachable(packs, router)
        found += [p for p in router.overmatched((*guard_sentences(), *_labelled(cases))) if p.file in own]
    return sorted((*problems, *found), key=lambda p: (p.file, p.line, p.key))


def main(arguments: Sequence[str]) -> int:
    """The command; prints one problem a line."""
    if not arguments or arguments[0].startswith("-"):
        print("usage: python -m offline_rules.lint FOLDER [CASES.jsonl ...]", file=sys.stderr)
        return 2
    problems = lint(Path(arguments[0]), [Path(argument) for argument in arguments[1:]])
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def _readable(folder: Path) -> tuple[tuple[Pack, ...], list[Problem]]:
    """The packs that can be read, and one problem for each that can not."""
    if not folder.is_dir():
        return (), [Problem(str(folder), 0, "folder", "no such folder")]
    packs: list[Pack] = []
    problems = []
    for path in sorted(folder.rglob("*.toml")):
        try:
            packs.append(read_pack(path, folder))
        except PackError as error:
            problems.append(Problem(error.file, error.line, error.key, error.message))
    count = sum(len(pack.phrases) for pack in packs)
    if count > MAX_PHRASES:
        problems.append(Problem(str(folder), 0, "phrases", f"{count} phrases, at most {MAX_PHRASES} are read"))
    return tuple(packs), problems


def _unreachable(packs: Sequence[Pack], router: Router) -> Iterator[Problem]:
    classes = all_classes(router.packs)
    for pack in packs:
        for phrase in pack.phrases:
            tried = list(samples(phrase, classes))
            if not any(phrase.rule_id in router.fitting(text, phrase.mood) for text in tried):
                yield Problem(
                    phrase.file, phrase.line, _key(phrase), f"is never reached: {tried[0]!r} is cut otherwise"
                )


def _key(phrase: Phrase) -> str:
    return phrase.rule_id.rpartition(":")[2]


def _labelled(cases: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Lines that carry an intent, as (text, intent). Lines without one, or that are no JSON, are not ours to judge."""
    for path in cases:
        for line in path.read_text(encoding="utf-8").splitlines()[:MAX_CASES]:
            try:
                case = json.loads(line)
            except ValueError:
                continue
            if (
                isinstance(case, dict)
                and case.get("intent") in Intent.__members__
                and isinstance(case.get("text"), str)
            ):
                yield case["text"], case["intent"]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
