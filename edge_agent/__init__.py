"""On-device agent for robot-arm sorting cells."""
