"""The offline copy of the rules: one JSON file, kept in memory, read when the live store can't be.

Written whole under a temporary name and renamed; a copy that can't be read is no copy, and says so once at start.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Final

from edge_agent.tools.ports import CopiedRule, Rule

FILE: Final = "rules-copy.json"
MAX_BYTES: Final = 10_000_000


class JsonRuleCopy:
    """`RuleCopy` of `edge_agent.tools.ports`; `wall_ms` gives the age."""

    def __init__(self, folder: Path, wall_ms: Callable[[], int]) -> None:
        self._file, self._wall_ms = folder / FILE, wall_ms
        self._rules: dict[str, Rule] = {}
        self._saved_at_ms = 0
        self.unreadable: str | None = None
        """Why the file on the disk was no copy; None when it was read, or is not there yet."""
        self._load()

    def rule(self, item_type: str) -> CopiedRule | None:
        found = self._rules.get(item_type)
        return None if found is None else CopiedRule(found, max(0.0, (self._wall_ms() - self._saved_at_ms) / 1000))

    def save(self, rules: Iterable[Rule]) -> None:
        """Takes over what the live store just said. Raises OSError with the old copy untouched."""
        kept, now_ms = tuple(rules), self._wall_ms()
        unfinished = self._file.with_suffix(".new")
        with unfinished.open("w", encoding="utf-8") as out:
            json.dump({"saved_at_ms": now_ms, "rules": [asdict(rule) for rule in kept]}, out, ensure_ascii=False)
            out.flush()
            os.fsync(out.fileno())
        unfinished.replace(self._file)
        self._take(kept, now_ms)

    def _load(self) -> None:
        try:
            if self._file.stat().st_size > MAX_BYTES:
                raise ValueError(f"more than {MAX_BYTES} bytes")
            stored = json.loads(self._file.read_bytes())
            self._take((Rule(**rule) for rule in stored["rules"]), int(stored["saved_at_ms"]))
        except FileNotFoundError:
            return
        except (OSError, ValueError, TypeError, KeyError) as unreadable:
            self.unreadable = repr(unreadable)

    def _take(self, rules: Iterable[Rule], saved_at_ms: int) -> None:
        self._rules = {rule.item_type: rule for rule in rules}
        self._saved_at_ms = saved_at_ms
