"""How long the rules take to read a sentence, with the shipped phrases alone and with ten thousand more.

The floor is the same sentences read by the shipped phrases; the figure is the site's router, turn and turn about. A
cost that grew with the number of phrases would show as a ratio near their quotient (17 or more), not near one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from offline_rules.router import Router
from tests.bench.figure import Figure, beside_floor, quantile

WORDS = 100
"""Of each of the two words a phrase: 100 x 100 phrases."""
ROUNDS = 3
CASES = Path(__file__).resolve().parents[2] / "labeled_cases" / "sentences"


def rules_read() -> Figure:
    """Milliseconds a sentence at 10,000 phrases and more, beside the shipped ones alone."""
    with TemporaryDirectory() as folder:
        Path(folder, "site.toml").write_text(_pack(), encoding="utf-8")
        large = Router.load([Path(folder)])
    small = Router.load()
    sentences = [*_labelled(), *(f"check dial{n} gauge{WORDS - 1 - n} glass" for n in range(WORDS))]
    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for text in sentences:
            for router, times in zip((small, large), took, strict=True):
                times.append(_ms(router, text))
    print(
        f"rules_read p95: {quantile(took[0], 0.95):.3f} ms shipped, {quantile(took[1], 0.95):.3f} ms with 10,000 more"
    )
    return beside_floor("rules_read", took[1], took[0])


def _ms(router: Router, text: str) -> float:
    start = time.process_time()
    router.read(text)
    return (time.process_time() - start) * 1000


def _pack() -> str:
    lines = [f'p{a}_{b} = "[<look>] dial{a} gauge{b} {{item}}"' for a in range(WORDS) for b in range(WORDS)]
    return "\n".join(['intent = "QUERY_RULE"', 'lang = "en"', "[[group]]", "cover = 0.9", "[group.phrases]", *lines])


def _labelled() -> Iterator[str]:
    for path in sorted(CASES.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["text"]
