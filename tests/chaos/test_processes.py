"""A run that is interrupted leaves no agent behind: each ends with the process that started it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from dataclasses import asdict

import pytest

from tests.chaos.site import POLL_S, WITHIN_S, AgentParent, Lane, is_gone

pytestmark = [pytest.mark.net, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(120)]

STARTER = """
import os, subprocess, sys, time
agent = subprocess.Popen([sys.executable, "-m", "tests.chaos.agent_process", sys.argv[1], str(os.getpid())])
print(agent.pid, flush=True)
time.sleep(600)
"""


async def _is_gone_soon(pid: int) -> bool:
    deadline_s = time.monotonic() + WITHIN_S
    while time.monotonic() < deadline_s:
        if is_gone(pid):
            return True
        await asyncio.sleep(POLL_S)
    return False


async def test_processes_a_forked_agent_ends_with_its_parent(here: Lane) -> None:
    site = await here.fresh()
    parent = await AgentParent.start()
    site.pid = await parent.fork(site.life())
    await site.ready("READY")
    parent.kill()
    assert await _is_gone_soon(site.pid)


async def test_processes_an_agent_of_its_own_interpreter_ends_with_whoever_started_it(here: Lane) -> None:
    site = await here.fresh()
    life = json.dumps(asdict(site.life()))
    starter = await asyncio.create_subprocess_exec(sys.executable, "-c", STARTER, life, stdout=asyncio.subprocess.PIPE)
    assert starter.stdout is not None
    site.pid = int(await starter.stdout.readline())
    await site.ready("READY")
    starter.kill()
    await starter.wait()
    assert await _is_gone_soon(site.pid)


async def test_processes_an_agent_whose_parent_is_gone_already_does_not_begin(here: Lane) -> None:
    site = await here.fresh()
    command = (sys.executable, "-m", "tests.chaos.agent_process", json.dumps(asdict(site.life())), str(os.getppid()))
    ended = await asyncio.create_subprocess_exec(*command)
    assert await asyncio.wait_for(ended.wait(), WITHIN_S) == 1
    assert site.agent_log() == ""
