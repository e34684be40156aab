"""Itineraries with times: lengths first, then places as without times, then times, each table as fine as its noise allows.

Noisy lengths decide what the rest of the budget goes to. If nearly all sequences have one visit, places and times are two tables,
with a third of when places are visited if there are enough sequences for it; otherwise the questions of itineraries are asked,
and those about times after them. What was asked by place also counts each place once more; both counts are joined by their noise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

import numpy as np

from tacita.arrays import Reals
from tacita.arrays.ragged import Ragged
from tacita.counting import SequenceCounts
from tacita.privacy.account import Account
from tacita.privacy.budget import Plan, Sequential, Step
from tacita.privacy.flood import refuse_flood
from tacita.privacy.publishing import Progress
from tacita.public.time_grid import TimeGrid
from tacita.public.timetable import day_lengths
from tacita.sequences.itineraries.questions import Questions
from tacita.sequences.itineraries.shares import SHARES
from tacita.sequences.itineraries.synthesis import itineraries
from tacita.sequences.itineraries.synthesis.noisy_times import NoisyTable, shrunk
from tacita.sequences.itineraries.synthesis.popularity import visited_as_wanted
from tacita.sequences.itineraries.synthesis.posterior import posterior_means
from tacita.sequences.itineraries.synthesis.timing import timed
from tacita.sequences.itineraries.timed_shares import LENGTHS, SINGLE_LENGTHS, Shares, single_timed_shares, timed_shares
from tacita.sequences.itineraries.times import TimeQuestions
from tacita.sequences.ngrams.synthesis import GramLevel, GramTree

__all__ = ["MOST_INTERVALS", "TimedItineraries", "plan_with_times"]


PLACES_AND_TIMES = "places and times"

MOST_INTERVALS = 2_000
"""Steps from interval to interval are tables with this many rows and columns."""

DOUBT = 1.5
"""How many scales of its noise a place loses before it is decided how finely its times are asked."""

ALL_SINGLE = 0.02
"""Sequences are taken as single visits if less than this share of all visits comes after a first one."""


def plan_with_times(epsilon: Fraction, max_length: int) -> Plan:
    """Lengths, and the rest, whose parts depend on them."""
    share = SINGLE_LENGTHS if max_length == 1 else LENGTHS
    note = "divided by what noisy lengths say: places, times, and when places are visited"
    rest = Step(name=PLACES_AND_TIMES, epsilon=epsilon * (1 - share), note=note)
    return Sequential(name="itineraries", parts=(Step(name="lengths", epsilon=epsilon * share, note=SHARES["lengths"][1]), rest))


class MakesQuestions(Protocol):
    """Makes the questions of itineraries that are cut after so many symbols, with what each step costs."""

    def __call__(self, epsilons: Mapping[str, Fraction], max_length: int, /) -> Questions:
        """The questions."""
        ...


@dataclass(frozen=True, kw_only=True)
class TimedItineraries:
    """Asks for places and times and writes sequences of both. All parameters are public."""

    symbols: int
    grid: TimeGrid
    epsilon: Fraction
    max_length: int
    questions: MakesQuestions

    def sequences(self, counts: SequenceCounts, account: Account, *, progress: Progress | None = None) -> Ragged:
        """Ask and write."""
        places = counts.untimed(labels=self.symbols)
        for_lengths = account.planned("lengths").epsilon
        left = account.planned(PLACES_AND_TIMES).epsilon
        known = self.questions({"lengths": for_lengths}, self.max_length).lengths(places, account)
        lengths = known[1]
        if self.max_length == 1 or _are_single(lengths, self.max_length):
            return self._singly(counts, places, account, float(lengths.sum()), left)
        visits = float(lengths @ np.minimum(np.arange(lengths.size), self.max_length))
        shares = timed_shares(
            visits=visits,
            mean_length=max(1.0, visits / max(float(lengths.sum()), 1.0)),
            symbols=self.symbols,
            intervals=self.grid.intervals,
            epsilon=self.epsilon,
        )
        epsilons = self._unfold(account, left, shares)
        noisy = self.questions(epsilons, self.max_length).asked_further(places, account, known=known, progress=progress)
        asks, times = self._times(self.max_length), counts.times(labels=self.symbols, max_length=self.max_length)
        visited = asks.visits(times, account, lengths=lengths)
        noisy = replace(noisy, places=_recounted(noisy.places, visited, noisy.cover))
        popularity = _popularity(noisy.places, noisy.cover, self.symbols)
        found = asks.asked(times, account, lengths=lengths, popularity=popularity, by_place=True)
        if found.places is not None:
            noisy = replace(noisy, places=_recounted(noisy.places, found.places, noisy.cover))
        wanted = _expected(noisy.places, self.symbols)
        noisy = replace(noisy, first=_like(noisy.first, wanted))
        return timed(visited_as_wanted(itineraries(noisy), wanted), found)

    def _singly(self, counts: SequenceCounts, places: SequenceCounts, account: Account, number: float, left: Fraction) -> Ragged:
        """Sequences of one visit."""
        shares = single_timed_shares(records=number, symbols=self.symbols, intervals=self.grid.intervals, epsilon=self.epsilon)
        epsilons = self._unfold(account, left, shares)
        refuse_flood(number)
        first = self.questions(epsilons, 1).first_places(places, account)
        found = self._times(1).asked(
            counts.times(labels=self.symbols, max_length=1),
            account,
            lengths=np.array([0.0, number, 0.0]),
            popularity=_popularity(first, 1.0, self.symbols),
            by_place="times by place" in epsilons,
        )
        if found.places is not None:
            first = _recounted(first, found.places, 1.0)
        records = round(number)
        reached = np.cumsum(_expected(first, self.symbols))
        reached *= records / max(float(reached[-1]), 1e-12)
        codes = np.searchsorted(reached, np.arange(records) + 0.5).astype(np.int32)
        return timed(Ragged(np.minimum(codes, self.symbols - 1), np.arange(records + 1, dtype=np.int64)), found)

    def _times(self, max_length: int) -> TimeQuestions:
        return TimeQuestions(
            symbols=self.symbols, intervals=self.grid.intervals, max_length=max_length, days=day_lengths(self.grid)
        )

    def _unfold(self, account: Account, left: Fraction, shares: Shares) -> Mapping[str, Fraction]:
        """Divide what is left in these parts; what each step costs."""
        steps = tuple(Step(name=name, epsilon=left * share, note=note) for name, (share, note) in shares.items())
        account.unfold(PLACES_AND_TIMES, Sequential(name="itineraries with times", parts=steps))
        return {step.name: step.epsilon for step in steps}


def _are_single(lengths: Reals, max_length: int) -> bool:
    symbols = np.minimum(np.arange(lengths.size), max_length)
    later = float(lengths @ np.maximum(symbols - 1, 0))
    return later < ALL_SINGLE * float(lengths @ symbols)


def _popularity(tree: GramTree, cover: float, symbols: int) -> Reals:
    """How often each place is visited, less what noise may have added."""
    found = np.zeros(symbols)
    if tree.levels:
        level = tree.levels[0]
        found[level.symbols] = np.maximum(level.counts - DOUBT * level.scales, 0.0) / cover
    return found


def _expected(tree: GramTree, symbols: int) -> Reals:
    """How often each place is visited, as far as that stands out of the noise."""
    found = np.zeros(symbols)
    if tree.levels and len(tree.levels[0]):
        level = tree.levels[0]
        found[level.symbols] = posterior_means(level.counts.astype(np.float64), level.scales)
    return found if found.sum() > 0 else np.ones(symbols)


def _like(tree: GramTree, popularity: Reals) -> GramTree:
    """The same tree of first places, which are taken to be as popular as places are where noise explains that they differ."""
    if not tree.levels or not len(tree.levels[0]) or not popularity.sum() > 0:
        return tree
    level = tree.levels[0]
    total = max(float(level.counts.sum()), 1.0)
    expected = popularity[level.symbols] / popularity.sum() * total
    variance = 2 * float((level.scales**2).mean())
    counts = shrunk(level.counts[np.newaxis].astype(np.float64), expected[np.newaxis], variance)[0]
    first = GramLevel(level.parents, level.symbols, np.rint(counts).astype(np.int64), level.asked, level.scales)
    return replace(tree, levels=(first, *tree.levels[1:]))


def _recounted(tree: GramTree, table: NoisyTable, cover: float) -> GramTree:
    """The same tree with counts of single places joined with those that are in a table of times, each by its noise."""
    if table.cells is None or not tree.levels or not table.cells.cells:
        return tree
    level = tree.levels[0]
    sizes = (table.cells.blocks.max(axis=1) + 1)[table.cells.level]
    again = np.add.reduceat(table.counts, table.cells.first)[level.symbols] * cover
    variance = table.variance * sizes[level.symbols] * cover**2
    mine = 2 * level.scales**2
    joined = (level.counts * variance + again * mine) / (variance + mine)
    scales = np.sqrt(mine * variance / (mine + variance) / 2)
    single = GramLevel(level.parents, level.symbols, np.rint(joined).astype(np.int64), level.asked, scales)
    return replace(tree, levels=(single, *tree.levels[1:]))
