"""Commands that only show: help, status, lockout, alarms, wire, cases, and the two settings of this very line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from drivers.contract import Order, Snapshot
from edge_agent.console.desk import Desk
from edge_agent.control.view import CellView
from edge_agent.desk.alarm_texts import TEXTS
from edge_agent.messages.alarm import AlarmMessage
from edge_agent.places import Place, packaged

NOTHING = "-"
"""Stands where nothing was intended or nothing could be read."""


async def help_(desk: Desk, rest: str) -> None:
    names = desk.own.under("help")
    if rest and rest in names:
        desk.say(f"{rest}: {desk.own.say(f'help.{rest}')}")
        return
    desk.tell("help_heading")
    desk.say("\n".join(f"  {name:<14} {desk.own.say(f'help.{name}')}" for name in names))


async def status(desk: Desk, _rest: str) -> None:
    """What anyone at the cell may know."""
    view, own, words = desk.agent.supervisor.view, desk.own, desk.words
    state = words.word("cell_state", view.state.value)
    lines = [own.say("status.cell", {"state": state, "word": view.state.value})]
    if view.reason and view.state.value != "READY":
        lines.append(own.say("status.why", {"why": desk.why(view.reason), "word": view.reason}))
    if view.lockout is not None:
        lines.append(own.say("status.lockout", {"why": desk.why(view.lockout), "word": view.lockout}))
    lines.append(own.say("status.linked" if view.linked else "status.not_linked"))
    if view.linked and view.read_back is not None:
        lines.append(own.say("status.controller", controller_facts(desk, view.read_back)))
    if view.command_id is not None and view.command_state is not None:
        told = words.word("command_state", view.command_state.value)
        lines.append(own.say("status.command", {"id": view.command_id, "state": told}))
    if view.unknown_outcomes:
        lines.append(own.say("status.unknown", {"count": view.unknown_outcomes}))
    lines.append(own.say("status.broker" if desk.agent.parts.ready() else "status.no_broker"))
    lines.append(own.say("status.alarms", {"count": len(desk.agent.alarms.standing())}))
    lines += [own.say("status.fault", {"name": each.name, "left": each.left}) for each in desk.faults()]
    user = desk.entrance.user
    lines.append(own.say("status.user", {"user": user}) if user else own.say("status.nobody"))
    desk.say("\n".join(lines))


def controller_facts(desk: Desk, seen: Snapshot) -> dict[str, str]:
    return {"state": desk.words.word("controller", seen.state.name), "mode": desk.own.word("mode", seen.mode.name)}


async def lockout(desk: Desk, _rest: str) -> None:
    view = desk.agent.supervisor.view
    if view.lockout is None:
        desk.tell("lockout.none", {"state": desk.words.word("cell_state", view.state.value)})
        return
    desk.say("\n".join(lockout_lines(desk, view)))
    desk.tell("lockout.way_out")


def lockout_lines(desk: Desk, view: CellView) -> Iterator[str]:
    """Why, and what was intended beside what was read back."""
    why = str(view.lockout)
    yield desk.own.say("lockout.heading", {"why": desk.why(why), "word": why})
    if view.detail and view.detail != (str(view.command_id),):
        yield desk.own.say("lockout.detail", {"detail": ", ".join(view.detail)})
    if view.command_id is not None and view.command_state is not None:
        state = desk.words.word("command_state", view.command_state.value)
        yield desk.own.say("lockout.command", {"id": view.command_id, "state": state})
    yield f"  {'':<18} {desk.own.say('lockout.intended'):<16} {desk.own.say('lockout.read_back')}"
    for name, intended, seen in beside(view.intended, view.read_back):
        yield f"  {name:<18} {intended:<18} {seen}"
    if not view.linked:
        yield desk.own.say("status.not_linked")


def beside(intended: Order | None, seen: Snapshot | None) -> Iterator[tuple[str, str, str]]:
    """Rows of name, intended, read back; the names are those of the controller's map."""
    order = {} if intended is None else asdict(intended)
    read = {} if seen is None else asdict(seen)
    yield "command_id", _of(order, "command_id"), _of(read, "last_command_id")
    yield "action", _of(order, "action"), NOTHING
    target, pose = order.get("target"), read.get("pose")
    for place, name in enumerate(("x_mm", "y_mm", "z_mm")):
        yield name, _tenths(target, place), _tenths(pose, place)
    yield "bin", _of(order, "bin"), NOTHING
    yield "controller", NOTHING, NOTHING if seen is None else seen.state.name
    yield "mode", NOTHING, NOTHING if seen is None else seen.mode.name
    yield "holds_part", NOTHING, NOTHING if seen is None else str(seen.holds_part).lower()
    yield "executed", NOTHING, _of(read, "executed")
    yield "fault_code", NOTHING, NOTHING if seen is None else f"{seen.fault_code:04x}"


