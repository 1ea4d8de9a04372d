"""What the stores of a new state folder begin with, read from the files that come with the product. Raises BadFile."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from edge_agent.checked_file import checked, read_toml
from edge_agent.tools.ports import Rule, Task

DATA: Final = Path(__file__).with_name("data")
RULES_FILE: Final = DATA / "sorting_rules.toml"
TASKS_FILE: Final = DATA / "tasks.toml"
SOP_FOLDER: Final = DATA / "sop"

Short = Annotated[str, Field(max_length=64)]
Note = Annotated[str, Field(max_length=200)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Rule(_Strict):
    rule_id: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9-]{1,31}$")]
    item_type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
    bin: Annotated[str, Field(pattern=r"^[0-9]{1,3}$")]
    note_zh: Note = ""
    note_en: Note = ""


class _Task(_Strict):
    task_id: Annotated[str, Field(pattern=r"^[a-z]{1,4}[0-9]{1,9}$")]
    item_type: Short
    bin: Short
    device: Short
    state: Literal["queued", "running", "done", "failed"]
    code: Annotated[str, Field(pattern=r"^([0-9a-f]{4})?$")] = ""
    note: Note = ""


class _Rules(_Strict):
    rule: Annotated[tuple[_Rule, ...], Field(max_length=10_000)]


class _Tasks(_Strict):
    task: Annotated[tuple[_Task, ...], Field(max_length=10_000)]


def seed_rules(file: Path = RULES_FILE) -> tuple[Rule, ...]:
    return tuple(Rule(**rule.model_dump()) for rule in checked(file, _Rules, read_toml(file)).rule)


def seed_tasks(file: Path = TASKS_FILE) -> tuple[Task, ...]:
    return tuple(Task(**task.model_dump()) for task in checked(file, _Tasks, read_toml(file)).task)
