"""The deterministic language of a sorting cell, Chinese and English. Knows nothing of the agent."""

from offline_rules.offline import OfflineDecision, offline_route

__all__ = ["OfflineDecision", "offline_route"]
