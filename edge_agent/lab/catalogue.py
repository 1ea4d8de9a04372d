"""The catalogue of faults: one row a fault, from the table beside this room and from the driver package. Read once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from drivers.package import FaultInfo
from edge_agent.checked_file import checked, read_toml
from edge_agent.messages.codes import Lang

FAULTS_FILE: Final = Path(__file__).with_name("data") / "faults.toml"

Where: TypeAlias = Literal["class", "case"]
"""`class`: in a running cell and in case lines; `case`: in case lines alone."""
Words = Annotated[str, Field(max_length=200)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=r"^[a-z]+\.[a-z_]+$")]
    zh: Words = ""
    en: Words = ""
    expect: Annotated[str, Field(min_length=1, max_length=200)]
    evidence: Annotated[str, Field(min_length=1, max_length=200)]
    where: Where = "class"
    argument: Annotated[str, Field(max_length=40)] = ""


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    fault: Annotated[tuple[_Row, ...], Field(min_length=1, max_length=200)]


@dataclass(frozen=True, slots=True)
class CatalogueRow:
    """`name` with its group; `what` in one language; `expect` the labels of a case, `evidence` the least to be seen."""

    name: str
    what: str
    argument: str
    where: Where
    expect: str
    evidence: str

    @property
    def put_in(self) -> str:
        """As one writes it: a case line's word, which a console takes too where the fault is one of a class."""
        return f"{self.name}({self.argument})" if self.argument else self.name


def catalogue(lang: Lang, of_cell: Mapping[str, FaultInfo], file: Path = FAULTS_FILE) -> tuple[CatalogueRow, ...]:
    """Raises `BadFile`. `of_cell` are the driver package's own faults."""
    known = {f"{info.group}.{name}": info for name, info in of_cell.items()}
    rows = checked(file, _File, read_toml(file)).fault
    return tuple(_row(row, lang, known.get(row.name)) for row in rows)


def as_markdown(rows: Iterable[CatalogueRow], lang: Lang) -> str:
    head = HEADINGS[lang]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    told = ((f"`{r.put_in}`", WHERE[lang][r.where], r.what, r.expect, r.evidence) for r in rows)
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in told)])


HEADINGS: Final[Mapping[Lang, tuple[str, ...]]] = {
    "zh": ("故障（写法）", "放在哪里", "会发生什么", "应当怎样处理", "最少证据"),
    "en": ("fault (as written)", "where", "what happens", "expected handling", "least evidence"),
}
WHERE: Final[Mapping[Lang, Mapping[Where, str]]] = {
    "zh": {"class": "运行中的单元、案例行", "case": "案例行"},
    "en": {"class": "a running cell, a case line", "case": "a case line"},
}


def _row(row: _Row, lang: Lang, info: FaultInfo | None) -> CatalogueRow:
    own = row.zh if lang == "zh" else row.en
    told = "" if info is None else (info.zh if lang == "zh" else info.en)
    argument = row.argument or (", ".join(info.defaults) if info is not None else "")
    return CatalogueRow(row.name, own or told, argument, row.where, row.expect, row.evidence)
