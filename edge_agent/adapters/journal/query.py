"""Reading rows: the question as clauses of one statement. Blocking; for a read-only connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from edge_agent.adapters.journal.schema import COLUMNS
from edge_agent.adapters.journal.segment import row_of
from edge_agent.run.journal import Kind, Row

MAX_ROWS: Final = 10_000
"""Rows one question may bring; who wants more asks again with `after`."""


@dataclass(frozen=True, slots=True)
class Query:
    kinds: Sequence[Kind] = ()
    run: str | None = None
    key: str | None = None
    after: int = 0
    since_ms: int = 0
    limit: int = 1000
    newest_first: bool = False


def ask(connection: sqlite3.Connection, query: Query) -> tuple[Row, ...]:
    where, values = ["seq > ?"], [query.after]
    clauses: tuple[tuple[bool, str, tuple[Any, ...]], ...] = (
        (bool(query.kinds), f"kind IN ({','.join('?' * len(query.kinds))})", tuple(map(str, query.kinds))),
        (query.run is not None, "run = ?", (query.run,)),
        (query.key is not None, "key = ?", (query.key,)),
        (query.since_ms > 0, "at_ms >= ?", (query.since_ms,)),
    )
    for wanted, clause, bound in clauses:
        if wanted:
            where.append(clause)
            values.extend(bound)
    order = "DESC" if query.newest_first else "ASC"
    sql = f"SELECT {COLUMNS} FROM entry WHERE {' AND '.join(where)} ORDER BY seq {order} LIMIT ?"
    return tuple(row_of(stored) for stored in connection.execute(sql, (*values, min(query.limit, MAX_ROWS))))
