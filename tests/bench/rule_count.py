"""The rules at 200 and at 10,000 templates, beside `hassil` on the same templates and sentences, where it is installed.

Each round builds nothing: both hold their templates, and the same sentences go through one and the other in turn.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from offline_rules.lexicon import default_lexicon
from offline_rules.packs import load_packs
from offline_rules.router import Router
from tests.bench.figure import Figure, quantile

FEW, MANY = 200, 10_000
SENTENCES = 60
PEER = "hassil, same templates"

Read = Callable[[str], object]


def rules_few() -> Figure:
    """Milliseconds a sentence of the rules at 200 templates."""
    return _figure("rules_200", FEW, floor=None)


def rules_many() -> Figure:
    """The same at 10,000; the floor is the time at 200."""
    return _figure("rules_10000", MANY, floor=FEW)


def templates(count: int) -> Iterator[str]:
    """Every pair of words once; both read this notation."""
    for n in range(count):
        a, b = divmod(n, 100)
        yield f"[please] check dial{a} gauge{b} {{item}}"


def spoken(count: int) -> list[str]:
    """Sentences spread over all templates, a third of them of none."""
    step = max(1, count // SENTENCES)
    for_each = [divmod(n, 100) for n in range(0, count, step)]
    said = [f"check dial{a} gauge{b} {('glass', 'metal', 'paper')[n % 3]}" for n, (a, b) in enumerate(for_each)]
    return [text.replace("check", "polish") if n % 3 == 2 else text for n, text in enumerate(said)]


def ours(count: int) -> Router:
    lines = [f'p{n} = "{own}"' for n, own in enumerate(templates(count))]
    with TemporaryDirectory() as folder:
        head = ['intent = "QUERY_RULE"', 'lang = "en"', "[[group]]", "cover = 0.9", "[group.phrases]"]
        Path(folder, "site.toml").write_text("\n".join([*head, *lines]), encoding="utf-8")
        return Router.of(load_packs([Path(folder)]), default_lexicon())


def peer(count: int) -> Read | None:
    """The peer's reader of the same templates; None where it is not installed."""
    try:
        hassil: Any = importlib.import_module("hassil")
    except ModuleNotFoundError:
        return None
    items = [{"in": word, "out": word} for word in ("glass", "metal", "paper", "plastic")]
    data = {
        "language": "en",
        "intents": {"Rule": {"data": [{"sentences": list(templates(count))}]}},
        "lists": {"item": {"values": items}},
    }
    intents = hassil.Intents.from_dict(data)
    return lambda text: hassil.recognize(text, intents)


def _figure(name: str, count: int, floor: int | None) -> Figure:
    sentences = spoken(count)
    own, other = _timed(ours(count).read, sentences), peer(count)
    low = _timed(ours(floor).read, spoken(floor)) if floor is not None else None
    theirs = _timed(other, sentences[:: max(1, count // 1_000)]) if other is not None else None
    p50 = quantile(own, 0.5)
    print(f"{name} p95: {quantile(own, 0.95):.3f} ms")
    return Figure(
        name=name,
        unit="ms",
        value=p50,
        p50=p50,
        p99=quantile(own, 0.99),
        floor=quantile(low, 0.5) if low else None,
        ratio=p50 / quantile(low, 0.5) if low else None,
        peer=quantile(theirs, 0.5) if theirs else None,
        peer_name=PEER if theirs else None,
        peer_ratio=quantile(theirs, 0.5) / p50 if theirs else None,
        n=len(own),
    )


def _timed(read: Read, sentences: Sequence[str]) -> list[float]:
    """Each sentence once to warm the caches, then three times."""
    took: list[float] = []
    for turn in range(4):
        for text in sentences:
            start = time.process_time()
            read(text)
            if turn:
                took.append((time.process_time() - start) * 1000)
    return took
