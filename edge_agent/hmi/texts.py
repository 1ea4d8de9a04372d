"""The page's words in one language: its own wording file, and the agent's words for its tags. Pure but for reading."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from edge_agent.messages.codes import Lang
from edge_agent.release.texts import Fact, Texts, check_twins, parse
from edge_agent.release.texts import texts as agent_texts


@dataclass(frozen=True, slots=True)
class Words:
    lang: Lang
    own: Texts
    agent: Texts

    def say(self, key: str, **facts: Fact) -> str:
        """A sentence of the page. Raises `KeyError` for a key that is not there."""
        return self.own.say(key, facts)

    def word(self, group: str, name: str) -> str:
        """A tag in this language: the page's own word, else the agent's, else the tag itself."""
        given = self.own if self.own.has(f"{group}.{name}") else self.agent
        return given.word(group, name)


@cache
def words(lang: Lang) -> Words:
    """Both files are read and held against each other once. Raises `WordingError`."""
    zh, en = (parse(each, _file(each)) for each in ("zh", "en"))
    check_twins(zh, en)
    return Words(lang, zh if lang == "zh" else en, agent_texts(lang))


def _file(lang: str) -> str:
    return files("edge_agent.hmi").joinpath("wording", f"{lang}.toml").read_text("utf-8")
