"""From the rules' reading and the model's scores to one interpretation. Pure; readable top to bottom.

Order: stop → input that cannot be read → stop in doubt → suspicious → explicit form → bare reply → mood gate →
agreement of rules and model → slots, cell and model gate. Each stage either gives the interpretation or lets the
sentence pass.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias, assert_never

from edge_agent.understand import combine, leaning, mood, slots
from edge_agent.understand.clarify import ClarifyEvidence, candidates, order, should_clarify
from edge_agent.understand.combine import Verdict, Whose
from edge_agent.understand.interpretation import Disposition, Interpretation, Source
from edge_agent.understand.scores import IntentScore, NoUsableModel, Scores, by_falling_score, top_two
from edge_agent.understand.thresholds import Thresholds
from offline_rules.mood import asked_outright, trails_off
from offline_rules.reading import Ambiguous, Intent, Match, Mood, NoMatch, Reading, SlotName, StopSense, Vague
from offline_rules.stop_heard import BY_WORD

NEEDS_MODEL = "control_requires_llm_or_confirmation"
NO_MATCH = "no_match_fallback_to_explain"
RESET_IS_LOCAL = "reset_is_local"
OUT_OF_CELL = "out_of_cell"
MISSING_SLOT = "missing_slot"
DISAGREE = "rules_and_model_disagree"
STOP_BY_MODEL = "stop_heard_by_model_only"
STOP_IN_DOUBT = "stop_in_doubt"
NOTHING_PENDING = "nothing_pending"
TWO_VALUES = "two_values"
UNCLEAR = "unclear_wish"
BY_WORDS = "keyword_leaning"
WORDS, MODEL = "words", "model"
ASK_WHETHER = "wish_to_confirm"
UNPHRASED = frozenset({WORDS, MODEL})
"""Rule ids of a reading no phrase stands behind."""

UNREADABLE = frozenset({"empty_text", "too_long"})
"""Reasons of the rules that mean `INPUT_INVALID`."""

_BARE_EN = ("yes", "y", "yeah", "yep", "ok", "okay", "confirm", "confirmed", "no", "n", "1", "2", "3")
_BARE_ZH = ("确认", "确认执行", "是", "是的", "好", "好的", "对", "可以", "行", "嗯", "否", "不", "不是")
BARE_REPLIES = frozenset((*_BARE_EN, *_BARE_ZH))
"""An answer without a question does nothing."""

READS: dict[Intent, Disposition] = {
    Intent.QUERY_RULE: Disposition.ANSWER,
    Intent.QUERY_STATUS: Disposition.ANSWER,
    Intent.SUBMIT_FEEDBACK: Disposition.RECORD,
    Intent.DIAGNOSE: Disposition.DIAGNOSE,
    Intent.GENERAL: Disposition.EXPLAIN,
    Intent.UNKNOWN: Disposition.EXPLAIN,
    Intent.STOP: Disposition.STOP,
}
"""What follows where every needed slot is there; control has gates of its own."""

Model: TypeAlias = Scores | NoUsableModel


def asks_model(reading: Reading) -> bool:
    """Whether scores can change anything. Where not, no model is called: a stop waits for nobody."""
    return _before_scores(reading) is None


def interpret(reading: Reading, model: Model, thresholds: Thresholds) -> Interpretation:
    """One interpretation of one reading. `model` is the scores, or why there are none."""
    early = _before_scores(reading)
    if early is not None:
        return early
    found = slots.grounded(reading)
    scores = leaning.likely(reading, model, thresholds.leaning_weight)
    evidence = _evidence(reading, model, scores, thresholds)
    verdict = combine.verdict(reading, found, evidence)
    whose = combine.AGREEMENT[combine.said(reading.outcome), verdict]
    return _follow(whose, reading, model, _view(reading, model, scores, evidence, _source(whose, verdict, model)))


def _before_scores(reading: Reading) -> Interpretation | None:
    """Everything the model has no say in."""
    blank = _blank(reading)
    if reading.stop is StopSense.STOP:
        return replace(blank, intent=Intent.STOP, slots=(), disposition=Disposition.STOP, reason=_stop_reason(reading))
    if isinstance(reading.outcome, NoMatch) and reading.outcome.reason in UNREADABLE:
        return replace(blank, disposition=Disposition.REFUSE, reason=reading.outcome.reason)
    if reading.stop is StopSense.IN_DOUBT:
        offered = (IntentScore(Intent.STOP, 1.0),)
        return replace(blank, disposition=Disposition.CLARIFY, reason=STOP_IN_DOUBT, candidates=offered)
    if reading.suspicious is not None:
        return replace(blank, reason=reading.suspicious)
    if reading.explicit:
        return _explicit(reading, replace(blank, source="explicit"))
    if reading.normalised.strip(" .!。！") in BARE_REPLIES:
        return replace(blank, reason=NOTHING_PENDING)
    return _mood_gate(reading, blank)


def _stop_reason(reading: Reading) -> str:
    return reading.outcome.reason if isinstance(reading.outcome, Match) else BY_WORD


def _mood_gate(reading: Reading, blank: Interpretation) -> Interpretation | None:
    """A control wish that is no order is explained; an unclear sentence that is no wish is not asked back."""
    outcome, closed = reading.outcome, mood.reason(reading.mood)
    if _half_phrased(reading):
        return None
    if isinstance(outcome, Match) and not mood.lets_pass(outcome.intent, reading.mood):
        return _with_intent(replace(blank, reason=closed), outcome.intent)
    if isinstance(outcome, Vague | Ambiguous) and reading.mood not in mood.ASKED_BACK and not _breaks_off(reading):
        return replace(blank, reason=closed)
    wish = leaning.unclear(reading.leaning)
    if isinstance(outcome, Ambiguous) and outcome.candidates and _closed_to_all(outcome, reading.mood) and not wish:
        return _with_intent(replace(blank, reason=closed), outcome.candidates[0].intent)
    return None


def _breaks_off(reading: Reading) -> bool:
    """A fragment that looks like something taken back, and is only not finished: "Arm..."."""
    return trails_off(reading.normalised) and leaning.unclear(reading.leaning, unfinished=True)


def _half_phrased(reading: Reading) -> bool:
    """A phrase of a motion with more beside it, and all the words together speak of that motion: to be asked about."""
    outcome, action = reading.outcome, reading.slot("action")
    control = isinstance(outcome, Match) and outcome.intent is Intent.CONTROL_DEVICE
    same = reading.wished is not None and action is not None and reading.wished.value == action.value
    stated = control and same and reading.mood is Mood.STATEMENT
    return stated and leaning.sure_of(reading.leaning, Intent.CONTROL_DEVICE)


def _closed_to_all(outcome: Ambiguous, said: Mood) -> bool:
    """Two values for one slot are asked back whenever the sentence could be a wish: the question decides nothing."""
    if outcome.slot is not None and said is Mood.STATEMENT:
        return False
    return not any(mood.lets_pass(m.intent, said) for m in outcome.candidates)


def _explicit(reading: Reading, blank: Interpretation) -> Interpretation:
    """Counts as an order, with and without a model; `confirm=no` in it takes it back."""
    if reading.mood is not Mood.IMPERATIVE:
        return replace(blank, reason=mood.reason(reading.mood))
    if not isinstance(reading.outcome, Match):
        return replace(blank, disposition=Disposition.REFUSE, reason=reading.outcome.reason)
    view = _with_intent(blank, reading.outcome.intent)
    return _slot_gate(view, reading.outcome) or _proposed(view, "explicit_form")


def _follow(whose: Whose, reading: Reading, model: Model, view: Interpretation) -> Interpretation:
    match whose:
        case Whose.RULE:
            return _settle(_match_of(reading), reading, model, view)
        case Whose.HEARD | Whose.ONE_OF:
            return _settle(_match_heard(reading, view), reading, model, view)
        case Whose.ASK_BETWEEN:
            return _ask_between(_match_of(reading), view)
        case Whose.ASK_CANDIDATES:
            return _ask_candidates(reading, view)
        case Whose.ASK_SLOT:
            return _ask_slot(reading, view)
        case Whose.ASK_STOP:
            offered = tuple(s for s in view.scores if s.intent == Intent.STOP)
            return replace(view, disposition=Disposition.CLARIFY, reason=STOP_BY_MODEL, candidates=offered)
        case Whose.NOBODY:
            reason = reading.outcome.reason if isinstance(reading.outcome, NoMatch) else NO_MATCH
            return replace(_with_intent(view, Intent.UNKNOWN), reason=reason)
        case never:
            assert_never(never)


def _settle(match: Match, reading: Reading, model: Model, view: Interpretation) -> Interpretation:
    """One intent stands; now its mood, its slots, the cell, and for control whether a model is usable."""
    view, unphrased = _with_intent(view, match.intent), match.rule_id in UNPHRASED
    if unphrased and match.intent is Intent.CONTROL_DEVICE:
        view = replace(view, slots=slots.with_wished(reading, view.slots))
    if unphrased and match.intent is Intent.SUBMIT_FEEDBACK:
        if asked_outright(reading.normalised):
            return replace(view, reason=mood.reason(Mood.QUESTION))
        view = replace(view, slots=slots.with_whole_text(reading, view.slots))
    asked_whether = unphrased or _half_phrased(reading)
    if not mood.lets_pass(match.intent, reading.mood, unphrased=asked_whether):
        return replace(view, reason=mood.reason(reading.mood))
    twice = slots.twice(view.slots)
    if twice is not None:
        return replace(view, disposition=Disposition.CLARIFY, reason=TWO_VALUES, missing=twice)
    gated = _slot_gate(view, match)
    if gated is not None:
        return gated
    if match.intent is not Intent.CONTROL_DEVICE:
        return replace(view, disposition=READS[match.intent], reason=match.reason)
    if isinstance(model, NoUsableModel):
        return replace(view, reason=NEEDS_MODEL)
    if reading.mood is not Mood.IMPERATIVE:
        return _ask_whether(reading, view)
    return _proposed(view, "keyword_control" if match.reason == NEEDS_MODEL else match.reason)


def _slot_gate(view: Interpretation, match: Match) -> Interpretation | None:
    """Refused by name before anything is asked; asked for exactly one missing slot before anything is done."""
    control = match.intent is Intent.CONTROL_DEVICE
    refused = tuple(s for s in view.slots if not s.known) if control else ()
    action = view.slot("action")
    if control and action is not None and action.value == "reset":
        return replace(view, disposition=Disposition.REFUSE, reason=RESET_IS_LOCAL)
    if refused:
        return replace(view, disposition=Disposition.REFUSE, reason=OUT_OF_CELL, refused=refused)
    lacking: SlotName | None = match.missing or slots.missing(match.intent, view.slots)
    if lacking is None:
        return None
    return replace(view, disposition=Disposition.CLARIFY, reason=MISSING_SLOT, missing=lacking)


def _ask_whether(reading: Reading, view: Interpretation) -> Interpretation:
    """A wish to move that no phrase took in whole: one closed question with all that was understood of it, and with
    what was not."""
    offered = order((view.intent,), view.scores)
    return replace(view, disposition=Disposition.CLARIFY, reason=ASK_WHETHER, candidates=offered, beside=reading.beside)


def _ask_between(match: Match, view: Interpretation) -> Interpretation:
    """Rules and model each heard something else: the operator says which."""
    top, _ = top_two(view.scores)
    offered = order((match.intent, combine.INTENT_OF[top.intent]), view.scores)
    return replace(
        _with_intent(view, match.intent), disposition=Disposition.CLARIFY, reason=DISAGREE, candidates=offered
    )


def _ask_candidates(reading: Reading, view: Interpretation) -> Interpretation:
    """The rules' own candidates where they have any, else what the model finds likely."""
    outcome = reading.outcome
    named: tuple[Intent, ...] = ()
    if isinstance(outcome, Vague):
        named = outcome.candidates
    elif isinstance(outcome, Ambiguous):
        named = tuple(m.intent for m in outcome.candidates)
    offered = order(named, view.scores) if named else candidates(view.scores)
    unsure = view.evidence is not None and view.evidence["reason"] != "confident"
    reason = view.evidence["reason"] if view.evidence is not None and unsure else outcome.reason
    if reason == NO_MATCH:
        reason = UNCLEAR
    return replace(view, disposition=Disposition.CLARIFY, reason=reason, candidates=offered)


