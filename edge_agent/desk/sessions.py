"""What each person would miss if their page were reloaded now: open questions, and the last word of their runs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from edge_agent.desk.stream import Address
from edge_agent.messages.content import LastEvent, RunSummary
from edge_agent.messages.event import Event
from edge_agent.messages.prompt import Clarification, Confirmation

MAX_RUNS = 8
MAX_PROMPTS = 3
MAX_USERS = 256


@dataclass(slots=True)
class _Seen:
    prompts: OrderedDict[str, tuple[Clarification | Confirmation, float]] = field(default_factory=OrderedDict)
    runs: OrderedDict[str, LastEvent] = field(default_factory=OrderedDict)


class Sessions:
    def __init__(self, monotonic_s: Callable[[], float]) -> None:
        self._monotonic_s = monotonic_s
        self._users: OrderedDict[str, _Seen] = OrderedDict()

    def note(self, address: Address, event: Event) -> bool:
        """True when what a reloaded page would show has changed."""
        seen = self._users.setdefault(address.user, _Seen())
        self._users.move_to_end(address.user)
        while len(self._users) > MAX_USERS:
            self._users.popitem(last=False)
        body = event.body
        if isinstance(body, Clarification | Confirmation):
            seen.prompts[body.prompt_id] = (body, self._monotonic_s() + body.expires_in_s)
            while len(seen.prompts) > MAX_PROMPTS:
                seen.prompts.popitem(last=False)
        seen.runs[event.envelope.run] = _short(event)
        seen.runs.move_to_end(event.envelope.run)
        while len(seen.runs) > MAX_RUNS:
            seen.runs.popitem(last=False)
        return body.type == "done"

    def prompts(self, user: str) -> list[Clarification | Confirmation]:
        """Those that can still be answered, with the seconds that are left now."""
        seen = self._users.get(user)
        now_s = self._monotonic_s()
        left = [] if seen is None else [(prompt, until - now_s) for prompt, until in seen.prompts.values()]
        return [prompt.model_copy(update={"expires_in_s": round(rest, 1)}) for prompt, rest in left if rest > 0]

    def runs(self, user: str) -> list[RunSummary]:
        seen = self._users.get(user)
        return [] if seen is None else [RunSummary(id=run, last=last) for run, last in seen.runs.items()]


def _short(event: Event) -> LastEvent:
    body = event.body
    return LastEvent(
        seq=event.envelope.seq,
        type=body.type,
        at=event.envelope.at,
        kind=body.kind if body.type == "content" else None,
        phase=body.phase.value if body.type == "status" else None,
        outcome=body.outcome if body.type == "done" else None,
        fallback_type=body.fallback_type if body.type == "done" else None,
        text=body.text[:400] if body.type in ("content", "failure") else None,
    )
