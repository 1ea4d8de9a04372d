"""Facts, scopes and limits as sentences in the operator's language: a table, filled from records. No model's word.

A fact of an attribute that the table does not name is told by its name and value; nothing is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from edge_agent.checked_file import checked, read_toml
from edge_agent.messages.codes import Lang
from edge_agent.tools.projection import plain_text
from edge_agent.tools.result import ToolResult
from edge_agent.tools.tool import Fact, ToolName

WORDING_FILE: Final = Path(__file__).with_name("data") / "wording.toml"
LINE_CHARS: Final = 400

Text = Annotated[str, Field(min_length=1, max_length=200)]


class _Pair(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    zh: Text
    en: Text


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    fact: dict[ToolName, dict[str, _Pair]]
    said: dict[ToolName, dict[str, _Pair]]
    value: dict[str, _Pair]
    source: dict[ToolName, _Pair]
    other: _Pair
    meaning: _Pair
    empty: _Pair
    looked: _Pair
    failed: _Pair
    truncated: _Pair
    suggest: _Pair


_TABLES: Final = frozenset({"fact", "said", "value", "source"})


@dataclass(frozen=True, slots=True)
class Wording:
    """The sentences of one language."""

    facts: Mapping[tuple[str, str], str]
    """By source and attribute, or by source and `attribute=value` where one value has a sentence of its own."""
    values: Mapping[str, str]
    """What a code or a reason means."""
    sources: Mapping[str, str]
    others: Mapping[str, str]

    def fact(self, fact: Fact) -> str:
        exact = self.facts.get((fact.source, f"{fact.attribute}={fact.value}"))
        form = exact or self.facts.get((fact.source, fact.attribute), self.others["other"])
        value = self._explained(fact.value)
        return self._filled(form, fact.source, subject=fact.subject, attribute=fact.attribute, value=value)

    def scope(self, result: ToolResult) -> str:
        """What was looked at."""
        return self._filled(self.others["looked"], result.tool_name, scope=result.scope)

    def empty(self, result: ToolResult) -> str:
        return self._filled(self.others["empty"], result.tool_name, scope=result.scope)

    def failed(self, result: ToolResult) -> str:
        return self._filled(self.others["failed"], result.tool_name, code=str(result.code), scope=result.scope)

    def truncated(self, result: ToolResult) -> str:
        return self._filled(self.others["truncated"], result.tool_name, scope=result.scope)

    def suggest(self, tool: str) -> str:
        return self._filled(self.others["suggest"], tool)

    def _explained(self, value: str) -> str:
        meaning = self.values.get(value)
        return value if meaning is None else self._filled(self.others["meaning"], "", value=value, meaning=meaning)

    def _filled(self, form: str, source: str, **values: str) -> str:
        """Values are put in once, as data: a brace in a record is no place to fill, and what steers a terminal, hides
        words or breaks the line is taken out."""
        named = {"source": self.sources.get(source, source), **values}
        parts = (named.get(p[1:-1], p) if p.startswith("{") else p for p in _split(form))
        return " ".join(plain_text("".join(parts)).split())[:LINE_CHARS]


NO_WORDING: Final = Wording({}, {}, {}, {"other": "{subject} {attribute} {value}", "meaning": "{value} {meaning}"})


@cache
def load_wording(lang: Lang, file: Path = WORDING_FILE) -> Wording:
    """Read once a process: every agent made in it has the same words. Raises BadFile."""
    read = checked(file, _File, read_toml(file))
    forms = [
        (str(s), a, pair) for table in (read.fact, read.said) for s, own in table.items() for a, pair in own.items()
    ]
    facts = {(source, attribute): _of(pair, lang) for source, attribute, pair in forms}
    values = {value: _of(pair, lang) for value, pair in read.value.items()}
    others = {name: _of(getattr(read, name), lang) for name in _File.model_fields if name not in _TABLES}
    return Wording(facts, values, {str(s): _of(pair, lang) for s, pair in read.source.items()}, others)


def _of(pair: _Pair, lang: Lang) -> str:
    return pair.zh if lang == "zh" else pair.en


def _split(form: str) -> list[str]:
    """`a {b} c` -> ["a ", "{b}", " c"]."""
    parts: list[str] = []
    for piece in form.split("{"):
        name, closed, rest = piece.partition("}")
        parts += [f"{{{name}}}", rest] if closed else [piece]
    return parts
