"""The small language model in a process of its own: what it is told, what it may cost, what happens when it dies."""
