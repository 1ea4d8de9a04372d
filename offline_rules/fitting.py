"""Fits the tables of weights on labelled sentences: `python -m offline_rules.fitting FOLDER FIT.jsonl OTHERS.jsonl …`.

Lines `{"text", "intent"}`; without `intent` a line is none of ours. The first file's digest is kept with the tables:
`leaning.tsv` for the intents, `cries.tsv` for a stop against all else.

The leaning is multinomial logistic regression by AdaGrad. The cries are logistic regression with an L2 penalty, solved
in its dual one sentence at a time (Yu, Huang and Lin, 2011): a stop must not hang on a group that was seen twice. Plain
Python, so that the same sentences give the same tables on every machine. Groups that were seldom seen and weights that
say nothing are left out.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from offline_rules import cries, leaning
from offline_rules.normalise import normalise
from offline_rules.reading import Intent
from offline_rules.router import Router
from offline_rules.weights import PER_UNIT, Weights, written

ROUNDS: Final = 8
RATE: Final = 0.15
PENALTY: Final = 2e-5
SEEN_AT_LEAST: Final = 2
WORTH_KEEPING: Final = 12
"""Hundredths: a group none of whose weights reaches this is left out."""
COST: Final = 0.5
"""Of a sentence read wrongly, against the size of the weights."""
CRY_ROUNDS: Final = 12
_LEAST_SHARE: Final = 1e-6
"""Of the cost: the dual has no value at its ends."""
CRY_SEEN_AT_LEAST: Final = 3
CRY_WORTH_KEEPING: Final = 2

Sentence = tuple[str, Intent]
Labelled = tuple[frozenset[str], int]
"""What is said, and the column it belongs to."""
Cried = tuple[frozenset[str], bool]


def sentences(files: Sequence[Path]) -> list[Sentence]:
    """Lines `{"text", "intent", …}`; raises `KeyError` or `ValueError` for a line that is none."""
    lines = (line for file in files for line in file.read_text(encoding="utf-8").splitlines())
    return [(said["text"], Intent(said.get("intent", Intent.GENERAL))) for said in map(json.loads, lines)]


def for_leaning(given: Sequence[Sentence], router: Router) -> list[Labelled]:
    return [(leaning.groups(router.tokens(text)), leaning.LEANS.index(intent)) for text, intent in given]


def for_cries(given: Sequence[Sentence]) -> list[Cried]:
    return [(cries.cry_groups(normalise(text).text), intent is Intent.STOP) for text, intent in given]


def fit(labelled: Sequence[Labelled], columns: int) -> Weights:
    """Rows of a table with that many columns; the empty group is the bias."""
    kept = _seen_at_least(SEEN_AT_LEAST, labelled)
    rows: dict[str, list[float]] = {group: [0.0] * columns for group in ("", *sorted(kept))}
    squares: dict[str, list[float]] = {group: [1e-2] * columns for group in rows}
    work = [(("", *sorted(said & kept)), column) for said, column in labelled]
    for turn in range(ROUNDS):
        for at in _shuffled(len(work), turn):
            _step(*work[at], rows, squares)
    scaled = {group: tuple(round(weight * PER_UNIT) for weight in row) for group, row in rows.items()}
    return {g: row for g, row in scaled.items() if g == "" or max(map(abs, row)) >= WORTH_KEEPING}


def fit_cries(cried: Sequence[Cried]) -> Weights:
    """Rows of a table with one column: how much more likely a stop than anything else."""
    kept = _seen_at_least(CRY_SEEN_AT_LEAST, cried)
    weights = dict.fromkeys(("", *sorted(kept)), 0.0)
    work = [(("", *sorted(said & kept)), 1.0 if stop else -1.0) for said, stop in cried]
    shares = [_LEAST_SHARE] * len(work)
    for (said, sign), share in zip(work, shares, strict=True):
        _add(weights, said, sign * share)
    for turn in range(CRY_ROUNDS):
        for at in _shuffled(len(work), turn):
            said, sign = work[at]
            before = shares[at]
            shares[at] = _share(sign * sum(map(weights.__getitem__, said)), float(len(said)), before)
            _add(weights, said, sign * (shares[at] - before))
    scaled = {group: (round(weight * PER_UNIT),) for group, weight in weights.items()}
    return {g: row for g, row in scaled.items() if g == "" or abs(row[0]) >= CRY_WORTH_KEEPING}


def _share(margin: float, curvature: float, share: float) -> float:
    """The share of one sentence that its own part of the dual asks for, the others kept: the zero of a rising function
    of the share, between 0 and `COST`, by Newton's steps held between what is too low and too high."""
    low, high, z = 0.0, COST, share
    for _ in range(30):
        slope = math.log(z / (COST - z)) + curvature * (z - share) + margin
        low, high = (z, high) if slope < 0.0 else (low, z)
        step = z - slope / (curvature + COST / (z * (COST - z)))
        step = step if low < step < high else (low + high) / 2
        if abs(step - z) < 1e-9:
            break
        z = step
    return min(max(z, _LEAST_SHARE), COST - _LEAST_SHARE)


def _add(weights: dict[str, float], said: Sequence[str], amount: float) -> None:
    for group in said:
        weights[group] += amount


def _seen_at_least(times: int, labelled: Iterable[tuple[frozenset[str], object]]) -> set[str]:
    seen = Counter(group for said, _ in labelled for group in said)
    return {group for group, often in seen.items() if often >= times}


def _shuffled(size: int, turn: int) -> list[int]:
    return sorted(range(size), key=lambda at: hashlib.sha256(f"{turn} {at}".encode()).digest())


def _step(said: Sequence[str], column: int, rows: dict[str, list[float]], squares: dict[str, list[float]]) -> None:
    sums = [sum(weights) for weights in zip(*(rows[group] for group in said), strict=True)]
    top = max(sums)
    grown = [math.exp(total - top) for total in sums]
    whole = sum(grown)
    gaps = [share / whole - (at == column) for at, share in enumerate(grown)]
    for group in said:
        row, square = rows[group], squares[group]
        for at, gap in enumerate(gaps):
            slope = gap + PENALTY * row[at]
            square[at] += slope * slope
            row[at] -= RATE * slope / math.sqrt(square[at])


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def main(folder: Path, files: Sequence[Path]) -> None:
    given, digest = sentences(files), digest_of(files[0].read_bytes())
    tables = {
        "leaning.tsv": fit(for_leaning(given, Router.load()), len(leaning.LEANS)),
        "cries.tsv": fit_cries(for_cries(given)),
    }
    for name, rows in tables.items():
        (folder / name).write_text(written(rows, digest), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
