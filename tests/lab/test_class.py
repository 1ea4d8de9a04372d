"""A class of two: both cells answer their own group, and the teacher sees it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from edge_agent.lab.class_room import ClassRoom, ClassWish, class_room, groups_of
from edge_agent.lab.overview import GroupNow, misfired, overview

NOW = GroupNow("g01 · cell01", "LOCKED_OUT", "receipt_wrong", ("arm.no_part",), {"SUCCESS": 2, "FAILED": 1}, 3, 1, 8, 6)


@pytest.mark.parametrize(
    ("frames", "stored", "count"),
    [({}, [], 0), ({1: 1, 2: 1}, [1, 2], 0), ({1: 2}, [1], 1), ({7: 1}, [], 1), ({1: 1}, [1, 2], 0)],
)
def test_a_frame_that_no_stored_command_accounts_for(frames: dict[int, int], stored: list[int], count: int) -> None:
    assert misfired(frames, frozenset(stored)) == count


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_page_of_a_class(lang: str) -> None:
    page = overview([NOW], "zh" if lang == "zh" else "en", "<now>")
    for part in ("LOCKED_OUT receipt_wrong", "arm.no_part", "2/0/1", "75 %", 'class="bad">1', "&lt;now&gt;", "refresh"):
        assert part in page, part


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
        assert page.count("<td>1/0/0</td>") == 2
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
