"""The shipped table holds together, and a broken one names file and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_agent.checked_file import BadFile
from edge_agent.diagnose.cause_table import STATED, load_causes
from edge_agent.diagnose.wording import load_wording
from edge_agent.tools.tool import Fact
from tests.diagnose.room import TABLE, WORDING


def test_the_shipped_table() -> None:
    assert len(TABLE.causes) >= 12
    assert all(cause.next_steps for cause in TABLE.causes.values())


def test_every_cause_can_be_found_by_its_own_evidence_alone() -> None:
    for cause in TABLE.causes.values():
        for group in cause.needs:
            facts = [Fact(p.source, f"{p.source}-s", p.attribute, (p.values or ("x",))[0]) for p in group]
            assert cause in TABLE.candidates(facts)


def test_every_fact_that_is_stated_has_words_in_both_languages() -> None:
    stated = {(source, attribute) for source, attributes in STATED.items() for attribute in attributes}
    for words in WORDING.values():
        assert set(words.facts) >= stated
        assert {(source, name.partition("=")[0]) for source, name in words.facts} == stated


def test_what_a_code_means_is_told_with_it() -> None:
    code = Fact("command_history", "command 7", "controller_code", "0601")
    assert WORDING["zh"].fact(code) == "command 7 的控制器代码是 0601（没有工件）"
    assert WORDING["en"].fact(Fact("arm_status", "arm_01", "guard_closed", "false")) == "the guard is open"


def test_values_are_filled_in_once() -> None:
    fact = Fact("task_status", "{value}", "state", "{subject}<b>")
    assert WORDING["en"].fact(fact) == "task {value} is {subject}<b>"
    assert WORDING["zh"].fact(Fact("elsewhere", "s", "a", "v")) == "elsewhere：s 的 a 为 v"


HEAD = 'tools = ["task_status"]\n'
CAUSE = HEAD + '[[cause]]\nid = "c_one"\nzh = "a"\nen = "b"\n'
BROKEN = [
    (CAUSE + 'needs = [["task_status.colour=red"]]\n', "cause[1].needs[1]", "task_status.colour"),
    (CAUSE + 'needs = [["weather.rain"]]\n', "cause[1].needs[1]", "weather.rain"),
    (CAUSE + 'needs = [["task_status.code=0601"]]\nnot = ["nope.x"]\n', "cause[1].not", "nope.x"),
    (CAUSE + 'needs = [["task_status.code=1"]]\nnext_steps = ["fly"]\n', "cause[1].next_steps", "fly"),
    (CAUSE + "needs = []\n", "cause[1].needs", "at least one group"),
    (CAUSE + 'needs = [["task_status.code=1"]]\ncolour = "red"\n', "cause[1].colour", "nobody reads"),
    (
        CAUSE + 'needs = [["task_status.code=1"]]\n' + CAUSE.removeprefix(HEAD) + 'needs = [["task_status.code=1"]]\n',
        "cause.id",
        "c_one",
    ),
    (HEAD, "cause", "to be there"),
    ("tools = [", "TOML", ""),
]


@pytest.mark.parametrize(("text", "key", "told"), BROKEN, ids=[b[1] + str(n) for n, b in enumerate(BROKEN)])
def test_a_broken_table_names_file_and_key(tmp_path: Path, text: str, key: str, told: str) -> None:
    file = tmp_path / "causes.toml"
    file.write_text(text)
    with pytest.raises(BadFile) as bad:
        load_causes(file)
    assert str(file) in str(bad.value)
    assert key in str(bad.value)
    assert told in str(bad.value)


def test_broken_wording_is_a_bad_file(tmp_path: Path) -> None:
    file = tmp_path / "wording.toml"
    file.write_text("other = 1\n")
    with pytest.raises(BadFile, match="other"):
        load_wording("zh", file)
