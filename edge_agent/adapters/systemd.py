"""What systemd gives and wants: readiness, watchdog, credentials, the state folder. No library; the protocol is one
datagram of `KEY=value` lines to `$NOTIFY_SOCKET` (sd_notify(3)).

The watchdog is fed by the loop that does the work, and only while everything that loop depends on has answered of
late: a process that is up and does nothing is started again.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

READY: Final = "READY=1"
STOPPING: Final = "STOPPING=1"
WATCHDOG: Final = "WATCHDOG=1"


def notify(address: str | None, message: str) -> bool:
    """Whether the message left. `address` is `$NOTIFY_SOCKET`; None (not under systemd) and a socket that does not
    take it are no faults of ours: False, and nothing waits."""
    if not address:
        return False
    abstract = address.startswith("@")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out:
        out.setblocking(False)
        try:
            out.sendto(message.encode(), "\0" + address[1:] if abstract else address)
        except OSError:
            return False
    return True


def status(text: str) -> str:
    """The line that `systemctl status` shows."""
    return "STATUS=" + " ".join(text.split())[:200]


def feed(
    ticks_s: Mapping[str, float], max_age_s: Mapping[str, float], now_s: float, send: Callable[[str], object]
) -> tuple[str, ...]:
    """Feeds the watchdog unless something is stale; returns the names of what is, in the order of `max_age_s`.

    `ticks_s`: when each last answered, on the clock of `now_s` (monotonic). What never did is stale.
    """
    stale = tuple(name for name, age_s in max_age_s.items() if name not in ticks_s or now_s - ticks_s[name] > age_s)
    send(status("no answer from " + ", ".join(stale)) if stale else WATCHDOG)
    return stale


def watchdog_period_s(environ: Mapping[str, str]) -> float | None:
    """How often to feed: a third of what the unit file demands, so that a late turn is forgiven. None: nobody asks."""
    wanted = environ.get("WATCHDOG_USEC", "")
    return int(wanted) / 3e6 if wanted.isdecimal() and int(wanted) else None


def credential(name: str, environ: Mapping[str, str]) -> Path | None:
    """The file of `LoadCredential=name:…`; None where the unit gives none."""
    folder = environ.get("CREDENTIALS_DIRECTORY")
    file = Path(folder) / name if folder else None
    return file if file is not None and file.is_file() else None


def state_folder(environ: Mapping[str, str]) -> Path | None:
    """The first folder of `StateDirectory=`."""
    folders = environ.get("STATE_DIRECTORY", "")
    return Path(folders.split(":")[0]) if folders else None
