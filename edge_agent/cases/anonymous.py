"""A sentence from real life without the people in it: logins, names, numbers and addresses put out of sight. Pure.

What decides how a sentence is understood stays: things, places, tasks, actions. The free words of a report are left
out whole, since nobody can say what stands in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

PLACEHOLDERS: Final = (
    (re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+"), "someone@example.org"),
    (re.compile(r"(?<![\w.])\+?\d[\d -]{5,}\d(?![\w.])"), "000000"),
    (re.compile(r"(?:工号|员工号|badge|staff no\.?)\s*[:：]?\s*[\w-]+", re.IGNORECASE), "工号0"),
    (re.compile(r"(?<=我是)[\u4e00-\u9fff]{2,3}|(?<=我叫)[\u4e00-\u9fff]{2,3}"), "某人"),
    (re.compile(r"[\u4e00-\u9fff](?=师傅|老师|经理|主任|工程师|同学)"), "某"),
    (
        re.compile(r"(?<=\bmy name is )\w+|(?<=\bi am )[A-Z][a-z]+|(?<=\bthis is )[A-Z][a-z]+", re.IGNORECASE),
        "somebody",
    ),
    (re.compile(r"\b(?:Mr|Mrs|Ms|Dr)\.? [A-Z][a-z]+"), "somebody"),
)
REPORT: Final = {"zh": "有一处破损", "en": "something is broken"}
"""In place of what somebody reported."""


def anonymous(text: str, logins: Iterable[str] = (), report: str = "", lang: str = "zh") -> str:
    """`report` is the part of the text that was filed as feedback; `logins` are those the journal knows."""
    told = text.replace(report, REPORT["en" if lang == "en" else "zh"]) if len(report) > 1 else text
    for login in sorted(set(logins), key=len, reverse=True):
        told = re.sub(rf"(?<![\w-]){re.escape(login)}(?![\w-])", "user", told)
    for pattern, placeholder in PLACEHOLDERS:
        told = pattern.sub(placeholder, told)
    return told
