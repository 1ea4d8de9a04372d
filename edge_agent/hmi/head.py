"""The top line: which cell, whether anybody is there, who is logged in, the language, the way out."""

from __future__ import annotations

from edge_agent.hmi.kit import Handler, Part, box, press, text
from edge_agent.hmi.now import Connection
from edge_agent.hmi.sight import Sight


class Head:
    def __init__(self, sight: Sight, switch: Handler) -> None:
        self._sight = sight
        words = sight.words
        with box("header", "head"):
            text(sight.spec.name, "h1")
            with box("p", "connection-holder", role="status") as holder:
                self._connection = Part[Connection](holder, self._build_connection)
            with box("p", "who") as who:
                self._who = Part[str](who, lambda said: text(said, data_id="who"))
            press(words.say("page.language"), switch, "button quiet", aria_label=words.say("page.language_label"))
            with (
                box("form", "logout", action="logout", method="post"),
                box("button", "button quiet", type="submit", data_id="logout"),
            ):
                text(words.say("page.logout"))

    def show(self) -> None:
        self._connection.show(self._sight.connection())
        role = self._sight.role
        words = self._sight.words
        known = self._sight.visit.now.session is not None
        named = words.word("role", role or "none") if known else words.say("page.nobody")
        self._who.show(words.say("page.who", user=self._sight.visit.user, role=named))

    def _build_connection(self, connection: Connection) -> None:
        words = self._sight.words
        with box("span", f"connection {connection}", data_connection=str(connection), data_id="connection"):
            box("i", "lamp", aria_hidden="true")
            text(words.say(f"connection.{connection}"), title=words.say(f"connection_say.{connection}"))
