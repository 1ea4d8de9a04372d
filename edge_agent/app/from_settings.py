"""What the settings mean to each part of a site: its cell, people, knobs, broker, model worker and console."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Final

from drivers.contract import Pace
from edge_agent.adapters import systemd
from edge_agent.adapters.console.tty import PortSettings
from edge_agent.adapters.model.breaker import BreakerPolicy
from edge_agent.adapters.model.client import WorkerSettings
from edge_agent.adapters.mqtt.settings import MqttSettings, TlsSettings
from edge_agent.cell_file import load_cell
from edge_agent.console.console import ConsoleSettings
from edge_agent.console.entrance import Policy
from edge_agent.control.core import Tempo
from edge_agent.diagnose.model_gate import ModelTimes
from edge_agent.messages.rate import RateLimit, Rates
from edge_agent.parts import Knobs
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.safety.permission import Role, role_of
from edge_agent.settings import Settings
from edge_agent.understand.thresholds import Thresholds

LONGEST_PAUSE_S: Final = 0.1
"""Reading takes its own time on a slow wire: at 19,200 baud a round is then a fifth of a second, and a controller
stops by itself after half of one without a heartbeat."""


def cell_of(settings: Settings) -> CellSpec:
    """The cell file's cell; its lab is open where either file says so. Raises `BadFile`."""
    spec = load_cell(settings.cell.file)
    return replace(spec, lab=spec.lab or settings.lab.enabled)


def paced(spec: CellSpec, pace: Pace) -> CellSpec:
    """A receipt is waited for at least as long as its wire needs: a serial line is no fault of the arm."""
    limits = replace(spec.limits, accept_timeout_ms=max(spec.limits.accept_timeout_ms, pace.accept_ms))
    return replace(spec, limits=limits)


def tempo_of(pace: Pace) -> Tempo:
    """A slow wire is asked less often, but never so seldom that the controller misses the agent's heartbeat."""
    return Tempo(busy_s=min(pace.receipt_ms / 1000, LONGEST_PAUSE_S))


def state_folder(settings: Settings) -> Path:
    return systemd.state_folder(os.environ) or settings.journal.folder


def packs_of(settings: Settings) -> tuple[Path, ...]:
    """The site's own phrase packs."""
    folder = settings.understanding.phrases_folder
    return () if folder is None else (folder,)


def roles_of(settings: Settings) -> dict[str, Role]:
    return {user: role_of(role) for user, role in settings.users.items()}


def knobs_of(settings: Settings, thresholds: Thresholds, pace: Pace) -> Knobs:
    waits, rate = settings.deadlines, settings.rate
    return Knobs(
        lang=settings.lang,
        run_s=waits.run_s,
        motion_margin_s=waits.motion_margin_s,
        prompt_s=waits.prompt_s,
        model_times=ModelTimes(choose_s=waits.choose_s, write_s=waits.write_s),
        budget=settings.budget,
        thresholds=thresholds,
        tempo=tempo_of(pace),
        rates=Rates(RateLimit(burst=rate.burst, per_s=rate.per_s)),
    )


def mqtt_of(settings: Settings, spec: CellSpec) -> MqttSettings:
    """Reads the password's file."""
    mqtt = settings.mqtt
    tls = TlsSettings(mqtt.ca_file, mqtt.cert_file, mqtt.key_file) if mqtt.tls else None
    file = mqtt.password_file or systemd.credential("mqtt-password", os.environ)
    return MqttSettings(
        host=mqtt.host,
        port=mqtt.port,
        username=mqtt.username,
        password=file.read_text("utf-8").strip() if file is not None else None,
        tls=tls,
        prefix=mqtt.prefix_of(spec.name),
        keepalive_s=mqtt.keepalive_s,
        reconnect_min_s=mqtt.reconnect_min_s,
        reconnect_max_s=mqtt.reconnect_max_s,
        connect_timeout_s=mqtt.connect_timeout_s,
        refused_wait_s=mqtt.refused_wait_s,
        prove_timeout_s=mqtt.prove_timeout_s,
        max_packet_bytes=mqtt.max_packet_bytes,
        max_outgoing=mqtt.max_outgoing,
        max_inbound=mqtt.max_inbound,
    )


def worker_of(settings: Settings, file: Path, models: Path) -> WorkerSettings:
    """`file` is the model's; in `models` the worker keeps what it has learnt of it."""
    model = settings.model
    return WorkerSettings(
        model=file,
        state_dir=models,
        threads=model.threads,
        start_deadline_s=model.start_deadline_s,
        recycle_after=model.recycle_after,
        breaker=BreakerPolicy(**model.breaker.model_dump()),
    )


def console_of(settings: Settings) -> ConsoleSettings | None:
    """None where the site has no serial line."""
    told = settings.console
    if told.tty is None:
        return None
    return ConsoleSettings(
        PortSettings(str(told.tty), told.baud),
        Policy(told.pin_file, told.pin_tries, told.pin_lock_s, told.idle_logout_s),
        settings.lang,
    )
