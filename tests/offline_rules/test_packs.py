"""Packs that can not be used name file, line and key; packs that can are read to the letter."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from offline_rules import lint as lint_module
from offline_rules import packs as packs_module
from offline_rules.checks import guard_sentences, static_problems
from offline_rules.lexicon import Lexicon, default_lexicon
from offline_rules.lint import lint, main
from offline_rules.packs import PackError, load_packs, shipped
from offline_rules.pattern import PatternError, expand
from offline_rules.reading import Match, Vague
from offline_rules.router import Router, all_classes

CONTROL = 'intent = "CONTROL_DEVICE"\nlang = "en"\n'
HEAD = 'intent = "QUERY_RULE"\nlang = "en"\n'
GROUP = "[[group]]\n[group.phrases]\n"
GOOD = f'{HEAD}{GROUP}ask = "whatsit {{item}}"\n'


def folder(tmp_path: Path, text: str | bytes, name: str = "site.toml") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path


BROKEN = [
    ("intent = \n", 1, "toml"),
    ('intent = "QUERY_RULE\n', 1, "toml"),
    ("[", 1, "toml"),
    (b"\xff\xfe", 0, "file"),
    (f'{HEAD}color = "red"\n{GROUP}a = "b"\n', 3, "color"),
    (f'intent = "STOP"\nlang = "en"\n{GROUP}a = "b"\n', 1, "intent"),
    (f'intent = ["QUERY_RULE"]\nlang = "en"\n{GROUP}a = "b"\n', 1, "intent"),
    (f'lang = "en"\n{GROUP}a = "b"\n', 1, "intent"),
    (f'intent = "QUERY_RULE"\nlang = "fr"\n{GROUP}a = "b"\n', 2, "lang"),
    (f'outcome = "maybe"\nlang = "en"\n{GROUP}a = "b"\n', 1, "outcome"),
    (f'outcome = "vague"\nlang = "en"\ncandidates = ["NOPE"]\n{GROUP}a = "b"\n', 3, "candidates"),
    (f'outcome = "vague"\nlang = "en"\ncandidates = "DIAGNOSE"\n{GROUP}a = "b"\n', 3, "candidates"),
    (f'{HEAD}macros = "x"\n{GROUP}a = "b"\n', 3, "macros"),
    (f'{HEAD}[macros]\nx = 5\n{GROUP}a = "b"\n', 4, "x"),
    (f'{HEAD}[classes]\nx = ["a", ""]\n{GROUP}a = "b"\n', 4, "x"),
    (f'{HEAD}[classes]\nx = "a"\n{GROUP}a = "b"\n', 4, "x"),
    (HEAD, 1, "group"),
    (f"{HEAD}group = [5]\n", 3, "group"),
    (f"{HEAD}[[group]]\ncover = 0.5\n", 1, "phrases"),
    (f'{HEAD}[[group]]\ncolor = 1\n[group.phrases]\na = "b"\n', 4, "color"),
    (f'{HEAD}[[group]]\ncover = 0\n[group.phrases]\na = "b"\n', 4, "cover"),
    (f'{HEAD}[[group]]\ncover = true\n[group.phrases]\na = "b"\n', 4, "cover"),
    (f'{HEAD}[[group]]\naction = "home"\n[group.phrases]\na = "b"\n', 4, "action"),
    (f'{HEAD}[[group]]\nunless = "personal"\n[group.phrases]\na = "b"\n', 4, "unless"),
    (f'{HEAD}[[group]]\nunless = [1]\n[group.phrases]\na = "b"\n', 4, "unless"),
    (f'{HEAD}[[group]]\nunless = ["nothing"]\n[group.phrases]\na = "b"\n', 6, "a"),
    (f'{HEAD}[[group]]\nmood = "HAPPY"\n[group.phrases]\na = "b"\n', 4, "mood"),
    (f'{HEAD}[[group]]\nstart = "yes"\n[group.phrases]\na = "b"\n', 4, "start"),
    (f'{CONTROL}{GROUP}a = "b"\n', 1, "action"),
    (f'{CONTROL}[[group]]\naction = "home"\ncover = 0.5\n[group.phrases]\na = "b"\n', 5, "cover"),
    (f"{HEAD}{GROUP}a = 5\n", 5, "a"),
    (f'{HEAD}{GROUP}a = "whatsit <nothing>"\n', 5, "a"),
    (f'{HEAD}{GROUP}a = "whatsit {{nothing}}"\n', 5, "a"),
    (f'{HEAD}{GROUP}a = "whatsit {{item}}"\nb = "whatsit {{item}}"\n', 6, "b"),
    (f'{HEAD}[classes]\nopen = ["shut"]\n{GROUP}a = "whatsit"\n', 4, "shut"),
    (f'{HEAD}{GROUP}greet = "hello"\n', 5, "greet"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "key"), BROKEN)
def test_a_broken_pack_stops_the_start(tmp_path: Path, text: str | bytes, line: int, key: str) -> None:
    with pytest.raises(PackError) as stopped:
        Router.load([folder(tmp_path, text)])
    error = stopped.value
    assert (Path(error.file).name, error.line, error.key) == ("site.toml", line, key)
    assert error.message
    assert str(error) == f"{error.file}:{line}: {key}: {error.message}"


@pytest.mark.parametrize(("text", "line", "key"), BROKEN)
def test_the_linter_says_the_same(tmp_path: Path, text: str | bytes, line: int, key: str) -> None:
    problems = lint(folder(tmp_path, text))
    assert (line, key) in [(problem.line, problem.key) for problem in problems]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="no such folder"):
        Router.load([tmp_path / "none"])
    assert [p.key for p in lint(tmp_path / "none")] == ["folder"]


def test_too_many_phrases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = folder(tmp_path, f'{GOOD}more = "gizmo {{item}}"\n')
    monkeypatch.setattr("offline_rules.lint.MAX_PHRASES", 1)
    assert [p.key for p in lint(site)] == ["phrases"]
    monkeypatch.setattr(packs_module, "MAX_PHRASES", 1)
    with pytest.raises(PackError, match="at most 1"):
        load_packs([site])


def test_one_word_for_two_things_stops_the_start() -> None:
    cell = Lexicon.of(items={"glass": ["red"]}, bins={"red": []}, stations={}, devices={})
    with pytest.raises(PackError, match="one word means") as stopped:
        Router.load(lexicon=cell)
    assert (stopped.value.file, stopped.value.key) == ("cell", "red")


def test_a_site_adds_phrases_words_and_half_sentences(tmp_path: Path) -> None:
    folder(tmp_path, f'{HEAD}[classes]\ndoodad = ["doodad", "doohickey"]\n{GROUP}ask = "<doodad> {{item}}"\n')
    folder(tmp_path, f'outcome = "vague"\nlang = "en"\n{GROUP}half = "gizmo"\n', "half.toml")
    site = Router.load([tmp_path])
    read = site.read("doohickey glass")
    assert isinstance(read.outcome, Match)
    assert (read.outcome.rule_id, read.slots[0].value) == ("site:ask", "glass")
    assert site.read("gizmo").outcome == Vague("half", ())


def test_the_guard_sentences_hold_for_the_shipped_packs() -> None:
    router = Router.load()
    assert list(router.overmatched(guard_sentences())) == []


def test_the_shipped_packs_are_clean() -> None:
    (own,) = shipped()
    assert lint(own) == []


def test_the_linter_checks_labelled_sentences(tmp_path: Path) -> None:
    site = folder(tmp_path, GOOD)
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"text": "whatsit glass", "intent": "DIAGNOSE"}\n{"text": "x"}\nno json\n5\n', encoding="utf-8")
    assert lint(site) == []
    (problem,) = lint(site, [cases])
    assert (problem.line, problem.key) == (5, "ask")
    assert "DIAGNOSE" in problem.message


def test_a_phrase_that_nothing_reaches(tmp_path: Path) -> None:
    (problem,) = lint(folder(tmp_path, f'{HEAD}{GROUP}dead = "whatsit pick up the {{item}}"\n'))
    assert (problem.line, problem.key) == (5, "dead")
    assert "never reached" in problem.message


@pytest.mark.parametrize(
    ("text", "status", "printed"), [(GOOD, 0, ""), (f'{HEAD}{GROUP}a = "<nothing>"\n', 1, "site.toml:5: a: ")]
)
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, status: int, printed: str) -> None:
    assert main([str(folder(tmp_path, text))]) == status
    assert printed in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_the_command_says_how_it_is_used(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(arguments) == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("say", "variants"),
    [
        ("a b", [(("a",), ("b",))]),
        ("a [b]", [(("a",),), (("a",), ("b",))]),
        ("(a|b) c", [(("a", "b"), ("c",))]),
        ("(a b|c|d)", [(("c", "d"),), (("a",), ("b",))]),
        ("@two x", [(("p",), ("q",), ("x",))]),
        ("<look> {item} {text}", [(("<look>",), ("{item}",), ("{text}",))]),
        ("A [a]", [(("a",),), (("a",), ("a",))]),
    ],
)
def test_phrases_are_expanded(say: str, variants: list[tuple[tuple[str, ...], ...]]) -> None:
    assert list(expand(say, {"two": "p q"})) == variants


@pytest.mark.parametrize(
    ("say", "message"),
    [
        ("", "empty"),
        ("[a]", "empty"),
        ("(a", "not closed"),
        ("a)", "closes nothing"),
        ("[a)", "not closed"),
        ("a <b", "can not read"),
        ("{what}", "no slot"),
        ("{text}", "stands at the end"),
        ("{text} a", "stands at the end"),
        ("a ({text}|b)", "one of several"),
        ("@none", "no macro"),
        ("@loop", "nested"),
        ("[a][b][c][d][e][f][g][h][i]", "more than 256"),
    ],
)
def test_phrases_that_can_not_be_read(say: str, message: str) -> None:
    with pytest.raises(PatternError, match=message):
        expand(say, {"loop": "@loop"})


def test_the_module_runs_as_a_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.argv", ["lint", str(folder(tmp_path, GOOD))])
    with pytest.raises(SystemExit) as left:
        runpy.run_path(lint_module.__file__, run_name="__main__")
    assert left.value.code == 0


@pytest.mark.parametrize(("words", "file", "line"), [('open = ["clench"]', "b.toml", 4), ('gadget = ["x"]', "", 0)])
def test_a_word_in_opposite_classes_is_shown_where_it_was_added(
    tmp_path: Path, words: str, file: str, line: int
) -> None:
    folder(tmp_path, f'{HEAD}{GROUP}a = "whatsit"\n', "a.toml")
    folder(tmp_path, f'{HEAD}[classes]\n{words}\n{GROUP}b = "gizmo"\n', "b.toml")
    loaded = load_packs([*shipped(), tmp_path])
    classes = {**all_classes(loaded), "close": ("clench",), "open": ("clench",)}
    (problem,) = [p for p in static_problems(loaded, classes, default_lexicon()) if p.key == "clench"]
    assert (Path(problem.file).name, problem.line) == (file or "words", line)
