"""Words for a window of time, in Chinese and English, as two moments. Pure: the present and the zone are arguments.

What is not understood gives no window; the question is then looked at over the last 24 h, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS

Window = tuple[int, int]

NUMBERS: Final = {
    **{word: n for n, word in enumerate("零一二三四五六七八九十")},
    **{"两": 2, "半": 0.5, "几": 3, "an": 1, "a": 1, "a few": 3},
    **{word: n for n, word in enumerate(("one", "two", "three", "four", "five", "six"), start=1)},
}
UNITS: Final = {
    **dict.fromkeys(("分钟", "minute", "minutes", "min"), MINUTE_MS),
    **dict.fromkeys(("小时", "钟头", "hour", "hours"), HOUR_MS),
    **dict.fromkeys(("天", "day", "days"), DAY_MS),
    **dict.fromkeys(("周", "week", "weeks"), 7 * DAY_MS),
}
_UNIT = "|".join(sorted(UNITS, key=len, reverse=True))
_COUNT = r"\d{1,3}|a few|an?|one|two|three|four|five|six|[一二两三四五六七八九十半几]"
_LAST: Final = re.compile(rf"(?:最近|过去|近|前|last|past|within|for)\s*(?:的|the)?\s*({_COUNT})?\s*个?\s*({_UNIT})")
_AGO: Final = re.compile(rf"({_COUNT})\s*({_UNIT})\s*ago")
_CLOCK: Final = re.compile(r"(\d{1,2})[点:：](\d{1,2})?分?\s*(?:到|至|-|~|to|and)\s*(\d{1,2})[点:：]?(\d{1,2})?分?")

DAYS_BACK: Final = (
    (re.compile(r"前天"), 2),
    (re.compile(r"昨天|昨晚|昨夜|yesterday|last night|overnight"), 1),
    (re.compile(r"今天|今早|今晚|上午|下午|早上|中午|晚上|today|this (?:morning|afternoon|evening)|tonight"), 0),
)
PARTS: Final = (
    (re.compile(r"早上|今早|上午|morning|早班"), 5, 12),
    (re.compile(r"中午|\bnoon"), 11, 14),
    (re.compile(r"下午|afternoon|中班"), 12, 18),
    (re.compile(r"晚上|今晚|昨晚|evening|tonight"), 17, 24),
    (re.compile(r"昨夜|last night|overnight"), 20, 30),
)
JUST_NOW: Final = re.compile(r"刚才|刚刚|方才|just now|recently")
JUST_NOW_MS: Final = 30 * MINUTE_MS


def window_of(words: str, now_ms: int, utc_offset_s: int) -> Window | None:
    """First and last ms of the window that `words` name; None for words that name none."""
    told = words.casefold().strip()
    ways: tuple[Callable[[str, int, int], Window | None], ...] = (_just_now, _clock, _day, _last, _ago)
    found = (way(told, now_ms, utc_offset_s * 1000) for way in ways)
    return next((window for window in found if window is not None), None)


def _just_now(words: str, now_ms: int, _offset_ms: int) -> Window | None:
    return (now_ms - JUST_NOW_MS, now_ms) if JUST_NOW.search(words) else None


def _last(words: str, now_ms: int, _offset_ms: int) -> Window | None:
    found = _LAST.search(words)
    return None if found is None else (now_ms - _span_ms(found[1] or "1", found[2]), now_ms)


def _ago(words: str, now_ms: int, _offset_ms: int) -> Window | None:
    """Half a unit around the moment named."""
    found = _AGO.search(words)
    if found is None:
        return None
    at_ms, half_ms = now_ms - _span_ms(found[1], found[2]), UNITS[found[2]] // 2
    return (at_ms - half_ms, min(now_ms, at_ms + half_ms))


def _clock(words: str, now_ms: int, offset_ms: int) -> Window | None:
    found = _CLOCK.search(words)
    if found is None:
        return None
    back = next((days for pattern, days in DAYS_BACK if pattern.search(words)), 0)
    midnight_ms = _midnight(now_ms, offset_ms) - back * DAY_MS
    begin, end = (int(found[n]) * HOUR_MS + int(found[n + 1] or 0) * MINUTE_MS for n in (1, 3))
    return (midnight_ms + begin, midnight_ms + end) if begin <= end <= DAY_MS else None


def _day(words: str, now_ms: int, offset_ms: int) -> Window | None:
    back = next((days for pattern, days in DAYS_BACK if pattern.search(words)), None)
    if back is None:
        return None
    midnight_ms = _midnight(now_ms, offset_ms) - back * DAY_MS
    begin, end = next(((b, e) for pattern, b, e in PARTS if pattern.search(words)), (0, 24))
    return (midnight_ms + begin * HOUR_MS, min(now_ms, midnight_ms + end * HOUR_MS))


def _span_ms(count: str, unit: str) -> int:
    number = int(count) if count.isdigit() else NUMBERS[count]
    return round(number * UNITS[unit])


def _midnight(now_ms: int, offset_ms: int) -> int:
    return (now_ms + offset_ms) // DAY_MS * DAY_MS - offset_ms
