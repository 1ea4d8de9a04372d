"""The two questions: which of these did you mean, and shall it move. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from edge_agent.messages.prompt import Candidate, Caution, Check, Clarification, Confirmation
from edge_agent.release.facts import joined, slot_example
from edge_agent.release.page import Page, Traces, line, lines
from edge_agent.release.texts import Fact, Facts
from edge_agent.safety.permission import Operation
from edge_agent.understand.clarify import MAX_CANDIDATES, ClarifyEvidence
from edge_agent.understand.decide import STOP_BY_MODEL, STOP_IN_DOUBT
from edge_agent.understand.scores import IntentScore
from offline_rules.reading import Intent

STOP_NOW: Final = frozenset({STOP_BY_MODEL, STOP_IN_DOUBT})
"""Who may have called for a stop is asked nothing else."""
MISSING_SLOT: Final = "missing_slot"
NOT_AN_ANSWER: Final = "answer_not_understood"
KEY_FIELDS: Final = (("item_type", None), ("task_id", None), ("action", Operation.MOVE))
"""The fields whose value alone settles what is meant, with what their reader must be allowed to do."""

NEEDED_FOR: Final[Mapping[str, Operation]] = {
    Intent.CONTROL_DEVICE: Operation.MOVE,
    Intent.SUBMIT_FEEDBACK: Operation.RECORD,
}


@dataclass(frozen=True, slots=True)
class Wish:
    """The one motion that is asked about: its action and slots, and what was said beside them and not taken in."""

    motion: Facts
    beside: tuple[str, ...] = ()


def clarification(
    page: Page,
    traces: Traces,
    *,
    reason: str,
    prompt_id: str,
    expires_in_s: float,
    candidates: Sequence[IntentScore] = (),
    missing: str | None = None,
    intent: str | None = None,
    values: Sequence[str] = (),
    wish: Wish | None = None,
    scores: ClarifyEvidence | None = None,
    round_: int = 1,
) -> Clarification:
    """Asks for the one slot that is `missing` (of `intent`; several `values` for it are named), or whether the one
    `wish` is meant, or offers the candidates. Those that this reader may not do are left out while one is left; the
    numbers a reply can name are those of the result's `candidates`, never of the argument."""
    offered = () if missing else _offered(page, candidates)
    if wish is not None and len(offered) == 1:
        offered = (_wished(page, offered[0], wish.motion),)
    return Clarification(
        text=_question(page, reason, offered, missing, intent, values, wish),
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        reason=reason,
        top_intent=scores["top_intent"] if scores else None,
        top_score=_unit(scores["top_score"]) if scores else None,
        second_score=_unit(scores["second_score"]) if scores else None,
        margin=max(-1.0, min(1.0, scores["margin"])) if scores else None,
        candidates=offered,
        missing=missing,
        round=round_,
        prompt_id=prompt_id,
        expires_in_s=expires_in_s,
    )


def confirmation(
    page: Page,
    traces: Traces,
    *,
    prompt_id: str,
    digest: str,
    action: str,
    device: str,
    slots: Facts,
    expires_in_s: float,
    checks: Iterable[str] = (),
    warnings: Iterable[tuple[str, Facts]] = (),
) -> Confirmation:
    """What would move, from a checked proposal. `checks` are names under `check`, all of which hold; `warnings` are
    names under `confirmation_warning` with their facts. `action` may be `release_stop`."""
    checked = tuple(Check(name=name, ok=True, text=line(page.texts.word("check", name))) for name in checks)
    cautions = tuple(_caution(page, code, facts) for code, facts in warnings)
    known = page.facts({"action": action, "device": device, "expires_in_s": round(expires_in_s)})
    details = [
        page.say("confirmation.detail", {"label": page.texts.word("slot", name), "value": str(value)})
        for name, value in slots.items()
    ]
    return Confirmation(
        text=lines(
            page.say("confirmation.heading", known),
            *details,
            *(page.say("confirmation.warning", {"text": caution.text}) for caution in cautions),
            _checks(page, checked),
            page.say("confirmation.footer", known),
            page.say("confirmation.stale_footer"),
        ),
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        prompt_id=prompt_id,
        digest=digest,
        action=action,
        device=device,
        slots=dict(slots),
        warnings=cautions,
        checks=checked,
        expires_in_s=expires_in_s,
    )


