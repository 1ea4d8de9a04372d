"""Whether a stop is heard in a sentence: what the lexicon hears, and how much the whole of it sounds like one. Pure.

A cry that stands by itself is a stop whatever else is said. A stop word among others is asked about where hardly
anybody would mean it, and none where nobody would. What the lexicon does not hear may be a stop all the same: beyond
doubt at once; likely enough unless a phrase took in all of the sentence or its words surely tell or ask. Where it is
too unlikely for that, the person is asked.

Of the shares that follow, the counts are those of six crowds of 300 cries and 300 others, each weighed by a table
fitted on the other crowds' sentences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from offline_rules.cries import few_words, likelihood, speaks_for
from offline_rules.leaning import told_or_asked
from offline_rules.reading import Leaning, Match, Outcome, StopSense
from offline_rules.stop import cried, doubtful, stop_sense

HARDLY: Final = 0.08
"""Below it a stop word among others is asked about: 1 cry of 81 was, and 67 of 77 others."""
NO_ONE: Final = 0.02
"""Below it nobody need be asked: none of the 81 cries was, and 54 of the others."""
PERHAPS: Final = 0.3
"""From here a stop is asked about, and a stop word that nothing rules out is one: 2 cries of 30 lay below."""
SURELY: Final = 0.5
"""From here it is a stop: 11 of 1,192 others with a stop word did, 5 of 498 without, 12 of 7,700 ordinary sentences."""
LIKELY: Final = 0.7
BEYOND_DOUBT: Final = 0.96
"""The same two where a few words hold something that rules a stop out ("he said stop"): there the lexicon is seldom
wrong and the table has little to go by."""
BY_WORD: Final = "keyword_stop"
BY_SOUND: Final = "sounds_like_stop"


@dataclass(frozen=True, slots=True)
class Heard:
    """What a normalised text says of a stop before any phrase is looked for."""

    text: str
    stop: StopSense
    likely: float
    """The share, 0 to 1, that it is one; 1 where nothing was weighed."""
    reason: str = BY_WORD

    @property
    def stands_on(self) -> tuple[str, ...]:
        """The word groups that spoke most for it, where no word of the lexicon did."""
        return speaks_for(self.text) if self.reason == BY_SOUND else ()

    def settled(self, outcome: Outcome, leaning: Leaning) -> StopSense:
        """Whether it is one, or to be asked about, once the phrases and the words' leaning have been looked at."""
        asked_from, stop_from = self._least()
        whole = isinstance(outcome, Match) and outcome.score >= 1.0
        if self.likely < asked_from or whole or told_or_asked(leaning):
            return StopSense.RULED_OUT if self.stop is StopSense.IN_DOUBT else self.stop
        return StopSense.STOP if self.likely >= stop_from else StopSense.IN_DOUBT

    def _least(self) -> tuple[float, float]:
        if self.stop is StopSense.IN_DOUBT:
            return NO_ONE, HARDLY
        ruled_out = self.stop is StopSense.RULED_OUT and few_words(self.text)
        return (LIKELY, BEYOND_DOUBT) if ruled_out else (PERHAPS, SURELY)


def hear(text: str) -> Heard:
    """Before any phrase is looked for; what is not STOP is settled later."""
    stop = stop_sense(text)
    if stop is StopSense.STOP and cried(text):
        return Heard(text, stop, 1.0)
    likely = likelihood(text)
    if stop is StopSense.STOP:
        return Heard(text, stop if likely >= HARDLY else StopSense.IN_DOUBT, likely)
    at_once = likely >= BEYOND_DOUBT or (likely >= PERHAPS and doubtful(text))
    return Heard(text, StopSense.STOP if at_once else stop, likely, BY_SOUND)
