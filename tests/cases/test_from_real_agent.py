"""What happened at an agent that really ran (broker, process, disk) becomes lines that come out the same."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from edge_agent.cases.commands import cases
from edge_agent.cases.files import read_paths
from edge_agent.cases.live_bench import bench
from edge_agent.cases.runner import run_lines
from tests.bench import raw_client
from tests.bench.raw_client import RawClient
from tests.bench.round_trips import message
from tests.bench.site import PREFIX, USERS, running_site

pytestmark = pytest.mark.net

REPORT = "feedback t121: Mr. Smith scratched the bottle, call +86 138 0013 8000"
COMES_OUT_AS = ("OFFLINE_ROUTE", "EXECUTE_VERIFIED", "OFFLINE_ROUTE", "EXPLAIN")
"""The agent runs without a model here, and a line says so."""


async def test_runs_of_a_real_agent_become_lines_that_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_client, "WAIT_S", 120.0)
    with running_site(model=False) as site:
        with _operator(site.broker.port) as client:
            runs = [_asked(client, "what is the rule for glass")["run"], _moved(client)]
            runs += [_asked(client, REPORT)["run"], _asked(client, "Can the arm go home?")["run"]]
        file = tmp_path / "mine.jsonl"
        for run in runs:
            words = ["from-run", run, "--settings", str(site.folder / "settings.toml"), "--append", str(file)]
            told = CliRunner().invoke(cases, words)
            assert told.exit_code == 0, told.output
    assert "Smith" not in file.read_text("utf-8")
    assert "8000" not in file.read_text("utf-8")
    ran = await run_lines(bench(), read_paths([file]), jobs=1)
    assert [(r.verdict.id, r.verdict.differs) for r in ran if not r.verdict.passed] == []
    assert tuple(r.verdict.expected for r in ran) == COMES_OUT_AS
    assert [r.verdict.frames for r in ran] == [0, 1, 0, 0]


def _operator(port: int) -> RawClient:
    return RawClient(port, "op1", USERS["op1"], (f"{PREFIX}/op/op1/run/+",))


def _moved(client: RawClient) -> str:
    """A motion that takes no travel, confirmed; the run that was confirmed."""
    client.send(f"{PREFIX}/op/op1/presence/here", b"HERE")
    time.sleep(0.2)
    asked = _asked(client, "action=open_gripper device=arm_01", attached="here")
    quoted = {name: asked[name] for name in ("epoch", "prompt_id", "digest")}
    done = _sent(client, "confirm", **quoted, confirm=True, attached="here")
    assert done["kind"] == "motion", done
    return str(done["run"])


def _asked(client: RawClient, text: str, **more: object) -> Mapping[str, Any]:
    return _sent(client, "ask", text=text, lang="en", **more)


def _sent(client: RawClient, kind: str, **fields: object) -> Mapping[str, Any]:
    """The content of its run, once it is over."""
    request_id, payload = message(kind, **fields)
    client.send(f"{PREFIX}/op/op1/req", payload)
    content: Mapping[str, Any] = {}
    while True:
        topic, body = client.take()
        event = json.loads(body)
        if topic.endswith(request_id) and event["type"] == "content":
            content = event
        if topic.endswith(request_id) and event["type"] == "done":
            return content
