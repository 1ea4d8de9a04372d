"""However somebody ends it - Ctrl-C, a polite kill, a closed terminal - what was started is stopped in order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any, Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Ended(Exception):
    """A signal ended it; `by` is its number."""

    def __init__(self, by: signal.Signals) -> None:
        super().__init__(by.name)
        self.by = by


async def until_told_to_end(work: Coroutine[Any, Any, int], ending: Callable[[], None]) -> int:
    """What `work` returns. The first of `SIGNALS` cancels it and calls `ending`; the work is then waited for, and
    further signals change nothing: each part that is stopped has its own deadline. Raises `Ended`."""
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)
    by: list[signal.Signals] = []

    def end(which: signal.Signals) -> None:
        if not by:
            by.append(which)
            ending()
            task.cancel()

    for each in SIGNALS:
        loop.add_signal_handler(each, end, each)
    try:
        return await task
    except asyncio.CancelledError:
        if not by:
            raise
        raise Ended(by[0]) from None
    finally:
        for each in SIGNALS:
            loop.remove_signal_handler(each)
