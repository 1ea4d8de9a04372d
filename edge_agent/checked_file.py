"""A TOML file that a person wrote, turned into a checked model or into a message that person can act on.

The message names the file, the key, what stands there and what was expected, in English and Chinese (which
language to speak is itself a setting, so both are said). Nothing is started with a file that has a fault.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

EX_CONFIG: Final = 78
"""Exit status of sysexits.h for "configuration error"; the unit file does not restart after it."""
MAX_BYTES: Final = 1_048_576
"""A settings or cell file is a few kB; a megabyte is a mistake, not a file."""
MAX_FAULTS: Final = 10
"""More at once is not read."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fault:
    """`key` is the way in the file (`mqtt.port`, `item[2].name`); the texts say what was expected and found."""

    key: str
    english: str
    chinese: str


def fault(key: str, found: object, expected: str, expected_zh: str) -> Fault:
    shown = _shown(found)
    return Fault(key, f"expected {expected}; found {shown}", f"应为{expected_zh}；实际为 {shown}")


class BadFile(Exception):
    """A broken file. `str()` is the message; the process leaves with `exit_status`."""

    exit_status: Final = EX_CONFIG

    def __init__(self, file: Path | str, faults: tuple[Fault, ...]) -> None:
        self.file, self.faults = str(file), faults[:MAX_FAULTS]
        super().__init__("\n".join(self._lines(len(faults) - MAX_FAULTS)))

    def _lines(self, more: int) -> list[str]:
        english = [f"  {f.key}: {f.english}" for f in self.faults]
        chinese = [f"  {f.key}：{f.chinese}" for f in self.faults]
        rest = [f"  … {more} more / 另有 {more} 处"] if more > 0 else []
        return [
            f"{self.file}: broken, nothing was started. Mend it and start again.",
            *english,
            f"{self.file}：文件有误，未启动任何程序。请修正后重新启动。",
            *chinese,
            *rest,
        ]


def one_fault(file: Path | str, key: str, found: object, expected: str, expected_zh: str) -> BadFile:
    return BadFile(file, (fault(key, found, expected, expected_zh),))


def read_toml(file: Path) -> dict[str, object]:
    """The tables of the file, not checked yet. Raises `BadFile` also where there is no file to read."""
    try:
        with file.open("rb") as source:
            raw = source.read(MAX_BYTES + 1)
    except OSError as error:
        raise one_fault(file, "file", error.strerror or error, "a readable file", "可读取的文件") from error
    if len(raw) > MAX_BYTES:
        raise one_fault(file, "file", f"more than {MAX_BYTES} bytes", f"at most {MAX_BYTES} bytes", "不超过 1 MiB")
    try:
        return tomllib.loads(raw.decode())
    except UnicodeDecodeError as error:
        raise one_fault(file, f"byte {error.start}", "no UTF-8", "text in UTF-8", "UTF-8 文本") from error
    except tomllib.TOMLDecodeError as error:
        raise one_fault(file, "TOML", error, 'a line like key = "value"', '形如 key = "value" 的行') from error


def checked(file: Path | str, kind: type[T], data: Mapping[str, object]) -> T:
    """`data` as `kind`, or `BadFile` with every fault. Strict: `"1883"` and `true` are no numbers.

    Goes by way of JSON, whose strict mode still takes a text for a path and a list for a tuple; TOML has no others.
    """
    try:
        return TypeAdapter(kind).validate_json(json.dumps(data, default=str), strict=True)
    except ValidationError as error:
        raise bad_file(file, kind, error) from error


def bad_file(file: Path | str, kind: type[object], error: ValidationError) -> BadFile:
    return BadFile(file, tuple(_told(kind, each) for each in error.errors(include_url=False)))


WORDING: Final[Mapping[str, tuple[str, str]]] = {
    "missing": ("this key to be there", "必须填写"),
    "greater_than_equal": ("a number >= {ge}", "不小于 {ge} 的数"),
    "less_than_equal": ("a number <= {le}", "不大于 {le} 的数"),
    "greater_than": ("a number > {gt}", "大于 {gt} 的数"),
    "less_than": ("a number < {lt}", "小于 {lt} 的数"),
    "int_type": ("a whole number", "整数"),
    "int_parsing": ("a whole number", "整数"),
    "int_from_float": ("a whole number", "整数"),
    "float_type": ("a number", "数字"),
    "float_parsing": ("a number", "数字"),
    "finite_number": ("a finite number", "有限的数"),
    "bool_type": ("true or false", "true 或 false"),
    "bool_parsing": ("true or false", "true 或 false"),
    "string_type": ("text in quotation marks", "带引号的文本"),
    "string_too_short": ("at least {min_length} characters", "至少 {min_length} 个字符"),
    "string_too_long": ("at most {max_length} characters", "至多 {max_length} 个字符"),
    "string_pattern_mismatch": ("text of the form {pattern}", "符合 {pattern} 的文本"),
    "too_short": ("at least {min_length} entries", "至少 {min_length} 项"),
    "too_long": ("at most {max_length} entries", "至多 {max_length} 项"),
    "literal_error": ("one of {expected}", "以下之一：{expected}"),
    "enum": ("one of {expected}", "以下之一：{expected}"),
    "dict_type": ("a table", "一个表"),
    "model_type": ("a table", "一个表"),
    "dataclass_type": ("a table", "一个表"),
    "list_type": ("a list", "一个列表"),
    "tuple_type": ("a list", "一个列表"),
    "path_type": ("a path in quotation marks", "带引号的路径"),
}
"""pydantic's names of faults; one that is not here is told in pydantic's own English."""
UNKNOWN_KEY: Final = frozenset({"extra_forbidden", "unexpected_keyword_argument"})


def _told(kind: type[object], error: ErrorDetails) -> Fault:
    key, name = _key(error["loc"]), error["type"]
    if name in UNKNOWN_KEY:
        known = _known(kind, error["loc"])
        return Fault(key, f"nobody reads this key; expected {known}", f"没有程序读取此键；应为 {known}")
    if name == "value_error":
        reason = str(error["ctx"]["error"])
        return Fault(key, reason, reason)
    found = "nothing" if name == "missing" else error["input"]
    english, chinese = WORDING.get(name, (error["msg"], error["msg"]))
    filled = {"expected": "", **error.get("ctx", {})}
    return fault(key, found, english.format(**filled), chinese.format(**filled))


def _known(kind: type[object], location: tuple[int | str, ...]) -> str:
    """The nearest known name, or all of them."""
    names = _names_at(kind, location[:-1])
    near = get_close_matches(str(location[-1]), names, n=1)
    return near[0] if near else "one of " + ", ".join(names) if names else "nothing here"


def _names_at(kind: type[object], location: tuple[int | str, ...]) -> list[str]:
    """Keys of the table at `location`, from the JSON Schema of the model (it knows dataclasses as well)."""
    schema = TypeAdapter(kind).json_schema()
    at = schema
    for step in location:
        at = at.get("items", {}) if isinstance(step, int) else at.get("properties", {}).get(step, {})
        if "$ref" in at:
            at = schema["$defs"][at["$ref"].rsplit("/", 1)[-1]]
    return sorted(at.get("properties", {}))


def _key(location: tuple[int | str, ...]) -> str:
    """`("item", 1, "name")` is `item[2].name`: people count tables from one."""
    parts = [f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in location if step != "[key]"]
    return "".join(parts).removeprefix(".") or "file"


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."
