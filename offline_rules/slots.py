"""Values by their shape: bins, stations, devices, task numbers, times and speeds, in both languages.

A shape names a value whether or not this cell has it, because what the cell lacks must be refused by name. Every value
stands on a span of what was written; names and synonyms of the cell come from the vocabulary, not from here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from offline_rules.lexicon import Kind, Lexicon
from offline_rules.normalise import Normal
from offline_rules.reading import Slot, SlotName

_EN_NUMBER: Final = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {word: str(n) for n, word in enumerate("first second third fourth fifth sixth seventh eighth ninth".split(), 1)}
_ZH_NUMBER: Final = {word: str(number) for number, word in enumerate("一二三四五六七八九十", 1)}
_WORDED: Final = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty"
_ORDINAL: Final = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
_NUM: Final = r"(?<![\w.\-])-?\d{1,9}(?:\.\d{1,3})?"
_NO: Final = r"\s?(?:no\.?|nr\.?|number|num|#|号)?\s?"
_BOX: Final = r"(?:bin|box|container|bucket|tote|crate)"
_ZH_BOX: Final = r"(?:料|垃圾|回收|分拣)?(?:箱子|箱|桶|筐|仓|框|格子|格|槽)"
_INSIDE: Final = r"(?:里面|里头|里边|里|中|内)?"
_END: Final = r"(?![\w.]*\d|[a-z_])"


@dataclass(frozen=True, slots=True)
class Found:
    """A slot and the stretch of the *normalised* text it stands on."""

    slot: Slot
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Shape:
    """`pattern`'s first group that matched is the value, as `spell` writes it."""

    name: SlotName
    pattern: re.Pattern[str]
    spell: Callable[[str], str]


def _number(said: str) -> str:
    """`02` and `two` are 2; `2.5` and `-1` stay what they are, for no cell has them."""
    word = _EN_NUMBER.get(said) or _ZH_NUMBER.get(said) or said
    return str(int(word)) if word.isdigit() else word


def _arm(said: str) -> str:
    return f"arm_{int(_number(said)):02d}"


def _device(said: str) -> str:
    """`arm 1`, `arm-01`, `robot 1` → `arm_01`; another machine keeps its own name."""
    kind, digits = re.sub(r"[\s\-_#]+", "", said).rstrip("0123456789"), re.sub(r"\D", "", said)
    return f"{'arm' if kind in ('robot', 'bot', 'cobot') else kind}_{int(digits):02d}"


def _task(said: str) -> str:
    return "t" + re.sub(r"\D", "", said)


def _padded_task(said: str) -> str:
    """A task number said without its letter: `task 14` is t014."""
    return f"t{int(said):03d}"


def _same(said: str) -> str:
    return said.strip()


