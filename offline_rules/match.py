"""Which phrases fit a sentence, by an index: each phrase is filed under its rarest word, and only the phrases filed
under a word of the sentence are looked at. So the cost follows the sentence, not the number of phrases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from offline_rules.packs import Phrase
from offline_rules.pattern import TEXT, Element, Elements
from offline_rules.reading import Mood, SlotName
from offline_rules.tokens import Token

OBJECT: Final = "{object}"
_MAX_OBJECT_TOKENS: Final = 6
"""A thing's name is no longer than this; more is a clause that nobody understood."""
_EPSILON: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase that fits, and the tokens it took (indices). `whole` = nothing but polite words was left over."""

    phrase: Phrase
    taken: tuple[int, ...]
    tail: int | None
    weight: float
    left: float
    whole: bool

    @property
    def score(self) -> float:
        return self.weight / (self.weight + self.left)

    @property
    def rank(self) -> float:
        return self.weight - self.left


@dataclass(frozen=True, slots=True)
class _Variant:
    bits: tuple[int, ...]
    mask: int
    tail: bool
    unless: int
    phrase: Phrase


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence as the matcher sees it: one bit a key, one number a token."""

    masks: tuple[int, ...]
    costs: tuple[float, ...]
    weights: tuple[float, ...]
    strict: tuple[bool, ...]
    any: int


class Matcher:
    """The index over all phrases. Built once; `hits` is pure."""

    __slots__ = ("_bits", "_index", "_object")

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        flat = [(phrase, elements) for phrase in phrases for elements in phrase.variants]
        counts = Counter(key for _, elements in flat for element in set(elements) for key in element)
        names = sorted({*counts, *(key for phrase, _ in flat for key in phrase.unless)} - {TEXT})
        self._bits = {key: 1 << n for n, key in enumerate(names)}
        self._object = self._bits.get(OBJECT, 0)
        self._index: dict[int, list[_Variant]] = {}
        for phrase, elements in flat:
            variant = self._variant(phrase, elements)
            for key in min((e for e in elements if e != (TEXT,)), key=lambda e: (sum(counts[k] for k in e), e)):
                self._index.setdefault(self._bits[key], []).append(variant)

    def hits(self, tokens: Sequence[Token], mood: Mood | None) -> list[Hit]:
        """Every phrase that fits, best first, at most one hit a phrase. `mood` is what the mood words said."""
        sentence = self._sentence(tokens)
        best: dict[str, Hit] = {}
        for variants in self._filed(sentence):
            self._try(variants, sentence, mood, best)
        return sorted(best.values(), key=lambda hit: (-hit.rank, -hit.score, hit.phrase.rule_id))

    def _filed(self, sentence: _Sentence) -> Iterable[list[_Variant]]:
        rest = sentence.any
        while rest:
            bit = rest & -rest
            rest ^= bit
            if bit in self._index:
                yield self._index[bit]

    def _try(self, variants: Sequence[_Variant], sentence: _Sentence, mood: Mood | None, best: dict[str, Hit]) -> None:
        missing = ~sentence.any
        for variant in variants:
            if variant.mask & missing or variant.unless & sentence.any:
                continue
            if variant.phrase.mood is not None and variant.phrase.mood is not mood:
                continue
            hit = self._align(variant, sentence)
            old = best.get(variant.phrase.rule_id)
            if hit is not None and (old is None or hit.rank > old.rank):
                best[variant.phrase.rule_id] = hit

    def _align(self, variant: _Variant, sentence: _Sentence) -> Hit | None:
        taken: list[int] = []
        at, count = 0, len(sentence.masks)
        for bit in variant.bits:
            while at < count and not sentence.masks[at] & bit:
                at += 1
            if at == count:
                return None
            taken.append(at)
            at += 1
            if bit == self._object:
                while at < count and sentence.masks[at] & bit and len(taken) <= _MAX_OBJECT_TOKENS:
                    taken.append(at)
                    at += 1
        if variant.tail and at == count:
            return None
        return _hit(variant, sentence, taken, at if variant.tail else None)

    def _sentence(self, tokens: Sequence[Token]) -> _Sentence:
        masks = tuple(self._mask(token) for token in tokens)
        union = 0
        for mask in masks:
            union |= mask
        names = Counter(token.slot.name for token in tokens if token.slot is not None)
        return _Sentence(
            masks,
            tuple(_cost(token, names) for token in tokens),
            tuple(token.weight for token in tokens),
            tuple(not token.polite for token in tokens),
            union,
        )

    def _mask(self, token: Token) -> int:
        mask = 0
        for key in token.keys:
            mask |= self._bits.get(key, 0)
        return mask | (self._object if token.thing else 0)

    def _variant(self, phrase: Phrase, elements: Elements) -> _Variant:
        bits = tuple(self._any(element) for element in elements if element != (TEXT,))
        needed = 0
        for bit in bits:
            needed |= bit if bit & (bit - 1) == 0 else 0
        return _Variant(bits, needed, elements[-1] == (TEXT,), self._any(tuple(phrase.unless)), phrase)

    def _any(self, keys: Element) -> int:
        """The bits of all keys together."""
        bits = 0
        for key in keys:
            bits |= self._bits[key]
        return bits


def _cost(token: Token, names: Mapping[SlotName, int]) -> float:
    """A second value of one slot is no stranger; it is asked about, once a phrase fits."""
    return 0.0 if token.slot is not None and names[token.slot.name] > 1 else token.cost


def _hit(variant: _Variant, sentence: _Sentence, taken: list[int], tail: int | None) -> Hit | None:
    end = len(sentence.costs) if tail is None else tail
    if variant.phrase.start and any(sentence.strict[: taken[0]]):
        return None
    inside = set(taken)
    left = sum(sentence.costs[i] for i in range(end) if i not in inside)
    weight = sum(sentence.weights[i] for i in taken)
    if weight / (weight + left) + _EPSILON < variant.phrase.cover:
        return None
    whole = not any(sentence.strict[i] for i in range(end) if i not in inside)
    if variant.phrase.wholly and not whole:
        return None
    return Hit(variant.phrase, tuple(taken), tail, weight, left, whole)
