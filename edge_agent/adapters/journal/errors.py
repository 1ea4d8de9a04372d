"""Why a journal can't be opened. None of these is mended by the agent: a person looks at the file first."""

from __future__ import annotations

from pathlib import Path


class JournalRefused(Exception):
    """The agent does not start (the caller leaves with 65) and nothing moves. `zh` and `en` say what to do."""

    def __init__(self, zh: str, en: str) -> None:
        super().__init__(f"{zh} / {en}")
        self.zh, self.en = zh, en


class JournalMissing(JournalRefused):
    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} 中没有日志文件，未启动，机械臂未动作。"
            "首次使用请运行 edge-agent init；若日志曾经存在，请先找回它。",
            f"no journal in {folder}: not started, nothing was moved. First use: run edge-agent init. "
            "If there was one, find out where it went before you make another.",
        )


class JournalDamaged(JournalRefused):
    def __init__(self, file: Path, what: str) -> None:
        super().__init__(
            f"日志文件 {file} 已损坏（{what}），未启动，机械臂未动作，文件保持原样。请备份该文件并联系技术员。",
            f"the journal {file} is damaged ({what}): not started, nothing was moved, the file was left as it is. "
            "Copy it away and call a technician.",
        )
        self.file, self.what = file, what


class JournalBusy(JournalRefused):
    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} 正被另一个 edge-agent 使用，未启动。请先停止它。",
            f"another edge-agent uses {folder}: not started. Stop that one first.",
        )