def _ask_slot(reading: Reading, view: Interpretation) -> Interpretation:
    """Two values for one slot: a question, never a choice."""
    if not isinstance(reading.outcome, Ambiguous):
        raise TypeError("only an ambiguous outcome names a slot with two values")
    among = reading.outcome.candidates
    view = _with_intent(view, among[0].intent) if among else view
    return replace(view, disposition=Disposition.CLARIFY, reason=reading.outcome.reason, missing=reading.outcome.slot)


def _blank(reading: Reading) -> Interpretation:
    """Explains nothing in particular: what every stage starts from."""
    return Interpretation(
        text=reading.original,
        lang=reading.lang,
        intent=Intent.UNKNOWN,
        slots=slots.grounded(reading),
        mood=reading.mood,
        disposition=Disposition.EXPLAIN,
        reason=NO_MATCH,
        source="rules",
        leaning_on=reading.leaning_on,
        suspicious=reading.suspicious,
        ignored=reading.ignored,
    )


def _view(reading: Reading, model: Model, scores: Scores, evidence: ClarifyEvidence, source: Source) -> Interpretation:
    cause = model.cause if isinstance(model, NoUsableModel) else None
    return replace(_blank(reading), evidence=evidence, source=source, scores=by_falling_score(scores), no_model=cause)


