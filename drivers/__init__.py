"""Arms and grippers on the wire, each with its simulator. Knows nothing of the agent."""
