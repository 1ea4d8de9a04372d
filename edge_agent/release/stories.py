"""One row of a run's story as a sentence of its reader. Pure; a tag without a word of its own is told as it is.

Every value stands in the sentence as data: cut, on one line, never interpreted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from edge_agent.release.page import fit
from edge_agent.release.texts import Fact, Facts, Texts

MAX_VALUE_CHARS: Final = 280
MAX_CHARS: Final = 500
MAX_FACTS: Final = 6

GROUPS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("sent", "phase"): ("phase",),
    ("sent", "kind"): ("content_kind",),
    ("prompt", "kind"): ("content_kind",),
    ("reading", "intent"): ("intent",),
    ("reading", "disposition"): ("disposition",),
    ("reading", "source"): ("source",),
    ("reading", "missing"): ("slot",),
    ("reading", "no_model"): ("no_model",),
    ("ended", "reason"): ("ended_because",),
    ("request", "confirm"): ("confirm",),
    ("guard", "by"): ("judged_by",),
    ("guard", "draft"): ("which_draft",),
    ("tool", "tool"): ("what",),
    ("tool", "decision"): ("decision",),
    ("record", "tool_name"): ("what",),
    ("model", "purpose"): ("purpose",),
    ("command", "state"): ("story_command", "command_state"),
    ("command", "reason"): ("why", "rejection"),
    ("progress", "missing"): ("context",),
}
"""Which value of which chapter is a tag, and the groups of the wording in which its word stands."""


def told(texts: Texts, what: str, key: str, values: Mapping[str, Any], *, ends_with: str = "") -> str:
    """The text `story.{key}` with the values that are known. `what`: the chapter. `ends_with`: what was said to the
    person, kept as it was said, line by line."""
    known = spoken(texts, what, values)
    text = texts.try_say(f"story.{key}", known)
    if text is None:  # a row of another shape than its text was made for: what it holds, as it is
        text = ", ".join(f"{name}={value}" for name, value in known.items())
    return fit(text + ends_with, MAX_CHARS)


def spoken(texts: Texts, what: str, values: Mapping[str, Any]) -> Facts:
    known = {name: value for name, value in values.items() if value not in (None, "", [], {})}
    return {name: _fact(texts, GROUPS.get((what, name), ()), value) for name, value in known.items()}


def meaning(texts: Texts, outcome: str, fallback: str | None) -> str:
    """What a release was, in a sentence."""
    return texts.word("released_means", fallback or outcome)


def facts_told(facts: list[list[str]]) -> str:
    """What a record states, the first few of it: `t014: code = 0601`."""
    lines = [f"{subject}: {attribute} = {value}" for _, subject, attribute, value in facts[:MAX_FACTS]]
    more = f" (+{len(facts) - MAX_FACTS})" if len(facts) > MAX_FACTS else ""
    return "; ".join(lines) + more


def _fact(texts: Texts, groups: tuple[str, ...], value: Any) -> Fact:
    if isinstance(value, list | tuple):
        value = "; ".join(str(each) for each in value)
    tag = str(value).lower() if isinstance(value, bool) else str(value)
    for group in groups:
        if texts.has(f"{group}.{tag}"):
            return texts.try_say(f"{group}.{tag}", {}) or tag
    return " ".join(tag.split())[:MAX_VALUE_CHARS]
