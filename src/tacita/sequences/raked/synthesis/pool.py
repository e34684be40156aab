"""Lookalikes: walks of the chain with the lengths that were asked for, raked to all noisy answers, then written out.

The pool has several lookalikes for each person, so that raking can choose; a large release repeats those that carry much weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.parts import copied
from tacita.arrays.ragged import Ragged, chosen, distinct, lexicographic_order, offsets_of, ranges
from tacita.arrays.scatter import scattered, spread
from tacita.privacy.limits import believed, refuse_flood
from tacita.public.steps import StepCodes, company_cell, shape_cell, squares_of
from tacita.sequences.raked.synthesis.lengths import Cap, Lengths
from tacita.sequences.raked.synthesis.symbols import Ends, Noisy
from tacita.sequences.raked.synthesis.timing import NoisyTimes
from tacita.synthesis import ANY, FRO, STAY, Chain, Habits, Measured, agreed, copies_of, posterior_means, walks

__all__ = ["Answers", "Pool", "Visits", "pool_of", "repeated_singly"]


LEAST, MOST = 20_000, 1_000_000
"""There are as many lookalikes as people, but at the least and at the most so many."""

EACH_CELL, LEAST_MOST = 100, 100_000
"""At most how many lookalikes there are for each cell of steps, if that is more than the second number."""

MOST_SYMBOLS = 2_000_000
"""At most about how many symbols all lookalikes have together, so that long sequences take no longer than many short ones."""

RETURNING = (0.0, 0.3, 0.6, 0.9)
"""How gladly lookalikes go back to what they know; raking tells how many do."""

KINDS = tuple((chance, to, home) for chance in RETURNING for to in (STAY, FRO, ANY) for home in (False, True) if chance or not to)
"""Kinds of lookalikes: how gladly they go back, to where, and whether they end where they began."""

PLAIN = 0.8
"""How many are believed to be of the first kind, who do not go back on purpose, before the answers tell."""

FIRST, MOST_FIRST = 0.2, 20_000
"""The first pool has this share of the lookalikes, or this many; it tells how many of each kind the second one needs."""


WALKS = 1 << 20
"""Where the hashes of the walks begin, so that no other draw has the same."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Visits:
    """How often each symbol occurs, the variance of that, and what those of one record may weigh, told by times."""

    counts: Reals
    variances: Reals
    cap: Cap


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """What was answered beside lengths; without steps, single symbols were asked again in their place."""

    symbols: Noisy
    steps: Noisy | None
    ends: Ends
    shapes: Noisy
    members: Integers
    """The codes of which it was asked who has exactly which of them."""
    company: Noisy
    visits: Visits | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Pool:
    """Lookalikes as lists of codes, longest first."""

    lists: Ragged
    kinds: Integers
    chain: Chain
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

    def members(self, most: int) -> Integers:
        """The codes of which it is least certain who has them; at most so many."""
        sets = distinct(self.lists, symbols=self.codes.size)
        shares = np.bincount(sets.codes, minlength=self.codes.size)[: self.codes.rare] / len(self.lists)
        return np.sort(np.argsort(-shares * (1 - shares), kind="stable")[:most]).astype(np.int64)

    def second(self, answers: Answers) -> tuple[Pool, Reals]:
        """Lookalikes of the kinds and lengths that the answers ask of these ones, and weights that agree with all answers."""
        lengths = self.lengths.with_people([_sum_of(each) for each in self._disjoint(answers)])
        first = replace(self, lengths=lengths)
        prior = np.where(first.kinds == 0, PLAIN * len(KINDS) / (1 - PLAIN), 1.0)
        found = agreed(first.measured(answers), prior=prior, people=lengths.people)
        times = copies_of(found.weights, _lookalikes(self.codes, lengths))
        each, kinds = np.repeat(first.lists.lengths, times), np.repeat(first.kinds, times)
        pool, alike = _drawn(self.chain, self.codes, lengths, each, kinds, salt=2 * WALKS).different()
        weights = agreed(pool.measured(answers), prior=alike, people=lengths.people, beliefs=found.beliefs).weights
        return pool, pool.with_lengths(weights)

    def with_lengths(self, weights: Reals) -> Reals:
        """Weights with which lengths are as they were found: that was made of all that is known of them."""
        cells = np.searchsorted(self.lengths.edges, self.lists.lengths)
        sums = np.bincount(cells, weights=weights, minlength=self.lengths.edges.size)
        return np.asarray(weights * (self.lengths.counts / np.maximum(sums, 1e-9))[cells], dtype=np.float64)

    def different(self) -> tuple[Pool, Reals]:
        """Each different lookalike once, and how many there are of it; those with rare symbols get names of their own."""
        lists, width = self.lists, np.uint64(self.codes.size)
        if self.codes.has_rare:
            return self, np.ones(len(lists))
        places = ranges(np.zeros_like(lists.lengths), lists.lengths).astype(np.uint64)
        words = np.add.reduceat(scattered(places * width + lists.codes.astype(np.uint64), salt=6), lists.offsets[:-1])
        _, which, numbers = np.unique(words, return_index=True, return_counts=True)
        order = np.argsort(which)
        kept = which[order]
        return replace(self, lists=chosen(lists, kept), kinds=self.kinds[kept]), numbers[order].astype(np.float64)

    def measured(self, answers: Answers) -> list[Measured]:
        """All noisy answers, and what each lookalike adds to them."""
        lengths = self.lengths
        cells = np.searchsorted(lengths.edges, self.lists.lengths)
        found = [
            Measured(counts=lengths.counts, variance=2 * lengths.scale**2, cells=cells),
            *self._disjoint(answers),
            self._symbols(self._visits(answers.symbols), self._glance_weights()),
        ]
        if answers.visits is not None:
            found.append(self._symbols(answers.visits, answers.visits.cap.of_parts(self.lists.lengths)))
        return found if answers.steps is None else [*found, self._steps(answers.steps)]

    def _disjoint(self, answers: Answers) -> list[Measured]:
        """Answers in which everybody is in one cell: ends, shapes, company."""
        shapes, company = answers.shapes, answers.company
        return [
            *self._ends(answers.ends),
            Measured(counts=shapes.counts, variance=shapes.variance, cells=self._shapes()),
            Measured(counts=company.counts, variance=company.variance, cells=company_cell(self.lists, answers.members)),
        ]

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
        cells, offsets, cap = before * (size + 1) + after, offsets_of(lists.lengths + 1), self.lengths.step_cap
        weights = cap.of_squares(squares_of(cells, lists.lengths + 1) if cap.squared else lists.lengths + 1)
        return Measured(counts=steps.counts, variance=steps.variance, cells=cells, offsets=offsets, weights=weights)

    def _ends(self, ends: Ends) -> list[Measured]:
        """First and last together, or apart."""
        first, last = (np.minimum(codes, self.codes.rare) for codes in (self.first, self.last))
        cells = [first * (self.codes.rare + self.codes.has_rare) + last] if ends.together else [first, last]
        return [
            Measured(counts=counts, variance=variances, cells=own)
            for (counts, variances), own in zip(ends.parts(self.codes), cells, strict=True)
        ]

    def _visits(self, symbols: Noisy) -> Visits:
        """Single symbols, as a glance counted them: raw counts would have sequences with every symbol whose noise is above 0."""
        lengths, cap = self.lengths, self.lengths.symbol_cap
        counts = posterior_means(symbols.counts, symbols.scale, lengths.mass(lengths.middles, lengths.middles, cap))
        return Visits(counts=counts, variances=np.full(counts.size, symbols.variance), cap=cap)

    def _glance_weights(self) -> Reals:
        """What each symbol of each lookalike weighs."""
        lengths, cap = self.lists.lengths, self.lengths.symbol_cap
        return cap.of_squares(squares_of(self._places(), lengths) if cap.squared else lengths)

    def _places(self) -> Integers:
        """The codes of all lists in a row; every rare symbol has one of its own, and all that are gone back to have one."""
        lists, codes = self.lists, self.codes
        own = lists.codes.astype(np.int64)
        if codes.has_rare:
            rare = np.flatnonzero(own == codes.rare)
            own[rare] = codes.size + (ranges(np.zeros_like(lists.lengths), lists.lengths))[rare]
        return own

    def _symbols(self, visits: Visits, weights: Reals) -> Measured:
        """Symbols with codes of their own; how rare the others are was not asked."""
        cells = np.minimum(self.lists.codes, self.codes.rare).astype(np.int64)
        counts, variance = (
            np.append(of[self.codes.kept], more) for of, more in ((visits.counts, 0.0), (visits.variances, np.inf))
        )
        return Measured(counts=counts, variance=variance, cells=cells, offsets=self.lists.offsets, weights=weights)

    def _shapes(self) -> Integers:
        """The shape of each lookalike; every rare symbol is a place of its own, and going back to one is none."""
        lists, codes = self.lists, self.codes
        own = self._places().astype(np.int32)
        width = codes.size + int(lists.lengths.max(initial=0))
        different = distinct(Ragged(own, lists.offsets), symbols=width).lengths
        if codes.has_rare:
            different = np.maximum(different - np.logical_or.reduceat(own == codes.back, lists.offsets[:-1]), 1)
        first, last = self.first, self.last
        returns = first == last
        if codes.has_rare:
            by_chance = spread(np.arange(len(lists)), salt=2) < 1 / different
            returns = np.where(last == codes.back, (first >= codes.rare) & by_chance, returns & (first < codes.rare))
        return shape_cell(different, Ragged(own, lists.offsets), returns, self.lengths.edges)

    def written(self, weights: Reals, number: int) -> Ragged:
        """So many sequences of symbols, short ones first, in parts."""
        times = copies_of(weights, number)
        used = np.flatnonzero(times)
        named = _named(chosen(self.lists, used), self.codes)
        order = lexicographic_order(named)
        order = order[np.argsort(named.lengths[order], kind="stable")]
        return copied(chosen(named, order), times[used][order])


