"""What the worker process does to itself before it reads its first line. Linux.

It dies with its parent, leaves no core file, gives way to the arm, and cannot take more memory than it was granted.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal

_PR_SET_PDEATHSIG = 1
NICE = 3
"""Half the share of an ordinary process. At 10 a busy machine left it a thirtieth: decisions missed their deadline."""


def bind_to_parent(parent_pid: int) -> bool:
    """False when the parent is gone already: the signal is set only for a parent that dies from here on."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        return False
    return os.getppid() == parent_pid


def give_way() -> None:
    os.nice(NICE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def cap_memory(limit_bytes: int) -> None:
    """Address space, because a limit on resident memory does nothing on Linux."""
    resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
