"""The tools there are, by name. A tool that is not here can't be called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from edge_agent.tools.tool import Tool


class Registry:
    """ValueError where two tools have one name."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in self._tools:
                raise ValueError(f"two tools are called {tool.name}")
            self._tools[tool.name] = tool

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())