def _sum_of(measured: Measured) -> tuple[float, float]:
    """The sum of all cells that some lookalike is in, and its variance."""
    used = np.zeros(measured.counts.size, dtype=np.bool_)
    used[measured.cells] = True
    return float(measured.counts[used].sum()), float(np.broadcast_to(measured.variance, used.shape)[used].sum())


def repeated_singly(people: Noisy, symbols: Noisy, times: NoisyTimes | None = None) -> Ragged:
    """Sequences of one symbol: as many as both answers say, with symbols as often as the noisy counts say."""
    sums = Noisy(counts=symbols.counts.sum(keepdims=True), scale=symbols.scale * float(np.sqrt(symbols.counts.size)))
    both = people.with_(sums)
    number = round(believed(max(float(both.counts[0]), 0.0), float(np.sqrt(both.variance))))
    refuse_flood(float(number), in_parts=times is None)
    if not number:
        counts = np.zeros(symbols.counts.size)
    elif times is not None and times.visits is not None:
        again, variances = times.visits
        inverse = 1 / variances + 1 / symbols.variance
        joined = (again / variances + symbols.counts / symbols.variance) / inverse
        counts = posterior_means(joined, np.sqrt(1 / inverse / 2), float(number))
    else:
        counts = posterior_means(symbols.counts, symbols.scale, float(number))
    singles = Ragged(np.arange(counts.size, dtype=np.int32), np.arange(counts.size + 1, dtype=np.int64))
    return copied(singles, copies_of(counts, number) if number else np.zeros(counts.size, dtype=np.int64))


