"""What one decision of the language model costs beside the bare forward pass of the same tokens, turn and turn about;
and beside the same decision written as JSON under a schema by the same model and library."""

from __future__ import annotations

import asyncio
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from edge_agent.adapters.model.assemble import default_model
from edge_agent.adapters.model.client import WorkerModel, WorkerSettings
from edge_agent.adapters.model.labelled import Part, shipped
from edge_agent.adapters.model.measure import DecisionCost, decision_cost, json_decision_ms
from edge_agent.adapters.model.prompt import default_prompt
from tests.bench.figure import Figure, quantile

SENTENCES = 96
START_S = 180.0
WRITTEN = 3
"""A decision written as JSON takes seconds; a few show the order of magnitude."""


def model_decision() -> Figure:
    with TemporaryDirectory(prefix="bench-model-") as folder:
        cost, written = asyncio.run(_measured(Path(folder)))
    p50 = quantile(cost.decision_ms, 0.5)
    return Figure(
        name="model_decision",
        unit="ms",
        value=p50,
        p50=p50,
        p99=quantile(cost.decision_ms, 0.99),
        floor=quantile(cost.forward_ms, 0.5),
        ratio=cost.ratio,
        peer=written,
        peer_name="JSON under a schema, same model and library",
        peer_ratio=written / p50,
        n=len(cost.decision_ms),
    )


async def _measured(folder: Path) -> tuple[DecisionCost, float]:
    texts = [sentence.text for sentence in shipped(Part.HELD_OUT)][:SENTENCES]
    model = WorkerModel(WorkerSettings(model=default_model(folder), state_dir=folder))
    await model.start(wait_s=START_S)
    try:
        cost = await decision_cost(model, default_prompt(), texts)
        written = median([await json_decision_ms(model, text) for text in texts[:WRITTEN]])
    finally:
        await model.close()
    return cost, written
