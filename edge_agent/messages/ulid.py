"""ULIDs (48 bits of milliseconds, 80 of chance, Crockford base 32). Pure: time and chance are arguments."""

from __future__ import annotations

from typing import Final

ULID_PATTERN: Final = r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$"
RANDOM_BITS: Final = 80
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LENGTH: Final = 26


def ulid(unix_ms: int, chance: int) -> str:
    """26 characters that sort by `unix_ms`. `chance` is a number of at most 80 bits. Raises ValueError beyond."""
    if not 0 <= unix_ms < 1 << 48 or not 0 <= chance < 1 << RANDOM_BITS:
        raise ValueError(f"a ULID holds 48 bits of ms and 80 of chance, not {unix_ms} and {chance}")
    number = unix_ms << RANDOM_BITS | chance
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(_LENGTH)))
