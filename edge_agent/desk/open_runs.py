"""The runs that are under way: who waits for each, and how it can be called off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from edge_agent.desk.speaker import Speaker
from edge_agent.desk.stream import Stream
from edge_agent.run.context import Run

MAX_OPEN = 64
"""More at once than one cell's people can wait for; beyond it a request is refused `busy`."""

OPERATOR_CANCEL = "operator_cancel"
CLIENT_GONE = "client_gone"


@dataclass(slots=True)
class OpenRun:
    run: Run
    speaker: Speaker
    stream: Stream
    on_the_arm: bool = False
    """A command of this run is stored: it is supervised to its end, whoever has left."""


class OpenRuns:
    def __init__(self) -> None:
        self._runs: dict[tuple[str, str], OpenRun] = {}
        """By user and id: two people may have hit upon the same id, and neither is to lose the other's run."""

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[OpenRun]:
        return iter(tuple(self._runs.values()))

    @property
    def full(self) -> bool:
        return len(self._runs) >= MAX_OPEN

    def put(self, open_run: OpenRun) -> None:
        self._runs[open_run.speaker.user, open_run.run.ids.run] = open_run

    def end(self, user: str, run_id: str) -> None:
        self._runs.pop((user, run_id), None)

    def get(self, user: str, run_id: str) -> OpenRun | None:
        return self._runs.get((user, run_id))

    def of(self, user: str, run_id: str | None = None) -> Iterable[OpenRun]:
        return [r for r in self if r.speaker.user == user and run_id in (None, r.run.ids.run)]

    def client_gone(self, user: str, client: str) -> list[OpenRun]:
        """Cancels what this client alone waited for; what is on the arm goes on."""
        gone = [r for r in self.of(user) if r.speaker.attached == client]
        for open_run in gone:
            open_run.stream.silent = True
            if not open_run.on_the_arm:
                open_run.run.cancel(CLIENT_GONE)
        return gone
