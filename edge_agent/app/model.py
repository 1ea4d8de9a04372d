"""The site's language model: none wanted, none to be had, or a worker that is on its way up."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from edge_agent.adapters.log import log
from edge_agent.adapters.model.assemble import default_model
from edge_agent.adapters.model.client import WorkerModel
from edge_agent.adapters.model.errors import ModelRefused
from edge_agent.app.from_settings import worker_of
from edge_agent.settings import Settings
from edge_agent.understand.no_model import NoModel
from edge_agent.understand.port import ModelPort
from edge_agent.understand.thresholds import Threshold, Thresholds

_log = log("app")


async def open_model(settings: Settings, folder: Path, stack: AsyncExitStack) -> tuple[ModelPort, Thresholds]:
    """Started and not waited for: the rules carry on meanwhile."""
    told = settings.understanding
    unfitted = Threshold(told.min_top_score, told.min_margin)
    if not settings.model.enabled:
        return NoModel(), Thresholds(unfitted)
    try:
        models = folder / "models"
        models.mkdir(parents=True, exist_ok=True)
        wanted = settings.model.file
        file = wanted if wanted is not None else await asyncio.to_thread(default_model, models)
    except (ModelRefused, OSError) as missing:
        _log.warning("model_refused", why=str(missing))
        return NoModel(), Thresholds(unfitted)
    worker = WorkerModel(worker_of(settings, file, models))
    await worker.start()
    stack.push_async_callback(worker.close)
    return worker, replace(worker.thresholds, default=unfitted)


def model_name(model: ModelPort) -> str:
    """The model file's hash, by which its qualification is known."""
    return model.model_sha256[:16] if isinstance(model, WorkerModel) else "none"