def _of(record: dict[str, object], name: str) -> str:
    value = record.get(name)
    return NOTHING if value is None else str(value)


def _tenths(pose: object, place: int) -> str:
    return f"{pose[place] / 10:.1f}" if isinstance(pose, tuple) else NOTHING


async def alarms(desk: Desk, rest: str) -> None:
    """Lists them; `ack TYPE` acknowledges the one that stands there now."""
    standing = desk.agent.alarms.standing()
    verb, _, wanted = rest.partition(" ")
    if verb.lower() != "ack":
        desk.say("\n".join(alarm_lines(desk, each) for each in standing) or desk.own.say("alarms.none"))
        return
    found = next((each for each in standing if each.id == wanted.strip()), None)
    if found is None:
        desk.tell("alarms.unknown", {"names": ", ".join(each.id for each in standing) or NOTHING})
        return
    await desk.send("ack_alarm", alarm=found.id, event_id=found.event_id)


def alarm_lines(desk: Desk, alarm: AlarmMessage) -> str:
    """In the language of this console, whatever the site's is."""
    text = TEXTS[alarm.type][desk.lang]
    state = desk.own.say(f"alarms.{'active' if alarm.active else 'over'}_{'acked' if alarm.acked else 'open'}")
    facts = {"id": alarm.id, "severity": desk.own.word("severity", alarm.severity), "state": state}
    told = (text.message, text.consequence, text.response) if alarm.active else (text.message,)
    return "\n".join((desk.own.say("alarms.line", facts), *(f"    {each}" for each in told)))


async def wire(desk: Desk, _rest: str) -> None:
    """Who answers at the other end, and what it has counted."""
    view = desk.agent.supervisor.view
    if view.identity is None or view.read_back is None:
        desk.tell("wire.none")
        return
    shown = {**asdict(view.identity), "level": view.identity.level.name}
    counted = asdict(view.read_back)
    for name in ("controller_heartbeat", "agent_heartbeat_echo", "uptime_ms", "last_command_id", "accepted"):
        shown[name] = counted[name]
    for name in ("executed", "rejected", "duplicates", "fault_counter"):
        shown[name] = counted[name]
    desk.tell("status.linked" if view.linked else "status.not_linked")
    desk.say("\n".join(f"  {name:<22} {value}" for name, value in shown.items()))


async def cases(desk: Desk, _rest: str) -> None:
    """They start cells of their own, so they are run from a shell and not by the agent of a working cell."""
    folder = packaged(Place.CASES)
    files = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*.jsonl"))
    desk.tell("cases", {"folder": str(folder)})
    desk.say("\n".join(f"  {each}" for each in files))


async def lang(desk: Desk, rest: str) -> None:
    """`zh` or `en`; without a word, the other one."""
    if rest in ("", "zh", "en"):
        wanted = rest or ("zh" if desk.lang == "en" else "en")
        desk.lang = "zh" if wanted == "zh" else "en"
        desk.tell("lang.now")
    else:
        desk.tell("lang.unknown")
