"""What a person is told about each rejection: what happened, what was not done, what to do next. Pure; zh and en.

Read under stress, so: one line each, no jargon, and the next step is something that works.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from edge_agent.messages.codes import Lang
from edge_agent.messages.content import RejectionContent
from edge_agent.messages.content_base import ErrorInfo, NextStep
from edge_agent.messages.rejection import Rejection, RejectionName

_N: Final = RejectionName


@dataclass(frozen=True, slots=True)
class Told:
    happened: str
    next_step: str


NOT_DONE: Final[dict[Lang, str]] = {
    "zh": "没有执行，也没有向机械臂发送任何指令。",
    "en": "Nothing was done and no command was sent to the arm.",
}
NOT_DONE_AGAIN: Final[dict[Lang, str]] = {
    "zh": "这一次没有执行，也没有再向机械臂发送指令。",
    "en": "Nothing was done this time and no further command was sent to the arm.",
}
"""For a duplicate: the first one may well have moved something."""
TOLD: Final[dict[RejectionName, dict[Lang, Told]]] = {
    _N.TOO_LARGE: {
        "zh": Told("请求超过 8 KiB，未读取。", "请缩短内容后重新发送。"),
        "en": Told("The request is larger than 8 KiB and was not read.", "Shorten it and send it again."),
    },
    _N.MALFORMED: {
        "zh": Told("请求格式无法识别。", "请检查消息格式，用新的 id 重新发送。"),
        "en": Told("The request could not be read.", "Check its form and send it again with a new id."),
    },
    _N.IDENTITY: {
        "zh": Told("无法确认是谁发送的请求。", "请用自己的账号登录，并发送到自己的主题。"),
        "en": Told("The request does not say whose it is.", "Log in as yourself and send to your own topic."),
    },
    _N.FORBIDDEN: {
        "zh": Told("当前账号或会话不允许这个请求。", "请由有权限且在线的人员操作，或请技术员调整权限。"),
        "en": Told(
            "This login or session may not do that.",
            "Have it done by somebody who is logged in and may, or ask a technician for the role.",
        ),
    },
    _N.RETAINED: {
        "zh": Told("请求带有保留(retained)标志，不予执行。", "请去掉保留标志后重新发送。"),
        "en": Told("The request carries the retained flag.", "Send it again without that flag."),
    },
    _N.EXPIRED: {
        "zh": Told("请求送达时已过期。", "请重新发送；若反复出现，请校准本机时钟。"),
        "en": Told("The request was too old when it arrived.", "Send it again; if it recurs, check your clock."),
    },
    _N.CLOCK: {
        "zh": Told("请求的时间在未来，时钟不一致。", "请校准本机时钟后重新发送。"),
        "en": Told("The request was issued in the future: the clocks differ.", "Set your clock and send it again."),
    },
    _N.STALE_EPOCH: {
        "zh": Told("智能体在此之后重新启动过，该请求已失效。", "请查看当前状态，重新提出请求。"),
        "en": Told("The agent was restarted since this was made.", "Look at the present state and ask anew."),
    },
    _N.DUPLICATE: {
        "zh": Told("这个请求已经收到过，不会再执行一次。", "请查看第一次的结果；若要再做一次，请用新的 id。"),
        "en": Told("This request was received before and is not run again.", "See the first result, or use a new id."),
    },
    _N.RATE_LIMITED: {
        "zh": Told("请求过于频繁。", "请稍等几秒再发送；停止请求不受此限制。"),
        "en": Told("Too many requests.", "Wait a few seconds; a stop request is never held back."),
    },
    _N.MODE: {
        "zh": Told("工作单元当前状态不允许这个操作。", "请查看单元状态：是否离线、手动，或未处于停止状态。"),
        "en": Told("The cell's state does not allow this.", "See whether it is offline, in manual, or not stopped."),
    },
    _N.LOCKED_OUT: {
        "zh": Told("工作单元已锁定。", "请技术员到现场检查，并在本地控制台复位。"),
        "en": Told("The cell is locked out.", "Call a technician: it is reset at the cell's own console."),
    },
    _N.BUSY: {
        "zh": Told("另一条指令正在执行。", "请等它结束后再试；需要时可请求停止。"),
        "en": Told("Another command is under way.", "Wait for its end; a stop can be requested at any time."),
    },
    _N.PROMPT_WRONG: {
        "zh": Told("回答的不是当前等待确认的内容。", "请核对屏幕上的确认卡片，或重新提出请求。"),
        "en": Told("This does not answer the open question.", "Look at the card on the screen, or ask anew."),
    },
    _N.PROMPT_LATE: {
        "zh": Told("确认已超时。", "请重新提出请求并及时确认。"),
        "en": Told("The question had expired.", "Ask anew and answer in time."),
    },
    _N.PROMPT_USED: {
        "zh": Told("这个确认已经用过一次。", "请查看结果；若要再做一次，请重新提出请求。"),
        "en": Told("The question was answered already.", "See the result, or ask anew."),
    },
    _N.PROMPT_FOREIGN: {
        "zh": Told("这是另一位用户的确认。", "只有提出请求的人可以确认；请自己重新提出请求。"),
        "en": Told("The question was put to another user.", "Only that user can answer; make a request of your own."),
    },
    _N.PROMPT_VOID: {
        "zh": Told("单元状态在此期间发生变化，确认已失效。", "请查看单元状态，重新提出请求。"),
        "en": Told("The cell has changed since, so the question is void.", "Look at the cell's state and ask anew."),
    },
}


def rejection_content(
    rejection: Rejection, *, lang: Lang, trace_id: str, parse_trace_id: str, first_state: str | None = None
) -> RejectionContent:
    """What is published for it. `lang` is used where the request named none."""
    spoken: Lang = rejection.lang or lang
    told = TOLD[rejection.name][spoken]
    not_done = (NOT_DONE_AGAIN if rejection.name is RejectionName.DUPLICATE else NOT_DONE)[spoken]
    return RejectionContent(
        text=f"{told.happened}{'' if spoken == 'zh' else ' '}{not_done}{'' if spoken == 'zh' else ' '}{told.next_step}",
        trace_id=trace_id,
        parse_trace_id=parse_trace_id,
        reason=rejection.name.value,
        error=ErrorInfo(code=rejection.error_code, message=rejection.detail),
        not_done=not_done,
        next_steps=(NextStep(n=1, text=told.next_step),),
        first_run=rejection.key if rejection.name is RejectionName.DUPLICATE else None,
        first_state=first_state,
    )
