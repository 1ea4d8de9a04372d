"""The model process: one JSON line in, one JSON line out, until its parent ends it or it ends itself.

Started as `python -m edge_agent.adapters.model.worker PARENT_PID`. Whatever a model file does to a process (crash,
hang, memory), it does here. The first line must be `load`; an answer is `{"ok": true, ...}` or
`{"ok": false, "kind", "text"}`.
Nothing else may write to the protocol's stream: the process's own standard output is turned to standard error first.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from edge_agent.adapters.model import fitting, process_limits
from edge_agent.adapters.model.engine import LIBRARY_VERSION, Aborted, Engine, EngineRefused, TooLong, grammar_of
from edge_agent.adapters.model.wire import MAX_LINE_BYTES

Line: TypeAlias = dict[str, Any]
"""The parent is the same code and checks what comes back; from operators there are only texts to score."""

TRIAL_SCHEMA = '{"type": "object", "properties": {"cause": {"enum": [null, "x"]}}, "required": ["cause"]}'


@dataclass(slots=True)
class Loaded:
    engine: Engine
    words: tuple[str, ...]
    word_tokens: list[int]
    fitted: fitting.FittedMap | None
    survey: fitting.Survey | None = None
    rows: list[fitting.Rows] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    picked: list[int] = field(default_factory=list)


def main() -> int:
    if not process_limits.bind_to_parent(int(sys.argv[1])):
        return 1
    process_limits.give_way()
    reader, writer = _own_streams()
    loaded: Loaded | None = None
    while line := reader.readline(MAX_LINE_BYTES):
        request: Line = json.loads(line)
        reply, loaded = _serve(request, loaded)
        writer.write(json.dumps(reply).encode() + b"\n")
        writer.flush()
    return 0


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    writer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, writer


def _serve(request: Line, loaded: Loaded | None) -> tuple[Line, Loaded | None]:
    started = time.monotonic()
    try:
        if request["op"] == "load":
            loaded = _load(request)
            reply = _ready(loaded)
        elif loaded is None:
            raise EngineRefused("no model is loaded")
        else:
            loaded.engine.within(float(request["budget_s"]))
            reply = OPERATIONS[request["op"]](request, loaded)
    except EngineRefused as refused:
        return {"ok": False, "kind": "refused", "text": str(refused)}, loaded
    except Aborted:
        return {"ok": False, "kind": "aborted", "text": "the budget was spent inside the model"}, loaded
    except TooLong as long:
        return {"ok": False, "kind": "too_long", "text": str(long)}, loaded
    return {"ok": True, "ms": (time.monotonic() - started) * 1000, **reply}, loaded


def _load(request: Line) -> Loaded:
    process_limits.cap_memory(int(request["memory_bytes"]))
    engine = Engine(
        Path(request["model"]),
        request["prefix"],
        threads=int(request["threads"]),
        cache_dir=Path(request["cache_dir"]) if request["cache_dir"] else None,
        model_sha256=request["model_sha256"],
    )
    words = tuple(request["words"])
    tokens = [engine.first_token(w) for w in words]
    known = [t for t in tokens if t is not None]
    if len(set(known)) != len(words):
        raise EngineRefused(f"its vocabulary has no token of its own for each of the words {', '.join(words)}")
    return Loaded(engine, words, known, _map_of(request["map"], engine.n_vocab))


def _map_of(given: Line | None, n_vocab: int) -> fitting.FittedMap | None:
    if given is None:
        return None
    tokens = np.asarray(given["tokens"], dtype=np.int64)
    if tokens.size == 0 or int(tokens.max()) >= n_vocab or int(tokens.min()) < 0:
        raise EngineRefused("its calibration was made for another vocabulary")
    return fitting.FittedMap(tokens, np.asarray(given["weights"], dtype=np.float64), np.asarray(given["bias"]))


def _ready(loaded: Loaded) -> Line:
    loaded.engine.try_grammar(grammar_of(TRIAL_SCHEMA))
    return {
        "library": LIBRARY_VERSION,
        "n_vocab": loaded.engine.n_vocab,
        "prefix_from_cache": loaded.engine.prefix_from_cache,
        "mapped": loaded.fitted is not None,
    }


def _score(request: Line, loaded: Loaded) -> Line:
    """Probabilities of the labels: through the fitted map, or the raw label words where there is none."""
    logits, count = loaded.engine.logits_after(request["text"])
    if loaded.fitted is not None:
        values = loaded.fitted.probabilities(logits)
    else:
        values = fitting.softmax(fitting.centred(logits[loaded.word_tokens]))
    return {"values": values.tolist(), "input_tokens": count}


def _options(request: Line, loaded: Loaded) -> Line:
    scores, count, cut = loaded.engine.option_scores(request["text"], request["options"])
    top = max(scores)
    shares = [math.exp(s - top) for s in scores]
    return {"values": [s / sum(shares) for s in shares], "input_tokens": count, "cut": cut}


def _write(request: Line, loaded: Loaded) -> Line:
    grammar = grammar_of(json.dumps(request["schema"]))
    text, tokens_in, tokens_out, cut = loaded.engine.write(request["text"], grammar, int(request["max_tokens"]))
    return {"text": text, "input_tokens": tokens_in, "output_tokens": tokens_out, "cut": cut}


def _forward(request: Line, loaded: Loaded) -> Line:
    """The bare pass over the same new tokens, for the comparison in the bench."""
    started = time.monotonic()
    _, count = loaded.engine.logits_after(request["text"])
    return {"input_tokens": count, "forward_ms": (time.monotonic() - started) * 1000}


def _survey(request: Line, loaded: Loaded) -> Line:
    if loaded.survey is None:
        loaded.survey = fitting.Survey(len(loaded.words), loaded.engine.n_vocab)
    logits, count = loaded.engine.logits_after(request["text"])
    loaded.survey.add(logits, int(request["label"]))
    return {"input_tokens": count}


def _pick(request: Line, loaded: Loaded) -> Line:
    if loaded.survey is None:
        raise EngineRefused("nothing was surveyed yet")
    best = loaded.survey.separating(int(request["how_many"]))
    loaded.picked = list(dict.fromkeys([*loaded.word_tokens, *best]))
    loaded.survey, loaded.rows, loaded.labels = None, [], []
    return {"tokens": len(loaded.picked)}


def _collect(request: Line, loaded: Loaded) -> Line:
    logits, count = loaded.engine.logits_after(request["text"])
    loaded.rows.append(logits[loaded.picked].copy())
    loaded.labels.append(int(request["label"]))
    return {"input_tokens": count}


def _fit(request: Line, loaded: Loaded) -> Line:
    """Fits the map, uses it from here on, and hands it over to be stored."""
    made = fitting.fit(loaded.rows, loaded.labels, loaded.picked, n_labels=len(loaded.words), l2=float(request["l2"]))
    loaded.fitted = made
    weights = [[round(w, 6) for w in row] for row in made.weights.tolist()]
    bias = [round(b, 6) for b in made.bias.tolist()]
    return {"tokens": made.tokens.tolist(), "weights": weights, "bias": bias, "rows": len(loaded.rows)}


OPERATIONS: dict[str, Callable[[Line, Loaded], Line]] = {
    "score": _score,
    "options": _options,
    "write": _write,
    "forward": _forward,
    "survey": _survey,
    "pick": _pick,
    "collect": _collect,
    "fit": _fit,
}

if __name__ == "__main__":
    raise SystemExit(main())
