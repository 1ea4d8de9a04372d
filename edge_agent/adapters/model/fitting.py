"""From next-token scores to a small fitted map. numpy; runs in the worker, which has it anyway.

A map reads the scores of some tokens of one forward pass and gives a probability for each label: multinomial logistic
regression with an L2 penalty, classes weighted equally. Subtracting each token's mean over the balanced classes (batch
calibration) is its bias term; with the label words alone and unit weights it is exactly that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.float32]

STEPS = 600
RATE = 0.3
MOMENTUM = 0.9
WITHIN_FLOOR = 0.05
"""Added to a token's variance within a class, so that a token that never varies does not look perfect."""


@dataclass(frozen=True, slots=True)
class FittedMap:
    """`weights` is tokens x labels over centred scores; `bias` one for each label."""

    tokens: npt.NDArray[np.int64]
    weights: Floats
    bias: Floats

    def probabilities(self, logits: Rows) -> Floats:
        return softmax(centred(logits[self.tokens]) @ self.weights + self.bias)


@dataclass(slots=True)
class Survey:
    """First pass: mean and variance of every token's score within each class. Then the tokens that tell them apart."""

    labels: int
    vocabulary: int
    counts: list[int] = field(init=False)
    sums: Rows = field(init=False)
    squares: Rows = field(init=False)

    def __post_init__(self) -> None:
        self.counts = [0] * self.labels
        self.sums = np.zeros((self.labels, self.vocabulary), dtype=np.float32)
        self.squares = np.zeros_like(self.sums)

    def add(self, logits: Rows, label: int) -> None:
        scores = logits - logits.max()
        scores -= np.log(np.exp(scores).sum())
        self.counts[label] += 1
        self.sums[label] += scores
        self.squares[label] += scores * scores

    def separating(self, how_many: int) -> list[int]:
        """Tokens with the largest variance between classes over that within them, best first."""
        counts = np.maximum(np.asarray(self.counts, dtype=np.float32), 1)[:, None]
        means = self.sums / counts
        within = (self.squares / counts - means * means).mean(axis=0)
        ratio = means.var(axis=0) / (np.maximum(within, 0) + WITHIN_FLOOR)
        return [int(t) for t in np.argsort(-ratio, kind="stable")[:how_many]]


def centred(scores: npt.NDArray[np.floating]) -> Floats:
    """The library gives scores up to a constant; without it they compare."""
    wide = scores.astype(np.float64)
    return np.asarray(wide - wide.mean(axis=-1, keepdims=True))


def softmax(z: Floats) -> Floats:
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def fit(rows: Sequence[Rows], labels: Sequence[int], tokens: Sequence[int], *, n_labels: int, l2: float) -> FittedMap:
    """`rows` hold the scores of `tokens`, one row a sentence. Deterministic: fixed start, fixed number of steps."""
    x = centred(np.stack(rows))
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-6
    weights, bias = _descend((x - mean) / spread, np.asarray(labels), n_labels, l2)
    folded = weights / spread[:, None]
    return FittedMap(np.asarray(tokens, dtype=np.int64), folded, bias - mean @ folded)


def _descend(x: Floats, labels: npt.NDArray[np.int64], n_labels: int, l2: float) -> tuple[Floats, Floats]:
    target = np.eye(n_labels)[labels]
    share = np.bincount(labels, minlength=n_labels)
    weight = (1.0 / np.maximum(share, 1))[labels]
    weight = weight / weight.sum()
    w, b = np.zeros((x.shape[1], n_labels)), np.zeros(n_labels)
    step_w, step_b = np.zeros_like(w), np.zeros_like(b)
    for _ in range(STEPS):
        gap = (softmax(x @ w + b) - target) * weight[:, None]
        step_w = MOMENTUM * step_w - RATE * (x.T @ gap + l2 * w)
        step_b = MOMENTUM * step_b - RATE * gap.sum(axis=0)
        w, b = w + step_w, b + step_b
    return w, b
