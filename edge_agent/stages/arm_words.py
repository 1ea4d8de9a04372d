"""What was intended, what the controller said of it and what was read back, as plain values for a person who compares.
Pure."""

from __future__ import annotations

from dataclasses import asdict

from drivers.contract import Order, Receipt, Snapshot
from edge_agent.messages.wire import Scalar


def order_words(order: Order) -> dict[str, Scalar]:
    """What was intended, for a person who compares."""
    return {
        "command_id": order.command_id,
        "action": order.action.value,
        "speed_pct": order.speed_pct,
        "station": order.station or None,
        "bin": order.bin or None,
        "item_class": order.item_class or None,
    }


def receipt_words(receipt: Receipt | None) -> dict[str, Scalar]:
    if receipt is None:
        return {}
    echo = receipt.echo
    return {
        "state": receipt.state.name,
        "code": f"{receipt.code:04x}",
        "command_id": echo.command_id,
        "device": echo.device_id,
        "action": echo.action.value,
        "session": echo.session,
        "crc": receipt.fingerprint,
        "duration_ms": receipt.duration_ms,
        **{f"end_{name}": value for name, value in asdict(receipt.end).items()},
    }


def snapshot_words(snapshot: Snapshot | None) -> dict[str, Scalar]:
    if snapshot is None:
        return {}
    x, y, z, *_ = snapshot.pose
    return {
        "controller": snapshot.state.name,
        "mode": snapshot.mode.name,
        "x_mm": x / 10,
        "y_mm": y / 10,
        "z_mm": z / 10,
        "holds_part": snapshot.holds_part,
        "executed": snapshot.executed,
        "fault_code": f"{snapshot.fault_code:04x}",
    }
