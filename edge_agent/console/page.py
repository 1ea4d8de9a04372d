"""What the agent says to the console's user, as plain lines. The texts are the agent's own; here they only stand."""

from __future__ import annotations

from collections.abc import Iterator

from edge_agent.console.desk import Desk
from edge_agent.messages.codes import Phase
from edge_agent.messages.content import Content, Timeline
from edge_agent.messages.event import Body, Failure, Status

QUIET: frozenset[Phase] = frozenset({Phase.UNDERSTANDING, Phase.QUERYING, Phase.RECORDING})
"""Over before anybody has read them."""


def lines(desk: Desk, body: Body) -> Iterator[str]:
    """Nothing for what a person need not read: the first and the last event of a run."""
    if isinstance(body, Status):
        if body.phase not in QUIET:
            yield desk.own.say("phase", {"phase": desk.own.word("phases", body.phase.value)})
    elif isinstance(body, Failure):
        yield body.text
    elif body.type == "content":
        yield from _content(desk, body)


def _content(desk: Desk, content: Content) -> Iterator[str]:
    yield content.text
    if isinstance(content, Timeline):
        for entry in content.entries:
            yield f"  {entry.at:%H:%M:%S.%f} {entry.what:<12} {entry.text}"
        if content.pages > content.page + 1:
            yield desk.own.say("explain.more", {"run": content.of_run, "page": content.page + 2})
