"""A serial line with a person at it: the port, the line that is typed, the screen, PINs. Knows nothing of the agent."""
