"""Advice stands beside a refusal only where nothing was sent, in the reader's language, word for word from a page."""

from __future__ import annotations

import pytest

from edge_agent.adapters.stores.knowledge import MarkdownKnowledge
from edge_agent.messages.codes import ErrorCode, Lang
from edge_agent.stages.advising import PAGES, advice_from, no_advice, steps_of
from edge_agent.tools.ports import Page, StoreError
from edge_agent.tools.seeds import SOP_FOLDER

BOTH = "先看来料。\n再看传感器；然后下达指令。\n\nLook at the feed. Then look at\nthe sensor; then give the command."


class Broken:
    async def search(self, words: str, limit: int) -> tuple[Page, ...]:
        raise StoreError(ErrorCode.TIMEOUT, f"{words} {limit}")


@pytest.mark.parametrize(
    ("lang", "steps"),
    [
        ("zh", ("先看来料。", "再看传感器；", "然后下达指令。")),
        ("en", ("Look at the feed.", "Then look at the sensor;", "then give the command.")),
    ],
)
def test_a_page_in_two_languages_is_read_in_one(lang: Lang, steps: tuple[str, ...]) -> None:
    assert steps_of(BOTH, lang) == steps


@pytest.mark.parametrize("reason", PAGES)
@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_the_shipped_pages_have_steps_for_every_reason_in_both_languages(reason: str, lang: Lang) -> None:
    pages = MarkdownKnowledge(SOP_FOLDER)
    await pages.load()
    try:
        steps = await advice_from(pages, lambda fault: pytest.fail(str(fault)))(reason, lang)
    finally:
        pages.close()
    assert steps
    assert all(any("\u4e00" <= char <= "\u9fff" for char in step) is (lang == "zh") for step in steps)


async def test_no_page_no_advice() -> None:
    heard: list[StoreError] = []
    assert await advice_from(Broken(), heard.append)("declined", "en") == ()
    assert heard == []
    assert await advice_from(Broken(), heard.append)("arm_unavailable", "en") == ()
    assert [fault.code for fault in heard] == [ErrorCode.TIMEOUT]
    assert await no_advice("arm_unavailable", "zh") == ()
