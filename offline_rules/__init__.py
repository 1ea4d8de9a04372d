"""The deterministic language of a sorting cell, Chinese and English. Knows nothing of the agent."""
