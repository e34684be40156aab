"""From private to synthetic sequences via grams: the questions, their order, and what is made of the answers.

Whether the result is private depends on who answers: an account adds noise. The owner's evaluation also runs it without noise, to
separate what noise costs from what grams cannot express.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import inf, sqrt
from typing import Protocol

import numpy as np

from tacita.arrays import Reals
from tacita.arrays.ragged import Ragged
from tacita.arrays.simplex import on_simplex
from tacita.counting import GramCounts, SequenceCounts
from tacita.privacy.flood import MOST_UNSURE, believed, is_sure
from tacita.privacy.paths import Blocks, Paths, Terms
from tacita.privacy.publishing import Progress
from tacita.sequences.ngrams.exploration import explore
from tacita.sequences.ngrams.rules import Allocation, GramRule
from tacita.sequences.ngrams.synthesis import GramTree, consistent, contexts_of, fitted, joined, walked
from tacita.sequences.prefix_trees.schedule import Threshold

__all__ = ["AnswersGrams", "GramPipeline", "Missing", "Synthesis"]


LEAPS, LEAP = 1, 1.6
"""For repeats of one symbol: how many lengths past the longest grams are asked about, and the ratio of each to the last."""

MOST_SHARES = 2**22
"""How many probabilities the machine that writes sequences may have; rare contexts that would exceed it are left out."""


class Missing(StrEnum):
    """How to treat counts that were not released."""

    MARKOV = "markov"
    ZERO = "zero"


class Synthesis(StrEnum):
    """How sequences are made of grams."""

    GENERATED = "generated"
    JOINED = "joined"


class AnswersGrams(Protocol):
    """Something that answers questions: an account, or an evaluation without noise."""

    def paths(self, step: str, *, starts: int = 1) -> Paths:
        """A tree of questions that share a budget."""
        ...


@dataclass(frozen=True, kw_only=True)
class GramPipeline:
    """The n-gram method once its longest length is known. All parameters are public."""

    symbols: int
    max_length: int
    max_gram: int
    allocation: Allocation
    missing: Missing
    threshold: Threshold
    synthesis: Synthesis
    max_nodes: int

    @property
    def grams(self) -> GramRule:
        """The questions about grams. The published construction has no leaps and treats a cut as an end."""
        is_joined = self.synthesis is Synthesis.JOINED
        return GramRule(
            symbols=self.symbols,
            starts=self.max_length,
            max_gram=min(self.max_gram, self.max_length + 1),
            allocation=self.allocation,
            threshold=self.threshold,
            leaps=() if is_joined else _leaps(self.max_gram, self.max_length),
            has_cut=not is_joined,
            first_weight=Fraction(_bits_past_four(self.symbols), 4),
        )

    @property
    def starts(self) -> GramRule:
        """The questions about the beginnings of sequences; a record has one beginning."""
        return GramRule(
            symbols=self.symbols,
            starts=1,
            max_gram=max(1, min(self.max_gram - 1, self.max_length)),
            allocation=Allocation.UNIFORM,
            threshold=Threshold.DEFAULT,
            first_weight=Fraction(_bits_past_four(self.symbols)),
        )

    def run(self, counts: SequenceCounts, answers: AnswersGrams, *, progress: Progress | None = None) -> tuple[Ragged, GramTree]:
        """Ask everything, and write synthetic sequences; the noisy grams come with them."""
        counter = counts.grams(symbols=self.symbols, max_length=self.max_length, cut=self.grams.cut)
        if self.synthesis is Synthesis.JOINED:
            tree = self._explored(counter, answers, "grams", self.grams, progress=progress)
            shares_missing = self.missing is Missing.MARKOV
            whole = consistent(tree, shares_missing=shares_missing)
            most = inf if _stands_out(tree) else MOST_UNSURE
            return joined(whole, symbols=self.symbols, max_length=self.max_length, most=most), tree
        lengths = self._lengths(counts, answers)
        starts = self._explored(counter.beginnings(), answers, "starts", self.starts)
        tree = self._explored(counter, answers, "grams", self.grams, progress=progress)
        contexts = contexts_of(
            tree,
            starts,
            max_length=self.max_length,
            lengths=lengths,
            shares_missing=self.missing is Missing.MARKOV,
            max_cells=MOST_SHARES,
        )
        machine = fitted(contexts, lengths=lengths)
        return walked(machine, records=int(lengths.sum()), max_length=self.max_length), tree

    def _lengths(self, counted: SequenceCounts, answers: AnswersGrams) -> Reals:
        """How many sequences have each length, from 0; the last entry counts those longer than the longest length."""
        counts = np.array(counted.lengths(longest=self.max_length + 1), dtype=np.int64)
        paths, one = answers.paths("lengths"), np.zeros(1, dtype=np.int64)
        terms = Terms(epsilon=paths.epsilon, threshold=None)
        blocks = Blocks(nodes=one, sizes=one + counts.size, terms=one, table=(terms,))
        cells = np.flatnonzero(counts).astype(np.int64)
        kept = paths.ask(blocks, places=np.zeros_like(cells), cells=cells, counts=counts[cells])
        lengths = np.zeros(self.max_length + 2)
        lengths[kept.cells + 1] = kept.values
        deviation = sqrt(2 * counts.size) / float(paths.epsilon)
        lengths[1:] = on_simplex(lengths[1:], max(0.0, believed(float(lengths.sum()), deviation)))
        return lengths

    def _explored(
        self, counter: GramCounts, answers: AnswersGrams, step: str, rule: GramRule, *, progress: Progress | None = None
    ) -> GramTree:
        return explore(counter, answers.paths(step, starts=rule.starts), rule, max_nodes=self.max_nodes, progress=progress)


def _stands_out(tree: GramTree) -> bool:
    """Whether the number of all symbols is too large to be noise alone."""
    single = tree.levels[0]
    return is_sure(float(single.counts.sum()), sqrt(2 * tree.symbols) * float(single.scales.max(initial=0.0)))


def _bits_past_four(symbols: int) -> int:
    """From 1 for a few symbols to 4 for hundreds: the more symbols, the smaller their counts, and the more budget they need."""
    return min(4, max(1, symbols.bit_length() - 4))


def _leaps(max_gram: int, max_length: int) -> tuple[int, ...]:
    """The lengths past the longest grams that are asked about: 8 for grams of 5."""
    lengths: list[int] = []
    longest = max_gram
    while len(lengths) < LEAPS and round(LEAP * longest + 0.5) <= max_length:
        longest = max(longest + 1, round(LEAP * longest))
        lengths.append(longest)
    return tuple(lengths)
