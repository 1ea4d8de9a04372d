"""What the arm and the cell did. Pure."""

from __future__ import annotations

from typing import Final

from edge_agent.cases.assertion import equal, holds
from edge_agent.cases.looking import (
    error_of,
    tells,
)
from edge_agent.cases.record import CaseRecord
from edge_agent.run.journal import Kind

PROMPT_SHOWN: Final = holds(
    "digest and expiry",
    "both",
    lambda r: (
        bool(r.judged.content.get("digest")) and r.judged.content.get("expires_in_s", 0) > 0,
        (r.judged.content.get("digest"), r.judged.content.get("expires_in_s")),
    ),
)
STOP_ON_WIRE: Final = holds("stop word on the wire", "at least one", lambda r: (r.stop_words >= 1, r.stop_words))
LOCKED_OUT: Final = equal("cell state", "LOCKED_OUT", lambda r: r.cell_state.value)


def _locked_first(record: CaseRecord) -> tuple[bool, object]:
    """Latched by this line, not by how the cell began, and stored before anybody was told."""
    asked = min((row.seq for row in record.of_kind(Kind.REQUEST)), default=0)
    latched = [row.seq for row in record.of_kind(Kind.LOCKOUT) if row.seq > asked]
    told = [row.seq for row in record.of_kind(Kind.EVENT) if tells(row.body, record.judged.id)]
    return bool(latched and told) and min(latched) < min(told), {"lockout rows": latched, "content rows": told}


LOCKED_BEFORE_TOLD: Final = holds("lockout in the journal before the event", "it is", _locked_first)
NEXT_REFUSED: Final = holds(
    "the next control line",
    "refused LOCKED_OUT",
    lambda r: (
        r.probe is not None and error_of(r.probe.content).get("code") == "LOCKED_OUT",
        r.probe.content.get("reason") if r.probe else "not asked: the cell is not locked out",
    ),
)
