"""What may be a call to stop is asked about in one word, and a yes stops."""

from __future__ import annotations

import pytest

from offline_rules.stop_heard import PERHAPS
from tests.stages.site import one_agent

pytestmark = pytest.mark.net


@pytest.mark.parametrize(("said", "kind"), [("是", "stop"), ("停", "stop"), ("不是", "done_ack")])
async def test_the_question_and_its_answers(said: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with one_agent() as site:
        with monkeypatch.context() as patched:
            patched.setattr("offline_rules.stop_heard.likelihood", lambda _: PERHAPS)
            content = (await site.ask("ask", text="那个东西靠得太近", lang="zh"))[-2]
        assert (content["kind"], content["reason"]) == ("clarification", "stop_in_doubt")
        assert "要现在就停止机械臂吗" in content["text"]
        told = (await site.ask("reply", prompt_id=content["prompt_id"], text=said, lang="zh"))[-2]
        assert told["kind"] == kind, told
