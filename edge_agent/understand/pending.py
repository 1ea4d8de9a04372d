"""One question that waits for its answer: whose it is, how long it holds, and what an answer makes of it. Pure.

Rules
  * One pending question per user and channel; a new one takes the place of the old. It expires on the monotonic clock.
  * A number picks an option, a slot value fills the missing field, a rewrite is read as a request of its own. For a
    motion the answer must be that value and nothing else: "somebody is at B" names no station to go to.
  * Two rounds at most; after that a person decides (`HandOver`). A withdrawal ("算了", "no, don't") ends it.
  * An answer leads to a reading over the joined words of question and answer, so every slot still points to a span of
    what the operator wrote; the pipeline decides on it exactly as on a first sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from edge_agent.understand import slots
from edge_agent.understand.interpretation import Disposition, Interpretation
from edge_agent.understand.scores import IntentScore, Scores
from offline_rules.reading import Ambiguous, Bare, Intent, Match, Mood, NoMatch, Reading, Slot, SlotName, StopSense

MAX_ROUNDS = 2
EXPIRES_IN_S = 120.0
"""Long enough to look at a label on a bin, short enough that nobody answers yesterday's question."""

CHOSEN = "chosen_by_operator"
JOIN = " "
LONGEST_VALUE = 60
"""Characters of an answer that is a value and no more; what is longer is not even looked through."""

Read: TypeAlias = Callable[[str], Reading]
Key: TypeAlias = tuple[str, str]
"""User and channel."""


@dataclass(frozen=True, slots=True)
class Pending:
    reading: Reading
    intent: Intent
    options: tuple[Intent, ...]
    """Numbered from 1 as they were shown; empty where a field or a rewrite was asked for."""
    missing: SlotName | None
    round: int
    expires_at_s: float


@dataclass(frozen=True, slots=True)
class Joined:
    """Decide on `reading`. `scores` stand for the operator's own choice; with no usable model pass that instead."""

    reading: Reading
    scores: Scores
    round: int


@dataclass(frozen=True, slots=True)
class NewRequest:
    """The answer is a sentence of its own; the question is void."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The operator took the wish back; nothing follows."""


@dataclass(frozen=True, slots=True)
class AskAgain:
    pending: Pending


@dataclass(frozen=True, slots=True)
class HandOver:
    """Two rounds brought no clear wish: offer a person, and what works without understanding."""


@dataclass(frozen=True, slots=True)
class Expired:
    pass


Answered: TypeAlias = Joined | NewRequest | Withdrawn | AskAgain | HandOver | Expired


@dataclass(slots=True)
class PendingQuestions:
    """At most one for each user and channel, and at most `capacity` in all: the oldest makes room."""

    capacity: int = 256
    _by_key: dict[Key, Pending] = field(default_factory=dict)

    def ask(self, key: Key, pending: Pending) -> None:
        self._by_key.pop(key, None)
        while len(self._by_key) >= self.capacity:
            del self._by_key[next(iter(self._by_key))]
        self._by_key[key] = pending

    def of(self, key: Key) -> Pending | None:
        return self._by_key.get(key)

    def take(self, key: Key) -> Pending | None:
        return self._by_key.pop(key, None)

    def __len__(self) -> int:
        return len(self._by_key)


def question(
    reading: Reading, asked: Interpretation, *, now_s: float, round_no: int = 1, expires_in_s: float = EXPIRES_IN_S
) -> Pending | None:
    """What is to be remembered of a clarification. None when nothing was asked, or a person is due."""
    if asked.disposition is not Disposition.CLARIFY or round_no > MAX_ROUNDS:
        return None
    return Pending(
        reading=reading,
        intent=asked.intent,
        options=tuple(Intent(c.intent) for c in asked.candidates),
        missing=asked.missing,
        round=round_no,
        expires_at_s=now_s + expires_in_s,
    )


