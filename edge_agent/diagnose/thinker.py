"""How a model thinks aloud: three styles over one port, each step through the model's gate.

`labels`  a small model picks the next tool, and judges the one cause that the records leave. It writes nothing; the
          clauses are the table's own words for the facts.
`mixed`   it picks the tool by label and writes the draft.
`json`    it writes everything: each request with its envelope, or the draft.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, TypeVar

from edge_agent.diagnose import view as views
from edge_agent.diagnose.cause_table import Cause
from edge_agent.diagnose.draft import Clause, Draft, draft_schema
from edge_agent.diagnose.envelope import ToolRequest
from edge_agent.diagnose.errors import ModelGone
from edge_agent.diagnose.likely import about
from edge_agent.diagnose.model_gate import ModelGate
from edge_agent.diagnose.view import View
from edge_agent.diagnose.wording import Wording
from edge_agent.messages.strict_json import NotStrictJson, loads
from edge_agent.understand.port import ModelFailure, ModelPurpose, Probabilities, Written

CONCLUDE: Final = "conclude"

A = TypeVar("A", Probabilities, Written)

Style: TypeAlias = Literal["labels", "mixed", "json"]


@dataclass(frozen=True, slots=True)
class Pick:
    """A tool by its name; the harness fills in the scope."""

    tool: str


@dataclass(frozen=True, slots=True)
class Text:
    """The loop ended by itself with this text; whether it is a draft is judged outside."""

    text: str


Move: TypeAlias = Pick | ToolRequest | Text | Draft


@dataclass(frozen=True, slots=True)
class Thinker:
    gate: ModelGate
    style: Style
    wording: Wording

    async def move(self, view: View) -> Move:
        """The next step. Raises `ModelGone`, `BudgetExceeded`, `RunAborted`."""
        if self.style == "json":
            return await self._written_move(view)
        tool = await self._picked(view)
        if tool != CONCLUDE:
            return Pick(tool)
        return self._chosen(view) if self.style == "labels" else await self._written_draft(view)

    async def _picked(self, view: View) -> str:
        offered = view.every if self.style == "mixed" else (() if view.stop_required else view.options)
        options = (*offered, CONCLUDE)
        if len(options) == 1:
            return CONCLUDE
        context = views.short(view)
        return answer(await self.gate.choose(context, options, ModelPurpose.NEXT_TOOL)).best()

    def _chosen(self, view: View) -> Draft:
        """A draft in the table's own words, where the records leave one cause. Between two a small model is no better
        than a coin (measured; see the README), so none is named."""
        return self._draft_of(view, view.likely[0]) if len(view.likely) == 1 else Draft(None)

    def _draft_of(self, view: View, cause: Cause) -> Draft:
        record = {stated.fact: stated.record for stated in view.stated}
        facts = cause.evidence(about(view.what.target, view.what.facts))
        clauses = tuple(Clause(self.wording.fact(f), (record[f],)) for f in facts if f in record)
        return Draft(cause.id, clauses, cause.next_steps)

    async def _written_draft(self, view: View) -> Text:
        causes = [c.id for c in view.likely] + [c for c in view.table.causes if c not in {x.id for x in view.likely}]
        schema = draft_schema(view.table, causes, view.records)
        written = answer(await self.gate.write(f"{views.long(view)}\nDraft:", schema, ModelPurpose.DRAFT))
        return Text(written.text)

    async def _written_move(self, view: View) -> Move:
        schema = request_schema(view.every, view.records)
        written = answer(await self.gate.write(f"{views.long(view)}\nNext:", schema, ModelPurpose.NEXT_TOOL))
        request = parse_request(written.text)
        if request is None:
            return Text(written.text)
        return await self._written_draft(view) if request.tool == CONCLUDE else request


def answer(got: A | ModelFailure) -> A:
    """A model that gives no answer inside the loop has one attempt."""
    if isinstance(got, ModelFailure):
        raise ModelGone(str(got.kind))
    return got


def parse_request(text: str) -> ToolRequest | None:
    """None for whatever is no tool request: that is then the draft, or what came in its place."""
    try:
        value = loads(text.encode("utf-8", "replace"))
    except NotStrictJson:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("tool"), str):
        return None
    args, previous = value.get("args", {}), value.get("previous_observation")
    return ToolRequest(
        value["tool"],
        args if isinstance(args, dict) else {},
        previous if isinstance(previous, dict) else None,
    )


def request_schema(tools: Sequence[str], records: Sequence[str]) -> Mapping[str, object]:
    text = {"type": "string", "maxLength": 200}
    number: dict[str, object] = {"type": "integer"}
    args: dict[str, object] = {"task_id": text, "device": text, "item_type": text, "words": text, "source": text}
    args |= dict.fromkeys(("command_id", "since_ms", "until_ms"), number)
    previous = {
        "type": "object",
        "properties": {
            "record": {"enum": list(records)[-64:]} if records else text,
            "gain": {"enum": ["GAINED", "NO_GAIN"]},
        },
        "required": ["record", "gain"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "tool": {"enum": [*tools, CONCLUDE]},
            "args": {"type": "object", "properties": args, "additionalProperties": False},
            **({"previous_observation": previous} if records else {}),
        },
        "required": ["tool", "args", *(["previous_observation"] if records else [])],
        "additionalProperties": False,
    }
