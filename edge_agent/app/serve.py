"""The agent's life as a process: up, until it is told to end."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from typing import Final

from edge_agent.adapters import systemd
from edge_agent.adapters.journal.errors import JournalRefused
from edge_agent.adapters.log import log
from edge_agent.app.site import Options, site
from edge_agent.settings import Settings

EX_DATAERR: Final = 65
"""sysexits.h "data error": no journal, or one that cannot be trusted. The unit file does not restart after it."""

_log = log("app")


async def serve(settings: Settings, options: Options) -> int:
    """Returns the process's exit status. The process is the agent's alone, so the lab may end it at once."""
    options = replace(options, die=_killed)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stopping.set)
    try:
        async with site(settings, options) as running:
            options.on_ready()
            systemd.notify(os.environ.get("NOTIFY_SOCKET"), systemd.READY)
            await running.until(stopping)
            systemd.notify(os.environ.get("NOTIFY_SOCKET"), systemd.STOPPING)
    except JournalRefused as refused:
        _log.error("journal_refused", why=str(refused))
        print(refused)
        return EX_DATAERR
    return 0


def _killed() -> None:
    """As if the power went: nothing is closed, nothing is written."""
    os.kill(os.getpid(), signal.SIGKILL)
