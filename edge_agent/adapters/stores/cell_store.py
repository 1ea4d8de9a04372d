"""The cell's own data in one SQLite file: rules, tasks. No journal: it may be made anew from its seeds.

One thread, one connection; what goes wrong is a `StoreError` with a code that a retry policy knows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import astuple, fields
from pathlib import Path
from typing import Final, TypeVar

from edge_agent.adapters.one_thread import NoAnswer, OneThread
from edge_agent.messages.codes import ErrorCode
from edge_agent.tools.ports import Rule, StoreError, Task

FILE: Final = "cell.db"
DEADLINE_S: Final = 1.5
"""Just below a tool's own time, so that the store says itself that it was too slow."""
BUSY_MS: Final = 500

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS rule(
  rule_id TEXT NOT NULL, item_type TEXT PRIMARY KEY, bin TEXT NOT NULL, note_zh TEXT NOT NULL, note_en TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS task(
  task_id TEXT PRIMARY KEY, item_type TEXT NOT NULL, bin TEXT NOT NULL, device TEXT NOT NULL, state TEXT NOT NULL,
  code TEXT NOT NULL, command_id INTEGER NOT NULL, at_ms INTEGER NOT NULL, note TEXT NOT NULL
) STRICT;
"""
RULE_COLUMNS: Final = ", ".join(f.name for f in fields(Rule))
TASK_COLUMNS: Final = ", ".join(f.name for f in fields(Task))

T = TypeVar("T")


def seed(folder: Path, rules: Iterable[Rule], tasks: Iterable[Task]) -> None:
    """Makes the file where there is none, and fills what is empty; what stands there stays. Raises sqlite3.Error."""
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(SCHEMA)
        for table, rows in (("rule", tuple(rules)), ("task", tuple(tasks))):
            if connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0:
                _insert(connection, table, rows)


class CellStore:
    """`RuleStore` and `TaskStore` of `edge_agent.tools.ports`. The file is opened at the first question."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._connection: sqlite3.Connection | None = None
        self._thread = OneThread("cell-store", (sqlite3.Error, OSError))

    async def rule(self, item_type: str) -> Rule | None:
        sql = f"SELECT {RULE_COLUMNS} FROM rule WHERE item_type=?"
        row = await self._on_thread(lambda db: db.execute(sql, (item_type,)).fetchone())
        return None if row is None else Rule(*row)

    async def rules(self) -> tuple[Rule, ...]:
        rows = await self._on_thread(lambda db: db.execute(f"SELECT {RULE_COLUMNS} FROM rule").fetchall())
        return tuple(Rule(*row) for row in rows)

    async def task(self, task_id: str) -> Task | None:
        sql = f"SELECT {TASK_COLUMNS} FROM task WHERE task_id=?"
        row = await self._on_thread(lambda db: db.execute(sql, (task_id,)).fetchone())
        return None if row is None else Task(*row)

    async def put_rule(self, rule: Rule) -> None:
        """Adds a rule, or changes the one of its sort of thing."""
        await self._on_thread(lambda db: _insert(db, "rule", (rule,)))

    async def put_task(self, task: Task) -> None:
        """Adds a task, or changes the one of its id."""
        await self._on_thread(lambda db: _insert(db, "task", (task,)))

    async def close(self) -> None:
        if not self._thread.closed:
            await self._on_thread(lambda db: db.close())
            self._thread.close()

    async def _on_thread(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return await self._thread.call(lambda: work(self._open()), DEADLINE_S)
        except NoAnswer as late:
            raise StoreError(ErrorCode.TIMEOUT, f"the cell's store {late}") from late
        except (sqlite3.Error, OSError) as failed:
            raise StoreError(ErrorCode.SERVICE_UNAVAILABLE, f"the cell's store: {failed}") from failed

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            uri = f"{self._file.absolute().as_uri()}?mode=rw"
            self._connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
            self._connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        return self._connection


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[Rule | Task]) -> None:
    for row in rows:
        values = astuple(row)
        connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({','.join('?' * len(values))})", values)
