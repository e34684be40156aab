"""Lookalikes: walks of the chain with the lengths that were asked for, raked to all noisy answers, then written out.

The pool has several lookalikes for each person, so that raking can choose; a large release repeats those that carry much weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.parts import copied
from tacita.arrays.ragged import Ragged, chosen, distinct, lexicographic_order, offsets_of, ranges
from tacita.arrays.scatter import spread
from tacita.privacy.publishing import believed, refuse_flood
from tacita.public.steps import StepCodes, shape_cell
from tacita.sequences.raked.synthesis.lengths import Lengths
from tacita.sequences.raked.synthesis.symbols import Noisy
from tacita.synthesis import Chain, Measured, agreed, copies_of, shrunk_to_each_other, walks

__all__ = ["Answers", "Pool", "pool_of", "repeated_singly"]


EACH, LEAST, MOST = 10, 2_000, 1_000_000
"""Lookalikes for each person, and how many there are at the least and at the most."""

MOST_SYMBOLS = 2_000_000
"""At most about how many symbols all lookalikes have together, so that long sequences take no longer than many short ones."""

RETURNING, RETURNING_BESIDE_STEPS = (0.0, 0.0, 0.2, 0.5, 0.8), (0.0, 0.3, 0.6, 0.9)
"""How gladly lookalikes go back to what they know, without steps and with them; raking chooses among them."""


WALKS = 1 << 20
"""Where the hashes of the walks begin, so that no other draw has the same."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """What was answered beside lengths; without steps, single symbols were asked again in their place."""

    symbols: Noisy
    steps: Noisy | None
    ends: Noisy
    together: bool
    """Whether first and last codes were asked together, or apart."""
    shapes: Noisy


@dataclass(frozen=True, kw_only=True, eq=False)
class Pool:
    """Lookalikes as lists of codes, longest first."""

    lists: Ragged
    codes: StepCodes
    lengths: Lengths

    @property
    def first(self) -> Integers:
        """The first code of each."""
        return np.asarray(self.lists.codes[self.lists.offsets[:-1]], dtype=np.int64)

    @property
    def last(self) -> Integers:
        """The last code of each."""
        return np.asarray(self.lists.codes[self.lists.offsets[1:] - 1], dtype=np.int64)

    def ends(self) -> Integers:
        """How many lookalikes begin with one code and end with another."""
        return np.bincount(self.first * self.codes.size + self.last, minlength=self.codes.size**2)

    def weights(self, answers: Answers) -> Reals:
        """Weights that agree with all noisy answers."""
        cells = np.searchsorted(self.lengths.edges, self.lists.lengths)
        measured = [
            Measured(counts=self.lengths.counts, variance=2 * self.lengths.scale**2, cells=cells),
            *self._ends(answers),
            Measured(counts=answers.shapes.counts, variance=answers.shapes.variance, cells=self._shapes()),
            self._symbols(answers.symbols),
        ]
        if answers.steps is not None:
            measured.append(self._steps(answers.steps))
        return agreed(measured, lookalikes=len(self.lists), people=self.lengths.people)

    def _steps(self, steps: Noisy) -> Measured:
        """Every step, from the start to the end."""
        lists, size = self.lists, self.codes.size
        before = np.empty(lists.codes.size + len(lists), dtype=np.int64)
        after = np.empty_like(before)
        ends = lists.offsets[1:] + np.arange(len(lists))
        inside = np.ones(before.size, dtype=np.bool_)
        inside[ends] = False
        after[inside], after[ends] = lists.codes, size
        before[1:], before[0] = after[:-1], size  # after an end comes a start, and both are the last code
        weights = np.repeat(np.minimum(1.0, self.lengths.cap / (lists.lengths + 1.0)), lists.lengths + 1)
        cells, offsets = before * (size + 1) + after, offsets_of(lists.lengths + 1)
        return Measured(counts=steps.counts, variance=steps.variance, cells=cells, offsets=offsets, weights=weights)

    def _ends(self, answers: Answers) -> list[Measured]:
        """First and last together, or apart."""
        ends, size = answers.ends, self.codes.size
        if answers.together:
            return [Measured(counts=ends.counts, variance=ends.variance, cells=self.first * size + self.last)]
        return [
            Measured(counts=ends.counts[:size], variance=ends.variance, cells=self.first),
            Measured(counts=ends.counts[size:], variance=ends.variance, cells=self.last),
        ]

    def _symbols(self, symbols: Noisy) -> Measured:
        """Symbols with codes of their own; how rare the others are was not asked."""
        lengths, most = self.lists.lengths, self.lengths.cap - 1
        cells = np.minimum(self.lists.codes, self.codes.rare).astype(np.int64)
        weights = np.repeat(np.minimum(1.0, most / lengths), lengths)
        weights[cells == self.codes.rare] = 0.0
        counts = np.append(symbols.counts[self.codes.kept], 0.0)
        return Measured(counts=counts, variance=symbols.variance, cells=cells, offsets=self.lists.offsets, weights=weights)

    def _shapes(self) -> Integers:
        """The shape of each lookalike; every rare symbol is a place of its own, and going back to one is none."""
        lists, codes = self.lists, self.codes
        own = lists.codes.astype(np.int32)
        if codes.has_rare:
            rare = np.flatnonzero(own == codes.rare)
            own[rare] = codes.size + (ranges(np.zeros_like(lists.lengths), lists.lengths))[rare]
        width = codes.size + int(lists.lengths.max(initial=0))
        different = distinct(Ragged(own, lists.offsets), symbols=width).lengths
        if codes.has_rare:
            different = np.maximum(different - np.logical_or.reduceat(own == codes.back, lists.offsets[:-1]), 1)
        first, last = self.first, self.last
        returns = first == last
        if codes.has_rare:
            by_chance = spread(np.arange(len(lists)), salt=2) < 1 / different
            returns = np.where(last == codes.back, (first >= codes.rare) & by_chance, returns & (first < codes.rare))
        return shape_cell(different, lists.lengths, returns.astype(np.int64), self.lengths.edges)

    def written(self, weights: Reals, number: int) -> Ragged:
        """So many sequences of symbols, short ones first, in parts."""
        times = copies_of(weights, number)
        used = np.flatnonzero(times)
        named = _named(chosen(self.lists, used), self.codes)
        order = lexicographic_order(named)
        order = order[np.argsort(named.lengths[order], kind="stable")]
        return copied(chosen(named, order), times[used][order])


def repeated_singly(people: Noisy, symbols: Noisy) -> Ragged:
    """Sequences of one symbol: as many as both answers say, with symbols as often as the noisy counts say."""
    sums = Noisy(counts=symbols.counts.sum(keepdims=True), scale=symbols.scale * float(np.sqrt(symbols.counts.size)))
    both = people.with_(sums)
    number = round(believed(max(float(both.counts[0]), 0.0), float(np.sqrt(both.variance))))
    refuse_flood(float(number), in_parts=True)
    counts = shrunk_to_each_other(symbols.counts, symbols.scale, float(number)) if number else np.zeros(symbols.counts.size)
    singles = Ragged(np.arange(counts.size, dtype=np.int32), np.arange(counts.size + 1, dtype=np.int64))
    return copied(singles, copies_of(counts, number) if number else np.zeros(counts.size, dtype=np.int64))


def pool_of(chain: Chain, codes: StepCodes, lengths: Lengths) -> Pool:
    """Draw the lookalikes."""
    number = int(min(max(EACH * lengths.people, LEAST), MOST, MOST_SYMBOLS / lengths.mean))
    kinds = RETURNING_BESIDE_STEPS if chain.has_memory else RETURNING
    tastes = np.array(kinds)[(spread(np.arange(number), salt=3) * len(kinds)).astype(np.int64)]
    again = np.arange(codes.size)
    again[codes.rare :] = codes.back
    lists = walks(chain, lengths.drawn_lengths(number), returning=tastes, again=again, salt=WALKS)
    return Pool(lists=lists, codes=codes, lengths=lengths)


def _named(lists: Ragged, codes: StepCodes) -> Ragged:
    """Codes as symbols: a rare one is any of the symbols without a code, and going back leads to one that its list has."""
    if not codes.has_rare:
        return lists
    found = np.empty(lists.codes.size, dtype=np.int32)
    own = lists.codes < codes.rare
    found[own] = codes.kept[lists.codes[own]]
    rare = np.flatnonzero(~own)
    owners = np.repeat(np.arange(len(lists)), lists.lengths)[rare]
    is_first = np.diff(owners, prepend=-1) != 0
    is_new = is_first | (lists.codes[rare] == codes.rare)
    tail = np.setdiff1d(np.arange(codes.symbols), codes.kept, assume_unique=True)
    names = tail[(spread(np.arange(int(is_new.sum())), salt=4) * tail.size).astype(np.int64)]
    reached = np.cumsum(is_new)  # how many new ones there are up to here, in all lists
    before = (reached - is_new)[is_first][np.cumsum(is_first) - 1]  # and before this list
    earlier = before + (spread(rare, salt=5) * (reached - before)).astype(np.int64)
    found[rare] = names[np.where(is_new, reached - 1, earlier)]
    return Ragged(found, lists.offsets)
