"""What the cell has and may do, told when it is first known and whenever it has changed: an arm that was identified,
a model that has come up or gone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime

from drivers.contract import Action, Identity
from edge_agent.messages.capabilities import CapabilitiesMessage, DeviceInfo, ModelInfo
from edge_agent.messages.encode import encode
from edge_agent.messages.request import REQUEST_MODELS
from edge_agent.places import Place, packaged
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.understand.scores import ModelCause, NoUsableModel


class Capabilities:
    """`tell` is given the message of the topic whenever it differs from the last one in more than its time."""

    def __init__(
        self,
        spec: CellSpec,
        model_name: str,
        *,
        identity: Callable[[], Identity | None],
        unusable: Callable[[], NoUsableModel | None],
        now: Callable[[], datetime],
        tell: Callable[[bytes], None],
    ) -> None:
        self._spec, self._model_name = spec, model_name
        self._identity, self._unusable, self._now, self._tell = identity, unusable, now, tell
        self._schema_hash = hashlib.sha256(packaged(Place.SCHEMAS, "asyncapi.yaml").read_bytes()).hexdigest()
        self._told: CapabilitiesMessage | None = None

    def refresh(self) -> None:
        message = self._message()
        if self._told is None or self._told.model_copy(update={"at": message.at}) != message:
            self._told = message
            self._tell(encode(message))

    def _message(self) -> CapabilitiesMessage:
        spec = self._spec
        return CapabilitiesMessage(
            at=self._now(),
            cell=spec.name,
            devices=self._devices(),
            actions=tuple(action.value for action in Action),
            items=tuple(i.name for i in spec.items),
            bins=tuple(b.number for b in spec.bins),
            stations=tuple(s.name for s in spec.stations),
            limits={"speed_pct": spec.limits.speed_pct, "max_duration_ms": spec.limits.max_duration_ms},
            roles=("viewer", "student", "operator", "technician"),
            request_types=tuple(REQUEST_MODELS),
            lab=spec.lab,
            model=self._model(),
            schema_hash=self._schema_hash,
        )

    def _devices(self) -> tuple[DeviceInfo, ...]:
        """An arm that was not identified yet is told as one of which nothing can be believed."""
        identity = self._identity()
        return tuple(
            DeviceInfo(
                id=device.name,
                kind="arm",
                driver=device.driver,
                receipt_level=int(identity.level) if identity else 0,
                is_real=identity.is_real if identity else not self._spec.simulated,
            )
            for device in self._spec.devices
        )

    def _model(self) -> ModelInfo:
        unusable = self._unusable()
        return ModelInfo(
            name=self._model_name,
            usable=unusable is None,
            qualified=unusable is None or unusable.cause is not ModelCause.NOT_QUALIFIED,
            reason=None if unusable is None else unusable.cause.value,
        )
