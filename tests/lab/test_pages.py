"""The teaching pages: both languages, every fixed term, code that runs, links that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from edge_agent.cases import labels
from edge_agent.cell_file import load_cell
from edge_agent.lab.pages import FOLDER, NAMES, SUFFIX, NoSuchPage, page
from edge_agent.messages import codes
from edge_agent.messages.codes import Lang
from edge_agent.run.collection import CollectionState, StopReason
from edge_agent.run.lifecycle import RunState
from edge_agent.safety.cell import CellState
from edge_agent.safety.command import CommandState
from edge_agent.world import package_of

LANGS: tuple[Lang, ...] = ("zh", "en")
TERMS = [
    *RunState,
    *CollectionState,
    *StopReason,
    *CellState,
    *CommandState,
    *codes.ErrorCode,
    *codes.FailureCode,
    *codes.FallbackType,
    *codes.ReleaseOutcome,
    *codes.RetryDecision,
    *codes.InvocationStatus,
    *codes.EvidenceStatus,
]


def text(name: str, lang: Lang) -> str:
    return page(name, lang, package_of(load_cell().devices[0]).FAULTS)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", NAMES)
def test_every_page_is_there_in_its_language(name: str, lang: Lang) -> None:
    told = text(name, lang)
    assert told.startswith("# ")
    assert bool(re.search(r"[\u4e00-\u9fff]", told.splitlines()[0])) is (lang == "zh")


def test_a_page_that_is_not_there() -> None:
    with pytest.raises(NoSuchPage, match="glossary"):
        text("nothing", "en")


@pytest.mark.parametrize("lang", LANGS)
def test_every_label_has_its_line(lang: Lang) -> None:
    told = re.findall(r"^\| `(\w+)` \|", text("labels", lang), re.MULTILINE)
    assert set(told) == set(labels.ALL)


@pytest.mark.parametrize("lang", LANGS)
def test_every_fixed_term_has_its_line(lang: Lang) -> None:
    told = text("glossary", lang)
    assert [term for term in map(str, TERMS) if f"`{term}" not in told] == []


@pytest.mark.parametrize("lang", LANGS)
def test_the_table_of_faults_is_made_from_the_catalogue(lang: Lang) -> None:
    assert "`query.timeout`" in text("faults", lang)


@pytest.mark.parametrize("lang", LANGS)
def test_the_code_of_the_prompt_runs(lang: Lang, capsys: pytest.CaptureFixture[str]) -> None:
    [block] = re.findall(r"```python\n(.*?)```", text("prompt", lang), re.DOTALL)
    exec(compile(block, "prompt", "exec"), {})
    assert capsys.readouterr().out.splitlines()[:2] == ["2 no_retry_reach_max_attempts", "True top_score_low"]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str, lang: Lang) -> None:
    told = (FOLDER / f"{name}{SUFFIX[lang]}").read_text("utf-8")
    missing = [to for to in re.findall(r"\]\(([^)#]+)\)", told) if not Path(FOLDER, to).exists()]
    assert missing == []


def test_the_figures_of_the_budget_page_are_the_products() -> None:
    told = text("budget", "en")
    assert [word for word in ("| 24 |", "| 24, 8 |", "| 1000000 |") if word not in told] == []
