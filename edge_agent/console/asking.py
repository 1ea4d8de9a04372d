"""Commands that become a request: a sentence, a reply, the story of a run, a fault of the lab, a yes or a no."""

from __future__ import annotations

import re
from typing import Final

from edge_agent.console.desk import Desk
from edge_agent.console.questions import MotionQuestion

_PUT = re.compile(r"put\s+([a-z0-9_.]{1,80})(?:\s+(\d{1,4}))?", re.ASCII | re.IGNORECASE)
_CLEAR = re.compile(r"clear(?:\s+([a-z0-9_.]{1,80}))?", re.ASCII | re.IGNORECASE)
_STORY = re.compile(r"(?:([0-9A-Za-z_-]{16,64})(?:\s+(\d{1,4}))?)?", re.ASCII)
MAX_NAMES: Final = 80


async def say(desk: Desk, text: str) -> None:
    """The open question is answered first; without one it is a sentence of its own."""
    if not text:
        desk.tell("say.usage")
        return
    choice = desk.questions.open_choice(desk.agent.monotonic_s())
    if choice is None:
        await desk.send("ask", text=text)
        return
    desk.questions.choice = None
    await desk.send("reply", prompt_id=choice.prompt_id, text=text)


async def confirm(desk: Desk, question: MotionQuestion, yes: bool) -> None:
    await desk.send("confirm", prompt_id=question.prompt_id, digest=question.digest, confirm=yes)


async def explain(desk: Desk, rest: str) -> None:
    """`RUN PAGE`; without a run, the last one of this console. Pages count from 1."""
    found = _STORY.fullmatch(rest)
    run = (found[1] if found else None) or desk.last_run
    if found is None or run is None:
        desk.tell("explain.usage")
        return
    await desk.send("explain", run=run, page=max(0, int(found[2] or 1) - 1))


async def lab(desk: Desk, rest: str) -> None:
    """`put NAME [COUNT]`, `clear [NAME]`; without a word, what is in and what there is."""
    put, clear = _PUT.fullmatch(rest), _CLEAR.fullmatch(rest)
    if put is not None:
        await desk.send("lab", op="put", fault=put[1].lower(), count=int(put[2] or 1))
    elif clear is not None:
        named = {"fault": clear[1].lower()} if clear[1] else {}
        await desk.send("lab", op="clear", **named)
    elif rest:
        desk.tell("lab.usage")
    else:
        _show_faults(desk)


def _show_faults(desk: Desk) -> None:
    active = desk.faults()
    if not desk.fault_names:
        desk.tell("lab.none_here")
        return
    desk.say("\n".join(desk.own.say("status.fault", {"name": f.name, "left": f.left}) for f in active) or "-")
    desk.tell("lab.names")
    desk.say("\n".join(f"  {name}" for name in desk.fault_names[:MAX_NAMES]))
    desk.tell("lab.usage")
