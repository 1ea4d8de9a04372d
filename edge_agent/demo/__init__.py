"""An operator's session before one's eyes: a real broker, a real controller on the wire, every step checked."""
