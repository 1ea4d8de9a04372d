"""From the phrases that fit to one outcome with its slots: which intent, which values, what is missing or doubled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from offline_rules.explicit import Explicit
from offline_rules.match import OBJECT, Hit
from offline_rules.normalise import Normal
from offline_rules.reading import Ambiguous, Intent, Lang, Match, NoMatch, Outcome, Slot, SlotName, Vague
from offline_rules.tokens import Token

NO_MATCH: Final = NoMatch("no_match_fallback_to_explain")
CONTROL_REASON: Final = "control_requires_llm_or_confirmation"

SLOTS_OF: Final[Mapping[Intent, tuple[SlotName, ...]]] = {
    Intent.QUERY_RULE: ("item_type",),
    Intent.QUERY_STATUS: ("device", "task_id"),
    Intent.SUBMIT_FEEDBACK: ("task_id",),
    Intent.DIAGNOSE: ("task_id", "device", "item_type", "window"),
    Intent.CONTROL_DEVICE: ("device", "item_type", "bin", "station", "speed"),
    Intent.GENERAL: (),
}
REQUIRED: Final[Mapping[Intent, tuple[SlotName, ...]]] = {
    Intent.QUERY_RULE: ("item_type",),
    Intent.SUBMIT_FEEDBACK: ("task_id", "text"),
}
REQUIRED_BY_ACTION: Final[Mapping[str, tuple[SlotName, ...]]] = {
    "pick": ("item_type",),
    "place": ("bin",),
    "pick_place": ("item_type", "bin"),
    "move": ("station",),
}
REASON: Final[Mapping[Intent, str]] = {
    Intent.QUERY_RULE: "keyword_rule",
    Intent.QUERY_STATUS: "keyword_status",
    Intent.SUBMIT_FEEDBACK: "keyword_feedback",
    Intent.DIAGNOSE: "keyword_diagnose",
    Intent.GENERAL: "keyword_general",
}
_GO: Final = ("<move>", "<go_to>", "<send>")
ACTION_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "home": ("<home>", "<home_verb>", "<go_home>", "<home_spot>", "<home_place>"),
    "pick": ("<pick>", "<take>"),
    "place": ("<place>",),
    "pick_place": ("<pick_and_place>", "<pick>", "<take>", "<carry>", "<place>"),
    "move": _GO,
    "open_gripper": ("<open_alone>", "<open>", "<open_zh>", "<ungrip>"),
    "close_gripper": ("<close_alone>", "<close>", "<close_zh>", "<grip>"),
    "park": ("<park_alone>", "<park>", "<park_verb>", "<park_place>"),
    "reset": ("<reset>", "<lift_lock>"),
}
"""The classes whose words an action stands on, the most telling first: in 让机械臂回零 it is 回零, not 让."""
_ORDER: Final = tuple(Intent)
_MUST_BE_ONE: Final = frozenset({"item_type", "bin", "station", "device", "task_id", "action"})
_MAY_BE_MORE: Final[Mapping[Intent, frozenset[SlotName]]] = {
    Intent.DIAGNOSE: frozenset({"item_type"}),
}
"""Who asks why paper ends up in the glass bin names two things and means one event: the first is looked into."""
_THING: Final = frozenset({OBJECT, "<foreign>", "<personal>"})
_FEEDBACK_HEADS: Final = frozenset({"<feedback>", "<note>", "<note_it>", "<task_word>"})
"""Where a phrase took in all of a sentence (报告一下 t42 玻璃裂了), what is left without these is its text."""
_CLOSE: Final = 0.01
"""Ranks nearer than this are a tie between intents."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An outcome with its slots. `commanded`: a command understood to the last word. `told`: the stretch of the
    normalised text that is what a feedback says; its words show no mood of the sentence."""

    outcome: Outcome
    slots: tuple[Slot, ...] = ()
    commanded: bool = False
    told: tuple[int, int] | None = None


def judge(normal: Normal, tokens: Sequence[Token], hits: Sequence[Hit], lang: Lang) -> Judged:
    """The outcome of a sentence from the phrases that fit it, best first."""
    if not hits:
        return unphrased(tokens)
    best = _best(hits, lang)
    if best.phrase.vague is not None:
        return Judged(Vague(best.phrase.rule_id.rpartition(":")[2], best.phrase.vague), _said(tokens, Intent.UNKNOWN))
    intent = best.phrase.intent
    told = _told(tokens, best) if intent is Intent.SUBMIT_FEEDBACK else None
    slots = (*_said(tokens, intent), *_own_slots(normal, tokens, best), *_text(normal, told))
    twice = _said_twice(slots, _MAY_BE_MORE.get(intent, frozenset()))
    if twice is not None:
        return Judged(Ambiguous("two_values", (_match(best, slots),), twice), slots)
    commanded = intent is Intent.CONTROL_DEVICE and best.whole
    return Judged(_match(best, slots), _once(slots), commanded, told)


def unphrased(tokens: Sequence[Token]) -> Judged:
    """No phrase stands: what was said stands by itself."""
    return Judged(NO_MATCH, _said(tokens, Intent.UNKNOWN))


def judge_explicit(form: Explicit) -> Judged:
    """The outcome of the explicit form: always a command, never a guess."""
    twice = _said_twice(form.slots)
    action = next(slot.value for slot in form.slots if slot.name == "action")
    missing = _missing(("device", *REQUIRED_BY_ACTION.get(action, ())), form.slots)
    match = Match(Intent.CONTROL_DEVICE, 1.0, "explicit", _control_reason(action, "explicit_form"), missing)
    if twice is not None:
        return Judged(Ambiguous("two_values", (match,), twice), form.slots)
    return Judged(match, _once(form.slots), not form.declined)


def _best(hits: Sequence[Hit], lang: Lang) -> Hit:
    """The highest rank; on a tie a clear command before all others, then in the order of the intents' table."""
    top = hits[0].rank
    commands = any(hit.whole for hit in hits if hit.phrase.intent is Intent.CONTROL_DEVICE)
    return min(
        (hit for hit in hits if top - hit.rank < _CLOSE),
        key=lambda hit: (hit.phrase.vague is not None, not (commands and hit.phrase.intent is Intent.CONTROL_DEVICE),
                         -hit.score, _ORDER.index(hit.phrase.intent), hit.phrase.lang != lang, hit.phrase.rule_id),
    )  # fmt: skip


