"""A site's policy folder: what may be changed without touching code. Read once, whole; a broken file starts nothing.

    retry.toml        [default] and [tool.NAME]: max_attempts, base_delay_s, backoff, jitter_s, max_elapsed_s, reasons
    codes.toml        retryable = ["TIMEOUT", …], reasons
    thresholds.toml   min_top_score, min_margin
    refusals.toml     [[rule]] id, zh, en and any of actions, items, bins, stations, roles
    phrases/          packs of phrases, read besides the shipped ones
    causes.toml       the cause table

A file that is not there leaves the product's own figures. No file can make a motion be tried again: naming the arm's
tool in `retry.toml` is refused, as is every number out of bounds. Raises `BadFile` or, for phrases, `PackError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from edge_agent.checked_file import checked, one_fault, read_toml
from edge_agent.diagnose.cause_table import CauseTable, load_causes
from edge_agent.run.retry import MAX_ATTEMPTS, RetryPolicy
from edge_agent.safety.site_rules import SiteRule
from edge_agent.tools.tool import CONTROL_TOOLS, ToolName
from edge_agent.understand.thresholds import Threshold, Thresholds

RETRY, CODES, THRESHOLDS = "retry.toml", "codes.toml", "thresholds.toml"
REFUSALS, PHRASES, CAUSES = "refusals.toml", "phrases", "causes.toml"
MAX_RULES: Final = 64

T = TypeVar("T", bound=BaseModel)
Seconds = Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)]
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Words = Annotated[str, Field(max_length=400)]
Names = Annotated[frozenset[Annotated[str, Field(min_length=1, max_length=64)]], Field(max_length=32)]
Code = Literal["TIMEOUT", "SERVICE_UNAVAILABLE", "RATE_LIMIT", "CONNECTION_ERROR"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Tool(_Strict):
    """One policy; what is not said is the default's."""

    max_attempts: Annotated[int, Field(ge=1, le=MAX_ATTEMPTS)] | None = None
    base_delay_s: Seconds | None = None
    backoff: Literal["fixed", "exponential"] | None = None
    jitter_s: Seconds | None = None
    max_elapsed_s: Seconds | None = None
    reasons: Annotated[dict[str, Words], Field(max_length=16)] = {}


class _Retry(_Strict):
    default: _Tool = _Tool()
    tool: Annotated[dict[str, _Tool], Field(max_length=16)] = {}


class _Codes(_Strict):
    retryable: Annotated[tuple[Code, ...], Field(max_length=8)] = (
        "CONNECTION_ERROR",
        "RATE_LIMIT",
        "SERVICE_UNAVAILABLE",
        "TIMEOUT",
    )
    reasons: Annotated[dict[str, Words], Field(max_length=32)] = {}


class _Thresholds(_Strict):
    min_top_score: Fraction | None = None
    min_margin: Fraction | None = None
    reasons: Annotated[dict[str, Words], Field(max_length=8)] = {}


class _Rule(_Strict):
    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,31}$")]
    zh: Annotated[str, Field(min_length=1, max_length=200)]
    en: Annotated[str, Field(min_length=1, max_length=200)]
    actions: Names = frozenset()
    items: Names = frozenset()
    bins: Names = frozenset()
    stations: Names = frozenset()
    roles: Names = frozenset()


class _Refusals(_Strict):
    rule: Annotated[tuple[_Rule, ...], Field(max_length=MAX_RULES)] = ()


@dataclass(frozen=True, slots=True)
class Policies:
    """`retry` is for every query tool that `retries` does not name. `thresholds` None: as calibrated."""

    retry: RetryPolicy = field(default_factory=RetryPolicy)
    retries: Mapping[str, RetryPolicy] = field(default_factory=dict)
    thresholds: Thresholds | None = None
    rules: tuple[SiteRule, ...] = ()
    packs: tuple[Path, ...] = ()
    causes: CauseTable | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    """`file.key` to what its author gave as the reason."""

    def retry_of(self, tool: str) -> RetryPolicy:
        return self.retries.get(tool, self.retry)


def load_policies(folder: Path) -> Policies:
    if not folder.is_dir():
        raise one_fault(folder, "folder", "nothing", "a folder with policy files", "策略文件所在的文件夹")
    retry, codes = _read(folder, RETRY, _Retry), _read(folder, CODES, _Codes)
    limits = _read(folder, THRESHOLDS, _Thresholds)
    _no_motion(folder / RETRY, retry)
    base = replace(_policy(retry.default, RetryPolicy()), retryable_error_codes=frozenset(codes.retryable))
    phrases, causes = folder / PHRASES, folder / CAUSES
    return Policies(
        retry=base,
        retries={name: _policy(tool, base) for name, tool in retry.tool.items()},
        thresholds=_thresholds(limits),
        rules=_rules(folder),
        packs=(phrases,) if phrases.is_dir() else (),
        causes=load_causes(causes) if causes.is_file() else None,
        reasons=_reasons(retry, codes, limits),
    )


def _read(folder: Path, name: str, kind: type[T]) -> T:
    file = folder / name
    return checked(file, kind, read_toml(file)) if file.is_file() else kind()


def _no_motion(file: Path, retry: _Retry) -> None:
    known = sorted({t.value for t in ToolName} - CONTROL_TOOLS)
    for name in retry.tool:
        if name in CONTROL_TOOLS:
            expected = "no entry: a motion is sent once, and no policy can have it tried again"
            raise one_fault(file, f"tool.{name}", name, expected, "不得出现：动作只发送一次，任何策略都不能让它重试")
        if name not in known:
            raise one_fault(file, f"tool.{name}", name, f"one of {', '.join(known)}", f"其中之一：{', '.join(known)}")


def _policy(told: _Tool, base: RetryPolicy) -> RetryPolicy:
    given = told.model_dump(exclude_none=True, exclude={"reasons"})
    return replace(base, **given)


def _thresholds(told: _Thresholds) -> Thresholds | None:
    given = told.model_dump(exclude_none=True, exclude={"reasons"})
    return Thresholds(default=Threshold(**given)) if given else None


def _rules(folder: Path) -> tuple[SiteRule, ...]:
    rules = _read(folder, REFUSALS, _Refusals).rule
    ids = [rule.id for rule in rules]
    twice = next((id_ for id_ in ids if ids.count(id_) > 1), None)
    if twice is not None:
        raise one_fault(folder / REFUSALS, "rule.id", twice, "an id of its own for each rule", "每条规则的 id 各不相同")
    return tuple(SiteRule(**rule.model_dump()) for rule in rules)


def _reasons(retry: _Retry, codes: _Codes, limits: _Thresholds) -> dict[str, str]:
    tables = {
        f"{RETRY} default": retry.default.reasons,
        **{f"{RETRY} tool.{name}": tool.reasons for name, tool in retry.tool.items()},
        CODES: codes.reasons,
        THRESHOLDS: limits.reasons,
    }
    return {f"{where} {key}": reason for where, told in tables.items() for key, reason in told.items()}
