"""What no operator types on purpose: each is refused or explained in one row, and the next sentence is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edge_agent.interpret import InterpretOptions, explained, run_jsonl, run_text, to_json

TEN_MB = 10 * 1024 * 1024
STOP = {"text": "停"}

REFUSED = {
    "empty": ("", "empty_text"),
    "blanks": (" \t\u3000\n", "empty_text"),
    "501 characters": ("回" * 501, "too_long"),
    "ten megabytes": ("a" * TEN_MB, "too_long"),
    "ten megabytes with a command": ("让机械臂回零" + " " * TEN_MB, "too_long"),
}
NEVER_ACTED_ON = {
    "zero width inside a command": "让机械臂回\u200b零",
    "bidi override around a command": "\u202e让机械臂回零\u202c",
    "bidi isolate": "\u2066让机械臂回零\u2069",
    "a Cyrillic letter in a word": "h\u043eme the arm",
    "control characters in a command": "让机械臂\x00回零",
    "an escape sequence": "\x1b[31m让机械臂回零\x1b[0m",
    "a lone high surrogate": "让机械臂回零\ud800",
    "a lone low surrogate": "\udc00让机械臂回零",
    "emoji alone": "🦾🏠🎯",
    "an emoji family": "👨‍👩‍👧‍👦" * 20,
    "combining marks": "回\u0301\u0301\u0301零\u0301",
    "marks alone": "？！？！……",
    "numbers alone": "1234567890",
    "a private use character": "\ue000\ue001",
    "not characters": "\ufffe\uffff",
}
"""None of these may be proposed, whoever is sure of it."""


@pytest.fixture
def rules(tmp_path: Path) -> InterpretOptions:
    return InterpretOptions(models=tmp_path / "models", use_model=False)


def rows(lines: list[str], options: InterpretOptions) -> list[dict[str, object]]:
    out: list[str] = []
    run_jsonl(lines, options, out.append)
    return [json.loads(line) for line in out]


@pytest.mark.parametrize("name", list(REFUSED))
def test_unreadable_input_is_refused_with_its_reason(name: str, rules: InterpretOptions) -> None:
    text, reason = REFUSED[name]
    bad, good = rows([json.dumps({"text": text}), json.dumps(STOP)], rules)
    assert (bad["disposition"], bad["reason"], bad["would_move"]) == ("REFUSE", reason, False)
    assert good["disposition"] == "STOP"


@pytest.mark.parametrize("name", list(NEVER_ACTED_ON))
def test_odd_text_is_explained_and_never_acted_on(name: str, rules: InterpretOptions) -> None:
    bad, good = rows([json.dumps({"text": NEVER_ACTED_ON[name]}), json.dumps(STOP)], rules)
    assert bad["disposition"] in ("EXPLAIN", "REFUSE")
    assert bad["would_move"] is False
    assert bad["text"] == NEVER_ACTED_ON[name]
    assert good["disposition"] == "STOP"


@pytest.mark.parametrize("name", list(NEVER_ACTED_ON))
def test_a_row_can_be_written_whatever_it_holds(name: str) -> None:
    to_json({"text": NEVER_ACTED_ON[name]}).encode("utf-8")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_one_sentence_of_the_command_line_is_explained_in_both_languages(lang: str, rules: InterpretOptions) -> None:
    made, problem = run_text("a" * TEN_MB, rules)
    told = dict(explained(made, lang))
    assert problem is None
    assert "too_long" in told["依据" if lang == "zh" else "because"]


def test_a_line_of_ten_megabytes_that_is_no_json_stops_nothing(rules: InterpretOptions) -> None:
    bad, good = rows(["{" * TEN_MB, json.dumps(STOP)], rules)
    assert (bad["reason"], good["disposition"]) == ("line_invalid", "STOP")
