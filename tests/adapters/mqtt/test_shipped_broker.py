"""The broker configuration that is shipped, as it is, at a real mosquitto: only paths, ports and the user differ."""

from __future__ import annotations

import getpass
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from edge_agent.adapters.mqtt.access import COMMON_LINES, access_list
from edge_agent.adapters.mqtt.broker import find, free_port, write_passwords
from edge_agent.adapters.mqtt.client import Connection
from edge_agent.adapters.mqtt.settings import MqttSettings, TlsSettings
from edge_agent.adapters.mqtt.traffic import NotOpened, Opened, Published
from edge_agent.messages.topics import DEFAULT_PREFIX, TopicKind, Topics

pytestmark = pytest.mark.net

SHIPPED = Path(__file__).parents[3] / "systemd"
WITHIN_S = 10.0
T = Topics(DEFAULT_PREFIX)


@dataclass(frozen=True)
class Ports:
    local: int
    password: int
    certificate: int
    folder: Path

    def settings(self, port: int, username: str = "op1", password: str | None = None, cert: str | None = None) -> MqttSettings:  # fmt: skip # noqa: E501
        tls = None
        if port != self.local:
            file = self.folder / f"{cert}.pem" if cert else None
            key = self.folder / f"{cert}.key" if cert else None
            tls = TlsSettings(self.folder / "ca.pem", file, key)
        return MqttSettings(host="127.0.0.1", port=port, username=username, password=password, tls=tls)


def openssl(folder: Path, *arguments: str) -> None:
    program = shutil.which("openssl")
    assert program is not None, "sudo apt-get install -y openssl"
    subprocess.run([program, *arguments], check=True, capture_output=True, cwd=folder, timeout=30)


def certificate(folder: Path, name: str, subject: str, issuer: str | None, extension: str) -> None:
    """`{name}.pem` and `.key`, signed by `issuer` or by itself."""
    (folder / f"{name}.ext").write_text(extension + "\n")
    openssl(folder, "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={subject}")  # fmt: skip
    by = (
        ["-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key", "-CAcreateserial"]
        if issuer
        else ["-signkey", f"{name}.key"]
    )
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-days", "2", "-out", f"{name}.pem",
            "-extfile", f"{name}.ext", *by)  # fmt: skip


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ports]:
    folder = tmp_path_factory.mktemp("shipped")
    certificate(folder, "ca", "cell-ca", None, "basicConstraints=critical,CA:TRUE")
    certificate(folder, "server", "127.0.0.1", "ca", "subjectAltName=IP:127.0.0.1")
    certificate(folder, "op1", "op1", "ca", "basicConstraints=CA:FALSE")
    certificate(folder, "other-ca", "other", None, "basicConstraints=critical,CA:TRUE")
    certificate(folder, "stranger", "op1", "other-ca", "basicConstraints=CA:FALSE")
    write_passwords(folder / "passwords", {"agent": "a-word", "op1": "o-word"})
    shutil.copy(SHIPPED / "mosquitto.acl", folder / "acl")
    ports = Ports(free_port(), free_port(), free_port(), folder)
    text = (SHIPPED / "mosquitto.conf").read_text()
    for old, new in (
        ("/etc/mosquitto/edge-agent", str(folder)),
        ("user mosquitto", f"user {getpass.getuser()}"),
        ("listener 1883 ", f"listener {ports.local} "),
        ("listener 8883", f"listener {ports.password} 127.0.0.1"),
        ("listener 8884", f"listener {ports.certificate} 127.0.0.1"),
    ):
        assert old in text
        text = text.replace(old, new)
    (folder / "mosquitto.conf").write_text(text)
    with (folder / "log").open("wb") as log:
        child = subprocess.Popen([find("mosquitto"), "-c", str(folder / "mosquitto.conf")], stdout=log, stderr=log)
    try:
        deadline_s = time.monotonic() + WITHIN_S
        while True:
            assert child.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < deadline_s
            try:
                socket.create_connection(("127.0.0.1", ports.certificate), WITHIN_S).close()
                break
            except OSError:
                time.sleep(0.02)
        yield ports
    finally:
        child.terminate()
        child.wait(WITHIN_S)


