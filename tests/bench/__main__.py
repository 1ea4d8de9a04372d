"""`make bench`: every figure in one run, as a table, and with BENCH_JSON=FILE as JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from tests.bench.class_8 import class_8
from tests.bench.diagnosis import diagnosis_5_tools
from tests.bench.figure import Figure, save, table
from tests.bench.model_decision import model_decision
from tests.bench.page import page_death, page_event, page_server, page_usable, pages_20, pages_20_p99
from tests.bench.round_trips import command_round_trip, query_round_trip
from tests.bench.rule_count import rules_few, rules_many
from tests.bench.rules import rules_read
from tests.bench.stop_path import stop_path

FIGURES: dict[str, Callable[[], Figure]] = {
    "query_round_trip": query_round_trip,
    "command_round_trip": command_round_trip,
    "stop_path": stop_path,
    "diagnosis_5_tools": diagnosis_5_tools,
    "class_8": class_8,
    "rules_read": rules_read,
    "rules_200": rules_few,
    "rules_10000": rules_many,
    "model_decision": model_decision,
    "page_usable": page_usable,
    "page_event": page_event,
    "page_death": page_death,
    "pages_20": pages_20,
    "pages_20_p99": pages_20_p99,
    "page_server": page_server,
}


def main(names: list[str]) -> None:
    figures = []
    for name in names or list(FIGURES):
        print(f"measuring {name}", file=sys.stderr, flush=True)
        figures.append(FIGURES[name]())
    print(table(figures))
    if wanted := os.environ.get("BENCH_JSON"):
        save(Path(wanted), figures)


if __name__ == "__main__":
    main(sys.argv[1:])
