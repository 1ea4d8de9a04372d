"""A settings file is understood whole or not at all, and the message says where to look."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from edge_agent import settings as module
from edge_agent.adapters.journal import making
from edge_agent.adapters.model.breaker import BreakerPolicy
from edge_agent.adapters.model.client import WorkerSettings
from edge_agent.adapters.mqtt.settings import MqttSettings
from edge_agent.checked_file import EX_CONFIG, MAX_BYTES, MAX_FAULTS, BadFile
from edge_agent.messages import codes
from edge_agent.messages.rate import RateLimit
from edge_agent.parts import Knobs
from edge_agent.settings import Breaker, Deadlines, Model, Mqtt, Rate, Retention, Role, Settings, load_settings
from edge_agent.tools.tool import TIMEOUT_S


@pytest.fixture(autouse=True)
def no_site(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine's own settings stay out of the test."""
    monkeypatch.setattr(module, "DEFAULT_FILES", ())


WORKERS_OWN = {"model", "state_dir", "queue", "extra_memory_bytes", "command"}


def written(folder: Path, text: str) -> Path:
    file = folder / "settings.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_defaults_stand_without_a_file() -> None:
    settings = load_settings()
    assert settings.budget.model_calls == 24
    assert settings.retry.max_attempts == 3
    assert settings.mqtt.keepalive_s == 5


def test_a_default_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, 'lang = "en"')
    monkeypatch.setattr(module, "DEFAULT_FILES", (tmp_path / "absent.toml", file))
    assert load_settings().lang == "en"


def test_a_whole_file(tmp_path: Path) -> None:
    settings = load_settings(
        written(
            tmp_path,
            """
            [mqtt]
            port = 8883
            [journal]
            folder = "/srv/cell"
            [retry]
            retryable_error_codes = ["TIMEOUT"]
            [users]
            alice = "operator"
            """,
        )
    )
    assert (settings.mqtt.port, settings.journal.folder) == (8883, Path("/srv/cell"))
    assert settings.retry.retryable_error_codes == {"TIMEOUT"}
    assert settings.users == {"alice": "operator"}


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ("[mqtt]\nprot = 1", "mqtt.prot", "expected port"),
        ("[mqqt]\nport = 1", "mqqt", "expected mqtt"),
        ("[mqtt]\nport = 0", "mqtt.port", "a number >= 1; found 0"),
        ('[mqtt]\nport = "1883"', "mqtt.port", 'a whole number; found "1883"'),
        ("[mqtt]\nport = true", "mqtt.port", "a whole number; found true"),
        ("mqtt = 3", "mqtt", "a table; found 3"),
        ("[deadlines]\nrun_s = inf", "deadlines.run_s", "a finite number"),
        ("[deadlines]\nrun_s = nan", "deadlines.run_s", "a finite number"),
        ("[deadlines]\nrun_s = 2026-01-01", "deadlines.run_s", "a number"),
        ("[deadlines]\nrun_s = 0", "deadlines.run_s", "a number > 0"),
        ('lang = "fr"', "lang", "'zh' or 'en'"),
        ("[budget]\nmodel_calls = -1", "budget", "model_calls: expected a whole number >= 0"),
        ("[budget]\nmodel_call = 1", "budget.model_call", "expected model_calls"),
        ("[retry]\nmax_attempts = 11", "retry", "max_attempts: expected 1 to 10"),
        ('[retry]\nretryable_error_codes = ["PERMISSION_DENIED"]', "retry", "retryable_error_codes"),
        ('[users]\nBob = "operator"', "users.Bob", "text of the form"),
        ('[users]\nbob = "boss"', "users.bob", "'technician'"),
        ("[mqtt\nport = 1", "TOML", "line 1"),
        ("lang = 'en'\nlang = 'zh'", "TOML", "Cannot overwrite"),
    ],
)
def test_a_broken_file_names_file_key_and_expectation(tmp_path: Path, text: str, key: str, says: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(BadFile) as caught:
        load_settings(file)
    message = str(caught.value)
    assert str(file) in message
    assert f"  {key}: " in message
    assert says in message
    assert "未启动任何程序" in message
    assert caught.value.exit_status == EX_CONFIG


def test_every_fault_is_told_at_once_up_to_ten(tmp_path: Path) -> None:
    file = written(tmp_path, "\n".join(f"key_{n} = 1" for n in range(MAX_FAULTS + 3)))
    with pytest.raises(BadFile) as caught:
        load_settings(file)
    assert len(caught.value.faults) == MAX_FAULTS
    assert "3 more" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"lang = '\xff'", "UTF-8"), (b"#" * (MAX_BYTES + 1), str(MAX_BYTES)), (None, "a readable file")],
)
def test_what_is_no_text_file_at_all(tmp_path: Path, content: bytes | None, says: str) -> None:
    file = tmp_path / "settings.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(BadFile, match=says):
        load_settings(file)


def test_the_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, "[mqtt]\nport = 1\nhost = 'broker'")
    monkeypatch.setenv("EDGE_AGENT_MQTT__PORT", "2")
    settings = load_settings(file)
    assert (settings.mqtt.port, settings.mqtt.host) == (2, "broker")


def test_a_fault_of_the_environment_is_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_AGENT_MQTT__PROT", "2")
    with pytest.raises(BadFile, match=r"environment EDGE_AGENT_\*"):
        load_settings()


def test_settings_do_not_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_settings().mqtt.port = 1  # type: ignore[misc]  # that is what is asked


def test_roles_are_those_of_the_wire() -> None:
    assert get_args(Role) == get_args(codes.Role)


@pytest.mark.parametrize(
    ("section", "record", "apart"),
    [
        (Mqtt, MqttSettings, {"prefix", "password", "password_file", "tls", "ca_file", "cert_file", "key_file"}),
        (Breaker, BreakerPolicy, set()),
        (Rate, RateLimit, set()),
        (Model, WorkerSettings, WORKERS_OWN | {"enabled", "file", "breaker"}),
        (Retention, making.Retention, set()),
    ],
)
def test_a_section_is_the_record_it_becomes(section: type[BaseModel], record: type[Any], apart: set[str]) -> None:
    """Same names and defaults, so that one is made from the other without a table between them."""
    settings = {name: field.default for name, field in section.model_fields.items() if name not in apart}
    assert settings == {each.name: each.default for each in fields(record) if each.name not in apart}


def test_the_prefix_of_the_default_cell_is_that_of_the_wire() -> None:
    assert Mqtt().prefix_of("cell01") == MqttSettings().prefix


def test_deadlines_are_those_of_the_agent() -> None:
    knobs, deadlines = Knobs(), Deadlines()
    for name in ("run_s", "motion_margin_s", "prompt_s"):
        assert getattr(knobs, name) == getattr(deadlines, name)
    for name in ("choose_s", "write_s"):
        assert getattr(knobs.model_times, name) == getattr(deadlines, name)
    assert deadlines.tool_s == TIMEOUT_S


def test_every_number_has_bounds() -> None:
    """A number without both bounds would be a wait without a deadline or a buffer without a maximum."""
    schema = Settings.model_json_schema()
    elsewhere = {"BudgetLimits", "RetryPolicy"}  # check themselves
    loose = [
        f"{name}.{key}"
        for name, table in schema["$defs"].items()
        if name not in elsewhere
        for key, field in table["properties"].items()
        if field.get("type") in ("integer", "number") and "enum" not in field
        if not ({"minimum", "exclusiveMinimum"} & field.keys() and "maximum" in field)
    ]
    assert loose == []
