"""What is said to systemd: over a real socket of the same kind, and when the watchdog is fed."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge_agent.adapters.systemd import (
    READY,
    WATCHDOG,
    credential,
    feed,
    notify,
    state_folder,
    status,
    watchdog_period_s,
)

MAX_AGE_S = {"journal": 1.0, "broker": 5.0, "arm": 1.0}


@pytest.fixture(params=["path", "abstract"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    address = str(tmp_path / "notify") if request.param == "path" else f"@edge-agent-test-{tmp_path}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(address.replace("@", "\0", 1))
        listening.settimeout(5)
        yield listening, address


def test_a_message_arrives(server: tuple[socket.socket, str]) -> None:
    listening, address = server
    assert notify(address, READY)
    assert listening.recv(100) == b"READY=1"


@pytest.mark.parametrize("address", [None, "", "/nowhere/at/all"])
def test_without_systemd_nothing_is_sent_and_nothing_breaks(address: str | None) -> None:
    assert not notify(address, READY)


def test_a_full_socket_does_not_wait(tmp_path: Path) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(address)
        sent = [notify(address, READY) for _ in range(5_000)]
    assert sent[0]
    assert not sent[-1]


@pytest.mark.parametrize(
    ("ticks_s", "stale"),
    [
        ({"journal": 9.5, "broker": 6.0, "arm": 9.0}, ()),
        ({"journal": 8.9, "broker": 6.0, "arm": 9.0}, ("journal",)),
        ({"journal": 9.5, "broker": 4.9, "arm": 8.0}, ("broker", "arm")),
        ({"journal": 9.5, "broker": 6.0}, ("arm",)),
        ({}, ("journal", "broker", "arm")),
    ],
)
def test_the_watchdog_is_fed_only_while_all_answer(ticks_s: dict[str, float], stale: tuple[str, ...]) -> None:
    sent: list[str] = []
    assert feed(ticks_s, MAX_AGE_S, 10.0, sent.append) == stale
    assert (sent == [WATCHDOG]) is (stale == ())
    assert all(name in sent[0] for name in stale)


@pytest.mark.parametrize(("wanted", "period_s"), [("10000000", 10 / 3), ("0", None), ("", None), ("soon", None)])
def test_the_period_is_a_third(wanted: str, period_s: float | None) -> None:
    assert watchdog_period_s({"WATCHDOG_USEC": wanted}) == period_s


def test_a_status_is_one_short_line() -> None:
    assert status("a\nREADY=1" + "x" * 500).count("\n") == 0
    assert len(status("x" * 500)) < 220


def test_credentials_and_state(tmp_path: Path) -> None:
    (tmp_path / "mqtt-password").write_text("secret", encoding="utf-8")
    environ = {"CREDENTIALS_DIRECTORY": str(tmp_path), "STATE_DIRECTORY": "/var/lib/edge-agent:/var/lib/other"}
    assert credential("mqtt-password", environ) == tmp_path / "mqtt-password"
    assert credential("other", environ) is None
    assert credential("mqtt-password", {}) is None
    assert state_folder(environ) == Path("/var/lib/edge-agent")
    assert state_folder({}) is None
