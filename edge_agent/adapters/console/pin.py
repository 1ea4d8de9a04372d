"""Technicians' PINs: a file of salted hashes, one line a technician, and how one is checked.

    name:scrypt:16384:8:1:<salt, hex>:<hash, hex>

A PIN is 4 to 12 digits, so that it can be typed on any terminal; six or more are advised. Lines that begin with `#`
are comments. `python -m edge_agent.adapters.console.pin set FILE NAME` writes one line, asking for the PIN.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import os
import re
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from getpass import getpass
from pathlib import Path
from typing import Final

NAME: Final = re.compile(r"[a-z][a-z0-9_-]{1,31}")
"""As the logins of the broker are written."""
NOBODY: Final = "console"
"""How the console itself is called where nobody is logged in; no technician's name."""
PIN: Final = re.compile(r"[0-9]{4,12}")
SALT_BYTES: Final = 16
HASH_BYTES: Final = 32
MAX_BYTES: Final = 65_536
"""A file of 400 technicians; more is a mistake, not a file."""
MAX_MEMORY: Final = 64 * 1024 * 1024
"""What one check may take, whatever a line asks for."""


@dataclass(frozen=True, slots=True)
class Cost:
    """scrypt's numbers. The default takes 16 MiB and some 50 ms: little to a person, much to who tries them all."""

    n: int = 16_384
    r: int = 8
    p: int = 1


@dataclass(frozen=True, slots=True)
class PinHash:
    cost: Cost
    salt: bytes
    digest: bytes


class PinFileBroken(Exception):
    """The file cannot be read or has a line that is none; `line` 0 concerns the whole file."""

    def __init__(self, file: Path, line: int, why: str) -> None:
        super().__init__(f"{file}:{line}: {why}" if line else f"{file}: {why}")
        self.file, self.line, self.why = file, line, why


class BadPin(ValueError):
    """A name or PIN that cannot be stored; the text says what is expected, never the PIN."""


def hash_pin(pin: str, salt: bytes, cost: Cost = Cost()) -> PinHash:
    return PinHash(cost, salt, _scrypt(pin, salt, cost))


def fits(pin: str, stored: PinHash | None) -> bool:
    """Takes as long for a name that is not there (`stored` None) as for a wrong PIN. Blocks for some 50 ms."""
    against = stored or PinHash(Cost(), bytes(SALT_BYTES), bytes(HASH_BYTES))
    same = hmac.compare_digest(_scrypt(pin, against.salt, against.cost), against.digest)
    return same and stored is not None


def read_pins(file: Path) -> dict[str, PinHash]:
    """Raises `PinFileBroken`."""
    try:
        with file.open("rb") as source:
            raw = source.read(MAX_BYTES + 1)
        text = raw.decode("ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise PinFileBroken(file, 0, "cannot be read") from error
    if len(raw) > MAX_BYTES:
        raise PinFileBroken(file, 0, f"more than {MAX_BYTES} bytes")
    return dict(_entries(file, text))


def write_pin(file: Path, name: str, pin: str) -> None:
    """Adds `name` or gives it a new PIN; the others stay. The file is replaced whole and only its owner can read it.
    Raises `BadPin`, `PinFileBroken`, `OSError`."""
    if not NAME.fullmatch(name) or name == NOBODY:
        raise BadPin(f"a name is 2 to 32 of a-z 0-9 _ -, begins with a letter and is not {NOBODY!r}")
    if not PIN.fullmatch(pin):
        raise BadPin("a PIN is 4 to 12 digits")
    pins = read_pins(file) if file.exists() else {}
    pins[name] = hash_pin(pin, secrets.token_bytes(SALT_BYTES))
    _replace(file, "".join(f"{_line(each, pins[each])}\n" for each in sorted(pins)))


def _scrypt(pin: str, salt: bytes, cost: Cost) -> bytes:
    return hashlib.scrypt(pin.encode(), salt=salt, n=cost.n, r=cost.r, p=cost.p, maxmem=MAX_MEMORY, dklen=HASH_BYTES)


def _line(name: str, stored: PinHash) -> str:
    cost = stored.cost
    return f"{name}:scrypt:{cost.n}:{cost.r}:{cost.p}:{stored.salt.hex()}:{stored.digest.hex()}"


def _entries(file: Path, text: str) -> Mapping[str, PinHash]:
    found: dict[str, PinHash] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, stored = _entry(file, number, line.strip())
        if name in found:
            raise PinFileBroken(file, number, f"{name} stands there twice")
        found[name] = stored
    return found


def _entry(file: Path, number: int, line: str) -> tuple[str, PinHash]:
    try:
        name, method, n, r, p, salt, digest = line.split(":")
        stored = PinHash(Cost(int(n), int(r), int(p)), bytes.fromhex(salt), bytes.fromhex(digest))
    except ValueError as error:
        raise PinFileBroken(file, number, "name:scrypt:n:r:p:salt:hash was expected") from error
    if not NAME.fullmatch(name) or name == NOBODY or method != "scrypt":
        raise PinFileBroken(file, number, "a name and the method scrypt were expected")
    if len(stored.salt) < SALT_BYTES or len(stored.digest) != HASH_BYTES or not _bearable(stored.cost):
        raise PinFileBroken(file, number, "salt, hash or cost out of bounds")
    return name, stored


def _bearable(cost: Cost) -> bool:
    """A power of two, not cheap enough to be worthless, not dear enough to stall the agent."""
    power = cost.n >= 1024 and cost.n & (cost.n - 1) == 0
    return power and 1 <= cost.r <= 32 and 1 <= cost.p <= 4 and 128 * cost.n * cost.r <= MAX_MEMORY // 2


def _replace(file: Path, text: str) -> None:
    new = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as target:
            target.write(text)
            target.flush()
            os.fsync(target.fileno())
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)


def _asked() -> str:
    """From a terminal twice and unseen, else one line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    first = getpass("PIN: ")
    if getpass("again / 再次输入: ") != first:
        raise BadPin("the two were not the same / 两次输入不一致")
    return first


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m edge_agent.adapters.console.pin")
    parser.add_argument("job", choices=["set"])
    parser.add_argument("file", type=Path)
    parser.add_argument("name")
    given = parser.parse_args(arguments)
    try:
        write_pin(given.file, given.name, _asked())
    except (BadPin, PinFileBroken, OSError) as error:
        print(f"nothing was written / 未写入: {error}", file=sys.stderr)
        return 1
    print(f"{given.name}: PIN set in {given.file} / 已写入")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
