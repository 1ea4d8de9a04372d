"""The log: JSON lines with a priority, and no words of operators above debug."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge_agent.adapters.log import MAX_VALUE_CHARS, OPERATOR_WORDS, configure, log

WORDS = "让机械臂回零"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield io.StringIO()
    root.handlers[:], root.level = before


def lines(stream: io.StringIO) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for line in stream.getvalue().splitlines():
        priority, _, body = line.partition(">")
        found.append((priority + ">", json.loads(body)))
    return found


def test_one_object_a_line_with_its_priority(stream: io.StringIO) -> None:
    configure("info", stream)
    room = log("mqtt")
    room.debug("unseen")
    room.info("connected", port=1883, host="h")
    room.warning("slow", wait_s=1.5)
    room.error("gone\nor not")
    found = lines(stream)
    assert [(priority, fields["event"]) for priority, fields in found] == [
        ("<6>", "connected"),
        ("<4>", "slow"),
        ("<3>", "gone\nor not"),
    ]
    assert found[0][1] | {"room": "mqtt", "port": 1883, "host": "h", "level": "info"} == found[0][1]
    assert all("at" in fields for _, fields in found)


@pytest.mark.parametrize("key", sorted(OPERATOR_WORDS))
def test_words_of_operators_are_counted_not_shown(stream: io.StringIO, key: str) -> None:
    configure("info", stream)
    log("mqtt").warning("refused", **{key: WORDS})
    assert WORDS not in stream.getvalue()
    assert lines(stream)[0][1][f"{key}_chars"] == len(WORDS)


def test_at_debug_they_are_shown(stream: io.StringIO) -> None:
    configure("debug", stream)
    log("mqtt").debug("asked", text=WORDS)
    assert lines(stream)[0] == ("<7>", lines(stream)[0][1] | {"text": WORDS})


@pytest.mark.parametrize("value", [{"text": WORDS}, [{"text": WORDS}], object])
def test_a_record_in_a_field_shows_its_type_alone(stream: io.StringIO, value: object) -> None:
    configure("info", stream)
    log("mqtt").info("got", request=value)
    assert WORDS not in stream.getvalue()


def _choke() -> None:
    int(WORDS)


@pytest.mark.parametrize("ours", [True, False])
def test_an_exception_is_told_by_type_and_place(stream: io.StringIO, ours: bool) -> None:
    configure("info", stream)
    try:
        _choke()
    except ValueError:
        if ours:
            log("mqtt").error("failed", exc_info=True)
        else:
            logging.getLogger("library").exception("failed")
    priority, fields = lines(stream)[0]
    assert (priority, fields["event"], fields["exception"]) == ("<3>", "failed", "ValueError")
    assert "_choke" in fields["where"][-1]
    assert WORDS not in stream.getvalue()


def test_a_library_speaks_the_same_way(stream: io.StringIO) -> None:
    configure("info", stream)
    logging.getLogger("library").warning("lost %s", 3)
    priority, fields = lines(stream)[0]
    assert (priority, fields["event"], fields["logger"]) == ("<4>", "lost 3", "library")


def test_a_field_is_cut_and_a_path_is_text(stream: io.StringIO) -> None:
    configure("info", stream)
    log("journal").info("wrote", file=Path("/x"), note="n" * 10_000)
    fields = lines(stream)[0][1]
    assert fields["file"] == "/x"
    assert len(fields["note"]) == MAX_VALUE_CHARS + 1
