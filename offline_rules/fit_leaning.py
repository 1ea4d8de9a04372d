"""Fits the leaning's table on labelled sentences: `python -m offline_rules.fit_leaning OUT FIT.jsonl OTHERS.jsonl …`.

Lines `{"text", "intent"}`; without `intent` a line is none of ours. The first file's digest is kept with the table.

Multinomial logistic regression by AdaGrad with an L2 penalty; plain Python, so that the same sentences give the same
table on every machine. Groups that were seen once and weights that say nothing are left out.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from offline_rules.leaning import LEANS, PER_UNIT, groups
from offline_rules.reading import Intent
from offline_rules.router import Router

ROUNDS: Final = 8
RATE: Final = 0.15
PENALTY: Final = 2e-5
SEEN_AT_LEAST: Final = 2
WORTH_KEEPING: Final = 12
"""Hundredths: a group none of whose weights reaches this is left out."""

Labelled = tuple[frozenset[str], Intent]


def labelled(files: Sequence[Path], router: Router) -> list[Labelled]:
    """Lines `{"text", "intent", …}`; raises `KeyError` or `ValueError` for a line that is none."""
    found = []
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            said = json.loads(line)
            found.append((groups(router.tokens(said["text"])), Intent(said.get("intent", Intent.GENERAL))))
    return found


def fit(sentences: Sequence[Labelled]) -> dict[str, tuple[int, ...]]:
    """Rows of the table; the empty group is the bias."""
    seen = Counter(group for said, _ in sentences for group in said)
    kept = {group for group, times in seen.items() if times >= SEEN_AT_LEAST}
    rows: dict[str, list[float]] = {group: [0.0] * len(LEANS) for group in ("", *sorted(kept))}
    squares: dict[str, list[float]] = {group: [1e-2] * len(LEANS) for group in rows}
    work = [(("", *sorted(said & kept)), LEANS.index(intent)) for said, intent in sentences]
    for turn in range(ROUNDS):
        for at in sorted(range(len(work)), key=lambda at: hashlib.sha256(f"{turn} {at}".encode()).digest()):
            _step(*work[at], rows, squares)
    scaled = {group: tuple(round(weight * PER_UNIT) for weight in row) for group, row in rows.items()}
    return {g: row for g, row in scaled.items() if g == "" or max(map(abs, row)) >= WORTH_KEEPING}


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


def written(rows: dict[str, tuple[int, ...]], digest: str) -> str:
    """As `parse_table` reads it."""
    return "".join([f"{digest}\n", *(f"{group}\t{' '.join(map(str, row))}\n" for group, row in sorted(rows.items()))])


def digest_of(sentences: bytes) -> str:
    return hashlib.sha256(sentences).hexdigest()


def main(out: Path, files: Sequence[Path]) -> None:
    table = written(fit(labelled(files, Router.load())), digest_of(files[0].read_bytes()))
    out.write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
