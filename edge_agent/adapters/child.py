"""Child processes that end with us, however we end: also when this process is killed and can clean up nothing."""

from __future__ import annotations

import shutil


def with_us(signal_name: str = "TERM") -> tuple[str, ...]:
    """What to put before a command so that the kernel sends it a signal when its parent's *thread* ends: start such a
    child from the main thread. Empty where util-linux's setpriv is missing; then only an orderly end takes it along."""
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", signal_name, "--") if setpriv else ()
