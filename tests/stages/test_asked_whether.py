"""A wish that no phrase takes in: asked about in one closed question, confirmed like any other motion, or left."""

from __future__ import annotations

import pytest

from edge_agent.cases.cell import Flat
from edge_agent.safety.cell import CellState
from offline_rules.reading import Intent
from tests.stages.site import OneAgent, one_agent

pytestmark = pytest.mark.net

WISH = "塑料饭盒那个，夹起来呗各位"


async def asked(site: OneAgent) -> Flat:
    content = (await site.ask("ask", text=WISH, lang="zh"))[-2]
    assert (content["kind"], content["reason"]) == ("clarification", "wish_to_confirm")
    return content


async def test_it_is_named_whole_and_a_yes_leads_to_the_confirmation_and_to_no_frame() -> None:
    async with one_agent(hears=Intent.CONTROL_DEVICE) as site:
        content = await asked(site)
        assert content["candidates"][0]["label"] == "夹取（物品类型 plastic）"
        assert "你是要：夹取（物品类型 plastic）吗" in content["text"]
        card = (await site.ask("reply", prompt_id=content["prompt_id"], text="是", lang="zh"))[-2]
        assert (card["kind"], card["action"], card["slots"]) == ("confirmation", "pick", {"item_type": "plastic"})
        assert site.agent.supervisor.view.state is CellState.AWAITING_CONFIRMATION
        told = site.yes(card)
        await (await site.send(told))
        assert site.told(told["id"])[-2]["kind"] == "motion"


@pytest.mark.parametrize("said", ["不是", "no", "算了"])
async def test_a_no_is_told_as_not_done(said: str) -> None:
    async with one_agent(hears=Intent.CONTROL_DEVICE) as site:
        content = await asked(site)
        told = (await site.ask("reply", prompt_id=content["prompt_id"], text=said, lang="zh"))[-2]
        assert told["kind"] == "done_ack", told
        assert site.agent.supervisor.view.state is CellState.READY


async def test_what_is_neither_is_asked_once_more_with_the_same_motion_and_then_left_to_a_person() -> None:
    async with one_agent(hears=Intent.CONTROL_DEVICE) as site:
        content = await asked(site)
        again = (await site.ask("reply", prompt_id=content["prompt_id"], text="那边的天气", lang="zh"))[-2]
        assert "你是要：夹取（物品类型 plastic）吗" in again["text"]
        over = (await site.ask("reply", prompt_id=again["prompt_id"], text="那边的天气", lang="zh"))[-2]
        assert over["kind"] != "clarification"
        assert site.agent.supervisor.view.state is CellState.READY


async def test_what_the_cell_can_not_do_is_refused_before_anybody_is_asked() -> None:
    async with one_agent(hears=Intent.CONTROL_DEVICE) as site:
        told = (await site.ask("ask", text="C站那个塑料饭盒，夹起来", lang="zh"))[-2]
        assert (told["kind"], told["reason"]) == ("rejection", "place_is_fixed")
        assert told["next_steps"][0]["text"] == "去掉工位再说一次"


@pytest.mark.parametrize("stopped", [False, True])
async def test_after_another_motion_or_a_stop_nobody_says_yes_to_an_old_question(stopped: bool) -> None:
    async with one_agent(hears=Intent.CONTROL_DEVICE) as site:
        content = await asked(site)
        if stopped:
            await site.ask("ask", text="停", lang="zh")
        else:
            confirmed = site.yes(await site.card("action=home device=arm_01"))
            await (await site.send(confirmed))
            assert site.told(confirmed["id"])[-2]["kind"] == "motion"
        told = (await site.ask("reply", prompt_id=content["prompt_id"], text="是", lang="zh"))[-2]
        assert (told["kind"], told["reason"]) == ("rejection", "prompt_wrong")


async def test_what_was_not_taken_in_is_told_with_the_question() -> None:
    async with one_agent(hears=Intent.CONTROL_DEVICE) as site:
        told = (await site.ask("ask", text="open the gripper a bit for Jim folks"))[-2]
        assert (told["kind"], told["reason"]) == ("clarification", "wish_to_confirm")
        assert "I did not take in: bit for Jim folks." in told["text"]


async def test_both_values_are_named_where_one_is_asked_for() -> None:
    async with one_agent(hears=Intent.CONTROL_DEVICE) as site:
        told = (await site.ask("ask", text="put glass in bin 2 or bin 3"))[-2]
        assert (told["kind"], told["missing"]) == ("clarification", "bin")
        assert "2, 3" in told["text"]
