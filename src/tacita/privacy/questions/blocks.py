"""Many blocks of disjoint cells in one question, each block with its own cost and threshold.

Blocks are asked at the nodes of a tree that earlier answers have grown; `tacita.privacy.paths` limits what a path through the
tree may cost in total. A block without a threshold is open: every one of its cells is answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from tacita.arrays import Integers, Places
from tacita.arrays.ragged import ranges
from tacita.privacy import noise
from tacita.privacy.budget import decimal_text
from tacita.privacy.questions.cells import Cells, cell_choice, cells_log_ratio, differing, merged, open_choice, skip_taken
from tacita.privacy.questions.question import Outcomes
from tacita.privacy.randomness import Source

__all__ = ["BlockQuestion", "Terms", "with_open_blocks"]


_NO_THRESHOLD = np.iinfo(np.int64).min


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The cost of a block and its threshold: a cell is kept if its noisy count is at least that; None keeps all cells."""

    epsilon: Fraction
    threshold: int | None


@dataclass(frozen=True, kw_only=True, eq=False)
class BlockQuestion:
    """Blocks in columns; block b has the cells bases[b] to bases[b + 1] - 1.

    Each block is asked at a node of the tree that earlier answers have grown. One record changes the counts of all blocks that
    are asked at one node, and of those below, by at most `sensitivity` in total.
    """

    step: str
    sensitivity: int
    table: tuple[Terms, ...]
    terms: Integers
    nodes: Integers
    sizes: Integers

    @property
    def epsilon(self) -> Fraction:
        """The most that a path pays in this round."""
        return max(terms.epsilon for terms in self.table)

    @property
    def delta(self) -> Fraction:
        """Counts over public cells need no delta."""
        return Fraction(0)

    @cached_property
    def bases(self) -> Integers:
        """The first cell of each block and, last, the number of all cells."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.sizes)])

    @property
    def domain(self) -> int:
        """The number of all cells."""
        return int(self.bases[-1])

    @property
    def rates(self) -> tuple[Fraction, ...]:
        """The inverse of the noise scale for each of the terms."""
        return tuple(terms.epsilon / self.sensitivity for terms in self.table)

    @property
    def noise(self) -> str:
        """The noise of one round in words; the number of blocks follows from noisy answers."""
        scales = sorted(1 / rate for rate in self.rates)
        scale = decimal_text(scales[0]) if len(scales) == 1 else f"{float(scales[0]):.6g} to {float(scales[-1]):.6g}"
        least = sorted({terms.threshold for terms in self.table if terms.threshold is not None})
        bounds = f"{least[0]} to {least[-1]}, depending on the block" if len(least) > 1 else f"{least[0]}" if least else ""
        kept = f"kept if the noisy count is at least {bounds}" if least else "all kept"
        return f"discrete Laplace, scale {scale}, {kept}"

    def block_of(self, keys: Integers) -> Places:
        """The block that each cell is in."""
        return np.searchsorted(self.bases[1:], keys, side="right")

    def __eq__(self, other: object) -> bool:
        """Two questions are the same if all their parts are."""
        if not isinstance(other, BlockQuestion):
            return NotImplemented
        return (self.step, self.sensitivity, self.table) == (other.step, other.sensitivity, other.table) and all(
            np.array_equal(mine, theirs)
            for mine, theirs in ((self.terms, other.terms), (self.nodes, other.nodes), (self.sizes, other.sizes))
        )

    def __hash__(self) -> int:
        """Equal questions have equal hashes; different questions of one step may collide."""
        return hash((self.step, self.sensitivity, self.table))

    def check(self, truth: Cells, /) -> None:
        """Nothing to do: `Paths` checks what it puts together."""

    def draw(self, truth: Cells, source: Source, /) -> Cells:
        """Add noise to non-empty cells and all cells of open blocks, find the empty ones that pass, and merge all in order."""
        counts = with_open_blocks(self, truth)
        rates = self.rates
        terms = self.terms[self.block_of(counts.keys)]
        noisy = noise.saturate(counts.values + noise.discrete_laplace_each(terms, rates=rates, source=source))
        least = np.array([_NO_THRESHOLD if each.threshold is None else each.threshold for each in self.table], dtype=np.int64)
        kept = noisy >= least[terms]
        keys, values = [counts.keys[kept]], [noisy[kept]]
        for which, (each, rate) in enumerate(zip(self.table, rates, strict=True)):
            if each.threshold is None:
                continue
            false_keys = self._passing_empties(which, counts.keys[terms == which], rate, each.threshold, source)
            if false_keys.size:
                keys.append(false_keys)
                values.append(noise.tail_above(false_keys.size, rate=rate, threshold=each.threshold, source=source))
        return merged(keys, values)

    def _passing_empties(self, which: int, taken: Integers, rate: Fraction, threshold: int, source: Source) -> Integers:
        """The empty cells that pass, among all blocks with the same terms, laid out as if there were no other blocks."""
        blocks = np.flatnonzero(self.terms == which)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.sizes[blocks])])
        beside = self.bases[blocks] - starts[:-1]
        inside = taken - beside[np.searchsorted(self.bases[blocks], taken, side="right") - 1] if taken.size else taken
        ranks = noise.passing_ranks(int(starts[-1]) - taken.size, rate=rate, threshold=threshold, source=source)
        if not ranks.size:
            return ranks
        found = skip_taken(ranks, inside)
        return np.asarray(found + beside[np.searchsorted(starts[1:], found, side="right")], dtype=np.int64)

    def log_ratio(self, answer: Cells, first: Cells, second: Cells, /) -> float:
        """Sum over the cells whose counts differ, each at the terms of its block."""
        keys, (mine, other) = differing(first, second)
        terms = self.terms[self.block_of(keys)]
        ratio = 0.0
        for which in np.unique(terms).tolist():
            at = terms == which
            ratio += cells_log_ratio(
                answer,
                keys[at],
                (mine[at], other[at]),
                rate=self.rates[which],
                threshold=self.table[which].threshold,
                step=self.step,
            )
        return ratio

    def largest_loss(self, first: Cells, second: Cells, /) -> Fraction:
        """The most that any answer can lose between two truths."""
        keys, (mine, other) = differing(first, second)
        terms = self.terms[self.block_of(keys)]
        changes = np.bincount(terms, weights=np.abs(mine - other), minlength=len(self.table))
        return sum((rate * int(change) for rate, change in zip(self.rates, changes, strict=True)), Fraction(0))

    def outcomes(self, truth: Cells, /, *, span: int) -> Outcomes[Cells]:
        """One independent choice per cell, block by block; a cell of an open block always has a value."""
        keys = np.arange(self.domain)
        terms, counts = self.terms[self.block_of(keys)].tolist(), truth.at(keys).tolist()
        choices = []
        for which, count in zip(terms, counts, strict=True):
            rate, threshold = self.rates[which], self.table[which].threshold
            is_open = threshold is None
            choices.append(open_choice(rate, count, span) if is_open else cell_choice(rate, threshold or 0, count, span))
        return Outcomes(choices, partial(_joined, keys))

    def covers(self, answer: Cells, /, *, span: int) -> bool:
        """Whether no value is beyond the span; a cell with a threshold is always above it."""
        middles = np.array([terms.threshold or 0 for terms in self.table], dtype=np.int64)
        from_middle = answer.values - middles[self.terms[self.block_of(answer.keys)]]
        return bool(np.all(np.abs(from_middle) <= span))

    def nothing(self) -> Cells:
        """No cell passes, and those of open blocks hold nothing."""
        return with_open_blocks(self, Cells.none())


def with_open_blocks(question: BlockQuestion, counts: Cells) -> Cells:
    """The counts, with explicit zeros for the empty cells of blocks without a threshold."""
    is_open = np.array([each.threshold is None for each in question.table], dtype=np.bool_)[question.terms]
    if not is_open.any():
        return counts
    listed = ranges(question.bases[:-1][is_open], question.sizes[is_open])
    others = counts.keys[~is_open[question.block_of(counts.keys)]]
    keys = np.sort(np.concatenate([listed, others]), kind="stable") if others.size else listed
    values = np.zeros(keys.size, dtype=np.int64)
    values[np.searchsorted(keys, counts.keys)] = counts.values
    return Cells(keys, values)


def _joined(keys: Integers, values: Sequence[Any]) -> Cells:
    kept = np.array([value is not None for value in values], dtype=np.bool_)
    return Cells(keys[kept], np.array([value for value in values if value is not None], dtype=np.int64))