def pool_of(chain: Chain, codes: StepCodes, lengths: Lengths) -> Pool:
    """Draw the first lookalikes, as many of each kind."""
    number = min(round(FIRST * _lookalikes(codes, lengths)), MOST_FIRST)
    kinds = (spread(np.arange(number), salt=3) * len(KINDS)).astype(np.int64)
    return _drawn(chain, codes, lengths, lengths.drawn_lengths(number), kinds, salt=WALKS)


def _lookalikes(codes: StepCodes, lengths: Lengths) -> int:
    """How many lookalikes there are: one for each person, but not more than can be told apart."""
    most = min(max(EACH_CELL * (codes.size + 1) ** 2, LEAST_MOST), MOST, MOST_SYMBOLS / lengths.mean)
    return int(min(max(lengths.people, LEAST), most))


def _drawn(chain: Chain, codes: StepCodes, lengths: Lengths, each: Integers, kinds: Integers, *, salt: int) -> Pool:
    """A lookalike of each length and kind."""
    returning, to, home = (np.array(column)[kinds] for column in zip(*KINDS, strict=True))
    again = np.arange(codes.size)
    again[codes.rare :] = codes.back
    habits = Habits(returning=returning, to=to, home=home)
    lists = walks(chain, each, habits=habits, again=again, salt=salt)
    return Pool(lists=lists, kinds=kinds, chain=chain, codes=codes, lengths=lengths)


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
