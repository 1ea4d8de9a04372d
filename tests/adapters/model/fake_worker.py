"""A process that speaks the worker's lines and can do everything a model file may do to a process.

Started as `python fake_worker.py FOLDER MODE...`: the n-th process of a test takes the n-th mode, later ones the last.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

LABELS = 7
COLLECTED: list[str] = []
SCORES = [0.9, 0.05, 0.01, 0.01, 0.01, 0.01, 0.01]


def main() -> None:
    folder, modes = Path(sys.argv[1]), sys.argv[2:]
    born = len(list(folder.glob("born-*")))
    (folder / f"born-{born}-{os.getpid()}").touch()
    mode = modes[min(born, len(modes) - 1)]
    while line := sys.stdin.readline():
        request: dict[str, Any] = json.loads(line)
        if request["op"] != "load" and request.get("text", "").startswith("ok\n"):
            answer(request)  # the trial sentence
            continue
        misbehave(mode, request)
        answer(request)


def misbehave(mode: str, request: dict[str, Any]) -> None:
    loading = request["op"] == "load"
    if mode == "refuse" and loading:
        say({"ok": False, "kind": "refused", "text": "it is truncated or damaged"})
        time.sleep(60)
    if mode == "die_on_load" and loading:
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "die" and not loading:
        print("GGML_ASSERT(n > 0) failed", file=sys.stderr, flush=True)
        os.abort()
    if mode == "hang" and not loading:
        time.sleep(60)
    if mode == "garbage" and not loading:
        print("not a reply", flush=True)
        time.sleep(60)
    if mode == "nan" and not loading:
        print('{"ok": true, "values": [NaN], "input_tokens": 1}', flush=True)
        time.sleep(60)
    if mode == "too_long" and not loading:
        say({"ok": False, "kind": "too_long", "text": "602 tokens, a call brings 1 to 400"})
        time.sleep(60)
    if mode == "endless_line" and not loading:
        while True:
            sys.stdout.write("x" * 65_536)


def answer(request: dict[str, Any]) -> None:
    op = request["op"]
    if op == "load":
        say({"ok": True, "library": "fake", "n_vocab": 9, "prefix_from_cache": False, "mapped": bool(request["map"])})
    elif op == "score":
        say({"ok": True, "ms": 1.0, "values": SCORES, "input_tokens": 12})
    elif op == "options":
        n = len(request["options"])
        say({"ok": True, "values": [1 / n] * n, "input_tokens": 30, "cut": True})
    elif op in ("survey", "collect"):
        COLLECTED.append(op)
        say({"ok": True, "input_tokens": 12})
    elif op == "pick":
        say({"ok": True, "tokens": 2})
    elif op == "fit":
        rows = COLLECTED.count("collect")
        say({"ok": True, "tokens": [0, 1], "weights": [[0.0] * LABELS] * 2, "bias": [0.0] * LABELS, "rows": rows})
    elif op == "write":
        say({"ok": True, "text": '{"cause": null}', "input_tokens": 30, "output_tokens": 5})


def say(reply: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
