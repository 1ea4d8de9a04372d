"""From a text to what the rules read in it: the stages in their order, each a pure function of text and data.

`Router.read` is total: any text, of any length and content, gets a complete `Reading`. `IMPERATIVE` is given here and
only to a command that phrases understood to the last word, or to the explicit form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from offline_rules.checks import guard_sentences, static_problems
from offline_rules.explicit import Explicit, explicit_form
from offline_rules.leaning import groups, leaning_of, overrules, shipped_leaning, words_for
from offline_rules.lexicon import Lexicon, default_lexicon
from offline_rules.match import Matcher
from offline_rules.mood import spoken_mood
from offline_rules.normalise import MAX_CHARS, Normal, language, normalise
from offline_rules.outcome import Judged, judge, judge_explicit, unphrased
from offline_rules.packs import Pack, PackError, Problem, load_packs, shipped
from offline_rules.reading import (
    Ambiguous,
    Intent,
    Lang,
    Leaning,
    Match,
    Mood,
    NoMatch,
    Outcome,
    Reading,
    Slot,
    StopSense,
)
from offline_rules.stop_heard import Heard, hear
from offline_rules.suspicious import suspicious
from offline_rules.tokens import Token, tokenise
from offline_rules.vocabulary import Vocabulary, build_vocabulary, shipped_classes
from offline_rules.wish import bare, beside, wished

_BLANK: Final = "\u25a1"


class Router:
    """The loaded language: words, phrases and their index. Nothing in it changes after `load`."""

    __slots__ = ("_lexicon", "_lines", "_matcher", "_vocabulary", "packs")

    def __init__(self, packs: tuple[Pack, ...], vocabulary: Vocabulary, matcher: Matcher, lexicon: Lexicon) -> None:
        self.packs = packs
        self._vocabulary, self._matcher, self._lexicon = vocabulary, matcher, lexicon
        self._lines = {phrase.rule_id: (phrase.file, phrase.line) for pack in packs for phrase in pack.phrases}

    @staticmethod
    def load(packs: Sequence[Path] = (), lexicon: Lexicon | None = None) -> Router:
        """The shipped packs and the site's folders, for one cell. Raises `PackError` at the first problem."""
        cell = default_lexicon() if lexicon is None else lexicon
        loaded = load_packs((*shipped(), *packs))
        for problem in static_problems(loaded, all_classes(loaded), cell):
            raise PackError.of(problem)
        router = Router.of(loaded, cell)
        for problem in router.overmatched(guard_sentences()) if packs else ():
            raise PackError.of(problem)
        return router

    @staticmethod
    def of(packs: tuple[Pack, ...], lexicon: Lexicon) -> Router:
        """A router over packs that were read and checked."""
        phrases = [phrase for pack in packs for phrase in pack.phrases]
        literals = {key for phrase in phrases for key in phrase.asks() if key[0] not in "<{"}
        vocabulary = build_vocabulary(all_classes(packs), literals, lexicon)
        return Router(packs, vocabulary, Matcher(phrases), lexicon)

    def read(self, text: str) -> Reading:
        """What the rules read in a text. Never raises, whatever the text holds."""
        if len(text) > MAX_CHARS:
            return Reading(text, "", "en", StopSense.NONE, Mood.STATEMENT, NoMatch("too_long"))
        normal = normalise(text)
        lang = language(normal)
        heard = hear(normal.text)
        if heard.stop is StopSense.STOP:
            return _stopped(normal, lang, heard)
        if not normal.text.strip():
            return Reading(text, normal.text, lang, heard.stop, Mood.STATEMENT, NoMatch("empty_text"))
        form = explicit_form(text, self._lexicon)
        if form is not None:
            ruled_out = heard.stop is StopSense.IN_DOUBT
            return self._explicit(normal, form, StopSense.RULED_OUT if ruled_out else heard.stop)
        tokens = tokenise(normal, self._vocabulary, self._lexicon)
        judged, mood = self._free(normal, tokens)
        table, said = shipped_leaning(), groups(tokens)
        leaning = leaning_of(table, said)
        stop = heard.settled(judged.outcome, leaning)
        if stop is StopSense.STOP:
            return _stopped(normal, lang, heard)
        phrased = _partly_phrased(judged.outcome)
        if (phrased is not None and overrules(leaning, phrased)) or _misplaced(judged.outcome, leaning):
            judged, mood = unphrased(tokens), _spoken(normal, tokens) or Mood.STATEMENT
        wish = None if _settled(mood, judged.outcome) else _wished(normal, tokens)
        return Reading(
            text, normal.text, lang, stop, mood, judged.outcome, judged.slots, suspicious(normal), leaning=leaning,
            leaning_on=words_for(table, said, leaning[0].intent) if isinstance(judged.outcome, NoMatch) else (),
            wished=wish, beside=_beside(normal, tokens) if wish else (), bare=bare(tokens),
        )  # fmt: skip

    def tokens(self, text: str) -> tuple[Token, ...]:
        """How a text is cut; what the linter and `interpret` show."""
        return tokenise(normalise(text), self._vocabulary, self._lexicon)

    def fitting(self, text: str, mood: Mood | None) -> frozenset[str]:
        """The rule ids of all phrases that fit a sentence of that mood, the one that wins and the others."""
        return frozenset(hit.phrase.rule_id for hit in self._matcher.hits(self.tokens(text), mood))

    def overmatched(self, sentences: Iterable[tuple[str, str]]) -> Iterator[Problem]:
        """Phrases that claim a sentence labelled with another intent, as (text, intent)."""
        for text, intent in sentences:
            outcome = self.read(text).outcome
            claimed = outcome.intent.value if isinstance(outcome, Match) else None
            if isinstance(outcome, Match) and claimed != intent and outcome.rule_id in self._lines:
                file, line = self._lines[outcome.rule_id]
                key = outcome.rule_id.rpartition(":")[2]
                yield Problem(file, line, key, f"claims {text!r} for {claimed}, which is labelled {intent}")

    def _explicit(self, normal: Normal, form: Explicit, stop: StopSense) -> Reading:
        judged = judge_explicit(form)
        mood = Mood.NEGATION if form.declined else Mood.IMPERATIVE
        return Reading(
            normal.original, normal.text, language(normal), stop, mood, judged.outcome, judged.slots,
            explicit=True, ignored=form.ignored,
        )  # fmt: skip

    def _free(self, normal: Normal, tokens: Sequence[Token]) -> tuple[Judged, Mood]:
        spoken = _spoken(normal, tokens)
        hits = self._matcher.hits(tokens, spoken)
        judged = judge(normal, tokens, hits, language(normal))
        if judged.told is not None:
            start, end = judged.told
            spoken = spoken_mood(normal.text[:start] + _BLANK + normal.text[end:])
        return judged, _mood(spoken, judged)


