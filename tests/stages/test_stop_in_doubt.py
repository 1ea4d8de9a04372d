"""What may be a call to stop is asked about in one word, and whoever does not say no has said yes."""

from __future__ import annotations

import pytest

from edge_agent.cases.cell import Flat
from edge_agent.safety.cell import CellState
from offline_rules.reading import Intent
from offline_rules.stop_heard import PERHAPS
from tests.stages.site import OneAgent, one_agent

pytestmark = pytest.mark.net


async def asked(site: OneAgent, monkeypatch: pytest.MonkeyPatch) -> Flat:
    with monkeypatch.context() as patched:
        patched.setattr("offline_rules.stop_heard.likelihood", lambda _: PERHAPS)
        content = (await site.ask("ask", text="那个东西靠得太近", lang="zh"))[-2]
    assert (content["kind"], content["reason"]) == ("clarification", "stop_in_doubt")
    assert "要现在就停止机械臂吗" in content["text"]
    return content


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        *((said, "stop") for said in ["是", "停", "要", "当然要", "“停”", "yes now", "好好好", "please", "yes 🛑"]),
        ("no, it's going to crash!", "stop"),
        *((said, "done_ack") for said in ["不是", "no", "不用了", "算了"]),
        ("玻璃放几号箱", "answer"),
    ],
)
async def test_the_question_and_its_answers(said: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with one_agent() as site:
        content = await asked(site, monkeypatch)
        told = (await site.ask("reply", prompt_id=content["prompt_id"], text=said, lang="zh"))[-2]
        assert told["kind"] == kind, told


async def test_a_withdrawal_that_sounds_like_a_stop_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    async with one_agent() as site:
        content = (await site.ask("ask", text="动一下", lang="zh"))[-2]
        with monkeypatch.context() as patched:
            patched.setattr("offline_rules.stop_heard.likelihood", lambda _: PERHAPS)
            told = (await site.ask("reply", prompt_id=content["prompt_id"], text="取消，快撞了", lang="zh"))[-2]
        assert (told["kind"], told["reason"]) == ("clarification", "stop_in_doubt")


async def test_a_word_of_withdrawal_beside_it_calls_nothing_off_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with one_agent() as site:
        await site.ask("ask", text="动一下", lang="zh")
        with monkeypatch.context() as patched:
            patched.setattr("offline_rules.stop_heard.likelihood", lambda _: PERHAPS)
            told = (await site.ask("ask", text="取消，快撞了", lang="zh"))[-2]
        assert (told["kind"], told["reason"]) == ("clarification", "stop_in_doubt")


async def test_the_same_words_take_an_open_confirmation_back_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with one_agent(hears=Intent.CONTROL_DEVICE) as site:
        card = (await site.ask("ask", text="让机械臂回零", lang="zh"))[-2]
        assert card["kind"] == "confirmation"
        with monkeypatch.context() as patched:
            patched.setattr("offline_rules.stop_heard.likelihood", lambda _: PERHAPS)
            told = (await site.ask("reply", prompt_id=card["prompt_id"], text="取消，快撞了", lang="zh"))[-2]
        assert told["kind"] == "done_ack", told
        assert site.agent.supervisor.view.state is CellState.READY
