"""Values by their shape and by the cell's words, each on its span, known or not."""

from __future__ import annotations

import pytest

from offline_rules.lexicon import Lexicon, default_lexicon
from offline_rules.normalise import normalise
from offline_rules.router import Router
from offline_rules.slots import find_slots
from tests.offline_rules.judged import router


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("放到2号箱", [("bin", "2", True)]),
        ("bin 02", [("bin", "2", True)]),
        ("bin two", [("bin", "2", True)]),
        ("the third box", [("bin", "3", True)]),
        ("#4 bin", [("bin", "4", True)]),
        ("box number 5", [("bin", "5", True)]),
        ("箱子二", [("bin", "2", True)]),
        ("放到9号箱", [("bin", "9", False)]),
        ("2.5号箱", [("bin", "2.5", False)]),
        ("bin -1", [("bin", "-1", False)]),
        ("5号或者6号箱", [("bin", "5", True), ("bin", "6", True)]),
        ("bin 1 or 3", [("bin", "1", True), ("bin", "3", True)]),
        ("A工位", [("station", "A", True)]),
        ("工位c", [("station", "C", True)]),
        ("station Z", [("station", "Z", False)]),
        ("3号工位", [("station", "3", False)]),
        ("go to B", [("station", "B", True)]),
        ("move to A or C", [("station", "A", True), ("station", "C", True)]),
        ("go to a", []),
        ("station A or B", [("station", "A", True), ("station", "B", True)]),
        ("arm_01", [("device", "arm_01", True)]),
        ("Arm 1", [("device", "arm_01", True)]),
        ("1号机械臂", [("device", "arm_01", True)]),
        ("robot 1", [("device", "arm_01", True)]),
        ("the second arm", [("device", "arm_02", False)]),
        ("arm_77", [("device", "arm_77", False)]),
        ("gripper_3", [("device", "gripper_3", False)]),
        ("T014", [("task_id", "t014", True)]),
        ("task 14", [("task_id", "t014", True)]),
        ("14号任务", [("task_id", "t014", True)]),
        ("以500%的速度", [("speed", "500", False)]),
        ("昨天上午", [("window", "昨天上午", True)]),
        ("in the last 2 hours", [("window", "in the last 2 hours", True)]),
        ("homework 2023", []),
    ],
)
def test_shapes(text: str, found: list[tuple[str, str, bool]]) -> None:
    slots = [f.slot for f in find_slots(normalise(text), default_lexicon())]
    assert [(s.name, s.value, s.known) for s in slots] == found


@pytest.mark.parametrize(
    ("text", "value", "stands_on"),
    [
        ("查 玻璃 瓶 的规则", "glass", "玻璃 瓶"),
        ("rule for the broken glass parts", "glass", "the broken glass parts"),
        ("pet 塑料瓶放哪", "plastic", "pet 塑料瓶"),
        ("塑料 塑料瓶放哪", "plastic", "塑料 塑料瓶"),
        ("galss rule", "glass", "galss"),
        ("不锈钢放哪个箱", "metal", "不锈钢"),
    ],
)
def test_items_stand_on_what_was_written(text: str, value: str, stands_on: str) -> None:
    (slot,) = [s for s in router().read(text).slots if s.name == "item_type"]
    assert (slot.value, text[slot.span[0] : slot.span[1]]) == (value, stands_on)


def test_a_word_of_capitals_counts_in_capitals_in_an_english_sentence() -> None:
    assert [s.value for s in router().read("where does PET go").slots] == ["plastic"]
    assert router().read("where does my pet go").slots == ()
    assert [s.value for s in router().read("pet放几号箱").slots] == ["plastic"]


def test_a_site_gives_its_own_words() -> None:
    cell = Lexicon.of(
        items={"wood": ["木头", "timber"]},
        bins={"red": ["红箱", "red bin"], "2": []},
        stations={"IN": ["进料口", "infeed"]},
        devices={"lefty": ["左臂", "left arm"], "arm_01": []},
    )
    site = Router.load(lexicon=cell)
    read = site.read("让左臂抓木头放到红箱")
    assert {s.name: s.value for s in read.slots} == {
        "action": "pick_place",
        "device": "lefty",
        "item_type": "wood",
        "bin": "red",
    }
    assert all(s.known for s in read.slots)
    assert {s.name: s.value for s in site.read("move to the infeed").slots} == {"action": "move", "station": "IN"}
    assert site.read("玻璃放几号箱").slots[0].known is False


def test_one_word_for_two_things_is_found() -> None:
    cell = Lexicon.of(items={"glass": ["red"]}, bins={"red": []}, stations={}, devices={})
    (collision,) = cell.collisions()
    assert (collision.word, collision.first, collision.second) == ("red", ("item_type", "glass"), ("bin", "red"))


def test_a_lexicon_can_not_be_changed() -> None:
    given = {"glass": ["玻璃"]}
    cell = Lexicon.of(items=given, bins={}, stations={}, devices={})
    given["glass"].append("水")
    assert cell.items["glass"] == ("玻璃",)
    with pytest.raises(TypeError):
        cell.items["glass"] = ()  # type: ignore[index]
