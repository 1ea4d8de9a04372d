"""How sure the model must be, by language and by what a wrong reading would cost. Pure data.

A motion asks for more than a question does; `calibrate` fits the figures, these defaults hold until it has run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from edge_agent.understand.clarify import MIN_MARGIN, MIN_TOP_SCORE
from offline_rules.reading import Intent, Lang


class Risk(StrEnum):
    READ = "read"
    WRITE = "write"
    MOTION = "motion"
    STOP_ASK = "stop_ask"
    """Asking "stop now?" where only the model heard a stop."""


RISK_OF: dict[str, Risk] = {
    Intent.SUBMIT_FEEDBACK: Risk.WRITE,
    Intent.CONTROL_DEVICE: Risk.MOTION,
    Intent.STOP: Risk.STOP_ASK,
}
"""Every other intent only reads."""


@dataclass(frozen=True, slots=True)
class Threshold:
    min_top_score: float = MIN_TOP_SCORE
    min_margin: float = MIN_MARGIN

    def __post_init__(self) -> None:
        for name, value in (("min_top_score", self.min_top_score), ("min_margin", self.min_margin)):
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"{name} must be 0 to 1, not {value!r}")


WORDS_ALONE = Threshold(0.7, 0.15)
"""What the words' leaning must reach where there is no model: it only asks back, records and looks things up."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    default: Threshold = field(default_factory=Threshold)
    fitted: tuple[tuple[Lang, Risk, Threshold], ...] = ()
    leaning_weight: float = 0.0
    """How much the words' own leaning counts beside the model's scores, 0 to 1; fitted with the model's map."""
    words_alone: Threshold = WORDS_ALONE

    def of(self, lang: Lang, intent: str) -> Threshold:
        risk = RISK_OF.get(intent, Risk.READ)
        return next((t for at, r, t in self.fitted if (at, r) == (lang, risk)), self.default)
