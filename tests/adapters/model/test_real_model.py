"""The real worker with the real model: few, because each start evaluates or loads a prompt."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from edge_agent.adapters.model import wire
from edge_agent.adapters.model.assemble import default_model, installed
from edge_agent.adapters.model.client import ModelState, WorkerModel, WorkerSettings
from edge_agent.adapters.model.prompt import LABELS, default_prompt
from edge_agent.understand.port import FailureKind, ModelFailure, ModelPurpose, Probabilities, Written
from offline_rules.reading import Intent

pytestmark = [
    pytest.mark.model,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not installed(), reason="the model package is not installed (make setup)"),
]

NAMES = [label.value for label in LABELS]
SCHEMA = {"type": "object", "properties": {"cause": {"enum": ["a", None]}}, "required": ["cause"]}
START_S = 180.0
CALL_S = 60.0


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return default_model(tmp_path_factory.mktemp("models"))


@asynccontextmanager
async def running(file: Path, folder: Path) -> AsyncIterator[WorkerModel]:
    model = WorkerModel(WorkerSettings(file, folder))
    await model.start(wait_s=START_S)
    try:
        yield model
    finally:
        await model.close()


async def scores(model: WorkerModel, text: str = "让机械臂回零") -> dict[str, float]:
    got = await model.choose(text, NAMES, deadline_s=CALL_S)
    assert isinstance(got, Probabilities), got
    return dict(got.values)


async def test_it_keeps_the_contract_and_its_prefix(model_file: Path, tmp_path: Path) -> None:
    async with running(model_file, tmp_path) as model:
        assert model.usable() is None, model.problem
        heard = await scores(model)
        assert max(heard, key=lambda name: heard[name]) == Intent.CONTROL_DEVICE
        text = await model.write("A JSON object:", SCHEMA, deadline_s=CALL_S, max_tokens=20)
        assert isinstance(text, Written)
        assert text.text.strip() in ('{"cause":"a"}', '{"cause": "a"}', '{"cause":null}', '{"cause": null}')
        context = "an alarm of the arm. " * 300
        chosen = await model.choose(context, ["yes", "no"], deadline_s=CALL_S, purpose=ModelPurpose.VERDICT)
        assert isinstance(chosen, Probabilities)
        assert chosen.cut
        # The context was used for other things in between; the prefix is back and so are the scores.
        assert await scores(model) == pytest.approx(heard, abs=1e-4)
        long = await model.choose("reset ünïcödé ☃" * 60, NAMES, deadline_s=CALL_S)
        assert isinstance(long, ModelFailure)
        assert long.kind is FailureKind.ILLEGAL
        bare = await model.operate(
            {"op": "forward", "text": default_prompt().ask("停")}, wire.Forwarded, deadline_s=CALL_S
        )
        assert bare.input_tokens > 0
    _flip_a_byte_of_the_prefix(tmp_path)
    async with running(model_file, tmp_path) as model:
        assert await scores(model) == pytest.approx(heard, abs=1e-4)
    assert _prefix_fits_its_digest(tmp_path), "a damaged prefix was loaded instead of evaluated and saved anew"


def _flip_a_byte_of_the_prefix(folder: Path) -> None:
    (path,) = folder.glob("prefix-*.state")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


def _prefix_fits_its_digest(folder: Path) -> bool:
    (path,) = folder.glob("prefix-*.state")
    return hashlib.sha256(path.read_bytes()).hexdigest() == path.with_suffix(".sha256").read_text()


def _gguf_of(architecture: str) -> bytes:
    key, value = b"general.architecture", architecture.encode()
    pair = struct.pack("<Q", len(key)) + key + struct.pack("<IQ", 8, len(value)) + value
    tensor = struct.pack("<Q", 1) + b"t" + struct.pack("<IQIQ", 1, 32, 0, 0)
    body = struct.pack("<4sIQQ", b"GGUF", 3, 1, 1) + pair + tensor
    return body + bytes(-len(body) % 32) + bytes(128)


@pytest.mark.parametrize("kind", ["truncated", "unknown_architecture", "header_only"])
async def test_a_file_the_library_cannot_use_is_refused_with_its_reason(
    model_file: Path, tmp_path: Path, kind: str
) -> None:
    made = tmp_path / "x.gguf"
    with model_file.open("rb") as whole:
        head = whole.read(20_000_000)
    content, reason = {
        "truncated": (head, "truncated or damaged"),
        "unknown_architecture": (_gguf_of("nonesuch"), "architecture (nonesuch) is not known"),
        "header_only": (head[:200], "truncated or damaged"),
    }[kind]
    made.write_bytes(content)
    async with running(made, tmp_path) as model:
        assert model.state is ModelState.REFUSED, model.problem
        assert reason in (model.problem or "")
        assert "work without it" in (model.problem or "")
