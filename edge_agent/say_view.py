"""How `edge-agent say` shows what comes: one line a step, cards for the two questions. Text only, no decisions."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel

from edge_agent.messages.codes import Lang, ReleaseOutcome
from edge_agent.messages.content import Content, Motion, RejectionContent, Stop
from edge_agent.messages.event import Body, Done, Event, Failure, Metadata, Status
from edge_agent.messages.prompt import Clarification, Confirmation

TEXTS: Final[dict[str, dict[Lang, str]]] = {
    "too_large": {
        "zh": "内容超过 8 KiB，没有发送。请缩短后再试。",
        "en": "More than 8 KiB: nothing was sent. Shorten it and try again.",
    },
    "offline": {
        "zh": "与消息服务器的连接已断开，没有发送。请检查网络后重试。",
        "en": "The broker connection is gone: nothing was sent. Check the network and try again.",
    },
    "refused": {
        "zh": "消息服务器拒绝了这条消息（访问权限），没有送达。请联系管理员检查账号权限。",
        "en": "The broker refused the message (access list): it was not delivered. Have this login checked.",
    },
    "unacked": {
        "zh": "不知道是否送达：消息服务器没有答复。请先到现场查看，或用 edge-agent explain 查询，再决定是否重试。",
        "en": "It is not known whether this arrived: the broker did not answer. Look at the cell, or use edge-agent "
        "explain, before you try again.",
    },
    "connection_lost": {
        "zh": "连接中断，后续情况未知；任务可能仍在进行。请到现场查看，或用 edge-agent explain 查询。",
        "en": "The connection broke and the rest is unknown; the run may go on. Look at the cell, or use "
        "edge-agent explain.",
    },
    "agent_gone": {
        "zh": "智能体已离线，后续情况未知。请到现场查看机械臂，恢复后用 edge-agent explain 查询。",
        "en": "The agent is gone and the rest is unknown. Look at the arm; later use edge-agent explain.",
    },
    "silent": {
        "zh": "很久没有收到消息，后续情况未知。请用 edge-agent explain 查询。",
        "en": "Nothing was heard for long and the rest is unknown. Use edge-agent explain.",
    },
    "no_agent": {
        "zh": "智能体不在线，没有发送。请先启动：edge-agent run",
        "en": "The agent is not online: nothing was sent. Start it: edge-agent run",
    },
    "not_opened": {
        "zh": "无法登录消息服务器，没有发送：{reason}。请检查地址、用户名和密码。",
        "en": "Could not log in at the broker, nothing was sent: {reason}. Check address, user and password.",
    },
    "confirm": {
        "zh": "确认执行？输入 yes 确认，其它任何输入为否（{seconds:.0f} 秒内有效）：",
        "en": "Do it? Type yes to confirm, anything else is no (within {seconds:.0f} s): ",
    },
    "reply": {"zh": "请回答（{seconds:.0f} 秒内有效）：", "en": "Your answer (within {seconds:.0f} s): "},
    "no_answer": {"zh": "没有回答，什么都没有执行。", "en": "No answer: nothing was done."},
    "ask": {"zh": "请说（exit 退出，stop 请求停止）：", "en": "Say something (exit to leave, stop to stop): "},
    "stop_sent": {"zh": "已发送停止请求。", "en": "Stop request sent."},
    "stop_unheard": {
        "zh": "停止请求没有被智能体收到。请立即按现场 SOP 使用硬线停止装置，并到现场查看。",
        "en": "The agent did not hear the stop request. Use the wired stop now, per the site's SOP, and go and look.",
    },
    "only_stop": {
        "zh": "执行过程中只接受 stop，其它输入已忽略。",
        "en": "While this is under way only stop is heard; the rest was left aside.",
    },
    "interrupted": {
        "zh": "已中断。未下发的请求会被取消；若机械臂已在动作，请用 edge-agent say stop 请求停止。",
        "en": "Interrupted. What was not sent to the arm is cancelled; if it is moving, use edge-agent say stop.",
    },
}
_OUTCOME_STYLE: Final[dict[ReleaseOutcome, str]] = {
    ReleaseOutcome.SUCCESS: "green",
    ReleaseOutcome.FALLBACK: "yellow",
    ReleaseOutcome.FAILED: "red",
    ReleaseOutcome.CANCELLED: "yellow",
}
_PANEL_STYLE: Final[dict[str, str]] = {
    "rejection": "yellow",
    "clarification": "cyan",
    "confirmation": "magenta",
    "motion": "green",
    "stop": "red",
}


class View:
    """Writes to `console` in `lang`. Everything that comes from elsewhere is escaped: it is text, no markup."""

    def __init__(self, console: Console, lang: Lang) -> None:
        self._console, self._lang = console, lang

    def told(self, key: str, **values: object) -> str:
        return TEXTS[key][self._lang].format(**values)

    def tell(self, key: str, **values: object) -> None:
        self._console.print(escape(self.told(key, **values)))

    def show(self, event: Event) -> None:
        """One event, as it comes."""
        self._show_body(event.body)

    def _show_body(self, body: Body) -> None:
        match body:
            case Metadata():
                self._console.print(f"[dim]{escape(body.intent or '-')} · {escape(body.parse_trace_id)}[/dim]")
            case Status():
                attempt = f" {body.attempt}/{body.max_attempts}" if body.attempt is not None else ""
                self._console.print(f"[dim]… {body.phase.value}{attempt} {escape(body.note or '')}[/dim]")
            case Failure():
                self._console.print(f"[red]{escape(body.text)}[/red] [dim]{body.code.value}[/dim]")
            case Done():
                kind = f" {body.fallback_type.value}" if body.fallback_type is not None else ""
                style = _OUTCOME_STYLE[body.outcome]
                self._console.print(f"[{style}]{body.outcome.value}{kind}[/{style}] [dim]{body.run_state}[/dim]")
            case _:
                self._show_content(body)

    def _show_content(self, content: Content) -> None:
        kind = content.kind.value
        lines = [escape(content.text), *(f"[dim]{escape(line)}[/dim]" for line in _details(content))]
        self._console.print(Panel("\n".join(lines), title=kind, border_style=_PANEL_STYLE.get(kind, "blue")))


def _details(content: Content) -> list[str]:
    match content:
        case Clarification():
            return [f"{c.n}) {c.label} · {c.example} · {c.score:.2f}" for c in content.candidates]
        case Confirmation():
            slots = " ".join(f"{name}={value}" for name, value in content.slots.items())
            return [f"{content.device}: {content.action} {slots}", *(w.text for w in content.warnings)]
        case RejectionContent():
            return [f"{content.error.code.value} · {content.reason} · {content.trace_id}"]
        case Motion() | Stop():
            state = content.command_state or "-"
            return [f"command {content.command_id} · {state} · frames {content.frames_on_wire}"]
        case _:
            return [f"{e.tool_name} {e.attempt}/{e.max_attempts} {e.trace_id}" for e in content.evidence]
