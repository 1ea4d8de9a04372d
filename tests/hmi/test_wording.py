"""The page's words: both languages, nothing missing, and nothing promised that this software does not do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from edge_agent.hmi import kit
from edge_agent.hmi.now import Connection
from edge_agent.hmi.talk import Act
from edge_agent.hmi.texts import words
from edge_agent.hmi.visit import NotSent
from edge_agent.messages.codes import ContentKind, FallbackType, Lang, Phase, ReleaseOutcome
from edge_agent.messages.request import REQUEST_MODELS
from edge_agent.messages.states import CellStateWord, ModeWord
from edge_agent.stages.explaining import CHAPTERS, CUT_SHORT, USED

ROOM = Path(kit.__file__).parent
CALL = re.compile(r"""\bsay\(\s*"([a-z_]+\.[a-zA-Z_.]+)\"""")
FORBIDDEN = ("急停", "安全", "认证", "emergency", "safe", "certified", "guarantee", "exactly once")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_key_the_page_asks_for_is_there(lang: Lang) -> None:
    asked = {key for file in ROOM.glob("*.py") for key in CALL.findall(file.read_text("utf-8"))}
    assert len(asked) > 80
    assert sorted(key for key in asked if not words(lang).own.has(key)) == []


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_tag_has_its_word(lang: Lang) -> None:
    given = words(lang)
    tags = {
        "connection": [c.value for c in Connection],
        "connection_say": [c.value for c in Connection],
        "banner": list(get_args(CellStateWord)),
        "mode": list(get_args(ModeWord)),
        "phase": [p.value for p in Phase],
        "kind": [k.value for k in ContentKind],
        "outcome": [o.value for o in ReleaseOutcome],
        "fallback": [f.value for f in FallbackType],
        "act": list(get_args(Act)),
        "chapter": [*(c.what for c in CHAPTERS), USED, CUT_SHORT],
        "unsent": list(get_args(NotSent)),
        "request": [r for r in (*REQUEST_MODELS, "stop") if r not in ("resync", "explain", "history")],
    }
    keys = [f"{group}.{tag}" for group, names in tags.items() for tag in names]
    assert [key for key in keys if not given.own.has(key)] == []


@pytest.mark.parametrize("file", sorted((ROOM / "wording").glob("*.toml")), ids=lambda file: file.stem)
def test_no_word_claims_protection(file: Path) -> None:
    said = "\n".join(line.partition("=")[2] for line in file.read_text("utf-8").lower().splitlines())
    assert [word for word in FORBIDDEN if word in said] == []


def test_one_file_knows_the_toolkit() -> None:
    knowing = [f.name for f in ROOM.glob("*.py") if re.search(r"^\s*(from|import) nicegui", f.read_text("utf-8"), re.M)]
    assert knowing == ["kit.py"]