def _with_intent(view: Interpretation, intent: Intent) -> Interpretation:
    return replace(view, intent=intent, slots=slots.own(intent, view.slots))


def _proposed(view: Interpretation, reason: str) -> Interpretation:
    return replace(view, disposition=Disposition.PROPOSE_MOTION, reason=reason)


def _evidence(reading: Reading, model: Model, scores: Scores, thresholds: Thresholds) -> ClarifyEvidence:
    """The threshold is that of the best intent in the operator's language; the words alone have one of their own."""
    top, _ = top_two(scores)
    limit = thresholds.words_alone if isinstance(model, NoUsableModel) else thresholds.of(reading.lang, top.intent)
    return should_clarify(scores, min_top_score=limit.min_top_score, min_margin=limit.min_margin)[1]


def _source(whose: Whose, verdict: Verdict, model: Model) -> Source:
    if isinstance(model, NoUsableModel):
        return "rules"
    if whose in (Whose.HEARD, Whose.ASK_STOP):
        return "model"
    return "rules" if verdict in (Verdict.NOTHING, Verdict.ALONE) else "rules+model"


def _match_of(reading: Reading) -> Match:
    if not isinstance(reading.outcome, Match):
        raise TypeError("the agreement table gave the rules' reading to a sentence no rule matched")
    return reading.outcome


def _match_heard(reading: Reading, view: Interpretation) -> Match:
    """The likeliest intent, with what the rules know about it where it was one of their candidates."""
    top, _ = top_two(view.scores)
    intent = combine.INTENT_OF[top.intent]
    among = reading.outcome.candidates if isinstance(reading.outcome, Ambiguous) else ()
    by_words = view.no_model is not None
    rule_id, reason = (WORDS, BY_WORDS) if by_words else (MODEL, "model_above_threshold")
    bare = Match(intent=intent, score=top.score, rule_id=rule_id, reason=reason)
    return next((m for m in among if m.intent is intent), bare)
