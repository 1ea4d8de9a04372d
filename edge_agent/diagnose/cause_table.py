"""The site's own table of causes: what must stand in the records for a cause to be named, and what to do then.

    tools = ["task_status", ...]              the order in which evidence is gathered without a model

    [[cause]]
    id = "no_part"                            as words it is what a small model ranks: name it so that it says the cause
    zh = "..."   en = "..."                   the wording that is published
    needs = [["task_status.code=0601"], ...]  any one of these groups; all patterns of a group, of one subject a source
    not = ["command_history.state=VERIFIED"]  none of these anywhere
    next_steps = ["check_feed"]

    [[step]]
    id = "check_feed"   zh = "..."   en = "..."

A pattern is `source.attribute` or `source.attribute=value|value`. A key that no tool states names file and key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from edge_agent.checked_file import BadFile, Fault, checked, fault, read_toml
from edge_agent.tools import arm_status, command_history, task_status
from edge_agent.tools.tool import Fact, ToolName

CAUSES_FILE: Final = Path(__file__).with_name("data") / "causes.toml"

STATED: Final[Mapping[str, tuple[str, ...]]] = {
    ToolName.TASK_STATUS: task_status.STATED,
    ToolName.COMMAND_HISTORY: command_history.STATED,
    ToolName.ALARM_HISTORY: ("type", "at"),
    ToolName.ARM_STATUS: arm_status.STATED,
    ToolName.SORTING_RULES: ("rule_id", "bin"),
    ToolName.KNOWLEDGE_SEARCH: ("title",),
}
"""Which attributes each source states; a pattern over anything else could never hold."""

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,47}$")]
Line = Annotated[str, Field(min_length=1, max_length=200)]
Pattern_ = Annotated[str, Field(min_length=3, max_length=200)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class _Cause(_Strict):
    id: Id
    zh: Line
    en: Line
    needs: Annotated[
        tuple[Annotated[tuple[Pattern_, ...], Field(min_length=1, max_length=8)], ...], Field(max_length=8)
    ]
    excluded_by: Annotated[tuple[Pattern_, ...], Field(alias="not", max_length=16)] = ()
    next_steps: Annotated[tuple[Id, ...], Field(max_length=3)] = ()


class _Step(_Strict):
    id: Id
    zh: Line
    en: Line
    example_zh: Annotated[str, Field(max_length=200)] = ""
    example_en: Annotated[str, Field(max_length=200)] = ""


class _Table(_Strict):
    tools: Annotated[tuple[ToolName, ...], Field(min_length=1, max_length=8)]
    cause: Annotated[tuple[_Cause, ...], Field(min_length=1, max_length=500)]
    step: Annotated[tuple[_Step, ...], Field(max_length=500)] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """`values` empty: any value."""

    source: str
    attribute: str
    values: tuple[str, ...]

    def fits(self, fact: Fact) -> bool:
        same = (fact.source, fact.attribute) == (self.source, self.attribute)
        return same and (not self.values or fact.value in self.values)

    @property
    def asks(self) -> tuple[tuple[str, str, str | None], ...]:
        """What a fact must be to fit: its source, attribute and value; None: any value."""
        return tuple((self.source, self.attribute, value) for value in self.values or (None,))


@dataclass(frozen=True, slots=True)
class Cause:
    id: str
    zh: str
    en: str
    needs: tuple[tuple[Pattern, ...], ...]
    excluded_by: tuple[Pattern, ...]
    next_steps: tuple[str, ...]

    def evidence(self, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        """The facts of the first group that is there whole; empty where the cause has no evidence."""
        known = tuple(facts)
        return next((found for group in self.needs if (found := _group(group, known))), ())

    def contradicted(self, facts: Iterable[Fact]) -> Fact | None:
        return next((f for f in facts if any(pattern.fits(f) for pattern in self.excluded_by)), None)


@dataclass(frozen=True, slots=True)
class Step:
    id: str
    zh: str
    en: str
    example_zh: str
    example_en: str


@dataclass(frozen=True, slots=True)
class CauseTable:
    tools: tuple[ToolName, ...]
    causes: Mapping[str, Cause]
    steps: Mapping[str, Step]
    _asked: Mapping[tuple[str, str, str | None], AbstractSet[str]] = field(init=False, repr=False, compare=False)
    """The causes that ask for a fact: most ask for none of those of a run, and need no closer look."""

    def __post_init__(self) -> None:
        asked: dict[tuple[str, str, str | None], set[str]] = {}
        for cause in self.causes.values():
            for key in (key for group in cause.needs for pattern in group for key in pattern.asks):
                asked.setdefault(key, set()).add(cause.id)
        object.__setattr__(self, "_asked", asked)

    def candidates(self, facts: Iterable[Fact]) -> tuple[Cause, ...]:
        """The causes whose evidence is there and that nothing contradicts, in the table's order."""
        known = tuple(facts)
        keys = {(f.source, f.attribute, value) for f in known for value in (f.value, None)}
        asking = {cause for key in keys for cause in self._asked.get(key, ())}
        fitting = (c for c in self.causes.values() if c.id in asking)
        return tuple(c for c in fitting if c.evidence(known) and c.contradicted(known) is None)


