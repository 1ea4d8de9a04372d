"""What a person would do where a command did not get as far as the arm: the site's own page on it, word for word, in
the reader's language.

Advice alone: it is headed by the words that nothing was sent, so it stands only where that is true.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from edge_agent.messages.codes import Lang
from edge_agent.tools.ports import Knowledge, StoreError
from offline_rules.normalise import is_cjk

Advice: TypeAlias = Callable[[str, Lang], Awaitable[tuple[str, ...]]]
"""(reason, the reader's language) -> steps; none where no page has any."""

PAGES: Final[Mapping[str, str]] = {
    "arm_unavailable": "连接中断 link lost",
    "link_lost": "连接中断 link lost",
    "controller_reboot": "控制器重启 restarted",
    "guard_open": "0503",
    "controller_estop": "0502",
    "not_remote_automatic": "0202",
}
"""What a site's page on each reason is found by."""
SENTENCE: Final = re.compile(r"(?<=[。；!?])|(?<=[.;])\s+")


async def no_advice(_reason: str, _lang: Lang) -> tuple[str, ...]:
    """No page is there to read."""
    return ()


def advice_from(pages: Knowledge, unread: Callable[[StoreError], None]) -> Advice:
    """`unread` hears of a page that could not be read."""

    async def advice(reason: str, lang: Lang) -> tuple[str, ...]:
        """A page that cannot be read costs the advice, never the refusal it stands beside."""
        words = PAGES.get(reason)
        if words is None:
            return ()
        try:
            found = await pages.search(words, 1)
        except StoreError as fault:
            unread(fault)
            return ()
        return steps_of(found[0].text, lang) if found else ()

    return advice


def steps_of(text: str, lang: Lang) -> tuple[str, ...]:
    """The sentences of the paragraphs in that language, of a passage that has one of each."""
    mine = (part for part in re.split(r"\n\s*\n", text) if any(map(is_cjk, part)) is (lang == "zh"))
    joined = ("".join(part.split("\n")) if lang == "zh" else " ".join(part.split("\n")) for part in mine)
    return tuple(step.strip() for part in joined for step in SENTENCE.split(part) if step.strip())
