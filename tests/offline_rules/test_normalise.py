"""One spelling, and the way back to what was typed."""

from __future__ import annotations

import pytest

from offline_rules.normalise import fold, language, normalise, spaced


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("  Pick   GLASS  ", "pick glass"),
        ("ｐｉｃｋ　ｇｌａｓｓ", "pick glass"),
        ("放到 ３ 号 箱", "放到3号箱"),
        ("放到三号箱", "放到3号箱"),
        ("第十二个箱子", "第12个箱子"),
        ("二十号箱", "20号箱"),
        ("二一号箱", "21号箱"),
        ("动一下", "动一下"),
        ("十十号箱", "十十号箱"),
        ("一二十号箱", "一二十号箱"),
        ("十五号工位", "15号工位"),
        ("讓機械臂歸零", "让机械臂归零"),
        ("分捡规责", "分拣规则"),
        ("回\u200b零", "回零"),
        ("ho\u0332me", "home"),
        ("\ud800home", "home"),
        ("“停”", '"停"'),
        ("a\tb\nc", "a b c"),
        ("", ""),
        (" \n", ""),
    ],
)
def test_spelling(typed: str, text: str) -> None:
    assert normalise(typed).text == text
    assert fold(typed) == text


@pytest.mark.parametrize(
    ("typed", "part", "stands_on"),
    [
        ("放到 三 号 箱", "3号箱", "三 号 箱"),
        ("  ＰＩＣＫ glass", "pick", "ＰＩＣＫ"),
        ("放到二十号箱里", "20号箱", "二十号箱"),
        ("回\u200b零", "回零", "回\u200b零"),
    ],
)
def test_offsets(typed: str, part: str, stands_on: str) -> None:
    normal = normalise(typed)
    start = normal.text.index(part)
    first, last = normal.span(start, start + len(part))
    assert typed[first:last] == stands_on


def test_every_character_knows_where_it_came_from() -> None:
    normal = normalise("让 Arm_01 夹取玻璃，放到 十二号箱 ㎏")
    assert len(normal.text) == len(normal.starts) == len(normal.ends)
    assert list(normal.starts) == sorted(normal.starts)


@pytest.mark.parametrize(
    ("typed", "lang"),
    [
        ("查一下 glass 的规则", "zh"),
        ("玻璃 rule", "zh"),
        ("what is the rule for 玻璃", "en"),
        ("", "en"),
        ("123", "en"),
    ],
)
def test_language(typed: str, lang: str) -> None:
    assert language(normalise(typed)) == lang


def test_spaced_keeps_the_gaps_that_part_pairs() -> None:
    assert spaced("动作=回零   设备=Arm_01").text == "动作=回零 设备=arm_01"
