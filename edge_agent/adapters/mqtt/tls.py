"""The broker's certificate and name are verified; there is no setting to leave that out."""

from __future__ import annotations

import ssl
from typing import Any

from edge_agent.adapters.mqtt.settings import TlsSettings


class VerifyingContext(ssl.SSLContext):
    """Knows the socket it wrapped: paho leaves it open when the handshake fails."""

    wrapped: ssl.SSLSocket | None = None

    def wrap_socket(self, *arguments: Any, **options: Any) -> ssl.SSLSocket:
        self.wrapped = super().wrap_socket(*arguments, **options)
        return self.wrapped

    def close_wrapped(self) -> None:
        if self.wrapped is not None:
            self.wrapped.close()


def context_of(settings: TlsSettings) -> VerifyingContext:
    """Reads the files. Raises `OSError` (also for what is no certificate)."""
    context = VerifyingContext(ssl.PROTOCOL_TLS_CLIENT)
    if settings.ca_file is None:
        context.load_default_certs()
    else:
        context.load_verify_locations(settings.ca_file)
    if settings.cert_file is not None:
        context.load_cert_chain(settings.cert_file, settings.key_file)
    return context
