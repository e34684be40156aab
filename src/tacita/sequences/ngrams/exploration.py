"""The exploration tree of grams: what each histogram costs and keeps, and the growth of the tree through an account.

The growth is the only part of the n-gram method that touches private data: it asks for counts, level by level, and passes them to
the paths of the account. Everything else (which grams are followed, and with which share of the budget) depends on noisy answers
only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil, log

import numpy as np

from tacita.arrays import Booleans, Integers, Places, Reals
from tacita.counting import GramCounts
from tacita.errors import TooManyNodesError
from tacita.privacy.noise import threshold_passed_by
from tacita.privacy.paths import Blocks, Kept, Paths, Terms
from tacita.privacy.publishing import Progress
from tacita.public.parameters import Chosen
from tacita.sequences.ngrams.synthesis import GramLevel, GramTree, Repeats, asked_suffixes, expected_steps, mode_shares
from tacita.sequences.prefix_trees.growth import Threshold

__all__ = ["FALSE_GRAMS", "Allocation", "GramRule", "explore"]


# The cost and the threshold of each histogram. All of it is public.
#
# Shares follow section 6.4.1 of Chen's thesis with its heights rounded up, without which a path may spend far more than its
# budget, and its circular definition resolved: a threshold comes from the epsilon of the counts that it is compared with.


FALSE_GRAMS = 0.5
"""The default threshold lets a histogram have at most this many false grams on average, so that they die out."""

FALSE_LAST = 1.0
"""The same for the last question of a path: nothing is asked below it, so false grams cannot multiply."""

LEAP_WEIGHT = Fraction(3, 4)
"""What counting repeats past the longest grams costs by default, in relation to other questions."""

MOST_OPEN = 2**20
"""Up to this many symbols, all single ones are released; with more, they have a threshold too."""

SURE = 1e-6
"""Probabilities are kept at least this far from 0 and 1, so that their logarithms stay finite."""


class Allocation(StrEnum):
    """How the budget is divided along a path of the tree."""

    ADAPTIVE = "adaptive"
    UNIFORM = "uniform"
    LEVEL_WISE = "level-wise"


@dataclass(frozen=True, kw_only=True)
class GramRule:
    """Grams of up to `max_gram` of `symbols` symbols, which start at no more than `starts` positions of a record.

    `leaps` are the lengths beyond `max_gram` that are asked about for grams that repeat one symbol.
    """

    symbols: int
    starts: int
    max_gram: int
    allocation: Chosen[Allocation] = Chosen(Allocation, Allocation.ADAPTIVE)
    threshold: Chosen[Threshold] = Chosen(Threshold, Threshold.DEFAULT)
    leaps: tuple[int, ...] = ()
    has_cut: bool = True
    first_weight: Fraction = Fraction(1)
    """What counting single symbols costs, in relation to other questions."""

    @property
    def bins(self) -> int:
        """How many symbols may follow a gram: those of the universe, the end and, if it is distinguished, the cut."""
        return self.symbols + (2 if self.has_cut else 1)

    @property
    def cut(self) -> int | None:
        """The symbol of a cut."""
        return self.symbols + 1 if self.has_cut else None

    @property
    def levels(self) -> int:
        """The most questions on one path."""
        return self.max_gram + len(self.leaps)

    def least(self, epsilon: Fraction) -> int:
        """The noisy count that a gram must reach to be followed, for counts at this cost."""
        if self.threshold is Threshold.PUBLISHED:
            return max(1, ceil(self.starts * log(max(3, self.symbols + 1) / 2) / float(epsilon)))
        return threshold_passed_by(min(0.5, FALSE_GRAMS / self.bins), epsilon / self.starts)

    def leasts(self, table: Sequence[Terms]) -> Integers:
        """The same for each of some terms."""
        return np.array([self.least(each.epsilon) for each in table], dtype=np.int64)

    def terms(self, amount: Fraction, left: int, *, length: int) -> Terms:
        """The cost and threshold of grams of this length if that many questions may follow, including this one.

        Every count of the first question is released: there are no more of them than symbols. The published rule also releases
        those of the last question on a path, which are as many again for each gram.
        """
        weights = [self._weight(length + further) for further in range(left)]
        epsilon = amount * weights[0] / sum(weights)
        is_open = (length == 1 and self.symbols <= MOST_OPEN) or (self.threshold is Threshold.PUBLISHED and left == 1)
        least = self.least(epsilon)
        if left == 1 and self.threshold is Threshold.DEFAULT:
            least = min(least, threshold_passed_by(min(0.5, FALSE_LAST / self.bins), epsilon / self.starts))
        return Terms(epsilon=epsilon, threshold=None if is_open else least)

    def is_worth(self, counts: Integers, terms: Integers, table: Sequence[Terms]) -> Booleans:
        """Which grams are worth extending: those with at least one continuation that could reach its threshold.

        The published rule continues wherever a count reached its own threshold.
        """
        if self.threshold is Threshold.PUBLISHED:
            return np.ones(counts.size, dtype=np.bool_)
        return np.asarray(counts >= self.leasts(table)[terms], dtype=np.bool_)

    def _weight(self, length: int) -> Fraction:
        """The weight of a question about that many symbols when the rest is shared; leaps come after the longest grams."""
        if self.threshold is Threshold.PUBLISHED:
            return Fraction(1)
        return LEAP_WEIGHT if length > self.max_gram else self.first_weight if length == 1 else Fraction(1)

    def heights(self, counts: Integers, least: Integers, modes: Reals, *, length: int, repeats: Booleans) -> Integers:
        """How many questions may follow for grams of this length, by their counts and the share of their commonest continuation.

        `least` is the threshold that each count was compared with; a level-wise allocation is given the expected numbers of
        questions in place of shares; `repeats` marks grams of one repeated symbol, which still have
        leaps ahead of them.
        """
        plain = self.max_gram - length
        most = np.where(repeats, plain + len(self.leaps), plain)
        if self.allocation is Allocation.UNIFORM or plain <= 0:
            return np.asarray(most, dtype=np.int64)
        if self.allocation is Allocation.LEVEL_WISE:
            steps = np.maximum(1, np.minimum(modes, plain))
        else:
            shares = np.clip(modes, SURE, 1 - SURE)
            steps = np.ceil(np.log(np.maximum(least, 1) / np.maximum(counts, 1)) / np.log(shares) - 1e-9)
            steps = np.maximum(1, np.minimum(steps, plain))
        return np.asarray(np.where(steps < plain, steps, most), dtype=np.int64)


# The growth of the tree.


@dataclass(frozen=True, kw_only=True, eq=False)
class _Asked:
    """Grams whose continuations are asked for next: their nodes, the questions left, their positions and how they end."""

    nodes: Integers
    left: Integers
    places: Integers
    last: Integers
    repeats: Booleans

    def only(self, which: Places | Booleans) -> _Asked:
        """Some of them."""
        return _Asked(
            nodes=self.nodes[which],
            left=self.left[which],
            places=self.places[which],
            last=self.last[which],
            repeats=self.repeats[which],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Answer:
    """What was kept, and on which terms each block was asked."""

    kept: Kept
    terms: Integers
    table: tuple[Terms, ...]


def explore(counter: GramCounts, paths: Paths, rule: GramRule, *, max_nodes: int, progress: Progress | None = None) -> GramTree:
    """Grow the tree until nothing is left to ask; `progress` is called after each length."""
    zero = np.zeros(1, dtype=np.int64)
    asked = _Asked(nodes=zero, left=zero + rule.levels, places=zero, last=zero - 1, repeats=np.ones(1, dtype=np.bool_))
    levels: list[GramLevel] = []
    while len(levels) < rule.max_gram and asked.nodes.size:
        terms, table = _terms(rule, paths, asked, length=len(levels) + 1)
        sizes = np.full(asked.nodes.size, rule.bins if levels else rule.symbols, dtype=np.int64)
        groups, cells, counts = counter.counts()
        blocks = Blocks(nodes=asked.nodes, sizes=sizes, terms=terms, table=table)
        kept = paths.ask(blocks, places=groups, cells=cells, counts=counts)
        _refuse_flood(sum(len(level) for level in levels) + kept.nodes.size, max_nodes)
        scales = np.array([rule.starts / float(each.epsilon) for each in table])[terms[kept.blocks]]
        unasked = np.zeros(kept.nodes.size, dtype=np.bool_)
        levels.append(GramLevel(asked.places[kept.blocks], kept.cells, kept.values, unasked, scales))
        asked, followed = _next(rule, paths, levels, asked, _Answer(kept=kept, terms=terms, table=table))
        counter.follow(kept.blocks[followed], kept.cells[followed])
        if progress is not None:
            progress(len(levels), rule.max_gram)
    repeats = _leap(counter, paths, rule, asked) if len(levels) == rule.max_gram else Repeats.none()
    return GramTree(levels=tuple(levels), symbols=rule.symbols, repeats=repeats)


def _terms(rule: GramRule, paths: Paths, asked: _Asked, *, length: int) -> tuple[Integers, tuple[Terms, ...]]:
    """The distinct terms, and those on which each gram is asked."""
    codes, amounts = paths.amounts(asked.nodes)
    pairs, terms = np.unique(codes * (rule.levels + 1) + asked.left, return_inverse=True)
    table = tuple(
        rule.terms(amounts[pair // (rule.levels + 1)], pair % (rule.levels + 1), length=length) for pair in pairs.tolist()
    )
    return terms.reshape(-1).astype(np.int64), table


def _next(rule: GramRule, paths: Paths, levels: list[GramLevel], asked: _Asked, answer: _Answer) -> tuple[_Asked, Places]:
    """Which of the grams just kept are asked about next, and with how many questions left; marks them in their level."""
    kept = answer.kept
    length = len(levels)
    least = rule.leasts(answer.table)[answer.terms[kept.blocks]]
    repeats = asked.repeats[kept.blocks] & ((asked.last[kept.blocks] == kept.cells) | (length == 1))
    goes_on = (kept.cells < rule.symbols) & (kept.values >= least) & (asked.left[kept.blocks] > 1)
    if length == rule.max_gram:
        goes_on &= repeats & bool(rule.leaps)
    followed = np.flatnonzero(goes_on)
    modes = np.ones(followed.size)
    if length < rule.max_gram:
        if rule.allocation is Allocation.LEVEL_WISE:
            most = rule.max_gram - length
            modes = expected_steps(levels, followed, least[followed], symbols=rule.symbols, most=most).astype(np.float64)
        else:
            modes = mode_shares(levels, asked_suffixes(levels, followed), symbols=rule.symbols)
    left = rule.heights(kept.values[followed], least[followed], modes, length=length, repeats=repeats[followed])
    nodes = kept.nodes[followed]
    following = _Asked(nodes=nodes, left=left, places=followed, last=kept.cells[followed], repeats=repeats[followed])
    worth = rule.is_worth(kept.values[followed], *_terms(rule, paths, following, length=length + 1))
    if length < rule.max_gram:
        levels[-1].asked[followed[worth]] = True
    return following.only(worth), followed[worth]


def _leap(counter: GramCounts, paths: Paths, rule: GramRule, asked: _Asked) -> Repeats:
    """Ask how often grams of one repeated symbol continue with it up to each of the following lengths."""
    found: list[tuple[Integers, int, Integers]] = []
    length = rule.max_gram
    for leap in rule.leaps:
        if not asked.nodes.size:
            break
        terms, table = _terms(rule, paths, asked, length=rule.max_gram + 1 + rule.leaps.index(leap))
        groups, counts = counter.repeated(asked.last, leap - length)
        blocks = Blocks(nodes=asked.nodes, sizes=np.ones(asked.nodes.size, dtype=np.int64), terms=terms, table=table)
        kept = paths.ask(blocks, places=groups, cells=np.zeros(groups.size, dtype=np.int64), counts=counts)
        found.append((asked.last[kept.blocks], leap, kept.values))
        least = rule.leasts(table)[terms[kept.blocks]]
        going = np.flatnonzero((kept.values >= least) & (asked.left[kept.blocks] > 1))
        counter.follow_repeated(asked.last, leap - length, kept.blocks[going])
        asked = _Asked(
            nodes=kept.nodes[going],
            left=asked.left[kept.blocks][going] - 1,
            places=going.astype(np.int64),
            last=asked.last[kept.blocks][going],
            repeats=asked.repeats[kept.blocks][going],
        )
        length = leap
    if not found:
        return Repeats.none()
    return Repeats(
        symbols=np.concatenate([symbols for symbols, _, _ in found]),
        lengths=np.concatenate([np.full(symbols.size, leap, dtype=np.int64) for symbols, leap, _ in found]),
        counts=np.concatenate([values for _, _, values in found]),
    )


def _refuse_flood(nodes: int, max_nodes: int) -> None:
    """Stop before memory runs out; the number of grams is noisy."""
    if nodes > max_nodes:
        message = f"the tree would exceed max_nodes = {max_nodes:,} grams; raise it, or choose a larger epsilon"
        raise TooManyNodesError(message)
