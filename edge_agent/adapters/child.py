"""Child processes that end with us, however we end: also when this process is killed and can clean up nothing."""

from __future__ import annotations

import shutil
from typing import Final

OWN_GROUP: Final = 0
"""`process_group` of a child that its parent ends in order: a Ctrl-C in the terminal is then the parent's alone."""


def with_us(signal_name: str = "TERM") -> tuple[str, ...]:
    """What to put before a command so that the kernel sends it a signal when its parent's *thread* ends: start such a
    child from the main thread. Empty where util-linux's setpriv is missing; then only an orderly end takes it along."""
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", signal_name, "--") if setpriv else ()
