"""The console's own texts; words that other rooms have a text for (states, reasons, roles) are theirs. Data in TOML."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from edge_agent.messages.codes import Lang
from edge_agent.release.texts import LANGS, Texts, check_twins, parse


@cache
def console_texts(lang: Lang) -> Texts:
    """Checked against the other language. Raises `WordingError`."""
    tables = {each: parse(each, _packaged(each)) for each in LANGS}
    check_twins(tables["zh"], tables["en"])
    return tables[lang]


def _packaged(lang: Lang) -> str:
    return files("edge_agent.console").joinpath("wording", f"{lang}.toml").read_text("utf-8")
