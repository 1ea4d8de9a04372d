"""How much of it: small numbers in `make test`, large ones in `make chaos`, or any multiple of the small ones.

`CHAOS=long` takes the large ones; `EDGE_AGENT_CHAOS_SCALE=5` five times the small ones.
"""

from __future__ import annotations

import os

LONG = os.environ.get("CHAOS") == "long"
SCALE = float(os.environ.get("EDGE_AGENT_CHAOS_SCALE", "0"))


def amount(short: int, long: int) -> int:
    if SCALE > 0:
        return round(short * SCALE)
    return long if LONG else short
