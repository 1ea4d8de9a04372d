"""What a follow-up may take from the turn before: targets, cause and records of a published conclusion, and only that.

One for each user and channel, 15 minutes, gone at restart. It fills a missing target of the next diagnosis ("and
yesterday?", "那昨天呢？") and never a slot of a control command. A fallback leaves nothing behind, and takes away what
was there: after it the same follow-up is asked back.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Final

from edge_agent.diagnose.target import Target
from edge_agent.messages.codes import ReleaseOutcome
from edge_agent.release.policy import may_be_carried_on

LASTS_S: Final = 15 * 60.0
MAX_BYTES: Final = 16_384
MAX_TURNS: Final = 1_000
"""As many people as one cell will ever have; the oldest goes first."""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PreviousTurn:
    """`run` names the run whose `records` these are."""

    run: str
    task_id: str | None
    device: str | None
    item_type: str | None
    cause: str
    records: tuple[str, ...]


@dataclass(slots=True)
class PreviousTurns:
    _turns: dict[Key, tuple[float, PreviousTurn]] = field(default_factory=dict)

    def ended(self, key: Key, outcome: ReleaseOutcome, turn: PreviousTurn | None, now_s: float) -> None:
        """A diagnosis of this user and channel was released; `turn` None where it published no conclusion."""
        self._turns.pop(key, None)
        if turn is None or not may_be_carried_on(outcome) or _size(turn) > MAX_BYTES:
            return
        while len(self._turns) >= MAX_TURNS:
            self._turns.pop(next(iter(self._turns)))
        self._turns[key] = (now_s, turn)

    def of(self, key: Key, now_s: float) -> PreviousTurn | None:
        found = self._turns.get(key)
        if found is None or now_s - found[0] > LASTS_S:
            self._turns.pop(key, None)
            return None
        return found[1]


def completed(target: Target, before: PreviousTurn | None) -> Target:
    """`target` with the earlier turn's, where it names none of its own; a window that was said stays."""
    if before is None or target.task_id or target.device or target.item_type:
        return target
    return replace(target, task_id=before.task_id, device=before.device, item_type=before.item_type)


def _size(turn: PreviousTurn) -> int:
    return len(json.dumps(asdict(turn), ensure_ascii=False).encode("utf-8", "replace"))
