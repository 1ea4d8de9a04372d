"""What each alarm says, in both languages: what is so, why, what follows, what to do. Data."""

from __future__ import annotations

from dataclasses import dataclass

from edge_agent.messages.alarm import AlarmType
from edge_agent.messages.codes import Lang


@dataclass(frozen=True, slots=True)
class AlarmText:
    message: str
    cause: str
    consequence: str
    response: str


TEXTS: dict[AlarmType, dict[Lang, AlarmText]] = {
    "arm.outcome_unknown": {
        "zh": AlarmText(
            "机械臂的一条指令结果未知。",
            "没有得到可以采信的回执。",
            "单元已锁定：机械臂可能动过，指令不会重发。",
            "请到现场查看机械臂，再由技术员在本地控制台说明原因并复位。",
        ),
        "en": AlarmText(
            "The outcome of an arm command is unknown.",
            "No receipt came that could be believed.",
            "The cell is locked out: the arm may have moved, and the command is not sent again.",
            "Go and look at the arm; then a technician resets at the cell's console and says why.",
        ),
    },
    "arm.receipt_mismatch": {
        "zh": AlarmText(
            "控制器的回执与发出的指令不符。",
            "以下字段不一致：",
            "单元已锁定，该指令不算完成，也不会重发。",
            "请到现场查看机械臂并检查控制器，再由技术员复位。",
        ),
        "en": AlarmText(
            "The controller's receipt is not of the command that was sent.",
            "These words differ:",
            "The cell is locked out; the command does not count as done and is not sent again.",
            "Go and look at the arm and check the controller; then a technician resets.",
        ),
    },
    "arm.link_lost": {
        "zh": AlarmText(
            "与机械臂控制器的连接中断。",
            "",
            "现在不能发送任何指令。",
            "请检查控制器电源和网线；连接会自动重试，但不会重发指令。",
        ),
        "en": AlarmText(
            "The link to the arm's controller is lost.",
            "",
            "No command can be sent now.",
            "Check the controller's power and cable; the link is tried again by itself, no command is.",
        ),
    },
    "arm.stop_not_proved": {
        "zh": AlarmText(
            "请求了停止，但控制器没有证实机械臂已停。",
            "",
            "单元已锁定。",
            "请立即使用现场的有线急停，并离开机械臂的活动范围。",
        ),
        "en": AlarmText(
            "A stop was requested and the controller did not show the arm at rest.",
            "",
            "The cell is locked out.",
            "Use the wired stop of the site now, and keep out of the arm's reach.",
        ),
    },
    "journal.fault": {
        "zh": AlarmText(
            "日志无法写入。", "", "单元已锁定：不能记录的事情不会去做。", "请检查磁盘空间和磁盘，然后由技术员复位。"
        ),
        "en": AlarmText(
            "The journal can not be written.",
            "",
            "The cell is locked out: what can not be recorded is not done.",
            "Check the disk and its free space; then a technician resets.",
        ),
    },
    "broker.lost": {
        "zh": AlarmText(
            "与消息服务器的连接中断。", "", "不接受新的动作；进行中的动作继续监视到结束。", "请检查网络和消息服务器。"
        ),
        "en": AlarmText(
            "The connection to the broker is lost.",
            "",
            "No new motion is taken; one under way is watched to its end.",
            "Check the network and the broker.",
        ),
    },
    "auth.violation": {
        "zh": AlarmText(
            "有人使用了不属于自己的权限或账号。", "", "请求已被拒绝，没有执行。", "请查看日志中的账号，并联系技术员。"
        ),
        "en": AlarmText(
            "Somebody used a right or login that is not theirs.",
            "",
            "It was refused; nothing was done.",
            "Look up the login in the journal and call a technician.",
        ),
    },
    "model.unavailable": {
        "zh": AlarmText(
            "语言模型不可用。",
            "",
            "查询、反馈和停止照常；控制需要明确指令并确认。",
            "请稍候，它会自动重启；若持续，请联系技术员。",
        ),
        "en": AlarmText(
            "The language model is not available.",
            "",
            "Queries, feedback and stop work; control needs the explicit form and a confirmation.",
            "Wait, it is restarted by itself; if it stays away, call a technician.",
        ),
    },
    "clock.unsynced": {
        "zh": AlarmText("本机时钟未校准。", "", "消息可能被误判为过期。", "请检查时间同步服务。"),
        "en": AlarmText(
            "This machine's clock is not set.", "", "Messages may be taken for expired.", "Check the time service."
        ),
    },
    "storage.low": {
        "zh": AlarmText("磁盘空间不足或写入过慢。", "", "日志写满后单元会锁定。", "请腾出空间或更换磁盘。"),
        "en": AlarmText(
            "Disk space is low, or the disk is slow.",
            "",
            "When the journal is full the cell locks out.",
            "Free some space or replace the disk.",
        ),
    },
    "alarm.flood": {
        "zh": AlarmText("短时间内报警过多，已合并显示。", "", "请先处理最严重的一条。", "请在日志中查看全部报警。"),
        "en": AlarmText(
            "Many alarms in a short time, shown as one.", "", "See to the most severe first.", "All are in the journal."
        ),
    },
}
