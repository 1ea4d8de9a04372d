"""The session's steps, each a sentence, an act and what must be true afterwards. Data and small functions."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from edge_agent.demo.person import Flat, Person, Technician, Told
from edge_agent.demo.site import PIN, TECHNICIAN, Site

WAIT_S = 25.0
MOVE_SEEN_S = 0.4
"""After a dispatch the arm of the demo moves for a second or two; this is well inside."""


class StepFailed(Exception):
    """What was expected, and what came instead."""


@dataclass(slots=True)
class Stage:
    """Who and what takes part. `say` shows a line of what people and agent say."""

    site: Site
    operator: Person
    viewer: Person
    technician: Technician
    say: Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Step:
    zh: str
    en: str
    act: Callable[[Stage], Awaitable[str]]
    """Returns what was checked, as one line; raises `StepFailed`."""


def expect(holds: bool, expected: str, came: object) -> None:
    """What came is told by its text where it has one."""
    if not holds:
        text = came.get("text") if isinstance(came, dict) else None
        raise StepFailed(f"expected {expected}; came {text or came}")


async def frames(stage: Stage) -> int:
    """Motion writes on the wire so far, counted by the proxy between agent and arm."""
    return sum((await stage.site.rig.motion_frames()).values())


async def ask(stage: Stage, who: Person, text: str) -> Told:
    stage.say(who.user, text)
    told = await who.ask(text)
    stage.say("agent", told.text)
    return told


def card_of(told: Told) -> Flat:
    """The confirmation that was asked for. Whatever else came is why the step failed."""
    expect(told.kind == "confirmation", "a confirmation", told.text or told.content)
    return told.content


async def confirmed(stage: Stage, asked: Told) -> Told:
    card = card_of(asked)
    stage.say(stage.operator.user, "是 / yes")
    told = await stage.operator.confirm(card, True)
    stage.say("agent", told.text)
    return told


# -- the steps --------------------------------------------------------------------------------------------------


async def rule(stage: Stage) -> str:
    told = await ask(stage, stage.operator, "查一下 glass 的分拣规则")
    expect(told.kind == "answer" and told.content["data"].get("bin") == "2", "answer: bin 2", told.content)
    return "answer from the live store: bin 2"


async def unclear(stage: Stage) -> str:
    told = await ask(stage, stage.operator, "帮我处理一下")
    names = [c["intent"] for c in told.content.get("candidates", [])]
    expect(told.kind == "clarification" and 1 <= len(names) <= 3, "1 to 3 candidates", told.content)
    number = names.index("QUERY_RULE") + 1
    stage.say(stage.operator.user, str(number))
    asked = await stage.operator.reply(told.content["prompt_id"], str(number))
    stage.say("agent", asked.text)
    expect(asked.content.get("missing") == "item_type", "the item asked for", asked.content)
    stage.say(stage.operator.user, "glass")
    answered = await stage.operator.reply(asked.content["prompt_id"], "glass")
    stage.say("agent", answered.text)
    expect(answered.kind == "answer", "an answer", answered.content)
    return f"{len(names)} candidates, one number, one item, answered"


async def motion(stage: Stage) -> str:
    before = await frames(stage)
    text = "pick glass to bin 2" if stage.site.model else "action=pick_place item=glass bin=2 device=arm_01"
    card = await ask(stage, stage.operator, text)
    card_of(card)
    expect(await frames(stage) == before, "nothing on the wire before the answer", await frames(stage))
    told = await confirmed(stage, card)
    sent = await frames(stage) - before
    expect(told.content.get("command_state") == "VERIFIED", "VERIFIED", told.content)
    expect(sent == 1, "one motion frame on the wire", sent)
    return "receipt VERIFIED, 1 motion frame counted on the wire"


async def question(stage: Stage) -> str:
    before = await frames(stage)
    told = await ask(stage, stage.operator, "机械臂能回零吗？")
    expect(told.kind == "explanation", "an explanation", told.content)
    expect(await frames(stage) == before, "no frame", await frames(stage))
    return "explained, 0 motion frames"


async def viewer(stage: Stage) -> str:
    before = await frames(stage)
    told = await ask(stage, stage.viewer, "动作=回零 设备=arm_01")
    code = told.content.get("error", {}).get("code")
    expect(code == "PERMISSION_DENIED" and await frames(stage) == before, "PERMISSION_DENIED, no frame", told.content)
    return "PERMISSION_DENIED, 0 motion frames"


async def stop(stage: Stage) -> str:
    card = await ask(stage, stage.operator, "动作=移动 工位=C 设备=arm_01")
    moving = asyncio.create_task(stage.operator.confirm(card_of(card), True))
    await stage.operator.until_cell(lambda cell: cell["state"] == "EXECUTING", WAIT_S)
    await asyncio.sleep(MOVE_SEEN_S)
    stage.say(stage.operator.user, "停！ (stop)")
    stopped = await stage.operator.stop()
    stage.say("agent", stopped.text)
    expect(bool(stopped.content.get("proved")), "a stop shown by the controller", stopped.content)
    moved = await moving
    expect(moved.content.get("command_state") == "ABORTED", "the command ABORTED", moved.content)
    release = await stage.operator.request("release_stop")
    freed = await confirmed(stage, release)
    expect(freed.kind == "done_ack", "released", freed.content)
    await stage.operator.until_cell(lambda cell: cell["state"] == "READY", WAIT_S)
    return "stopped, read back twice at rest, released, READY"


async def retry(stage: Stage) -> str:
    stage.say("lab", "query.timeout × 2")
    put = await stage.operator.request("lab", op="put", fault="query.timeout", count=2)
    expect(put.kind == "done_ack", "the fault put in", put.content)
    told = await ask(stage, stage.operator, "查一下 metal 的分拣规则")
    attempt = told.content.get("evidence", [{}])[-1].get("attempt")
    expect(told.kind == "answer" and attempt == 3, "an answer at attempt 3", told.content)
    return "two time-outs, answered at attempt 3"


async def wrong_receipt(stage: Stage) -> str:
    before = await frames(stage)
    stage.say("lab", "arm.receipt_wrong_id")
    put = await stage.operator.request("lab", op="put", fault="arm.receipt_wrong_id", count=1)
    expect(put.kind == "done_ack", "the fault put in", put.content)
    card = await ask(stage, stage.operator, "动作=回零 设备=arm_01")
    told = await confirmed(stage, card)
    expect(told.content.get("command_state") == "UNKNOWN", "UNKNOWN", told.content)
    await stage.operator.until_cell(lambda cell: cell["state"] == "LOCKED_OUT", WAIT_S)
    refused = await ask(stage, stage.operator, "动作=回零 设备=arm_01")
    code = refused.content.get("error", {}).get("code")
    expect(code == "LOCKED_OUT", "the next command refused LOCKED_OUT", refused.content)
    expect(await frames(stage) - before == 1, "one frame", await frames(stage) - before)
    await stage.operator.request("lab", op="clear")
    await reset(stage, "looked at the arm: it stands at home")
    return "LOCKED_OUT, next command refused, reset by a technician with a reason, READY"


async def model_down(stage: Stage) -> str:
    pid = stage.site.worker_pid()
    expect((pid is not None) == stage.site.model, "the model's process, where there is a model", pid)
    killed = "no model here" if pid is None else "model killed"
    if pid is not None:
        stage.say("lab", f"kill -9 {pid} (model)")
        os.kill(pid, signal.SIGKILL)
    told = await ask(stage, stage.operator, "查一下 metal 的分拣规则")
    expect(told.kind == "answer" and told.content.get("source") == "rules", "an answer by rules", told.content)
    control = await ask(stage, stage.operator, "让机械臂回零")
    expect(control.kind == "explanation", "the control wish explained", control.content)
    return f"{killed}: answered by rules, the control wish explained and not sent"


async def killed(stage: Stage) -> str:
    before, epoch = await frames(stage), stage.operator.epoch
    unknown = int(stage.operator.cell["unknown_outcomes"])
    card = await ask(stage, stage.operator, "动作=移动 工位=A 设备=arm_01")
    moving = asyncio.create_task(stage.operator.confirm(card_of(card), True))
    await stage.operator.until_cell(lambda cell: cell["state"] == "EXECUTING", WAIT_S)
    stage.say("lab", f"kill -9 {stage.site.pid} (agent)")
    await stage.site.kill_agent()
    moving.cancel()
    await stage.site.start_agent()
    cell = await stage.operator.until_cell(lambda cell: cell["epoch"] > epoch and cell["state"] == "LOCKED_OUT", WAIT_S)
    expect(cell["unknown_outcomes"] == unknown + 1, "one UNKNOWN outcome more", cell)
    sent = await frames(stage) - before
    expect(sent == 1, "nothing sent again", sent)
    await reset(stage, "looked at the arm after the restart: it stands still")
    return "UNKNOWN and LOCKED_OUT after the restart, 1 frame in all, nothing sent again"


async def reset(stage: Stage, why: str) -> None:
    """At the cell's own console: no way over the broker leads out of a lockout."""
    await stage.technician.login(TECHNICIAN, PIN)
    stage.say(TECHNICIAN, f"reset_lockout {why}")
    stage.say("console", await stage.technician.command(f"reset_lockout {why}"))
    await stage.operator.until_cell(lambda cell: cell["state"] == "READY", WAIT_S)
    await stage.technician.command("logout")


STEPS: tuple[Step, ...] = (
    Step("问一条分拣规则", "ask for a sorting rule", rule),
    Step("说得不清楚：反问，再用序号回答", "an unclear wish: asked back, answered by number", unclear),
    Step("夹取玻璃放到 2 号箱：确认、一次下发、核对回执", "pick glass to bin 2: confirm, one send, receipt", motion),
    Step("问“能回零吗”：只解释，不动", "a question about moving: explained, nothing moves", question),
    Step("观察者下达同样的指令：拒绝", "the same wish from a viewer: refused", viewer),
    Step("动作途中停止，读回，解除", "stop during a move, read back, release", stop),
    Step("查询连续超时两次：第三次答上", "the query times out twice: answered at attempt 3", retry),
    Step("回执不符：锁定，技术员现场复位", "a wrong receipt: lockout, reset at the console", wrong_receipt),
    Step("语言模型被杀掉：规则照常回答", "the model killed: the rules carry on", model_down),
    Step("动作途中智能体被杀掉并重启：结果未知、锁定、不重发", "agent killed in mid-move: nothing re-sent", killed),
)