_SHAPES: Final[tuple[_Shape, ...]] = tuple(
    _Shape(name, re.compile(pattern, re.ASCII), spell)
    for name, pattern, spell in (
        ("task_id", r"(?<![a-z0-9_\-.])(?:(?:任务|工单)(?:编号|号)?|task|job)?[\s:#]?(t[-_#]?\d{1,6})(?![\w%])", _task),
        ("task_id", r"(?:任务|工单|作业)(?:编号|号|id)?(?:是|为)?[:#]?\s?(\d{1,6})(?:号)?(?![\w.%点])", _padded_task),
        ("task_id", r"(?<![\d.])(\d{1,6})号(?:任务|工单|作业)", _padded_task),
        ("task_id", r"\b(?:task|job|work order)(?: id| no\.?| number|#)?\s?[:#]?\s?(\d{1,6})\b(?![.%])", _padded_task),
        (
            "device",
            r"(?<![a-z0-9_])((?:arm|robot|cobot|bot|gripper|conveyor|agv|belt|crane)[_\- #]{0,2}\d{1,3})(?![\w])",
            _device,
        ),
        ("device", r"(?<![a-z0-9_])((?!t_)[a-z]{1,12}_\d{1,3})(?!\w)", _same),
        ("device", rf"(?:arm|robot) (?:number )?({_WORDED})\b", _arm),
        ("device", rf"\b({_ORDINAL}) (?:arm|robot)\b", _arm),
        ("device", r"(?<![\d.])(\d{1,3})号?(?:机械手臂|机械臂|机器人|机械手|机器臂|手臂|臂|机台|机)(?![场票组])", _arm),
        ("device", r"(?:机械手臂|机械臂|机器人|机械手|机器臂)(\d{1,3})号?(?![\d点%])", _arm),
        ("bin", rf"(?:第)?({_NUM})号?{_BOX}(?![a-z])", _number),
        ("bin", rf"第?({_NUM})(?:号|#)(?:的)?{_ZH_BOX}{_INSIDE}", _number),
        ("bin", rf"第({_NUM})个?{_ZH_BOX}{_INSIDE}", _number),
        ("bin", rf"(?<=第)(\d{{1,3}})个?{_ZH_BOX}{_INSIDE}", _number),
        ("bin", rf"({_NUM}){_ZH_BOX}{_INSIDE}", _number),
        (
            "bin",
            rf"(?:箱子|箱|料箱|桶|筐)(?:编)?(?:号)?[:#]?(-?\d{{1,9}}(?:\.\d{{1,3}})?|[一二三四五六七八九十](?![下个次直定点会张起]))号?(?![\w.%点年月日分秒件次个]){_INSIDE}",
            _number,
        ),
        ("bin", rf"\b{_BOX}s?{_NO}(-?\d{{1,9}}(?:\.\d{{1,3}})?)号?(?![\w%]|\.\d)", _number),
        ("bin", rf"\b{_BOX}{_NO}({_WORDED})\b", _number),
        ("bin", rf"\b(?:bin|box)([一二三四五六七八九十])", _number),
        ("bin", r"\bbin ([b-hj-z])\b(?!')", str.upper),
        ("bin", rf"#\s?(\d{{1,4}})(?: {_BOX}|{_ZH_BOX}{_INSIDE})", _number),
        ("bin", rf"\b(?:number|no\.?) (\d{{1,4}}|{_WORDED}) {_BOX}\b", _number),
        ("bin", rf"\b({_ORDINAL}) {_BOX}\b", _number),
        ("bin", rf"\b(\d{{1,4}})(?:st|nd|rd|th)? {_BOX}\b", _number),
        ("bin", r"(?<=[放到进入往投扔丢在])(\d{1,3})号(?=$|[\s,.!?;~里或和])", _number),
        ("bin", r"(?<![\d.])(\d{1,3})号?(?=(?:或者|还是|或|和|,)\d{1,3}号)", _number),
        (
            "station",
            r"(?<![a-z0-9_])([a-z]|\d{1,3})号?(?:工位|工作站|工站|区域|区|站点|站台)(?:那里|那儿|那边|上)?",
            str.upper,
        ),
        ("station", r"(?<![a-z0-9_'])([b-z]|a(?=[^\s]))号?(?:站|点位|点|位置|位)(?![钟])", str.upper),
        ("station", r"(?:工位|工作站|工站|区域|站点)(?:编号|号)?[:#]?([a-z]|\d{1,3})(?![\w.%])号?", str.upper),
        ("station", rf"\b(?:work ?station|station|zone|area){_NO}([a-z]|\d{{1,3}})\b(?![.'%]\w)", str.upper),
        ("station", rf"\bstation ({_WORDED})\b", _number),
        ("station", r"\b([a-z]) (?:station|zone)\b", str.upper),
        ("station", r"(?<=[去到往动])([a-z])(?=$|[,.!;~吧])", str.upper),
        (
            "speed",
            r"(?:以|用|按|at|with|to)?\s?(?:速度|speed|功率)?\s?(?:of|为|是|设为|调到|:)?\s?(\d{1,5}(?:\.\d+)?)\s?(?:%|percent)(?:的)?\s?(?:速度|速率|speed|of full speed|power|功率)?",
            _same,
        ),
        ("speed", r"(?:速度|speed)\s?(?:设为|调到|为|是|of|to|=|:)?\s?(\d{1,5})(?![\w%])", _same),
        ("speed", r"百分之([一二三四五六七八九十百零\d]{1,6})的?速度", _same),
        (
            "window",
            r"(昨天上午|昨天下午|今天上午|今天下午|昨天|今天|前天|昨晚|今晚|今早|昨夜|上午|下午|中午|早上|晚上|夜里|凌晨|刚才|刚刚|方才|上周|本周|这周|上个月|上次|白班|夜班|早班|晚班)",
            _same,
        ),
        (
            "window",
            r"((?:最近|过去|近|前)(?:的)?[一二两三四五六七八九十半几\d]{1,3}个?(?:小时|分钟|钟头|天|周))",
            _same,
        ),
        ("window", r"(\d{1,2}[点:](?:\d{1,2}|半)?分?(?:到|至|-|~)\d{1,2}[点:](?:\d{1,2}|半)?分?)", _same),
        (
            "window",
            r"\b(yesterday(?: (?:morning|afternoon|evening|night))?|today|last (?:night|week|hour|shift|month|time)|this (?:morning|afternoon|evening|week|shift)|earlier(?: today)?|overnight|tonight|just now|recently)\b",
            _same,
        ),
        (
            "window",
            r"\b((?:in|over|during|within|for) the (?:last|past) (?:\w{1,12} )?(?:minutes?|hours?|days?|weeks?|shift)|(?:\d{1,3}|an|a few|two|three) (?:minutes?|hours?|days?) ago|since (?:\d{1,2}(?::\d\d)?(?: ?[ap]m)?|yesterday|this morning|noon)|(?:between|from) \d{1,2}(?::\d\d)? (?:and|to) \d{1,2}(?::\d\d)?|the (?:last|past) (?:\w{1,12} )?(?:hours?|minutes?|days?))\b",
            _same,
        ),
    )
)
_KINDS: Final[dict[SlotName, Kind]] = {"bin": "bin", "station": "station", "device": "device"}
_CAPITAL_STATION: Final = re.compile(r"\bto ([a-z])(?=$|[.,!;])", re.ASCII)