def _stopped(normal: Normal, lang: Lang, heard: Heard) -> Reading:
    outcome = Match(Intent.STOP, 1.0, "stop", heard.reason)
    text, on = normal.original, heard.stands_on
    return Reading(text, normal.text, lang, StopSense.STOP, Mood.IMPERATIVE, outcome, leaning_on=on)


def all_classes(packs: Sequence[Pack]) -> dict[str, tuple[str, ...]]:
    """The shipped word classes with what packs add to them."""
    classes = {name: tuple(words) for name, words in shipped_classes().items()}
    for pack in packs:
        for name, words in pack.classes.items():
            classes[name] = (*classes.get(name, ()), *words)
    return classes


def _partly_phrased(outcome: Outcome) -> Intent | None:
    """The intent of a phrase that took in a part of the sentence alone. One that took in all of it stands, unless it
    is small talk; so does talk of a motion, whose mood decides, whatever the words lean to."""
    match outcome:
        case Match(intent=Intent.GENERAL):
            return Intent.GENERAL
        case (Match() as match) | Ambiguous(candidates=(Match() as match,)) if match.score < 1.0:
            return None if match.intent is Intent.CONTROL_DEVICE else match.intent
        case _:
            return None


def _misplaced(outcome: Outcome, leaning: Leaning) -> bool:
    """Two kinds of things where a rule for one seems asked ("plastic cup in glass bin"), and the words tell of what
    happened or ask why: nobody asks for a rule."""
    match outcome:
        case Ambiguous(candidates=(Match(intent=Intent.QUERY_RULE),), slot="item_type"):
            return leaning[0].intent in (Intent.SUBMIT_FEEDBACK, Intent.DIAGNOSE)
        case _:
            return False


def _settled(mood: Mood, outcome: Outcome) -> bool:
    """A command to the last word, or a phrase whose intent moves nothing: nobody need be asked what is wished."""
    return mood is Mood.IMPERATIVE or (isinstance(outcome, Match) and outcome.intent is not Intent.CONTROL_DEVICE)


def _wished(normal: Normal, tokens: Sequence[Token]) -> Slot | None:
    wish = wished(normal.text, tokens)
    return None if wish is None else Slot("action", wish.action, normal.span(wish.word.start, wish.word.end))


def _beside(normal: Normal, tokens: Sequence[Token]) -> tuple[str, ...]:
    spans = (normal.span(start, end) for start, end in beside(tokens))
    return tuple(normal.original[start:end] for start, end in spans)


def _spoken(normal: Normal, tokens: Sequence[Token]) -> Mood | None:
    return spoken_mood(_without_slots(normal, tokens))


def _without_slots(normal: Normal, tokens: Sequence[Token]) -> str:
    """Values are no words: 不锈钢 is no negation, `station A` no article."""
    text = normal.text
    for token in tokens:
        if token.slot is not None and token.slot.name not in ("window", "speed"):
            text = text[: token.start] + _BLANK * (token.end - token.start) + text[token.end :]
    return text


def _mood(spoken: Mood | None, judged: Judged) -> Mood:
    if spoken is not None:
        return spoken
    return Mood.IMPERATIVE if judged.commanded else Mood.STATEMENT
