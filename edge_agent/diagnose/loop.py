"""The loop: think, look, observe, until a draft stands there. What breaks out of it is judged by `controlled`.

Bounded by the run's budget (every round takes a model call) and by `MAX_ROUNDS`, whatever the budget says.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from edge_agent.diagnose.cause_table import Cause, CauseTable
from edge_agent.diagnose.dossier import Stated
from edge_agent.diagnose.draft import Draft
from edge_agent.diagnose.envelope import ToolRequest
from edge_agent.diagnose.evidence_gate import EVIDENCE_TOOLS, EvidenceGate, Observation
from edge_agent.diagnose.likely import likely
from edge_agent.diagnose.plan import Args, Known, known, scopes
from edge_agent.diagnose.target import Target
from edge_agent.diagnose.thinker import Pick, Text, Thinker
from edge_agent.diagnose.view import View
from edge_agent.diagnose.wording import Wording

MAX_ROUNDS: Final = 200

Told: TypeAlias = Callable[[Observation], Awaitable[None]]


async def unheard(_observation: Observation) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a dossier of one size says."""

    size: int
    stated: tuple[Stated, ...]
    what: Known
    likely: tuple[Cause, ...]


@dataclass(slots=True)
class Search:
    """What is asked, with what is known of it so far."""

    target: Target
    table: CauseTable
    gate: EvidenceGate
    only_device: str | None
    english: Wording
    seen: list[Observation] = field(default_factory=list)
    told: Told = unheard
    _stood: Standing | None = field(default=None, init=False)
    _scopes: dict[tuple[str, tuple[tuple[str, Any], ...]], str | None] = field(default_factory=dict, init=False)

    async def look(self, request: ToolRequest) -> Observation:
        observation = await self.gate.call(request)
        self.seen.append(observation)
        await self.told(observation)
        return observation

    def what(self) -> Known:
        return self.standing().what

    def standing(self) -> Standing:
        """Worked out once for each size of the dossier, which only grows."""
        size = len(self.gate.dossier.results)
        if self._stood is None or self._stood.size != size:
            stated = self.gate.dossier.stated()
            what = known(self.target, stated, self.only_device, self.table)
            self._stood = Standing(size, stated, what, likely(self.target, what.facts, self.table))
        return self._stood

    def next_args(self, tool: str) -> Args | None:
        """The closest scope that was not looked at; else the last one there is; None where none fits."""
        fitting = scopes(tool, self.what())
        fresh = (args for args in fitting if not self._looked(tool, args))
        return next(fresh, fitting[-1] if fitting else None)

    def view(self) -> View:
        standing = self.standing()
        what = standing.what
        fitting = {str(tool): scopes(tool, what) for tool in EVIDENCE_TOOLS if self._there(tool)}
        every = tuple(tool for tool, found in fitting.items() if found)
        fresh = tuple(tool for tool in every if any(not self._looked(tool, args) for args in fitting[tool]))
        progress = self.gate.progress
        return View(
            what=what,
            table=self.table,
            options=fresh,
            every=every,
            seen=tuple(self.seen),
            last=progress.last,
            stop_required=progress.stop_delivered,
            likely=standing.likely,
            stated=standing.stated,
            wording=self.english,
        )

    def _looked(self, tool: str, args: Args) -> bool:
        key = tool, tuple(args.items())
        if key not in self._scopes:
            self._scopes[key] = self.gate.scope_of(tool, args)
        scope = self._scopes[key]
        return scope is None or self.gate.progress.looked_at(tool, scope) is not None

    def _there(self, tool: str) -> bool:
        return self.gate.boundary.registry.get(tool) is not None


async def search(this: Search, thinker: Thinker) -> Text | Draft:
    """The text or draft with which the loop ended by itself."""
    for _ in range(MAX_ROUNDS):
        move = await thinker.move(this.view())
        if isinstance(move, Text | Draft):
            return move
        await this.look(_request(this, move))
    return Text("")


async def sweep(this: Search) -> None:
    """Without a model: every tool of the cause table in its order, each scope once, until nothing new comes."""
    for tool in this.table.tools:
        for _ in range(MAX_ROUNDS):
            args = next((a for a in scopes(tool, this.what()) if not this._looked(tool, a)), None)
            if args is None or this.gate.progress.stop_delivered:
                break
            await this.look(ToolRequest(tool, args, by_harness=True))


def _request(this: Search, move: Pick | ToolRequest) -> ToolRequest:
    if isinstance(move, ToolRequest):
        return move
    return ToolRequest(move.tool, this.next_args(move.tool) or {}, by_harness=True)
