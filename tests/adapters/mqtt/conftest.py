"""One broker for all tests that leave it alone, and one of its own for each that does not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from edge_agent.adapters.mqtt.broker import Broker, running_broker
from tests.adapters.mqtt.peers import USERS


@pytest.fixture(scope="session")
def shared_broker() -> Iterator[Broker]:
    with running_broker(USERS) as broker:
        yield broker


@pytest.fixture
def own_broker() -> Iterator[Broker]:
    with running_broker(USERS) as broker:
        yield broker
