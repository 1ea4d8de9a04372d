"""A site's simulated cell: somebody else's, found by its addresses, or one of our own."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from drivers.package import FaultArgument, SimulatedCell
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.world import package_of, simulator_settings

SIMULATOR_FILE: Final = "simulator.json"
"""Where its addresses stand in the state folder, for the lab's tools."""


async def start_rig(spec: CellSpec, folder: Path, stack: AsyncExitStack) -> SimulatedCell:
    """Ends with `stack`."""
    device = spec.devices[0]
    rig = await stack.enter_async_context(package_of(device).start_simulated(simulator_settings(device)))
    (folder / SIMULATOR_FILE).write_text(json.dumps(dict(rig.descriptor)), "utf-8")
    return rig


def attach_rig(spec: CellSpec, file: Path) -> SimulatedCell:
    """The one whose addresses stand in `file`; it goes on when we end."""
    addresses: dict[str, FaultArgument] = json.loads(file.read_text("utf-8"))
    return package_of(spec.devices[0]).attach_simulated(addresses)
