"""Samplers that do not do what they say. Replay cannot see them, because it evaluates the law that is claimed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from tacita.audit.blocks import by_block
from tacita.privacy import noise
from tacita.privacy.randomness import SecureSource, Source, uniform_below
from tacita.privacy.transcript import BlockQuestion, CellQuestion, Cells, Drawing, Lists, SelectionQuestion, StableQuestion

__all__ = [
    "EMPTIES_OFF_BY_ONE",
    "EMPTIES_OF_ANOTHER_SCALE",
    "EMPTIES_OF_ANOTHER_THRESHOLD",
    "INSERTION_ORDER",
    "SCALE_FROM_DATA",
    "BrokenSampler",
    "wrong_scale",
]

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class BrokenSampler:
    """Answers about cells in a wrong way."""

    answer: Callable[[CellQuestion, Cells, Source], Cells]
    source: Source

    def cells(self, question: CellQuestion, counts: Cells) -> Cells:
        """Answer wrongly."""
        return self.answer(question, counts, self.source)

    def blocks(self, question: BlockQuestion, counts: Cells) -> Cells:
        """Answer every block with a threshold wrongly; cells without one are noised as they should be."""
        return by_block(self.cells, self._open_cells, question, counts)

    def _open_cells(self, rate: Fraction, size: int, counts: Cells) -> Cells:
        values = np.zeros(size, dtype=np.int64)
        values[counts.keys] = counts.values
        return Cells(np.arange(size, dtype=np.int64), noise.add_noise(values, rate=rate, source=self.source))

    def stable(self, question: StableQuestion, counts: Lists) -> Lists:
        """Lists that somebody has are left as they are."""
        return Drawing(self.source).stable(question, counts)

    def select(self, question: SelectionQuestion, scores: Sequence[int | Fraction]) -> int:
        """Selections are left as they are."""
        return Drawing(self.source).select(question, scores)


def wrong_scale(factor: Fraction, source: Source | None = None) -> BrokenSampler:
    """All noise has its scale divided by `factor`: too little of it if the factor is above 1."""

    def answer(question: CellQuestion, counts: Cells, drawn: Source) -> Cells:
        rate = question.rate * factor
        return _merge(*_true_cells(question, counts, rate, drawn), *_all_empties(question, counts, rate, drawn))

    return BrokenSampler(answer, SecureSource() if source is None else source)


def _true_cells(question: CellQuestion, counts: Cells, rate: Fraction, source: Source) -> tuple[Integers, Integers]:
    values = noise.add_noise(counts.values, rate=rate, source=source)
    kept = values >= question.threshold
    return counts.keys[kept], values[kept]


def _empty_keys(question: CellQuestion, counts: Cells) -> Integers:
    return np.setdiff1d(np.arange(question.domain), counts.keys).astype(np.int64)


def _all_empties(
    question: CellQuestion, counts: Cells, rate: Fraction, source: Source, *, threshold: int | None = None
) -> tuple[Integers, Integers]:
    """Every empty cell with noise of its own."""
    keys = _empty_keys(question, counts)
    values = noise.discrete_laplace(keys.size, rate=rate, source=source)
    kept = values >= (question.threshold if threshold is None else threshold)
    return keys[kept], values[kept]


def _merge(true_keys: Integers, true_values: Integers, false_keys: Integers, false_values: Integers) -> Cells:
    keys, values = np.concatenate([true_keys, false_keys]), np.concatenate([true_values, false_values])
    order = np.argsort(keys, kind="stable")
    return Cells(keys[order], values[order])


def _one_empty_too_many(question: CellQuestion, counts: Cells, source: Source) -> Cells:
    """One test more than there are empty cells; those that pass are given to cells at random."""
    keys = list(_empty_keys(question, counts))
    passed = noise.passing_ranks(len(keys) + 1, rate=question.rate, threshold=question.threshold, source=source).size
    chosen = [keys.pop(uniform_below(len(keys), source)) for _ in range(min(passed, len(keys)))]
    values = noise.tail_above(len(chosen), rate=question.rate, threshold=question.threshold, source=source)
    return _merge(*_true_cells(question, counts, question.rate, source), np.array(chosen, dtype=np.int64), values)


def _another_scale(question: CellQuestion, counts: Cells, source: Source) -> Cells:
    true = _true_cells(question, counts, question.rate, source)
    return _merge(*true, *_all_empties(question, counts, question.rate / 2, source))


def _another_threshold(question: CellQuestion, counts: Cells, source: Source) -> Cells:
    true = _true_cells(question, counts, question.rate, source)
    return _merge(*true, *_all_empties(question, counts, question.rate, source, threshold=question.threshold + 2))


def _scale_from_data(question: CellQuestion, counts: Cells, source: Source) -> Cells:
    """The fewer cells are non-empty, the less noise they get."""
    rate = question.rate * Fraction(3, 1 + int(counts.keys.size))
    return _merge(*_true_cells(question, counts, rate, source), *_all_empties(question, counts, question.rate, source))


def _insertion_order(question: CellQuestion, counts: Cells, source: Source) -> Cells:
    """Right values, but the non-empty cells come first."""
    true = _true_cells(question, counts, question.rate, source)
    false = _all_empties(question, counts, question.rate, source)
    return Cells(np.concatenate([true[0], false[0]]), np.concatenate([true[1], false[1]]))


EMPTIES_OFF_BY_ONE = BrokenSampler(_one_empty_too_many, SecureSource())
EMPTIES_OF_ANOTHER_SCALE = BrokenSampler(_another_scale, SecureSource())
EMPTIES_OF_ANOTHER_THRESHOLD = BrokenSampler(_another_threshold, SecureSource())
SCALE_FROM_DATA = BrokenSampler(_scale_from_data, SecureSource())
INSERTION_ORDER = BrokenSampler(_insertion_order, SecureSource())
