"""Bytes from a request topic become a request once, here. Pure; never raises for what a sender can send."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from edge_agent.messages.codes import Lang
from edge_agent.messages.rejection import Rejection, RejectionName
from edge_agent.messages.request import REQUEST_MODELS, REQUESTS, Request, StopRequest
from edge_agent.messages.strict_json import NotStrictJson, check_texts, loads
from edge_agent.messages.wire import MAX_REQUEST_BYTES, ULID_PATTERN, USER_PATTERN

_ULID = re.compile(ULID_PATTERN, re.ASCII)
_USER = re.compile(USER_PATTERN, re.ASCII)
_MAX_DETAIL: Final = 300


def payload_key(payload: bytes) -> str:
    """Names an answer to a payload whose id can not be read."""
    return hashlib.sha256(payload).hexdigest()[:16]


def parse_request(payload: bytes, topic_user: str | None) -> Request | Rejection:
    """Judge what can be judged from the bytes and the topic alone: size, UTF-8, JSON, schema, user."""
    if len(payload) > MAX_REQUEST_BYTES:
        return _refuse(payload, RejectionName.TOO_LARGE, f"{len(payload)} bytes, at most {MAX_REQUEST_BYTES}")
    try:
        value = loads(payload)
    except NotStrictJson as error:
        return _refuse(payload, RejectionName.MALFORMED, str(error))
    try:
        check_texts(value)
        request = REQUESTS.validate_python(value)
    except NotStrictJson as error:
        return _refuse(payload, RejectionName.MALFORMED, str(error), value)
    except ValidationError as error:
        return _refuse(payload, RejectionName.MALFORMED, _first_error(error), value)
    if topic_user is None or not _USER.fullmatch(topic_user):
        return _refuse(payload, RejectionName.IDENTITY, "no user name on the topic", value)
    return request


def parse_stop(payload: bytes) -> StopRequest | Rejection:
    """What was sent to the stop topic. A Rejection says only that the form could not be read: the cell is stopped
    all the same, for a doubtful stop is a stop."""
    if len(payload) > MAX_REQUEST_BYTES:
        return _refuse(payload, RejectionName.TOO_LARGE, f"{len(payload)} bytes, at most {MAX_REQUEST_BYTES}")
    try:
        value = loads(payload)
        check_texts(value)
        return StopRequest.model_validate(value)
    except NotStrictJson as error:
        return _refuse(payload, RejectionName.MALFORMED, str(error))
    except ValidationError as error:
        return _refuse(payload, RejectionName.MALFORMED, _first_error(error), value)


def refused(
    request: Request, name: RejectionName, detail: str, facts: Mapping[str, str | int] | None = None
) -> Rejection:
    """A readable request that was refused for what it met, not for its form."""
    return Rejection(
        name,
        request.id,
        readable_id=True,
        detail=detail,
        lang=request.lang,
        spoken=spoken_text(request),
        facts=facts or {},
    )


def spoken_text(parsed: Request | Rejection) -> str | None:
    """The sentence in it, if it holds one: what the stop lexicon is tried on before anything else is judged."""
    match parsed:
        case Rejection():
            return parsed.spoken
        case _ if parsed.type in ("ask", "reply"):
            return parsed.text
        case _:
            return None


def _refuse(payload: bytes, name: RejectionName, detail: str, value: Any = None) -> Rejection:
    said = value if isinstance(value, dict) else {}
    own_id = said.get("id")
    readable = isinstance(own_id, str) and _ULID.fullmatch(own_id) is not None
    text = said.get("text") if said.get("type") in ("ask", "reply") else None
    return Rejection(
        name=name,
        key=str(own_id) if readable else payload_key(payload),
        readable_id=readable,
        detail=detail[:_MAX_DETAIL],
        lang=_lang(said.get("lang")),
        spoken=_writable(text) if isinstance(text, str) else None,
        facts={"detail": detail[:_MAX_DETAIL]},
    )


def _writable(text: str) -> str:
    """`text` without what neither a file nor a journal row can hold."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "?")


def _lang(value: Any) -> Lang | None:
    if value == "zh":
        return "zh"
    return "en" if value == "en" else None


def _first_error(error: ValidationError) -> str:
    """Where and what, without the sender's own value: details go to the journal."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"].startswith("union_tag"):
        return "type: one of " + ", ".join(REQUEST_MODELS)
    place = ".".join(str(part) for part in first["loc"]) or "message"
    return f"{place}: {first['msg']}"