def answer(pending: Pending, text: str, read: Read, *, now_s: float) -> Answered:
    """What `text` makes of the question. Never called for a stop: every text has been looked through for one before."""
    if now_s >= pending.expires_at_s:
        return Expired()
    reply = read(text)
    if pending.options == (Intent.STOP,):
        return _whether_to_stop(pending, text, reply)
    if reply.stop is StopSense.IN_DOUBT:
        return NewRequest()
    if (reply.mood in WITHDRAWS and not _yes_all_the_same(pending, text)) or _declines(pending, text, reply):
        return Withdrawn()
    chosen = _chosen(pending, text)
    if chosen is not None:
        return _joined(pending, chosen, (), "")
    if _is_request(pending, reply):
        return NewRequest()
    filled = _fill(pending, text, reply, read)
    return filled if filled is not None else _again(pending)


def _whether_to_stop(pending: Pending, text: str, reply: Reading) -> Answered:
    """Who is asked whether the arm shall stop, and neither says no nor asks for something else, has said yes: 要,
    please, "yes now", the word in quotation marks, or a cry that is in doubt as the first one was."""
    calm = reply.stop is not StopSense.IN_DOUBT
    if calm and (_declines(pending, text, reply) or reply.mood in WITHDRAWS) and not _yes_all_the_same(pending, text):
        return Withdrawn()
    if calm and _is_request(pending, reply) and not _is_small_talk(reply):
        return NewRequest()
    return _joined(pending, Intent.STOP, (), "")


def _is_small_talk(reply: Reading) -> bool:
    return isinstance(reply.outcome, Match) and reply.outcome.intent is Intent.GENERAL


WITHDRAWS = frozenset({Mood.CANCEL, Mood.SELF_CORRECTION, Mood.NEGATION})
ANSWERS = frozenset({Mood.IMPERATIVE, Mood.STATEMENT})
"""A question, a condition or a quotation gives no value."""

_YES_EN = (
    "yes|y|yeah|yep|yup|ya|ok|okay|sure(?: thing)?|correct|right|exactly|confirm|confirmed|affirmative|absolutely|"
    "of course|indeed|do it|go ahead|please do|that's right|that is right|yes it is|aye|roger|fine|no problem"
)
_YES_ZH = (
    "是|是的|是啊|是滴|对|对的|对啊|对头|好|好的|好啊|好吧|好嘞|好滴|行|行的|行吧|可以|可以的|嗯|嗯嗯|确认|确定|没错|没问题|就是|"
    "就是这样|当然|要得|执行|确认执行"
)
_AFTER_YES = "please|thanks|thank you|sir|do it|go ahead|yes|谢谢|谢谢你|执行|就这样|是的|对|吧|的|啊"
YES = re.compile(rf"(?:(?:please|谢谢|麻烦了)[, ]*)?(?:{_YES_EN}|{_YES_ZH})(?:[,，、 ]*(?:{_AFTER_YES}))*")
_NO_EN = ("no", "n", "nope", "nah")
_NO_ZH = ("不", "否", "不是", "不对", "不用", "不行", "不要")
NO = frozenset((*_NO_EN, *_NO_ZH))
"""Answers to a question with one option."""
_NO_NEGATION = frozenset({"没错", "没问题", "没错就这样", "no problem"})
"""A yes with a word of denying in it."""

KEY_FIELD: dict[SlotName, Intent] = {
    "item_type": Intent.QUERY_RULE,
    "task_id": Intent.SUBMIT_FEEDBACK,
    "action": Intent.CONTROL_DEVICE,
}
"""The field the prompt names beside the numbers, and the option it stands for."""

_NUMBER = re.compile(r"(?:第|选|选择|option|number|no\.?|#)?\s*([1-9])\s*(?:号|个|项|\)|。|\.|!)?", re.IGNORECASE)

_ONE = re.compile(r"(?:选|选择|option)?\s*1\s*[).!]*", re.IGNORECASE)
"""The one option by its number: 1号 may be a bin."""

