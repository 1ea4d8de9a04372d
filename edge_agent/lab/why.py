"""Why a failed call is, or is not, tried again: the decision, and the line of the file that takes it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from edge_agent.messages.codes import ErrorCode
from edge_agent.policies import CODES, RETRY, Policies
from edge_agent.run import retry as decisions
from edge_agent.run.retry import Decision, Failure, next_step
from edge_agent.tools.tool import CONTROL_TOOLS, ToolName

LONG_S: Final = 3_600.0
SAYS: Final[Mapping[Decision, tuple[str, str]]] = {
    "retry": ("会重试：错误码在名单里，次数还没用完", "tried again: the code is on the list, attempts are left"),
    "no_retry_non_retryable": ("不重试：错误码不在可重试名单里", "not tried again: the code is not on the list"),
    "no_retry_control": (
        "不重试：动作只发送一次，不论怎么失败",
        "not tried again: a motion is sent once, whatever failed",
    ),
    "no_retry_reach_max_attempts": ("不重试：次数已用完", "not tried again: no attempt is left"),
    "no_retry_budget": ("不重试：预算已用完", "not tried again: the budget is gone"),
    "no_retry_deadline": ("不重试：等待会超过期限", "not tried again: the pause would pass the deadline"),
}
RULES: Final[Mapping[Decision, str]] = {
    "retry": 'NextStep("retry", sleep_s)',
    "no_retry_non_retryable": "not in policy.retryable_error_codes",
    "no_retry_control": "(failure.control,",
    "no_retry_reach_max_attempts": "failure.attempt >= policy.max_attempts",
    "no_retry_budget": "failure.code == BUDGET_CODE",
    "no_retry_deadline": 'NextStep("no_retry_deadline")',
}
"""What the deciding line of the code looks like; a test holds that each is found."""
NEVER: Final = "failure.code in NEVER_RETRIED"


@dataclass(frozen=True, slots=True)
class Why:
    """`place` is `file:line` of the line that decides; `policy` that of the policy folder, where it has a say."""

    decision: Decision
    zh: str
    en: str
    place: str
    policy: str | None


class NoSuch(Exception):
    """No such code or tool; the text says which there are."""


def why(code: str, tool: str, policies: Policies, folder: Path | None, attempt: int = 1) -> Why:
    """Raises `NoSuch`."""
    if code not in {c.value for c in ErrorCode}:
        raise NoSuch(f"no code {code}; there are: {', '.join(c.value for c in ErrorCode)}")
    if tool not in {t.value for t in ToolName}:
        raise NoSuch(f"no tool {tool}; there are: {', '.join(t.value for t in ToolName)}")
    failure = Failure(code, attempt, 0.0, LONG_S, control=tool in CONTROL_TOOLS)
    decision = next_step(policies.retry_of(tool), failure, lambda low, _high: low).decision
    zh, en = SAYS[decision]
    return Why(decision, zh, en, _place(decision, code), _policy_line(folder, decision, code))


def _place(decision: Decision, code: str) -> str:
    """Where the rule stands in the code that the agent runs."""
    file = Path(str(inspect.getsourcefile(decisions)))
    wanted = NEVER if code in decisions.NEVER_RETRIED else RULES[decision]
    return f"edge_agent/run/{file.name}:{_line(file, wanted)}"


def _policy_line(folder: Path | None, decision: Decision, code: str) -> str | None:
    if folder is None or decision == "no_retry_control" or code in decisions.NEVER_RETRIED:
        return None
    name, wanted = (RETRY, "max_attempts") if decision == "no_retry_reach_max_attempts" else (CODES, "retryable")
    file = folder / name
    return f"{file}:{_line(file, wanted)}" if file.is_file() else None


def _line(file: Path, wanted: str) -> int:
    lines = file.read_text("utf-8").splitlines()
    return next((n for n, text in enumerate(lines, start=1) if wanted in text and not text.startswith("#")), 0)
