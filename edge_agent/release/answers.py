"""What a query, a record or a plain word of explanation releases. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from edge_agent.messages.content import Answer, DoneAck, Explanation, Record
from edge_agent.messages.wire import Scalar
from edge_agent.release import explanations
from edge_agent.release.facts import age_words
from edge_agent.release.page import Page, Traces, fit, lines
from edge_agent.release.texts import Fact, Facts

Data: TypeAlias = Mapping[str, Scalar]
WITH_COPY: Final = frozenset({"rule"})
"""What there is an offline copy of."""


def answer(
    page: Page,
    traces: Traces,
    *,
    what: str,
    data: Data,
    rows: Sequence[Data] = (),
    age_s: float | None = None,
    attempt: int = 1,
    model_down: bool = False,
    hits: int | None = None,
    source: str | None = None,
    reason: str | None = None,
) -> Answer:
    """`what` names the text under `answer` (`rule`, `device`, `task`, `alarms`, `no_alarms`), filled from `data`;
    `rows` are alarms, one line each. `age_s` given: from the offline copy. Never called with `hits` 0."""
    said = [page.say(f"answer.{what}", _found(page, data))]
    said += [page.say("answer.alarm_line", _found(page, row)) for row in rows]
    if attempt > 1 and age_s is None:
        said.append(page.say("answer.retried", {"attempt": attempt}))
    if age_s is not None:
        said.append(page.say("answer.degraded", {"age": age_words(page.texts, age_s)}))
    return Answer(
        text=lines(*said, _model_down(page, model_down)),
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        degraded=age_s is not None,
        age_s=age_s,
        hits=hits,
        data=dict(data),
        source=source,
        reason=reason,
    )


def no_entry(
    page: Page,
    traces: Traces,
    *,
    what: str,
    data: Data,
    model_down: bool = False,
    source: str | None = None,
    reason: str | None = None,
) -> Answer:
    """Live store and offline copy were read and hold nothing: the scope looked at, and whom to ask. `what` names
    the scope (`rule`, `device`, `task`, `alarms`)."""
    known = page.facts({"scope": _scope(page, what, data)})
    said = lines(page.say("answer.empty", known), _model_down(page, model_down))
    return _whom_to_ask(traces, said, known, data, source, reason, hits=0)


def ask_a_person(
    page: Page,
    traces: Traces,
    *,
    what: str,
    data: Data,
    code: str,
    attempts: int,
    model_down: bool = False,
    source: str | None = None,
    reason: str | None = None,
) -> Answer:
    """All attempts failed, and the offline copy, where there is one, has no entry either: whom to ask, and with which
    trace."""
    known = page.facts(
        {"what": _scope(page, what, data), "attempts": attempts, "code": code, "trace_id": traces.trace_id}
    )
    key = "answer.ask_person" if what in WITH_COPY else "answer.ask_person_no_copy"
    said = lines(page.say(key, known), _model_down(page, model_down))
    return _whom_to_ask(traces, said, known, data, source, reason, degraded=True)


def record(
    page: Page,
    traces: Traces,
    *,
    record_id: str,
    data: Data,
    repeated: bool = False,
    model_down: bool = False,
    source: str | None = None,
    reason: str | None = None,
) -> Record:
    """Feedback that is stored. `data` holds `task_id` and, where given, `feedback` (the operator's own words)."""
    known = page.facts({**_told(data), "record_id": record_id})
    said = page.say("record.feedback_again" if repeated else "record.feedback", known)
    return Record(
        text=lines(said, _model_down(page, model_down)),
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        record_id=record_id,
        data=dict(data),
        repeated=repeated,
        source=source,
        reason=reason,
    )


def explanation(
    page: Page,
    traces: Traces,
    *,
    reason: str,
    facts: Mapping[str, Fact | None] | None = None,
    told_as: str | None = None,
    source: str | None = None,
    model_down: bool = False,
) -> Explanation:
    """Why nothing was done, and what can be. `told_as` names the words where `reason` has none that say
    more (a suspicious text, a mood the rules did not need); a reason with neither is told as not understood."""
    known = page.facts(facts or {})
    if reason == explanations.NEEDS_MODEL:
        return _without_model(page, traces, reason, source)
    named = explanations.words_for(reason, told_as)
    if "action" in known and (facts or {}).get("action") is not None:
        known = {**known, **_meaning(page, str((facts or {})["action"]))}
    ways_on = page.steps(explanations.STEPS[named], known)
    return Explanation(
        text=lines(page.with_steps((page.say(f"explanation.{named}", known),), ways_on), _model_down(page, model_down)),
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        reason=reason,
        next_steps=ways_on,
        source=source,
    )


def done_ack(page: Page, traces: Traces, *, what: str, data: Data | None = None) -> DoneAck:
    """Carried out, with nothing to show for it. `what` names the text under `done_ack`."""
    return DoneAck(
        text=fit(page.say(f"done_ack.{what}", page.facts(_told(data or {})))),
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        what=what,
        data=dict(data or {}),
    )


def _whom_to_ask(
    traces: Traces,
    text: str,
    known: Facts,
    data: Data,
    source: str | None,
    reason: str | None,
    *,
    hits: int | None = None,
    degraded: bool = False,
) -> Answer:
    """An answer without a result names a person."""
    return Answer(
        text=text,
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        hits=hits,
        degraded=degraded,
        data=dict(data),
        ask_whom=str(known["ask"]),
        source=source,
        reason=reason,
    )


def _without_model(page: Page, traces: Traces, reason: str, source: str | None) -> Explanation:
    """The customer's own wording, its ways on cut to what this reader may do."""
    facts = page.facts({})
    ways_on = page.steps(("offline_ways", "offline_explicit", "offline_person"), facts)
    numbered = [page.say("layout.numbered", {"n": s.n, "text": s.text}) for s in ways_on]
    heading = [page.say("control_without_model.heading"), page.say("control_without_model.you_can")]
    return Explanation(
        text=fit(page.say("control_without_model.join").join([*heading, *numbered])),
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        reason=reason,
        next_steps=ways_on,
        source=source,
    )


def _meaning(page: Page, action: str) -> dict[str, Fact]:
    key = f"meaning.{action}"
    return {"meaning": page.say(key)} if page.texts.has(key) else {}


def _found(page: Page, data: Data) -> Facts:
    """A row's values, with all of them as pairs for a row of another shape than its text was made for."""
    told = _told(data)
    if isinstance(held := data.get("holds_part"), bool):
        told["gripper"] = "holding" if held else "empty"
    return page.facts({**told, "pairs": page.pairs(data)})


def _scope(page: Page, what: str, data: Data) -> str:
    return page.say(f"scope.{what}", page.facts(_told(data)))


def _told(data: Data) -> dict[str, Fact | None]:
    """Scalars as facts; a truth value is no word of any language and is left to the caller."""
    return {name: value for name, value in data.items() if not isinstance(value, bool)}


def _model_down(page: Page, down: bool) -> str:
    return page.say("model_down.answered") if down else ""
