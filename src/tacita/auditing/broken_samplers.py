"""Samplers and a mechanism that do not do what they claim, which the auditor must catch.

Replay cannot see a broken sampler, because it evaluates the law that is claimed; the tests of outputs and samplers must.
`MatrixRegions`, if mirrored, understates its sensitivity instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.graphs import Graph
from tacita.networks import NetworkRecords
from tacita.privacy import noise
from tacita.privacy.account import Charge
from tacita.privacy.budget import Budget, Step
from tacita.privacy.ledger import OpensAccounts
from tacita.privacy.questions import AnyQuestion, BlockQuestion, CellQuestion, Cells, every_count
from tacita.privacy.randomness import SecureSource, Source, uniform_below

__all__ = [
    "EMPTIES_OFF_BY_ONE",
    "EMPTIES_OF_ANOTHER_SCALE",
    "EMPTIES_OF_ANOTHER_THRESHOLD",
    "INSERTION_ORDER",
    "NO_NOISE_FOR_LARGE",
    "SCALE_FROM_DATA",
    "BrokenSampler",
    "MatrixRegions",
    "RepeatingSource",
    "wrong_scale",
]


@dataclass(frozen=True)
class BrokenSampler:
    """Answers questions about cells wrongly, and other questions correctly."""

    wrong: Callable[[CellQuestion, Cells, Source], Cells]
    source: Source

    def answer(self, question: AnyQuestion, truth: Any, /) -> Any:  # noqa: ANN401 - any question
        """Answer cells, and every block of cells that has a threshold, wrongly."""
        if isinstance(question, CellQuestion):
            return self.wrong(question, truth, self.source)
        if isinstance(question, BlockQuestion):
            return self._blocks(question, truth)
        return question.draw(truth, self.source)

    def _blocks(self, question: BlockQuestion, counts: Cells) -> Cells:
        """One block after another: slow and simple, but good enough for a small audit."""
        keys, values = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        blocks = question.block_of(counts.keys)
        for block, which in enumerate(question.terms.tolist()):
            terms, base, size = question.table[which], int(question.bases[block]), int(question.sizes[block])
            own = Cells(counts.keys[blocks == block] - base, counts.values[blocks == block])
            answer = self._open_cells(terms.epsilon / question.sensitivity, size, own)
            if terms.threshold is not None:
                one = CellQuestion(
                    step=question.step,
                    epsilon=terms.epsilon,
                    sensitivity=question.sensitivity,
                    domain=size,
                    threshold=terms.threshold,
                )
                answer = self.wrong(one, own, self.source)
            keys.append(answer.keys + base)
            values.append(answer.values)
        return Cells(np.concatenate(keys), np.concatenate(values))

    def _open_cells(self, rate: Fraction, size: int, counts: Cells) -> Cells:
        values = np.zeros(size, dtype=np.int64)
        values[counts.keys] = counts.values
        return Cells(np.arange(size, dtype=np.int64), noise.add_noise(values, rate=rate, source=self.source))


def wrong_scale(factor: Fraction, source: Source | None = None) -> BrokenSampler:
    """Divides the scale of all noise by `factor`: too little noise if the factor is above 1."""

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
    """One more test than there are empty cells; the values that pass are assigned to cells at random."""
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
    """The fewer non-empty cells there are, the less noise they get."""
    rate = question.rate * Fraction(3, 1 + int(counts.keys.size))
    return _merge(*_true_cells(question, counts, rate, source), *_all_empties(question, counts, question.rate, source))


def _insertion_order(question: CellQuestion, counts: Cells, source: Source) -> Cells:
    """Right values, but the non-empty cells come first."""
    true = _true_cells(question, counts, question.rate, source)
    false = _all_empties(question, counts, question.rate, source)
    return Cells(np.concatenate([true[0], false[0]]), np.concatenate([true[1], false[1]]))


def _no_noise_for_large(question: CellQuestion, counts: Cells, source: Source) -> Cells:
    """Right answers, but counts of 1,000 and more have no noise."""
    small = counts.values < 1000
    few = Cells(counts.keys[small], counts.values[small])
    noisy, empty = _true_cells(question, few, question.rate, source), _all_empties(question, counts, question.rate, source)
    keys, values = (np.concatenate([part, other]) for part, other in zip(noisy, empty, strict=True))
    return _merge(keys, values, counts.keys[~small], counts.values[~small])


class RepeatingSource:
    """Hands out the same 65,536 words again and again."""

    def __init__(self, *, words: int = 65_536) -> None:
        """Draw the words once."""
        self._words = SecureSource().take(8 * words)
        self._position = 0

    def take(self, size: int) -> bytes:
        """Hand out the next bytes, starting again after the end."""
        start = self._position
        self._position = (start + size) % len(self._words)
        rounds = -(-(start + size) // len(self._words))
        return (self._words * rounds)[start : start + size]


EMPTIES_OFF_BY_ONE = BrokenSampler(_one_empty_too_many, SecureSource())
EMPTIES_OF_ANOTHER_SCALE = BrokenSampler(_another_scale, SecureSource())
EMPTIES_OF_ANOTHER_THRESHOLD = BrokenSampler(_another_threshold, SecureSource())
SCALE_FROM_DATA = BrokenSampler(_scale_from_data, SecureSource())
INSERTION_ORDER = BrokenSampler(_insertion_order, SecureSource())
NO_NOISE_FOR_LARGE = BrokenSampler(_no_noise_for_large, SecureSource())


# Regions of a whole adjacency matrix, as published: an edge is counted in a region and in its mirror image.


@dataclass(frozen=True)
class MatrixRegions:
    """Count the edges in the four quarters of the matrix, at the cost of one count, because the quarters share no cell.

    In a mirrored matrix, an edge between the halves is in two quarters; in the upper triangle, each edge is in one.
    """

    mirrored: bool

    def publish(self, records: NetworkRecords, /, *, budget: Budget, ledger: OpensAccounts) -> Any:  # noqa: ANN401 - a stand-in
        """Publish as many edges as the noisy counts say, starting with the first."""
        size, keys = len(records.universe), records.counts().cells()
        half = size // 2
        rows, columns = keys // size >= half, keys % size >= half
        quarters = np.bincount(2 * rows + columns, minlength=4)
        if self.mirrored:
            quarters[2] = quarters[1]
        charge = Charge(dataset="audit", mechanism="control", plan=Step(name="quarters", epsilon=budget.epsilon))
        with ledger.open(charge) as account:
            noisy = every_count(account, "quarters", quarters)
        first, second = np.triu_indices(size, 1)
        number = int(np.clip(noisy.sum(), 0, first.size))
        graph = Graph(size, (first * size + second)[:number].astype(np.int64))
        return SimpleNamespace(data=SimpleNamespace(graph=graph, degrees=None))
