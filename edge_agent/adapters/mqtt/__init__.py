"""MQTT: one client file, the agent's two connections, a user's session, and a broker for tests and demos."""
