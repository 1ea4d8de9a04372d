"""What a good group would have written, exercise by exercise: policy files, answers, own cases."""

from __future__ import annotations

from typing import Final

from edge_agent.diagnose.cause_table import CAUSES_FILE
from edge_agent.lab.exercise import STOCK_POLICY

PACK: Final = 'intent = "QUERY_RULE"\nlang = "{lang}"\n\n[[group]]\ncover = 0.8\n[group.phrases]\nkeeper = "{phrase}"\n'
RULES: Final = """
[[rule]]
id = "no_glass_by_students"
zh = "学生不得搬运玻璃"
en = "students do not handle glass"
items = ["glass"]
roles = ["student"]
"""
TWO_RULES: Final = (
    RULES
    + """
[[rule]]
id = "bin_5_is_closed"
zh = "5 号箱停用"
en = "bin 5 is closed"
bins = ["5"]
"""
)
OWN_CASES: Final = """
{"id":"own-1","text":"夹取 glass","case":"OWN","role":"student","expected":"SAFE_REJECT_OR_DEGRADE","why":"rule 1"}
{"id":"own-2","text":"pick metal and put it in bin 5","case":"OWN","expected":"SAFE_REJECT_OR_DEGRADE","why":"rule 2"}
"""


def _stock(name: str) -> str:
    return (STOCK_POLICY / name).read_text("utf-8")


POLICY: Final[dict[str, dict[str, str]]] = {
    "query-timeout": {"retry.toml": _stock("retry.toml")},
    "code-whitelist": {"codes.toml": _stock("codes.toml")},
    "unclear-intent": {"thresholds.toml": _stock("thresholds.toml")},
    "guard-refuses": {"causes.toml": CAUSES_FILE.read_text("utf-8")},
    "refusal-rule": {"refusals.toml": RULES},
    "own-words": {
        "phrases/zh/site.toml": PACK.replace("{lang}", "zh").replace("{phrase}", "{item} 归谁管"),
        "phrases/en/site.toml": PACK.replace("{lang}", "en").replace("{phrase}", "who looks after {item}"),
    },
    "written-query-tool": {"retry.toml": _stock("retry.toml"), "codes.toml": _stock("codes.toml")},
    "written-control-tool": {"refusals.toml": TWO_RULES},
}
"""Exercises whose policy is to be changed."""
