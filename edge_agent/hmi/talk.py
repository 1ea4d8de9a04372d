"""What an operator and the agent said to each other, folded from events. Pure; the clock is an argument.

One exchange a run, in the order in which they began. Events may come twice, from a run begun on another page, or
after a gap: an exchange takes an event of a `seq` it has not seen, and nothing else. A prompt is open until it is
answered here, its time is over, or the cell left the state that waited for it.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias

from edge_agent.messages.codes import ContentKind
from edge_agent.messages.content import Content
from edge_agent.messages.event import Done, Event, Failure, Metadata, Status
from edge_agent.messages.prompt import Clarification, Confirmation
from edge_agent.messages.states import CellStateWord

MAX_EXCHANGES: Final = 16
"""What one can scroll through; the history page has the rest."""
MAX_PHASES: Final = 24
MAX_ASIDE: Final = 64
SLACK_S: Final = 1.5
"""The agent's count began before the question was heard here: it ends a little earlier than the page's."""
SERVICE: Final = frozenset({ContentKind.SESSION, ContentKind.HISTORY, ContentKind.TIMELINE, ContentKind.DONE_ACK})
"""Kinds that a page asks for on its own account; no part of a conversation unless somebody pressed for them."""

Prompt: TypeAlias = Clarification | Confirmation
PromptEnd: TypeAlias = Literal["open", "answered", "expired", "void"]
Act: TypeAlias = Literal["ask", "reply", "yes", "no", "stop", "release", "cancel"]
_GOES_ON: Final[frozenset[Act]] = frozenset({"ask", "reply", "release"})
"""Who asks for something new has read what became of the last question; who presses stop has not."""


@dataclass(slots=True)
class Exchange:
    """`said` None: begun elsewhere. `changes` counts what was folded, so that a reader sees that it is another."""

    run: str
    began: datetime
    act: Act | None = None
    said: str | None = None
    phases: list[Status] = field(default_factory=list)
    read_as: str | None = None
    content: Content | None = None
    failure: Failure | None = None
    done: Done | None = None
    unheard: str | None = None
    """Why nothing came of it here: a key of the wording."""
    next_seq: int = 0
    changes: int = 0

    @property
    def shown(self) -> bool:
        if self.act is not None or self.failure is not None:
            return True
        return self.content is not None and self.content.kind not in SERVICE

    @property
    def ended(self) -> bool:
        return self.done is not None or self.unheard is not None


@dataclass(slots=True)
class Asked:
    """A prompt as the page holds it. `waited`: the cell was seen waiting for it."""

    run: str
    prompt: Prompt
    until_s: float
    end: PromptEnd = "open"
    waited: bool = False


class Talk:
    def __init__(self) -> None:
        self._runs: OrderedDict[str, Exchange] = OrderedDict()
        self.asked: Asked | None = None
        """The newest question; an older one is over, because a new one closes it."""
        self._aside: deque[str] = deque(maxlen=MAX_ASIDE)
        self._cell: CellStateWord | None = None
        self._over: deque[str] = deque(maxlen=MAX_ASIDE)
        """Prompts that can not be answered any more, whatever an older message says."""

    def exchanges(self) -> list[Exchange]:
        return [each for each in self._runs.values() if each.shown]

    def busy(self) -> Exchange | None:
        """The newest run of ours that has not ended."""
        return next((each for each in reversed(self._runs.values()) if each.shown and not each.ended), None)

    def begin(self, run: str, act: Act, said: str, at: datetime) -> None:
        """Something was asked from this page; an event may have been quicker."""
        exchange = self._exchange(run, at)
        exchange.act, exchange.said = act, said
        exchange.changes += 1
        if act in _GOES_ON and self.asked is not None and self.asked.end != "open":
            self.asked = None  # what became of it was read

    def put_aside(self, run: str) -> None:
        """A run that a page asked for on its own account: no part of the conversation, whatever comes of it."""
        self._aside.append(run)
        self._runs.pop(run, None)

    def lose(self, run: str, why: str) -> None:
        """Nothing more will be heard of it here."""
        if (exchange := self._runs.get(run)) is not None and not exchange.ended:
            exchange.unheard = why
            exchange.changes += 1

    def hear(self, event: Event, now_s: float) -> None:
        run, seq = event.envelope.run, event.envelope.seq
        if run in self._aside or run == "-":
            return
        exchange = self._exchange(run, event.envelope.at)
        if seq < exchange.next_seq:
            return
        exchange.next_seq, exchange.changes, exchange.unheard = seq + 1, exchange.changes + 1, None
        match event.body:
            case Metadata(intent=intent):
                exchange.read_as = intent
            case Status() as status:
                exchange.phases = [*exchange.phases, status][-MAX_PHASES:]
            case Failure() as failure:
                exchange.failure = failure
            case Done() as done:
                exchange.done = done
            case content:
                exchange.content = content
                if isinstance(content, Clarification | Confirmation):
                    self._ask(run, content, now_s)

    # -- prompts ----------------------------------------------------------------------------------------------

    def open_prompt(self, now_s: float) -> Asked | None:
        """The one that can be answered now; one whose time is over is marked so."""
        asked = self.asked
        if asked is not None and asked.end == "open" and now_s >= asked.until_s:
            self._end("expired")
        return asked if asked is not None and asked.end == "open" else None

    def take(self, prompt_id: str) -> bool:
        """Whether this question is open here and so may be answered; it is then answered, and no second press is."""
        asked = self.asked
        if asked is None or asked.prompt.prompt_id != prompt_id or asked.end != "open":
            return False
        self._end("answered")
        return True

    def give_back(self, prompt_id: str) -> None:
        """The answer did not leave: the question is as open as before."""
        asked = self.asked
        if asked is not None and asked.prompt.prompt_id == prompt_id and asked.end == "answered":
            asked.end = "open"
            self._over.remove(prompt_id)

    def cell_is(self, state: CellStateWord, now_s: float) -> None:
        """A confirmation is void as soon as the cell no longer waits for it."""
        self._cell = state
        asked = self.asked
        if asked is None or asked.end != "open" or not isinstance(asked.prompt, Confirmation):
            return
        if state == "AWAITING_CONFIRMATION":
            asked.waited = True
        elif asked.waited:
            self._end(_how_over(asked, now_s))

    def agent_began_anew(self) -> None:
        """What an earlier life of the agent asked, nobody can answer."""
        if self.asked is not None and self.asked.end == "open":
            self._end("void")

    def open_are(self, prompts: Iterable[Prompt], now_s: float, run: str = "") -> None:
        """The agent's own word on what is open, with the seconds that are left. What it does not name is over."""
        newest = next((p for p in reversed(list(prompts)) if p.prompt_id not in self._over), None)
        asked = self.asked
        if newest is None:
            if asked is not None and asked.end == "open":
                self._end(_how_over(asked, now_s))
            return
        if asked is not None and asked.prompt.prompt_id == newest.prompt_id:
            asked.until_s = min(asked.until_s, now_s + newest.expires_in_s)
            return
        self._ask(run, newest, now_s)

    def _ask(self, run: str, prompt: Prompt, now_s: float) -> None:
        """A new question closes the one before."""
        if self.asked is not None and self.asked.end == "open":
            self._end("void")
        waited = self._cell == "AWAITING_CONFIRMATION"
        self.asked = Asked(run, prompt, now_s + prompt.expires_in_s, waited=waited)

    def _end(self, how: PromptEnd) -> None:
        if self.asked is not None:
            self.asked.end = how
            self._over.append(self.asked.prompt.prompt_id)

    def _exchange(self, run: str, at: datetime) -> Exchange:
        exchange = self._runs.setdefault(run, Exchange(run, at))
        while len(self._runs) > MAX_EXCHANGES:
            self._runs.popitem(last=False)
        return exchange


def _how_over(asked: Asked, now_s: float) -> PromptEnd:
    return "expired" if now_s >= asked.until_s - SLACK_S else "void"
