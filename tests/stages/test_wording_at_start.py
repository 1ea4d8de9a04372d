"""An agent that would be left without a word is not made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edge_agent import agent as room
from edge_agent.messages.codes import Lang
from edge_agent.release.texts import Texts, WordingError, texts
from tests.stages.site import one_agent

pytestmark = pytest.mark.net


@pytest.mark.parametrize("key", ["rejection.expired", "cell_state.READY"])
async def test_a_text_that_is_missing_stops_the_start(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    def without(lang: Lang) -> Texts:
        whole = texts(lang)
        assert whole.has(key)
        return replace(whole, table={each: said for each, said in whole.table.items() if each != key})

    monkeypatch.setattr(room, "texts", without)
    with pytest.raises(WordingError, match=key):
        async with one_agent():
            pass
