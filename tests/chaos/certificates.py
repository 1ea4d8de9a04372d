"""A certificate authority for an afternoon, and a broker that knows everybody by the certificate's name alone."""

from __future__ import annotations

import getpass
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from edge_agent.adapters.child import with_us
from edge_agent.adapters.mqtt.access import COMMON_LINES, access_list
from edge_agent.adapters.mqtt.broker import find, free_port
from edge_agent.adapters.mqtt.settings import TlsSettings

WITHIN_S = 20.0
HOST = "127.0.0.1"
_SERVER = "server"


@dataclass(frozen=True, slots=True)
class Authority:
    """`openssl` in a folder: one authority, one server, one certificate a user; elliptic curves, because they are
    made at once."""

    folder: Path

    def make(self, users: tuple[str, ...]) -> None:
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        self._openssl("req", "-x509", *key, "-subj", "/CN=test authority", "-days", "2", *self._out("ca"))
        for name in (_SERVER, *users):
            self._openssl("req", *key, "-subj", f"/CN={name}", *self._out(name, "csr"))
            self._sign(name)

    def tls(self, user: str) -> TlsSettings:
        return TlsSettings(self.folder / "ca.pem", self.folder / f"{user}.pem", self.folder / f"{user}.key")

    def _sign(self, name: str) -> None:
        extra = self.folder / "extra"
        extra.write_text(f"subjectAltName=IP:{HOST}\n")
        authority = ("-CA", str(self.folder / "ca.pem"), "-CAkey", str(self.folder / "ca.key"), "-CAcreateserial")
        what = ("-in", str(self.folder / f"{name}.csr"), "-out", str(self.folder / f"{name}.pem"))
        self._openssl("x509", "-req", *what, *authority, "-days", "2", "-extfile", str(extra))

    def _out(self, name: str, kind: str = "pem") -> tuple[str, ...]:
        return "-keyout", str(self.folder / f"{name}.key"), "-out", str(self.folder / f"{name}.{kind}")

    def _openssl(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=WITHIN_S)


@dataclass(slots=True)
class CertifiedBroker:
    """As far as a site goes, a `Broker`: where it is and what it says below."""

    authority: Authority
    prefix: str
    port: int
    host: str = HOST


@contextmanager
def certified_broker(folder: Path, users: tuple[str, ...], prefix: str) -> Iterator[CertifiedBroker]:
    """mosquitto with the certificate listener of the shipped configuration."""
    authority = Authority(folder)
    authority.make(users)
    (folder / "acl").write_text(access_list(prefix, "agent"))
    broker = CertifiedBroker(authority, prefix, free_port())
    (folder / "conf").write_text("\n".join(_configuration(broker, folder)))
    command = (*with_us(), find("mosquitto"), "-c", str(folder / "conf"))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    try:
        _wait_for(broker.port)
        yield broker
    finally:
        process.terminate()
        process.wait(WITHIN_S)


def _configuration(broker: CertifiedBroker, folder: Path) -> tuple[str, ...]:
    return (
        f"listener {broker.port} {broker.host}",
        f"user {getpass.getuser()}",
        "allow_anonymous false",
        f"acl_file {folder / 'acl'}",
        *COMMON_LINES,
        f"cafile {folder / 'ca.pem'}",
        f"certfile {folder / 'server.pem'}",
        f"keyfile {folder / 'server.key'}",
        "tls_version tlsv1.2",
        "require_certificate true",
        "use_identity_as_username true",
        f"log_dest file {folder / 'log'}",
        "",
    )


def _wait_for(port: int) -> None:
    deadline_s = time.monotonic() + WITHIN_S
    while True:
        try:
            socket.create_connection((HOST, port), WITHIN_S).close()
        except OSError:
            assert time.monotonic() < deadline_s, "the broker did not start"
            time.sleep(0.01)
        else:
            return