def _offered(page: Page, candidates: Sequence[IntentScore]) -> tuple[Candidate, ...]:
    allowed = [c for c in candidates if _may(page, c.intent)] or list(candidates)
    return tuple(_candidate(page, n, c) for n, c in enumerate(allowed[:MAX_CANDIDATES], start=1))


def _may(page: Page, intent: str) -> bool:
    needed = NEEDED_FOR.get(intent)
    return needed is None or page.audience.may(needed)


def _candidate(page: Page, n: int, scored: IntentScore) -> Candidate:
    intent = str(scored.intent)
    return Candidate(
        n=n,
        intent=intent,
        label=page.texts.word("intent", intent),
        example=page.texts.try_say(f"intent_example.{intent}", page.facts({})) or page.say("intent_example.UNKNOWN"),
        score=_unit(scored.score),
    )


def _wished(page: Page, one: Candidate, motion: Facts) -> Candidate:
    """The one option, named by what would move and not by its kind."""
    details = [
        page.say("clarification.wish_detail", {"label": page.texts.word("slot", name), "value": str(value)})
        for name, value in motion.items()
        if name != "action"
    ]
    facts = page.facts({"action": motion["action"], "details": joined(page.texts, details) if details else None})
    example = page.say("clarification.wish_answer")
    return one.model_copy(update={"label": line(page.say("clarification.motion", facts)), "example": example})


def _question(
    page: Page,
    reason: str,
    offered: Sequence[Candidate],
    missing: str | None,
    intent: str | None,
    values: Sequence[str],
    wish: Wish | None,
) -> str:
    if reason == NOT_AN_ANSWER:
        again = _question(page, "", offered, missing, intent, values, wish)
        return lines(page.say("clarification.again"), again)
    if missing is not None and values:
        return page.say("clarification.two_values", page.facts({"slot": missing, "values": joined(page.texts, values)}))
    if missing is not None:
        return _ask_for(page, missing, intent)
    if reason in STOP_NOW:
        return page.say("clarification.stop_now")
    if wish is not None and len(offered) == 1:
        asked = page.say("clarification.wish", {"motion": offered[0].label})
        rest = page.say("clarification.beside", {"words": joined(page.texts, wish.beside)}) if wish.beside else ""
        return lines(asked, rest, page.say("clarification.wish_footer"))
    if not offered:
        return page.say("clarification.too_many", {"fields": _fields(page)})
    options = [page.say("layout.numbered_example", {"n": c.n, "text": c.label, "example": c.example}) for c in offered]
    numbers = page.say("layout.slash_join").join(str(c.n) for c in offered)
    footer = page.say("clarification.footer", {"numbers": numbers, "fields": _fields(page)})
    return lines(page.say("clarification.heading"), *options, footer)


def _ask_for(page: Page, missing: str, intent: str | None) -> str:
    given: dict[str, Fact | None] = {"slot": missing, "example": slot_example(page.texts, page.audience, missing)}
    if intent is not None:
        given["intent"] = page.texts.word("intent", intent)
    return page.say("clarification.missing", page.facts(given))


def _fields(page: Page) -> str:
    named = [
        page.say("clarification.field", {"label": page.texts.word("slot", slot), "name": slot})
        for slot, needed in KEY_FIELDS
        if needed is None or page.audience.may(needed)
    ]
    return page.say("clarification.field_join").join(named)


def _caution(page: Page, code: str, facts: Facts) -> Caution:
    key = f"confirmation_warning.{code}"
    return Caution(code=code, text=line(page.say(key, page.facts(facts)) if page.texts.has(key) else code))


def _checks(page: Page, checked: Sequence[Check]) -> str:
    if not checked:
        return ""
    return page.say("confirmation.checks", {"checks": joined(page.texts, [c.text for c in checked])})


def _unit(score: float) -> float:
    return max(0.0, min(1.0, score))
