"""Mechanisms that can be switched off, on a simulated cell alone, to show what each is worth. Pure."""

from __future__ import annotations

from enum import StrEnum


class Mechanism(StrEnum):
    RETRY = "retry"
    CLARIFY = "clarify"
    RECEIPT = "receipt"
    OFFLINE = "offline"
    MOOD = "mood"
    GROUNDING = "grounding"
    CONFIRMATION = "confirmation"
    GUARDS = "guards"
