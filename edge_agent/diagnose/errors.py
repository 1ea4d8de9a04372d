"""What leaves the loop as an exception, and what is raised where nothing can be released."""

from __future__ import annotations

from edge_agent.run.collection import StopReason


class CollectionStopped(Exception):
    """A tool was asked for after the loop had been told that no further evidence would be gathered."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(str(reason))
        self.reason = reason


class ModelGone(Exception):
    """The model died, timed out or answered what is no answer, inside the loop. One attempt, no second."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class ExecutionFailed(Exception):
    """Something nobody recognised broke out of the loop. Never recovered, whatever facts there are."""