def _match(hit: Hit, slots: Sequence[Slot]) -> Match:
    intent, action = hit.phrase.intent, hit.phrase.action
    required = REQUIRED_BY_ACTION.get(action, ()) if action else REQUIRED.get(intent, ())
    reason = _control_reason(action, CONTROL_REASON) if action else _reason(intent, slots)
    return Match(intent, round(hit.score, 3), hit.phrase.rule_id, reason, _missing(required, slots))


def _reason(intent: Intent, slots: Sequence[Slot]) -> str:
    """`keyword_rule+item_type`: the words that were found and the slots that came with them."""
    named = [slot.name for slot in slots if slot.name not in ("text", "window")]
    return "+".join([REASON[intent], *dict.fromkeys(named)])


def _control_reason(action: str, other: str) -> str:
    return "reset_is_local" if action == "reset" else other


def _missing(required: Iterable[SlotName], slots: Sequence[Slot]) -> SlotName | None:
    said = {slot.name for slot in slots}
    return next((name for name in required if name not in said), None)


def _said(tokens: Sequence[Token], intent: Intent) -> tuple[Slot, ...]:
    """The slot values of a sentence that its intent has a use for."""
    names = SLOTS_OF.get(intent)
    slots = (token.slot for token in tokens if token.slot is not None)
    return tuple(slot for slot in slots if names is None or slot.name in names)


def _own_slots(normal: Normal, tokens: Sequence[Token], hit: Hit) -> tuple[Slot, ...]:
    """Slots that come from the phrase: the action on its verb, a thing the cell does not know, a feedback's text."""
    taken = [tokens[index] for index in hit.taken]
    own: list[Slot] = []
    if hit.phrase.action:
        verb = _verb(taken, hit.phrase.action)
        own.append(Slot("action", hit.phrase.action, normal.span(verb.start, verb.end)))
    things = [t for t in taken if t.thing and t.keys <= _THING] if not _THING.isdisjoint(hit.phrase.asks()) else []
    if things:
        span = normal.span(things[0].start, things[-1].end)
        own.append(Slot("item_type", normal.original[span[0] : span[1]].strip(), span, known=False))
    if hit.phrase.intent is Intent.QUERY_STATUS:
        own += [Slot("alarms", t.text, normal.span(t.start, t.end)) for t in taken if "<alarm>" in t.keys][:1]
    return tuple(own)


def _verb(taken: Sequence[Token], action: str) -> Token:
    """The word an action stands on; for a site's own phrase, which may use words of its own, the first plain one."""
    said = (token for key in ACTION_WORDS.get(action, ()) for token in taken if key in token.keys)
    plain = (token for token in taken if token.slot is None and "<arm>" not in token.keys)
    return next(said, next(plain, taken[0]))


def _told(tokens: Sequence[Token], hit: Hit) -> tuple[int, int] | None:
    """Where a feedback says something: after its head and task number, up to where it asks to be noted."""
    said = [t for t in tokens if not (t.slot and t.slot.name == "task_id")]
    taken = {tokens[index].start for index in hit.taken}
    begins = 0 if hit.tail is None else tokens[hit.tail].start
    rest = _trimmed([t for t in said if t.start not in taken and t.start >= begins])
    rest = rest or _trimmed([t for t in said if t.keys.isdisjoint(_FEEDBACK_HEADS)])
    return (rest[0].start, rest[-1].end) if rest else None


def _text(normal: Normal, told: tuple[int, int] | None) -> tuple[Slot, ...]:
    """What a feedback says, as it was written."""
    if told is None:
        return ()
    span = normal.span(*told)
    return (Slot("text", normal.original[span[0] : span[1]].strip(), span),)


def _trimmed(tokens: list[Token]) -> list[Token]:
    """Without marks at its ends; empty where only marks and polite words are left."""
    while tokens and not any(c.isalnum() for c in tokens[0].text):
        tokens = tokens[1:]
    return tokens if any(not token.polite for token in tokens) else []


def _said_twice(slots: Sequence[Slot], may_be_more: frozenset[SlotName] = frozenset()) -> SlotName | None:
    values: dict[SlotName, str] = {}
    for slot in slots:
        if slot.name in _MUST_BE_ONE - may_be_more and values.setdefault(slot.name, slot.value) != slot.value:
            return slot.name
    return None


def _once(slots: Sequence[Slot]) -> tuple[Slot, ...]:
    """The first of each name; the same value said again adds nothing."""
    return tuple({slot.name: slot for slot in reversed(slots)}.values())[::-1]
