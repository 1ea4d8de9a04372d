"""The mechanism design sheet: one row a mechanism, filled in from the policy folder in use, as Markdown. Pure but for
the one file it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from edge_agent.checked_file import checked, read_toml
from edge_agent.messages.codes import Lang
from edge_agent.policies import Policies
from edge_agent.understand.thresholds import Thresholds

SHEET_FILE: Final = Path(__file__).with_name("data") / "sheet.toml"
COLUMNS: Final = ("scenario", "rule", "trigger", "action", "evidence", "priority", "why", "risk", "verify")
HEADINGS: Final[Mapping[Lang, tuple[str, ...]]] = {
    "zh": ("场景", "规则", "触发条件", "动作", "证据", "优先级", "为什么", "风险", "怎样验证"),
    "en": ("scenario", "rule", "trigger", "action", "evidence", "priority", "why", "risk", "how to verify"),
}
TITLE: Final[Mapping[Lang, str]] = {"zh": "机制设计表", "en": "Mechanism design sheet"}
REASONS: Final[Mapping[Lang, str]] = {"zh": "策略里写下的理由", "en": "Reasons given in the policy"}
NO_RULE: Final[Mapping[Lang, str]] = {"zh": "没有额外规则", "en": "no further rule"}

Cell = Annotated[str, Field(min_length=1, max_length=300)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    priority: Annotated[int, Field(ge=1, le=9)]
    rule: Cell
    scenario_zh: Cell
    scenario_en: Cell
    trigger_zh: Cell
    trigger_en: Cell
    action_zh: Cell
    action_en: Cell
    evidence_zh: Cell
    evidence_en: Cell
    why_zh: Cell
    why_en: Cell
    risk_zh: Cell
    risk_en: Cell
    verify_zh: Cell
    verify_en: Cell


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    row: Annotated[tuple[_Row, ...], Field(min_length=6, max_length=64)]


def sheet(policies: Policies, lang: Lang, file: Path = SHEET_FILE) -> str:
    """Markdown. Raises `BadFile`."""
    head = HEADINGS[lang]
    lines = [f"# {TITLE[lang]}", "", f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows(policies, lang, file)]
    given = [f"- `{key}`: {reason}" for key, reason in reasons(policies)]
    return "\n".join([*lines, "", f"## {REASONS[lang]}", "", *given, ""])


def rows(policies: Policies, lang: Lang, file: Path = SHEET_FILE) -> tuple[tuple[str, ...], ...]:
    """The cells of the sheet under `HEADINGS`, the most important mechanism first. Raises `BadFile`."""
    read = sorted(checked(file, _File, read_toml(file)).row, key=lambda row: row.priority)
    figures = _figures(policies, lang)
    return tuple(tuple(_cells(row, lang, figures)) for row in read)


def reasons(policies: Policies) -> tuple[tuple[str, str], ...]:
    """Key of the policy and the reason given for it, where one is."""
    return tuple((key, text) for key, text in policies.reasons.items() if text.strip())


def _cells(row: _Row, lang: Lang, figures: Mapping[str, Any]) -> Iterator[str]:
    told = row.model_dump()
    for column in COLUMNS:
        text = str(told.get(f"{column}_{lang}", told.get(column)))
        yield text.format(**figures).replace("|", "/")


def _figures(policies: Policies, lang: Lang) -> dict[str, Any]:
    retry, limits = policies.retry, (policies.thresholds or Thresholds()).default
    rules = "; ".join(f"{rule.id}: {rule.zh if lang == 'zh' else rule.en}" for rule in policies.rules)
    return {
        "codes": ", ".join(sorted(retry.retryable_error_codes)) or "-",
        "max_attempts": retry.max_attempts,
        "base_delay_s": retry.base_delay_s,
        "backoff": retry.backoff,
        "min_top_score": limits.min_top_score,
        "min_margin": limits.min_margin,
        "rules": rules or NO_RULE[lang],
    }
