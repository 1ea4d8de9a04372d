"""The model process goes when its parent goes, also when it does not listen; and it leaves no core."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

GRANDCHILD = """
import os, sys, time
from edge_agent.adapters.model import process_limits
print(process_limits.bind_to_parent(int(sys.argv[1])), os.getpid(), flush=True)
time.sleep(60)
"""
PARENT = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1], str(os.getpid())], stdout=subprocess.PIPE, text=True)
print(child.stdout.readline(), end="", flush=True)
child.wait()
"""
LIMITS = """
import os, resource
from edge_agent.adapters.model import process_limits
process_limits.give_way()
process_limits.cap_memory(1 << 30)
print(os.nice(0), resource.getrlimit(resource.RLIMIT_CORE), resource.getrlimit(resource.RLIMIT_AS)[0])
"""


def state(pid: int) -> str:
    """One letter of the kernel's; a dead child that nobody has fetched yet is `Z`, which counts as dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "gone"


def test_it_dies_with_its_parent_without_reading_anything() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, GRANDCHILD], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        bound, pid = parent.stdout.readline().split()
        assert bound == "True"
        parent.kill()
    for _ in range(1_000):
        if state(int(pid)) in ("gone", "Z"):
            return
        time.sleep(0.01)
    raise AssertionError("the model process outlived its parent")


def test_a_parent_that_is_gone_already_is_noticed() -> None:
    code = "import sys; from edge_agent.adapters.model.process_limits import *; print(bind_to_parent(1))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert said.stdout.strip() == ("True" if os.getpid() == 1 else "False")


def test_it_gives_way_leaves_no_core_and_has_a_memory_cap() -> None:
    said = subprocess.run([sys.executable, "-c", LIMITS], capture_output=True, text=True, timeout=60, check=True)
    niceness, rest = said.stdout.split(" ", 1)
    assert int(niceness) >= 3
    assert rest.strip() == f"(0, 0) {1 << 30}"
