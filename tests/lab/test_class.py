"""A class of two: both cells answer their own group, and the teacher sees it."""

from __future__ import annotations

import asyncio
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from edge_agent.adapters.mqtt.broker import Broker
from edge_agent.lab.class_room import CARD, CONSOLE, ClassRoom, ClassWish, card, class_room, groups_of
from edge_agent.lab.overview import GroupNow, misfired, overview

NOW = GroupNow(
    name="g01 · cell01",
    state="LOCKED_OUT",
    reason="receipt_wrong",
    faults=("arm.no_part",),
    outcomes={"SUCCESS": 2, "FAILED": 1},
    frames=3,
    misfired=1,
    checked=2,
    done=1,
    lines=8,
    before=2,
    as_expected=6,
)


@pytest.mark.parametrize(
    ("frames", "stored", "count"),
    [({}, [], 0), ({1: 1, 2: 1}, [1, 2], 0), ({1: 2}, [1], 1), ({7: 1}, [], 1), ({1: 1}, [1, 2], 0)],
)
def test_a_frame_that_no_stored_command_accounts_for(frames: dict[int, int], stored: list[int], count: int) -> None:
    assert misfired(frames, frozenset(stored)) == count


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_page_of_a_class(lang: str) -> None:
    page = overview([NOW], "zh" if lang == "zh" else "en", "<now>")
    shown = ('<td class="bad">LOCKED_OUT<small>receipt_wrong', '<td class="mind">arm.no_part', 'class="n bad">1<')
    for part in (*shown, ">1/2<", ">25 → 75 %<", "&lt;now&gt;", "refresh"):
        assert part in page, part
    assert 'class="bad">READY' not in overview([replace(NOW, state="READY")], "en", "now")
    assert "://" not in page


def test_a_card_holds_what_a_group_types(tmp_path: Path) -> None:
    [group] = groups_of(1)
    for lang in ("zh", "en"):
        broker = Broker({}, tmp_path, port=1999)
        told = card(group, broker, ClassWish(1, tmp_path, "zh" if lang == "zh" else "en"))
        say, page, run = (line for line in told.splitlines() if line.startswith("edge-agent"))
        for part in ("--port 1999", f"--user {group.name}", group.password, group.prefix):
            assert part in say, part
        assert "--broker-port 1999" in page
        assert str(tmp_path / group.name) in run


def test_every_group_has_its_own_cell_and_secret() -> None:
    groups = groups_of(8)
    assert len({g.prefix for g in groups}) == len({g.password for g in groups}) == len({g.agent for g in groups}) == 8


@pytest.mark.net
async def test_two_groups_on_one_broker(tmp_path: Path) -> None:
    stopping, ready = asyncio.Event(), asyncio.Event()
    async with class_room(ClassWish(2, tmp_path, "zh", model=False)) as room:
        running = asyncio.create_task(room.run(stopping, ready.set))
        await ready.wait()
        told = await asyncio.gather(*(ask(room, number) for number in (0, 1)))
        assert all("2 号箱" in text for text in told), told
        await room.refresh()
        page = room.page.read_text("utf-8")
        assert page.count('<td class="n">1</td><td class="n">0</td><td class="n">0</td>') == 2
        assert stat.S_IMODE((tmp_path / "g01" / CARD).stat().st_mode) == 0o600
        assert room.no_console or (tmp_path / "g02" / CONSOLE).exists()
        stopping.set()
        await running


async def ask(room: ClassRoom, number: int) -> str:
    group = room.seats[number].group
    command = [sys.executable, "-m", "edge_agent", "say", "查一下 glass 的分拣规则", "--port", str(room.broker.port)]
    command += ["--user", group.name, "--password", group.password, "--prefix", group.prefix, "--lang", "zh"]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    return out.decode()


@pytest.mark.parametrize("cells", [0, 17])
async def test_a_class_of_no_size(cells: int, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cells"):
        async with class_room(ClassWish(cells, tmp_path, "en", model=False)):
            pass
