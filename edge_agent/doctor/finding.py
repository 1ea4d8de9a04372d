"""One thing that was looked at, and how a person reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from offline_rules.reading import Lang


class Verdict(StrEnum):
    GOOD = "ok"
    NOTE = "note"
    """Works without it, in part; the text says which part."""
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Finding:
    """`fix` is a line to type, or empty."""

    what: str
    verdict: Verdict
    en: str
    zh: str
    fix: str = ""


def report(findings: tuple[Finding, ...], lang: Lang) -> str:
    return "\n".join(_line(each, lang) for each in findings)


def exit_status(findings: tuple[Finding, ...]) -> int:
    """1 if anything is missing that the agent needs."""
    return int(any(each.verdict is Verdict.MISSING for each in findings))


def _line(finding: Finding, lang: Lang) -> str:
    what, said = (
        (IN_CHINESE.get(finding.what, finding.what), finding.zh) if lang == "zh" else (finding.what, finding.en)
    )
    text = f"{MARK[finding.verdict][lang]} {what}: {said}"
    return f"{text}\n      → {finding.fix}" if finding.fix else text


MARK: Final[Mapping[Verdict, Mapping[Lang, str]]] = {
    Verdict.GOOD: {"en": "[ok]  ", "zh": "[正常]"},
    Verdict.NOTE: {"en": "[note]", "zh": "[提示]"},
    Verdict.MISSING: {"en": "[miss]", "zh": "[缺失]"},
}


IN_CHINESE: Final[Mapping[str, str]] = {
    "packages": "程序包",
    "settings": "设置",
    "cell file": "单元文件",
    "state folder": "状态目录",
    "disk": "磁盘",
    "journal": "日志",
    "model": "模型",
    "model library": "模型运行库",
    "model file": "模型文件",
    "model package": "模型包",
    "console": "控制台",
    "PINs": "PIN 文件",
    "mqtt password": "MQTT 密码",
}
"""Names of things; programs and files keep theirs."""


def good(what: str, seen: str) -> Finding:
    return Finding(what, Verdict.GOOD, seen, seen)


def missing(what: str, en: str, zh: str, fix: str = "") -> Finding:
    return Finding(what, Verdict.MISSING, en, zh, fix)


def note(what: str, en: str, zh: str, fix: str = "") -> Finding:
    return Finding(what, Verdict.NOTE, en, zh, fix)
