"""Where requests come in and events go out: acceptance, the stream of a run, and which runs are open."""