def load_causes(file: Path = CAUSES_FILE) -> CauseTable:
    """Raises BadFile with every fault: an unknown key, a pattern nobody states, a step that is not there, a double."""
    table = checked(file, _Table, read_toml(file))
    faults = tuple(_faults(table))
    if faults:
        raise BadFile(file, faults)
    return CauseTable(
        tools=table.tools,
        causes={c.id: _cause(c) for c in table.cause},
        steps={s.id: Step(**s.model_dump()) for s in table.step},
    )


def parse_pattern(text: str) -> Pattern:
    where, _, values = text.partition("=")
    source, _, attribute = where.strip().partition(".")
    return Pattern(source, attribute, tuple(v.strip() for v in values.split("|") if v.strip()))


def _cause(row: _Cause) -> Cause:
    return Cause(
        id=row.id,
        zh=row.zh,
        en=row.en,
        needs=tuple(tuple(parse_pattern(p) for p in group) for group in row.needs),
        excluded_by=tuple(parse_pattern(p) for p in row.excluded_by),
        next_steps=row.next_steps,
    )


def _group(group: tuple[Pattern, ...], facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Every pattern of the group, those of one source by one subject of it; empty where one is missing."""
    found: list[Fact] = []
    for source in dict.fromkeys(pattern.source for pattern in group):
        own = [pattern for pattern in group if pattern.source == source]
        subjects = dict.fromkeys(f.subject for f in facts if f.source == source)
        whole = next((w for subject in subjects if (w := _of_subject(own, subject, facts))), None)
        if whole is None:
            return ()
        found += whole
    return tuple(found)


def _of_subject(patterns: list[Pattern], subject: str, facts: tuple[Fact, ...]) -> list[Fact]:
    of_it = [f for f in facts if f.subject == subject]
    found = [next((f for f in of_it if pattern.fits(f)), None) for pattern in patterns]
    return [f for f in found if f is not None] if all(found) else []


def _faults(table: _Table) -> Iterator[Fault]:
    steps = {step.id for step in table.step}
    yield from _doubles("cause", [c.id for c in table.cause])
    yield from _doubles("step", [s.id for s in table.step])
    for n, cause in enumerate(table.cause, start=1):
        patterns = [(f"needs[{g}]", p) for g, group in enumerate(cause.needs, start=1) for p in group]
        for key, text in [*patterns, *(("not", p) for p in cause.excluded_by)]:
            if not _known(parse_pattern(text)):
                yield fault(
                    f"cause[{n}].{key}", text, f"evidence that a tool states: {_all()}", f"工具给出的证据：{_all()}"
                )
        for step in cause.next_steps:
            if step not in steps:
                yield fault(f"cause[{n}].next_steps", step, "the id of a [[step]]", "某个 [[step]] 的 id")
        if not cause.needs:
            yield fault(f"cause[{n}].needs", [], "at least one group of evidence", "至少一组证据")


def _doubles(table: str, ids: list[str]) -> Iterator[Fault]:
    for twice in sorted({each for each in ids if ids.count(each) > 1}):
        yield fault(f"{table}.id", twice, "each id only once", "各不相同的 id")


def _known(pattern: Pattern) -> bool:
    return pattern.attribute in STATED.get(pattern.source, ())


def _all() -> str:
    return ", ".join(f"{source}.({'|'.join(attributes)})" for source, attributes in STATED.items())