_AS_SAID: dict[SlotName, str] = {"bin": "bin {}", "station": "station {}", "task_id": "task {}", "device": "device {}"}
"""A bare value is read once more with the noun of the field that was asked for; the span stays on the value."""


_PEELED = re.compile(
    r"(?:(?:ok|okay|yes|just|only|it's|its|it is|make it|the|i said)[, ]+|"
    r"(?:那就|就|还是|是|要|我要|我说的是|选|嗯|当然)[,，、 ]*)*"
    r"(.+?)"
    r"(?:[,，、 ]*(?:then|please|pls|thanks|of course|好了|就行|就好|吧|嘛|那个|的)|[.!。！])*",
    re.IGNORECASE,
)
"""What leads to a value and what follows it, and says nothing."""
_SHORT = re.compile(
    r"(?:[a-z]|\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|[一二两三四五六七八九十])号?", re.IGNORECASE
)
"""A value without its noun; 一下 and "two glasses" are none."""


def _chosen(pending: Pending, text: str) -> Intent | None:
    """An option's number where options were shown; a bare yes where there was only one."""
    said = _plain(text)
    if len(pending.options) == 1:
        return pending.options[0] if YES.fullmatch(said) or _ONE.fullmatch(said) else None
    hit = _NUMBER.fullmatch(said)
    index = int(hit.group(1)) if hit else 0
    return pending.options[index - 1] if 0 < index <= len(pending.options) else None


def _declines(pending: Pending, text: str, reply: Reading) -> bool:
    """A no to one option; and where a motion is asked about, a stop word in what nobody understood."""
    no = len(pending.options) == 1 and _plain(text) in NO
    unread = reply.stop is StopSense.RULED_OUT and isinstance(reply.outcome, NoMatch)
    return no or (pending.intent is Intent.CONTROL_DEVICE and unread)


def _yes_all_the_same(pending: Pending, text: str) -> bool:
    return len(pending.options) == 1 and _plain(text) in _NO_NEGATION


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().casefold().strip(" .!。")


def _is_request(pending: Pending, reply: Reading) -> bool:
    """A rewrite: it says by itself what is wanted. A bare value is none, and neither is a repetition of the verb."""
    if reply.stop is StopSense.STOP or reply.explicit or reply.suspicious is not None:
        return True
    outcome = reply.outcome
    return isinstance(outcome, Match) and (outcome.missing is None or outcome.intent is not pending.intent)


def _fill(pending: Pending, text: str, reply: Reading, read: Read) -> Joined | None:
    """The answer's slot values: the field that was asked for, or the key field that tells the options apart."""
    values = slots.grounded(reply) if reply.mood in ANSWERS else ()
    wanted = pending.missing
    if wanted is None:
        intent = _by_key_field(pending, values)
        moves = intent is Intent.CONTROL_DEVICE and reply.bare is Bare.NO
        return None if intent is None or moves else _joined(pending, intent, values, reply.original)
    if wanted == "action":
        values = values if any(s.name == wanted for s in values) else _action(pending, reply, read)
    elif pending.intent is Intent.CONTROL_DEVICE:
        values = _value_of_a_motion(pending, wanted, text, read)
    elif not any(s.name == wanted for s in values):
        values = _bare_value(wanted, text, read)
    return _joined(pending, pending.intent, values, reply.original) if values else None


def _by_key_field(pending: Pending, values: tuple[Slot, ...]) -> Intent | None:
    named = (KEY_FIELD[s.name] for s in values if s.name in KEY_FIELD)
    return next((i for i in named if not pending.options or i in pending.options), None)


def _bare_value(wanted: SlotName, text: str, read: Read) -> tuple[Slot, ...]:
    said = text.strip()
    form = _AS_SAID.get(wanted)
    if form is None or not said:
        return ()
    prompted = read(form.format(said))
    value = prompted.slot(wanted)
    if value is None or prompted.mood not in ANSWERS:
        return ()
    start = text.index(said)
    return (replace(value, span=(start, start + len(said))),)


