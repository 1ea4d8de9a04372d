"""The technician's console: what is typed on a serial line, done with the agent; what the agent says, told there."""
