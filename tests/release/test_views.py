"""What a failure, an acknowledgement and a page's own questions are told as."""

from __future__ import annotations

import pytest

from edge_agent.messages.codes import FailureCode, Lang
from edge_agent.messages.content import TimelineEntry
from tests.release.speaker import LANGS, TRACES, words


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("code", FailureCode)
def test_every_failure_has_a_text(lang: Lang, code: FailureCode) -> None:
    said = words(lang).failure(code, "run-1")
    assert said.code is code
    assert len(said.text) > 5


@pytest.mark.parametrize("lang", LANGS)
def test_acknowledgements_and_views(lang: Lang) -> None:
    speaker = words(lang)
    for what in speaker.page.texts.under("done_ack"):
        assert speaker.done_ack(TRACES, what=what, data={"detail": "query.timeout"}).text
    session = speaker.session(
        TRACES, user="ann", role="operator", lab=False, cell_state="READY", open_prompts=[], runs=[]
    )
    assert speaker.say("cell_state.READY") in session.text
    history = speaker.history(
        TRACES, what="runs", window_s=7200, page_no=0, pages=1, rows=[{"run": "r"}], counts={"SUCCESS": 1}
    )
    assert "2" in history.text
    entries: list[TimelineEntry] = []
    timeline = speaker.timeline(TRACES, of_run="r1", page_no=0, pages=1, entries=entries)
    assert "r1" in timeline.text
    assert (session.lang, speaker.lang) == (lang, lang)