def _value_of_a_motion(pending: Pending, wanted: SlotName, text: str, read: Read) -> tuple[Slot, ...]:
    """The value and nothing beside it but what leads to it ("make it 2", 就B吧): "B is blocked" names no station to go
    to, "two glasses" no bin. A value for what was said before is asked about (`_joined`), any other is none."""
    if len(text) > LONGEST_VALUE:
        return ()
    found = _PEELED.fullmatch(text)
    said = found.group(1) if found is not None else text.strip()
    start, reply = text.find(said), read(said)
    values = slots.grounded(reply) if reply.mood in ANSWERS and reply.bare is Bare.VALUE else ()
    names = {s.name for s in values}
    if wanted in names and names - {wanted} <= {s.name for s in pending.reading.slots}:
        return tuple(replace(s, span=(s.span[0] + start, s.span[1] + start)) for s in values)
    if names or wanted not in _AS_SAID or not _SHORT.fullmatch(unicodedata.normalize("NFKC", said)):
        return ()
    return tuple(replace(s, span=(s.span[0] + start, s.span[1] + start)) for s in _bare_value(wanted, said, read))


def _action(pending: Pending, reply: Reading, read: Read) -> tuple[Slot, ...]:
    """The motion that question and answer speak of together: "放" means another one where an item was said before, and
    "the gripper" tells what "open" is to open. Where the question named one by itself, the answer must name it anew."""
    if reply.mood not in ANSWERS or reply.bare is Bare.NO:
        return ()
    offset = len(pending.reading.original) + len(JOIN)
    both = read(pending.reading.original + JOIN + reply.original)
    said = both.slot("action") or both.wished
    if said is None or (said.span[0] < offset and pending.reading.wished is not None):
        return ()
    action = replace(said, span=(said.span[0] - offset, said.span[1] - offset))
    return (action, *(s for s in slots.grounded(reply) if s.name != "action"))


def _joined(pending: Pending, intent: Intent, values: tuple[Slot, ...], words: str) -> Joined:
    """The first reading with the operator's answer in it. A value said anew takes the place of the old ones only for
    the field that was asked for; any other field with a second value is asked back."""
    old = pending.reading
    offset = len(old.original) + len(JOIN)
    moved = tuple(replace(s, span=(s.span[0] + offset, s.span[1] + offset)) for s in values)
    kept = tuple(s for s in old.slots if s.name != pending.missing)
    clash = next((n.name for n in moved for s in kept if s.name == n.name and s.value != n.value), None)
    new_names = {s.name for s in moved}
    merged = (*(s for s in kept if s.name not in new_names), *moved)
    if intent is Intent.CONTROL_DEVICE:
        merged = slots.with_wished(old, merged)
    match = Match(intent, 1.0, CHOSEN, CHOSEN, missing=slots.missing(intent, merged))
    text = old.original + JOIN + words if words else old.original
    reading = replace(
        old,
        original=text,
        normalised=old.normalised + JOIN + words if words else old.normalised,
        mood=_mood(old),
        slots=merged,
        stop=StopSense.STOP if intent is Intent.STOP else old.stop,
        outcome=match if clash is None else Ambiguous("two_values", (match,), clash),
    )
    return Joined(reading, (IntentScore(intent, 1.0),), pending.round + 1)


def _mood(old: Reading) -> Mood:
    """Picking an option, or filling the field one was asked for, is the order; a question stays a question."""
    return Mood.IMPERATIVE if old.mood is Mood.STATEMENT else old.mood


def _again(pending: Pending) -> AskAgain | HandOver:
    if pending.round >= MAX_ROUNDS:
        return HandOver()
    return AskAgain(replace(pending, round=pending.round + 1))
