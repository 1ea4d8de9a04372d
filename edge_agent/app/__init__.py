"""The only wiring of a site's agent."""
