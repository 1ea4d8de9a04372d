"""Debian's mosquitto as a child, on a free loopback port, with users, passwords and access list: for demo and tests.

Blocking, and meant to be: it is started before there is a loop. Stopped by its own pid. The child ends with the
*thread* that started it (setpriv), so that a killed demo leaves no broker behind: start it from the main thread.
"""

from __future__ import annotations

import getpass
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from edge_agent.adapters.child import OWN_GROUP, with_us
from edge_agent.adapters.mqtt.access import BrokerFiles, access_list, broker_configuration
from edge_agent.messages.topics import DEFAULT_PREFIX

READY_WITHIN_S: Final = 5.0
STOPS_WITHIN_S: Final = 5.0
PORT_TRIES: Final = 5
_POLL_S: Final = 0.01
_PLACES: Final = ("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin")
"""Debian keeps mosquitto in /usr/sbin, which is on no ordinary user's path."""


class BrokerMissing(RuntimeError):
    """mosquitto is not installed; the text says how to install it."""


class BrokerDidNotStart(RuntimeError):
    """It ended or said nothing; the text is its own log."""


@dataclass(slots=True)
class Broker:
    """A broker of ours. `users` maps login to password."""

    users: dict[str, str]
    folder: Path
    prefix: str = DEFAULT_PREFIX
    agent_user: str = "agent"
    port: int = 0
    host: str = "127.0.0.1"
    more: tuple[tuple[str, str], ...] = ()
    """Further cells on this broker: (prefix, login of its agent)."""
    _child: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child is not None else None

    @property
    def log(self) -> str:
        """What it wrote so far."""
        return "".join(p.read_text(errors="replace") for p in (self._path("log"), self._path("stderr")) if p.exists())

    def start(self) -> None:
        """Start, or start again on the same port. Raises BrokerMissing or BrokerDidNotStart."""
        executable = find("mosquitto")
        self._write_files()
        keep_port = self.port != 0
        for _ in range(1 if keep_port else PORT_TRIES):
            self.port = self.port if keep_port else free_port(self.host)
            self._path("conf").write_text(broker_configuration(self._files()))
            self._child = self._spawn(executable)
            if self._ready():
                return
            self.kill()
        raise BrokerDidNotStart(f"mosquitto on {self.host}:{self.port} did not answer:\n{self.log}")

    def stop(self) -> None:
        """Ask it to end, and make it end."""
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()
            try:
                self._child.wait(STOPS_WITHIN_S)
            except subprocess.TimeoutExpired:
                self.kill()
        self._child = None

    def kill(self) -> None:
        """SIGKILL: as a broker that crashed."""
        if self._child is not None:
            self._child.kill()
            self._child.wait(STOPS_WITHIN_S)
        self._child = None

    def _spawn(self, executable: str) -> subprocess.Popen[bytes]:
        with self._path("stderr").open("ab") as errors:
            command = [*with_us(), executable, "-c", str(self._path("conf"))]
            return subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, process_group=OWN_GROUP
            )

    def _ready(self) -> bool:
        deadline_s = time.monotonic() + READY_WITHIN_S
        while time.monotonic() < deadline_s and self._child is not None and self._child.poll() is None:
            try:
                socket.create_connection((self.host, self.port), READY_WITHIN_S).close()
            except OSError:
                time.sleep(_POLL_S)
            else:
                return True
        return False

    def _write_files(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        cells = ((self.prefix, self.agent_user), *self.more)
        self._path("acl").write_text("\n".join(access_list(prefix, agent) for prefix, agent in cells))
        write_passwords(self._path("passwords"), self.users)

    def _files(self) -> BrokerFiles:
        return BrokerFiles(
            port=self.port,
            host=self.host,
            password_file=self._path("passwords"),
            acl_file=self._path("acl"),
            log_file=self._path("log"),
            run_as=getpass.getuser(),
        )

    def _path(self, what: str) -> Path:
        return self.folder / f"mosquitto.{what}"


@contextmanager
def running_broker(
    users: dict[str, str],
    *,
    prefix: str = DEFAULT_PREFIX,
    agent_user: str = "agent",
    more: tuple[tuple[str, str], ...] = (),
    port: int = 0,
) -> Iterator[Broker]:
    """A broker in a temporary folder, gone afterwards."""
    with TemporaryDirectory(prefix="edge-agent-broker-") as folder:
        broker = Broker(users, Path(folder), prefix, agent_user, port, more=more)
        broker.start()
        try:
            yield broker
        finally:
            broker.stop()


def write_passwords(path: Path, users: dict[str, str]) -> None:
    """A hashed password file that only we can read; no password is ever on a command line."""
    for user, password in users.items():
        if ":" in user or "\n" in user + password or not password:
            raise ValueError(f"user {user!r}: no colon in a name, no empty password, one line each")
    path.unlink(missing_ok=True)
    path.touch(0o600)
    path.write_text("".join(f"{user}:{password}\n" for user, password in users.items()))
    subprocess.run([find("mosquitto_passwd"), "-U", str(path)], check=True, capture_output=True, timeout=STOPS_WITHIN_S)
    path.chmod(0o600)


def find(program: str) -> str:
    """Its full path. Raises BrokerMissing."""
    found = shutil.which(program) or shutil.which(program, path=":".join(_PLACES))
    if found is None:
        raise BrokerMissing(f"{program} was not found. Nothing was started. Do: sudo apt-get install -y mosquitto")
    return found


def free_port(host: str = "127.0.0.1") -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])
