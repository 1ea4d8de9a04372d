"""Rules and tasks: seeded once, read by key, and every trouble told with a code that a policy knows."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from edge_agent.adapters.stores import cell_store
from edge_agent.adapters.stores.cell_store import FILE, CellStore, seed
from edge_agent.adapters.stores.rule_copy import JsonRuleCopy
from edge_agent.checked_file import BadFile
from edge_agent.messages.codes import ErrorCode
from edge_agent.tools.ports import CopiedRule, Rule, StoreError, Task
from edge_agent.tools.seeds import seed_rules, seed_tasks

GLASS = Rule("R-GLASS-01", "glass", "2", "整只放入，碎玻璃转人工", "whole pieces only; broken glass goes to a person")


def test_the_seeds_are_the_default_cells() -> None:
    assert {(r.rule_id, r.bin) for r in seed_rules()} == {
        ("R-GLASS-01", "2"),
        ("R-METAL-01", "3"),
        ("R-PLASTIC-01", "4"),
        ("R-PAPER-01", "1"),
    }
    assert next(t for t in seed_tasks() if t.task_id == "t014").state == "failed"


def test_a_broken_seed_names_file_and_key(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text('[[rule]]\nrule_id = "R-A"\nitem_type = "glass"\nbin = 2\n')
    with pytest.raises(BadFile, match=r"rule\[1\]\.bin"):
        seed_rules(file)


async def test_read_by_key(tmp_path: Path) -> None:
    seed(tmp_path, seed_rules(), seed_tasks())
    store = CellStore(tmp_path)
    assert await store.rule("glass") == GLASS
    assert await store.rule("wood") is None
    assert len(await store.rules()) == 4
    assert await store.task("t999") is None
    done = Task("t099", "glass", "2", "arm_01", "failed", "0601", command_id=7, at_ms=5)
    await store.put_task(done)
    await store.put_rule(Rule("R-WOOD-01", "wood", "5"))
    assert await store.task("t099") == done
    assert await store.rule("wood") == Rule("R-WOOD-01", "wood", "5")
    await store.close()
    await store.close()


def test_seeding_again_changes_nothing(tmp_path: Path) -> None:
    seed(tmp_path, seed_rules(), ())
    seed(tmp_path, (Rule("R-X", "glass", "6"),), seed_tasks())
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        assert db.execute("SELECT bin FROM rule WHERE item_type='glass'").fetchone() == ("2",)
        assert db.execute("SELECT count(*) FROM task").fetchone()[0] == len(seed_tasks())


async def code_of(store: CellStore) -> ErrorCode:
    with pytest.raises(StoreError) as failed:
        await store.rule("glass")
    return failed.value.code


async def test_no_file_and_no_database_are_unavailable(tmp_path: Path) -> None:
    assert await code_of(CellStore(tmp_path)) is ErrorCode.SERVICE_UNAVAILABLE
    (tmp_path / FILE).write_bytes(b"no database at all" * 100)
    assert await code_of(CellStore(tmp_path)) is ErrorCode.SERVICE_UNAVAILABLE


async def test_a_store_that_hangs_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed(tmp_path, seed_rules(), ())
    gate = threading.Event()
    store = CellStore(tmp_path)
    opened = store._open
    monkeypatch.setattr(store, "_open", lambda: (gate.wait(30), opened())[1])
    monkeypatch.setattr(cell_store, "DEADLINE_S", 0.05)
    assert await code_of(store) is ErrorCode.TIMEOUT
    gate.set()


def test_the_copy_ages_and_outlives_the_process(tmp_path: Path) -> None:
    now_ms = 1_000_000
    copy = JsonRuleCopy(tmp_path, lambda: now_ms)
    assert copy.rule("glass") is None
    copy.save([GLASS])
    now_ms += 90_000
    assert copy.rule("glass") == CopiedRule(GLASS, 90.0)
    assert JsonRuleCopy(tmp_path, lambda: now_ms).rule("glass") == CopiedRule(GLASS, 90.0)
    assert copy.rule("wood") is None


@pytest.mark.parametrize("stored", [b"{", b"[]", b'{"rules": [{}], "saved_at_ms": 1}', json.dumps({}).encode()])
def test_a_broken_copy_is_no_copy(tmp_path: Path, stored: bytes) -> None:
    (tmp_path / "rules-copy.json").write_bytes(stored)
    copy = JsonRuleCopy(tmp_path, lambda: 1)
    assert copy.rule("glass") is None
    assert copy.unreadable
