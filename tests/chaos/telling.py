"""Many stories over a few lanes side by side: most of a story is waiting."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.chaos.episode import Story, Tally, Told, tell
from tests.chaos.site import Lane, NotReached, lane

LANES = 3
TRIES = 3
"""On a machine that is busy with other things a step between two looks at the controller can be missed."""


ENOUGH = 10
"""Sentences of the checker after which the rest would only say the same."""


@dataclass(slots=True)
class Report:
    tally: Tally = field(default_factory=Tally)
    wrong: list[str] = field(default_factory=list)
    told: list[tuple[Story, Told]] = field(default_factory=list)


async def tell_all(stories: Sequence[Story], lanes: int = LANES) -> Report:
    report, waiting = Report(), deque(stories)

    async def work() -> None:
        async with lane() as here:
            while waiting and len(report.wrong) < ENOUGH:
                await _tell(waiting.popleft(), here, report)

    await asyncio.gather(*(work() for _ in range(min(lanes, len(stories)))))
    return report


async def _tell(story: Story, here: Lane, report: Report) -> None:
    for _ in range(TRIES):
        try:
            told = await tell(story, here, report.tally)
        except NotReached as late:
            report.wrong.append(f"{story}: {late}")
            return
        report.wrong.extend(f"{story}: {what}" for what in told.wrong)
        report.told.append((story, told))
        if told.reached:
            return
    report.wrong.append(f"{story}: the step was never reached")
