"""How the broker is reached, every wait and buffer with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from edge_agent.messages.topics import DEFAULT_PREFIX


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """`ca_file` None: the system's own authorities. A client certificate has both files or none."""

    ca_file: Path | None = None
    cert_file: Path | None = None
    key_file: Path | None = None


@dataclass(frozen=True, slots=True)
class MqttSettings:
    host: str = "127.0.0.1"
    port: int = 1883
    username: str = "agent"
    password: str | None = None
    tls: TlsSettings | None = None
    prefix: str = DEFAULT_PREFIX
    keepalive_s: int = 5
    """A dead peer is noticed within two of these; mosquitto fires the last will after one and a half."""
    connect_timeout_s: float = 5.0
    """For the TCP and TLS handshake, then again for the broker's answer and for each subscription."""
    reconnect_min_s: float = 1.0
    reconnect_max_s: float = 30.0
    refused_wait_s: float = 60.0
    """After a bad password: a login that is wrong stays wrong, and brokers lock out who knocks too often."""
    prove_timeout_s: float = 10.0
    """Until the agent's own messages came back; a broker may grant a subscription its access list forbids."""
    max_packet_bytes: int = 16_384
    max_outgoing: int = 200
    """Unacknowledged and waiting messages; the outbox is the journal, not this."""
    max_inbound: int = 256
    """Received and not taken yet. Eight requests should be in flight at most, but after the first acknowledgement
    mosquitto 2.0.11 sends on beyond the receive maximum (27 of 30 at once, measured), up to its own queue of 200; what
    finds no room here is acknowledged by nobody and never comes again."""