async def outcome(settings: MqttSettings, topic: str) -> str:
    """`not opened`, or whether a message to `topic` is taken."""
    connection = Connection(settings, generation=1, receive_maximum=8, on_message=lambda _m: None, clock=time.monotonic)
    try:
        answer = await connection.open()
        if isinstance(answer, NotOpened):
            return "refused" if answer.refused else "not opened"
        assert isinstance(answer, Opened)
        said = connection.publish(topic, b"x")
        assert isinstance(said, Published)
        return "taken" if await said.acked else "denied"
    finally:
        await connection.close()


def test_access_list_is_the_one_of_the_tests() -> None:
    assert (SHIPPED / "mosquitto.acl").read_text() == access_list(DEFAULT_PREFIX, "agent")


def test_configuration_holds_every_common_line() -> None:
    lines = (SHIPPED / "mosquitto.conf").read_text().splitlines()
    assert [line for line in COMMON_LINES if line not in lines] == []
    assert "use_username_as_clientid true" not in lines
    assert not [line for line in lines if line.startswith("protocol")]


@pytest.mark.parametrize(
    ("user", "password", "port", "cert", "kind", "owner", "expected"),
    [
        ("agent", "a-word", "local", None, TopicKind.STATUS, "", "taken"),
        ("op1", "o-word", "local", None, TopicKind.REQ, "op1", "taken"),
        ("op1", "o-word", "local", None, TopicKind.REQ, "op2", "denied"),
        ("op1", "wrong", "local", None, TopicKind.REQ, "op1", "refused"),
        ("op1", None, "local", None, TopicKind.REQ, "op1", "refused"),
        ("nobody", "o-word", "local", None, TopicKind.REQ, "nobody", "refused"),
        ("op1", "o-word", "password", None, TopicKind.REQ, "op1", "taken"),
        ("op1", "o-word", "password", None, TopicKind.STATUS, "", "denied"),
        ("op1", "wrong", "password", None, TopicKind.REQ, "op1", "refused"),
        ("op1", None, "certificate", "op1", TopicKind.REQ, "op1", "taken"),
        ("op1", None, "certificate", "op1", TopicKind.REQ, "op2", "denied"),
        # The certificate says who it is, whatever name is given beside it.
        ("agent", "a-word", "certificate", "op1", TopicKind.STATUS, "", "denied"),
        ("op1", "o-word", "certificate", None, TopicKind.REQ, "op1", "not opened"),
        ("op1", None, "certificate", "stranger", TopicKind.REQ, "op1", "not opened"),
    ],
)
async def test_login_by_listener(
    shipped: Ports,
    user: str,
    password: str | None,
    port: str,
    cert: str | None,
    kind: TopicKind,
    owner: str,
    expected: str,
) -> None:
    settings = shipped.settings(getattr(shipped, port), user, password, cert)
    assert await outcome(settings, T.of(kind, **({"user": owner} if owner else {}))) == expected


async def test_a_server_of_another_authority_is_not_trusted(shipped: Ports) -> None:
    tls = TlsSettings(shipped.folder / "other-ca.pem")
    settings = MqttSettings(port=shipped.password, username="op1", password="o-word", tls=tls)
    assert await outcome(settings, T.of(TopicKind.REQ, user="op1")) == "not opened"


async def test_plain_text_on_a_tls_port_is_not_opened(shipped: Ports) -> None:
    settings = MqttSettings(port=shipped.password, username="op1", password="o-word", connect_timeout_s=1.0)
    assert await outcome(settings, T.of(TopicKind.REQ, user="op1")) == "not opened"


async def test_a_certificate_file_that_is_not_there_is_told(shipped: Ports) -> None:
    tls = TlsSettings(shipped.folder / "nowhere.pem")
    settings = MqttSettings(port=shipped.password, username="op1", password="o-word", tls=tls)
    assert await outcome(settings, T.of(TopicKind.REQ, user="op1")) == "not opened"
