"""One row of the journal as a sentence of the story it belongs to: a table of kinds. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from edge_agent.release.stories import facts_told, meaning, told
from edge_agent.release.texts import Texts
from edge_agent.run.journal import Kind, Row
from edge_agent.tools.projection import json_text, plain_text


def said(row: Row) -> dict[str, Any]:
    """The row's values; events and requests hold their message one level down."""
    inner = row.body.get("event") or row.body.get("request") or {}
    return {**row.body, **inner} if isinstance(inner, dict) else row.body


def sentence(texts: Texts, what: str, row: Row) -> str:
    """`what`: the row's chapter, whose text is said where the kind has no telling of its own."""
    return plain_text(_TELLING.get(row.kind, _as_it_is)(texts, what, row.body, said(row)))


def ended(texts: Texts, what: str, _body: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    late = [each["state"] if isinstance(each, Mapping) else each for each in values.get("late") or ()]
    return told(texts, what, "ended", {**values, "late": late})


def record_bytes(body: Mapping[str, Any]) -> int:
    return len(json_text(body).encode("utf-8", "replace"))


def _as_it_is(texts: Texts, what: str, _body: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    return told(texts, what, what, values)


def _sent(texts: Texts, what: str, body: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    if "late" in body:
        return told(texts, what, "sent_late", body)
    text = told(texts, what, f"sent_{values['type']}", values, ends_with=str(values.get("text", "")))
    return text if body.get("sent", True) else told(texts, what, "sent_nobody", {"told": text})


def _released(texts: Texts, what: str, _body: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    return told(
        texts, what, "released", {**values, "means": meaning(texts, values["outcome"], values.get("fallback_type"))}
    )


def _request(texts: Texts, what: str, _body: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    own = f"request_{values.get('type')}"
    return told(
        texts, what, own if texts.has(f"story.{own}") else "request", {**values, "text": values.get("text") or "-"}
    )


def _guard(texts: Texts, what: str, _body: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    if values["guard"] == "semantic":
        return told(texts, what, "guard_semantic", values)
    return told(texts, what, "guard_passed" if values["passed"] else "guard_failed", {"wrong": "-", **values})


def _draft(texts: Texts, what: str, _body: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    if values.get("invalid"):
        return told(texts, what, "draft_invalid", values)
    return told(texts, what, "draft" if values.get("cause") else "draft_none", values)


def _attempt(texts: Texts, what: str, _body: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    return told(texts, what, what, {**values, "code": values["error.code"], "decision": values["retry_decision"]})


def _record(texts: Texts, what: str, body: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    error = values.get("error") or {}
    own = {"bytes": record_bytes(body), "facts": facts_told(values.get("facts") or []), "hits": str(values.get("hits"))}
    return told(texts, what, what, {**values, **own, "code": error.get("code"), "message": error.get("message")})


_Telling = Callable[[Texts, str, Mapping[str, Any], Mapping[str, Any]], str]
_TELLING: Final[Mapping[Kind, _Telling]] = {
    Kind.EVENT: _sent,
    Kind.TERMINAL: _released,
    Kind.TERMINATION: ended,
    Kind.REQUEST: _request,
    Kind.GUARD: _guard,
    Kind.DRAFT: _draft,
    Kind.ATTEMPT: _attempt,
    Kind.RECORD: _record,
}
