"""Every state that agent, controller and wire can reach together, searched breadth first.

`engine` holds what the agent itself runs (the cell table, `step`, the judges); `acting`, `moving`, `stopping`,
`freeing` and `living` are a small copy of what the supervision does between two events; `controller` and `wire` are
the other side. `properties` says what must hold; `faults` are the planted ones, each of which must be found.
"""
