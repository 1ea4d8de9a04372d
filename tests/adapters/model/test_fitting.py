"""The fitted map separates what can be separated, is the same every time, and picks tokens that tell classes apart."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")

from edge_agent.adapters.model import fitting  # noqa: E402 (numpy comes with the extra `model`)

LABELS = 3


def rows(n: int = 60, width: int = 8) -> tuple[list[fitting.Rows], list[int]]:
    """Label k raises score k; a constant of its own on every row, as the library gives it."""
    noise = np.random.default_rng(7).normal(0, 0.3, (n, width))
    labels = [i % LABELS for i in range(n)]
    made = [(noise[i] + 2.0 * (np.arange(width) == labels[i]) + i).astype(np.float32) for i in range(n)]
    return made, labels


def test_it_separates_and_gives_probabilities() -> None:
    made, labels = rows()
    fitted = fitting.fit(made, labels, range(8), n_labels=LABELS, l2=0.01)
    for row, label in zip(made, labels, strict=True):
        shares = fitted.probabilities(row)
        assert int(shares.argmax()) == label
        assert float(shares.sum()) == pytest.approx(1)


def test_a_constant_on_all_scores_changes_nothing() -> None:
    made, labels = rows()
    fitted = fitting.fit(made, labels, range(8), n_labels=LABELS, l2=0.01)
    assert fitted.probabilities(made[0]) == pytest.approx(fitted.probabilities(made[0] + 100.0), abs=1e-4)


def test_the_same_sentences_give_the_same_map() -> None:
    made, labels = rows()
    one, two = (fitting.fit(made, labels, range(8), n_labels=LABELS, l2=0.01) for _ in range(2))
    assert np.array_equal(one.weights, two.weights)


def test_a_rare_class_counts_as_much_as_a_common_one() -> None:
    made, labels = rows(90)
    keep = [i for i, label in enumerate(labels) if label != 0 or i < 6]
    fitted = fitting.fit([made[i] for i in keep], [labels[i] for i in keep], range(8), n_labels=LABELS, l2=0.1)
    assert int(fitted.probabilities(made[0]).argmax()) == 0


def test_the_survey_finds_the_tokens_that_tell_classes_apart() -> None:
    survey = fitting.Survey(LABELS, 8)
    for row, label in zip(*rows(), strict=True):
        survey.add(row, label)
    assert set(survey.separating(LABELS)) == set(range(LABELS))
