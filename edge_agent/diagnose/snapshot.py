"""What can be said without a conclusion: what was checked, what was found, what was in the way, what to look at next.

Built from records alone, never from a model's text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from edge_agent.diagnose.dossier import Dossier
from edge_agent.diagnose.wording import Wording

MAX_FACTS: Final = 24
MAX_LINES: Final = 16


@dataclass(frozen=True, slots=True)
class ToldFact:
    """A fact in words, and the record it stands in."""

    text: str
    record: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    checked: tuple[str, ...] = ()
    facts: tuple[ToldFact, ...] = ()
    limits: tuple[str, ...] = ()
    suggested: str | None = None

    def as_dict(self) -> dict[str, Any]:
        facts = [{"text": f.text, "record": f.record} for f in self.facts]
        return {
            "checked": list(self.checked),
            "facts": facts,
            "limits": list(self.limits),
            "suggested": self.suggested,
        }


def snapshot(dossier: Dossier, wording: Wording, not_looked_at: Iterable[str] = ()) -> Snapshot:
    """`not_looked_at`: tools with a scope left, the next check to suggest first."""
    facts = [ToldFact(wording.fact(s.fact), s.record) for s in dossier.stated()]
    facts += [ToldFact(wording.empty(r), r.record) for r in dossier.empty if r.record is not None]
    cut = [wording.truncated(r) for r in dossier.ready if r.projection.truncated]
    limits = [wording.failed(r) for r in dossier.failed] + cut
    suggested = next((wording.suggest(tool) for tool in not_looked_at), None)
    return Snapshot(
        checked=_first(wording.scope(r) for r in dossier.ready),
        facts=tuple(facts[:MAX_FACTS]),
        limits=_first(limits),
        suggested=suggested,
    )


def _first(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))[:MAX_LINES]
