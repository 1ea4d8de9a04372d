"""The log: one JSON object a line on one stream, an event name plus fields, `<priority>` before it for journald.

Words of operators are in the log at debug only. Above it a field named in `OPERATOR_WORDS` is replaced by its length,
and an exception by its type and place: a library's message often quotes what it choked on.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Mapping, MutableMapping
from pathlib import PurePath
from types import TracebackType
from typing import Any, Final, Protocol, TextIO, TypeAlias, cast

import structlog
from structlog.typing import Processor

OPERATOR_WORDS: Final = frozenset({"text", "line", "payload", "utterance", "original", "said", "reply"})
MAX_VALUE_CHARS: Final = 2_000
"""A field longer than this is cut; journald splits lines at 48 kB."""
MAX_ENTRIES: Final = 20
PRIORITY: Final[Mapping[str, int]] = {"debug": 7, "info": 6, "warning": 4, "error": 3, "critical": 2}

Event: TypeAlias = MutableMapping[str, Any]
ExcInfo: TypeAlias = tuple[type[BaseException], BaseException, TracebackType | None]


class Log(Protocol):
    """What the rest of the agent knows of logging. `exc_info=True` inside an except block adds type and place."""

    def debug(self, event: str, **fields: object) -> None: ...
    def info(self, event: str, **fields: object) -> None: ...
    def warning(self, event: str, **fields: object) -> None: ...
    def error(self, event: str, **fields: object) -> None: ...


def log(room: str) -> Log:
    """The log of one room. Before `configure` only warnings and errors show, on stderr."""
    return cast(Log, structlog.stdlib.get_logger(f"edge_agent.{room}", room=room))


def configure(level: str, stream: TextIO) -> None:
    """Once at start, for our own lines and those of every library (`logging`)."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, _foreign_exception, *COMMON],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _line],
        )
    )
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


def _foreign_exception(_logger: object, _method: str, event: Event) -> Event:
    record = event.get("_record")
    if isinstance(record, logging.LogRecord) and record.exc_info:
        event["exc_info"] = record.exc_info
    return event


def _exception(_logger: object, _method: str, event: Event) -> Event:
    info = event.pop("exc_info", None)
    info = sys.exc_info() if info is True else info
    if not isinstance(info, tuple) or info[0] is None:
        return event
    kind, error, trace = cast(ExcInfo, info)
    frames = traceback.extract_tb(trace)[-MAX_ENTRIES:]
    event["exception"] = kind.__name__
    event["where"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    if event.get("level") == "debug":
        event["exception_text"] = str(error)
    return event


def _words(_logger: object, _method: str, event: Event) -> Event:
    if event.get("level") == "debug":
        return event
    for key in OPERATOR_WORDS & event.keys():
        event[f"{key}_chars"] = len(str(event.pop(key)))
    return {key: _plain(value) if key != "_record" else value for key, value in event.items()}


def _plain(value: object) -> object:
    """Simple values as they are, of bounded length; of anything else its type alone: a record may hold words."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value[:MAX_ENTRIES]]
    if isinstance(value, str | PurePath):
        text = str(value)
        return text if len(text) <= MAX_VALUE_CHARS else text[:MAX_VALUE_CHARS] + "…"
    return f"<{type(value).__name__}>"


def _line(_logger: object, _method: str, event: Event) -> str:
    priority = PRIORITY.get(str(event.get("level")), 6)
    return f"<{priority}>{json.dumps(event, ensure_ascii=False, default=str)}"


COMMON: Final[tuple[Processor, ...]] = (
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
    _exception,
    _words,
)
"""Over every line, ours or a library's."""

structlog.configure(
    processors=[structlog.stdlib.filter_by_level, *COMMON, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
    cache_logger_on_first_use=False,
)