def find_slots(normal: Normal, lexicon: Lexicon) -> tuple[Found, ...]:
    """All shaped values, left to right, none over another; the earlier shape in the table wins."""
    taken: list[Found] = []
    for found in (*_shaped(normal, lexicon), *_capital_stations(normal, lexicon)):
        if all(found.end <= other.start or found.start >= other.end for other in taken):
            taken.append(found)
    return tuple(sorted(taken, key=lambda f: f.start))


def grounded(normal: Normal, name: SlotName, value: str, start: int, end: int, lexicon: Lexicon) -> Slot:
    """A value in the cell's spelling, on its span of the original."""
    kind = _KINDS.get(name)
    own = lexicon.value(kind, value) if kind else value
    known = own is not None and name != "speed"
    return Slot(name, value if own is None else own, normal.span(start, end), known)


def _shaped(normal: Normal, lexicon: Lexicon) -> Iterator[Found]:
    for shape in _SHAPES:
        for match in shape.pattern.finditer(normal.text):
            value = shape.spell(match.group(1))
            start, end = match.span()
            yield Found(grounded(normal, shape.name, value, start, end, lexicon), start, end)


def _capital_stations(normal: Normal, lexicon: Lexicon) -> Iterator[Found]:
    """A bare capital letter at the end of "go to B"; a small `a` there is an article."""
    for match in _CAPITAL_STATION.finditer(normal.text):
        start, end = match.span(1)
        if normal.original[normal.starts[start]].isupper():
            yield Found(grounded(normal, "station", match.group(1).upper(), start, end, lexicon), start, end)
