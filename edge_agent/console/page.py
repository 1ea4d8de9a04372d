"""What the agent says to the console's user, as plain lines. The texts are the agent's own; here they only stand."""

from __future__ import annotations

from collections.abc import Iterator

from edge_agent.console.desk import Desk
from edge_agent.messages.codes import Phase
from edge_agent.messages.content import Content, Timeline, TimelineEntry
from edge_agent.messages.event import Body, Failure, Status
from edge_agent.stages.explaining import SECTIONS

QUIET: frozenset[Phase] = frozenset({Phase.UNDERSTANDING, Phase.QUERYING, Phase.RECORDING})
"""Over before anybody has read them."""
SECTION_OF: dict[str, str] = {what: section for section, whats in SECTIONS.items() for what in whats}


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
        yield from _story(desk, content.entries)
        if content.pages > content.page + 1:
            yield desk.own.say("explain.more", {"run": content.of_run, "page": content.page + 2})


def _story(desk: Desk, entries: tuple[TimelineEntry, ...]) -> Iterator[str]:
    """Under the headings that the story has everywhere, times in the machine's own zone."""
    before = ""
    for entry in entries:
        section = SECTION_OF.get(entry.what, before)
        if section != before:
            yield desk.words.say(f"story_section.{section}")
        before = section
        first, *more = entry.text.splitlines() or [""]
        yield f"  {entry.at.astimezone():%H:%M:%S.%f}"[:-3] + f"  {first}"
        yield from (f"{'':16}{line}" for line in more)
