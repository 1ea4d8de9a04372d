"""The generated files are current, and each schema takes its example and nothing beside it."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from edge_agent.messages.asyncapi import document, yaml
from edge_agent.messages.generate import HERE, main, stale
from edge_agent.messages.schemas_of import EXAMPLES, MODELS, schema_hash, schemas
from edge_agent.messages.topics import TOPICS

SCHEMAS = schemas()


def test_generated_files_are_current() -> None:
    assert stale() == []
    assert main(["--check"]) == 0


def test_a_stale_file_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("edge_agent.messages.generate.schemas", lambda: SCHEMAS | {"alarm": {"title": "other"}})
    assert main(["--check"]) == 1
    assert "alarm.json" in capsys.readouterr().err


@pytest.mark.parametrize("name", MODELS)
def test_example_fits_its_schema_and_its_model(name: str) -> None:
    jsonschema.validate(EXAMPLES[name], SCHEMAS[name])
    MODELS[name].model_validate_json(json.dumps(EXAMPLES[name]))


@pytest.mark.parametrize("name", MODELS)
def test_an_unknown_field_fits_neither(name: str) -> None:
    wrong = EXAMPLES[name] | {"zz": 1}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, SCHEMAS[name])
    with pytest.raises(ValueError, match="zz"):
        MODELS[name].model_validate_json(json.dumps(wrong))


def test_hash_is_of_the_schemas() -> None:
    assert len(schema_hash()) == 64
    assert schema_hash() == schema_hash()


def test_document_names_every_topic_and_message() -> None:
    made = document("0.1.0")
    assert set(made["channels"]) == {kind.value for kind in TOPICS}
    messages = made["components"]["messages"]
    for channel in made["channels"].values():
        for message in channel["messages"].values():
            assert message["$ref"].rsplit("/", 1)[1] in messages
    for message in messages.values():
        reference = message["payload"].get("$ref")
        assert reference is None or (HERE / reference).is_file()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": 1, "b": {"c": ["x: y", True, None]}}, 'a: 1\nb:\n  c:\n    - "x: y"\n    - true\n    - null\n'),
        ({"$ref": "#/a"}, '"$ref": "#/a"\n'),
        ({"a": {}, "b": []}, "a: {}\nb: []\n"),
        ([{"a": 1}], "-\n  a: 1\n"),
    ],
)
def test_yaml(value: Any, text: str) -> None:
    assert yaml(value) == text
