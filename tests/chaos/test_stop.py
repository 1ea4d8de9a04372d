"""A stop goes ahead of everything: of the command that still waits for the wire, of the queue, of the disk."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from drivers.cell_modbus.driver import CellModbusDriver
from drivers.cell_modbus.registers import Reg
from drivers.contract import Action, NotSent
from edge_agent.adapters.mqtt.link import REQUESTS_IN_FLIGHT
from edge_agent.run.journal import Kind
from tests.chaos.checker import violations
from tests.chaos.episode import all_ended
from tests.chaos.figures import note
from tests.chaos.site import POLL_S, WITHIN_S, Lane, NotReached, Site
from tests.chaos.visitor import HOME, PICK_AND_PLACE, ByMqtt, ask, confirmation, logged_in, message
from tests.drivers.bench import SESSION, job_of
from tests.drivers.scripted import honest, link_to, scripted

pytestmark = [pytest.mark.net, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(120)]


async def test_stop_that_goes_ahead_of_a_waiting_command_calls_it_off() -> None:
    """The command waits for the answer to a read; the stop word leaves next, and the command never."""
    async with scripted(honest) as peer:
        link = link_to(peer.port, reply_timeout_s=5)
        driver = CellModbusDriver(link, device_id=0, config_crc=0, is_real=False)
        await link.open()
        driver._identified = link.generation
        reading = asyncio.create_task(link.read(0, 1))
        await asyncio.sleep(0)
        sending = asyncio.create_task(driver.send(job_of(Action.HOME, 1, session=SESSION)))
        await asyncio.sleep(0)
        await driver.request_stop()
        with pytest.raises(NotSent, match="called off"):
            await sending
        await reading
        assert [written.address for written in peer.written] == [Reg.STOP]
        link.close()


HOLD_S = 10.0
_asking: set[asyncio.Task[Any]] = set()
WAITING = 20


async def _until(site: Site, what: str, **question: Any) -> None:
    """The console's answer shows `what`."""
    deadline_s = time.monotonic() + WITHIN_S
    while time.monotonic() < deadline_s:
        answer = await site.console.ask(**question)
        if answer is not None and (answer.get("held") or answer.get("state") == what):
            return
        await asyncio.sleep(POLL_S)
    raise NotReached(f"{what}: {answer}\n{site.agent_log()}")


async def _stopped_while_held(site: Site, arrival: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What held when the journal began to be held, and at the step at which the stop word left."""
    async with logged_in(site, "op1") as session, logged_in(site, "op2") as other:
        who, many = ByMqtt(session), ByMqtt(other)
        _, prompt = await ask(who, PICK_AND_PLACE)
        await who.send(confirmation(who, prompt))
        await _until(site, "EXECUTING", op="view")
        await site.console.ask(op="disk", set={"hold_s": HOLD_S})
        waiting = [asyncio.create_task(many.send(message("ask", text="which bin does glass go into")))]
        await _until(site, "held", op="disk", set={})
        waiting += [asyncio.create_task(many.send(message("ask", text=HOME))) for _ in range(ARRIVALS[arrival] - 1)]
        held = await site.console.ask(op="disk", set={})
        said_ms = await _say_stop(arrival, who, site)
        word = await _stop_word(site)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    assert held is not None
    stop = next(each for each in site.sights((time.time() - time.monotonic()) * 1000) if each.kind == "stop")
    return held, {**word, "after_ms": stop.at_ms - said_ms}


ARRIVALS = {
    "mqtt": WAITING,
    "console": WAITING,
    "mqtt, in a request": REQUESTS_IN_FLIGHT - 2,
    "console, in a request": WAITING,
}
"""How many requests wait. A stop of its own kind goes past any number of them. A stop word in a request is heard as it
comes in; the broker brings no more requests than may be in flight, so behind these it comes in later."""


@pytest.mark.parametrize("arrival", ARRIVALS)
async def test_stop_while_the_journal_is_held_and_twenty_requests_wait(here: Lane, arrival: str) -> None:
    """The stop word is on the wire before any further commit, and it is the person's stop, not the journal fault's.

    What held when the word left is written down by the agent at that very step; the proxy says that it left.
    """
    site = await here.fresh()
    await site.start(spoilt_disk=True)
    await site.ready("READY")
    held, word = await _stopped_while_held(site, arrival)
    note(f"stop word on the wire, journal held ({arrival})", f"{word['after_ms']:.1f} ms after it was said")
    assert (word["state"], word["synced"]) == ("STOPPING", held["synced"])
    await _then_all_adds_up(site)


async def test_stop_catches_an_agent_whose_stop_waits_for_its_row(here: Lane) -> None:
    site = await here.fresh(commit_s=1.0)  # the fault that ends its waiting
    await site.start(spoilt_disk=True, broken="stop_waits_for_its_row")
    await site.ready("READY")
    held, word = await _stopped_while_held(site, "mqtt")
    assert (word["state"], word["synced"]) != ("STOPPING", held["synced"])
    await site.leave()


async def _say_stop(arrival: str, who: ByMqtt, site: Site) -> float:
    """When it was said, in ms of the wall clock."""
    said_ms = time.time() * 1000
    word = message("ask", text="stop")
    match arrival:
        case "mqtt":
            await who.stop()
        case "console":
            await site.console.ask(op="stop", user="op1")
        case "mqtt, in a request":
            await who.send(word)
        case _:
            asking = asyncio.create_task(site.console.ask(op="say", user="op1", payload=word.payload.decode()))
            _asking.add(asking)  # it is answered when its row is: that is what is held
            asking.add_done_callback(_asking.discard)
    return said_ms


async def _stop_word(site: Site) -> dict[str, Any]:
    """What the agent wrote down at the step; that comes a reply later than the proxy sees the word pass."""
    deadline_s = time.monotonic() + WITHIN_S
    while time.monotonic() < deadline_s:
        steps = await site.console.ask(op="steps")
        found: list[dict[str, Any]] = [
            each for each in (steps or {"steps": []})["steps"] if each["step"] == "stop_sent"
        ]
        if found and await site.cell.stop_frames():
            return found[0]
        await asyncio.sleep(POLL_S)
    raise NotReached(f"no stop word\n{site.agent_log()}")


async def _then_all_adds_up(site: Site) -> None:
    await site.kill()
    await site.start()
    state = await site.ready()
    await all_ended(site)
    found = await site.evidence(state)
    assert not violations(found)
    assert state in ("STOPPED", "LOCKED_OUT")
    assert found.of(Kind.COMMAND)
    await site.leave()
