"""What each question of itineraries costs, with and without times, and what earlier answers decide about later ones.

All of it is public. Shares, caps and rules without times come first, then the shares with times. The former were chosen on
check-ins by week, a made-up transit agency, days of GeoLife and taxis; the latter on simulated events, a made-up transit agency
and check-ins by week. Both were judged on other data.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacita.arrays import Reals
from tacita.sequences.ngrams.exploration import Allocation, GramRule

__all__ = [
    "LENGTHS",
    "SHARES",
    "SINGLE_LENGTHS",
    "SINGLE_SHARES",
    "Caps",
    "Shares",
    "beginning_rule",
    "first_rule",
    "least_shares",
    "letter_rule",
    "longest_gram",
    "place_rule",
    "single_timed_shares",
    "timed_shares",
]

SHARES: dict[str, tuple[Fraction, str]] = {
    "lengths": (Fraction(4, 100), "how many sequences have each length, disjoint"),
    "shapes": (Fraction(4, 100), "how many have which length, number of places, and end where they began, disjoint"),
    "beginnings": (Fraction(8, 100), "how sequences begin, as letters, one path a record"),
    "letters": (Fraction(14, 100), "grams of letters, shared along each path"),
    "first places": (Fraction(3, 100), "where sequences begin, disjoint"),
    "places": (Fraction(67, 100), "grams of places, shared along each path"),
}
"""The share of each question, and what it asks."""

SINGLE_SHARES = {"lengths": (Fraction(1, 10), SHARES["lengths"][1]), "first places": (Fraction(9, 10), "their symbols, disjoint")}
"""The same for sequences that are cut after one symbol."""

LETTER_GRAM, BEGINNING = 6, 10
"""How long grams of letters are, and beginnings."""

DEEPEST, DEEP_ENOUGH = 5, 5.0
"""Grams of places have up to this many symbols; one more if an average gram counts this many times the scale of its noise."""

SINGLE_WEIGHT = Fraction(1, 4)
"""What counting single places costs, in relation to longer grams."""

BIAS, LEAST_COVER, TABLE_BIAS = 0.2, 0.7, 0.1
"""How bad it is to count long sequences for less than they are, and which share of all symbols must be counted; and how bad it is
in tables of places and times alone, which say little about who is long."""


@dataclass(frozen=True, kw_only=True)
class Caps:
    """For how many grams one record may count, decided by noisy lengths.

    A record of l symbols counts min(1, cap / l) for each of its grams, so that noise has the scale `cap` instead of the longest
    length. `lengths[l]` sequences have l symbols, the last place counting those that were cut after `max_length`.
    """

    lengths: Reals
    max_length: int

    @property
    def _symbols(self) -> Reals:
        return np.minimum(np.arange(self.lengths.size), self.max_length).astype(np.float64)

    @property
    def total(self) -> float:
        """How many symbols there are."""
        return max(1.0, float(self.lengths @ self._symbols))

    def cover(self, cap: int) -> float:
        """The share of all symbols that is counted."""
        return min(1.0, max(float(self.lengths @ np.minimum(self._symbols, cap)), 1e-9) / self.total)

    def best(self, *, symbols: int, epsilon: Fraction) -> int:
        """The cap with the least sum of what is not counted, and of noise in relation to a typical count of a pair."""
        typical = self.total / symbols**1.5
        enough = [cap for cap in range(1, self.max_length + 1) if self.cover(cap) >= LEAST_COVER] or [self.max_length]
        return min(enough, key=lambda cap: BIAS * (1 - self.cover(cap)) + 2 * cap / (float(epsilon) * typical))

    def best_of_table(self, *, cells: int, epsilon: Fraction) -> int:
        """The cap with the least sum of what is not counted, and of noise over all cells of a table, as shares of all symbols."""
        noise = cells / (2 * float(epsilon) * self.total)
        caps = range(1, self.max_length + 1)
        return min(caps, key=lambda cap: TABLE_BIAS * (1 - self.cover(cap)) + noise * cap / self.cover(cap))


def longest_gram(caps: Caps, *, cap: int, symbols: int, epsilon: Fraction, max_gram: int) -> int:
    """Pairs, and longer grams as long as an average one is well above its noise."""
    length = min(2, max_gram)
    while length < max_gram and caps.total / float(symbols) ** length >= DEEP_ENOUGH * cap * (length + 1) / float(epsilon):
        length += 1
    return min(length, caps.max_length + 1)


def beginning_rule(letters: int, *, max_length: int) -> GramRule:
    """Beginnings of letters; the first letter is the same for all."""
    return GramRule(symbols=letters, starts=1, max_gram=min(BEGINNING, max_length), first_weight=Fraction(1, 100))


def letter_rule(letters: int, *, starts: int, max_length: int) -> GramRule:
    """Grams of letters."""
    return GramRule(symbols=letters, starts=starts, max_gram=min(LETTER_GRAM, max_length + 1))


def first_rule(symbols: int) -> GramRule:
    """First places."""
    return GramRule(symbols=symbols, starts=1, max_gram=1, allocation=Allocation.UNIFORM)


def place_rule(symbols: int, *, starts: int, length: int) -> GramRule:
    """Grams of places."""
    return GramRule(symbols=symbols, starts=starts, max_gram=length, first_weight=SINGLE_WEIGHT)


# Shares with times, given noisy lengths.
#
# The error of a noisy table, as a share of all visits, is about its number of cells times the scale of its noise, over twice
# the visits. Times and places get what brings that error down to a target, up to a bound, and so they are never much worse than
# if nothing else had been asked. What is left goes to orders, returns and gaps, which are worth asking where much is left.


Shares = dict[str, tuple[Fraction, str]]

LENGTHS, SINGLE_LENGTHS = Fraction(10, 100), Fraction(4, 100)
"""The share of lengths, and that of sequences that are cut after one visit; of the rest, in proportion:"""

TIMES_TARGET, PLACES_TARGET = 0.015, 0.01
TIMES, VISITS = (8, 32), (6, 38)
"""The least and the most hundredths for times, and for visits to places."""

BY_PLACE = Fraction(12, 100), Fraction(8, 100)
"""The part for times by place, and the one where visits to places need all that they may have."""

FIRST_TIMES, GAPS = Fraction(6, 100), Fraction(9, 100)
"""The parts of what is left that go to the beginnings of sequences, and to gaps; the others are asked without times too."""

TOLD_APART, BY_SINGLE_PLACE, SINGLE_TIMES = 50.0, Fraction(48, 100), Fraction(20, 100)
"""Sequences of one visit: places are told apart by time from this many of them times epsilon for each place on. Then that part
goes to times by place, and this one to times alone; otherwise all goes to places and to times."""

NOTES = {
    "visits": "how often places are visited, whatever comes before and after",
    "first times": "when sequences of each class of lengths begin, disjoint",
    "times": "when visits are, whatever their places",
    "gaps": "how long it is to the next visit, by how many are left and by the time of the day",
    "times by place": "when places are visited, the finer the more visits there are",
}


def timed_shares(*, visits: float, mean_length: float, symbols: int, intervals: int, epsilon: Fraction) -> Shares:
    """The parts of what is left after lengths, given about how many visits there are, and how many a sequence has."""
    error = mean_length / (2 * max(visits, 1.0) * float(epsilon))
    times, places = intervals * error / TIMES_TARGET, symbols * error / PLACES_TARGET
    visited = _hundredths(places, *VISITS)
    return _divided(_hundredths(times, *TIMES), visited, BY_PLACE[100 * visited >= VISITS[1]])


def least_shares() -> Shares:
    """The least that each question can have."""
    least = _divided(Fraction(TIMES[1], 100), Fraction(VISITS[1], 100), max(BY_PLACE))
    small = {"times": Fraction(TIMES[0], 100), "visits": Fraction(VISITS[0], 100), "times by place": min(BY_PLACE)}
    return least | {name: (share, NOTES[name]) for name, share in small.items()}


def single_timed_shares(*, records: float, symbols: int, intervals: int, epsilon: Fraction) -> Shares:
    """The parts for sequences of one visit, given about how many there are.

    The error of two independent tables is least if their shares are as the roots of their sizes.
    """
    places = SINGLE_SHARES["first places"][1]
    if records * float(epsilon) >= TOLD_APART * symbols:
        return {
            "first places": (1 - BY_SINGLE_PLACE - SINGLE_TIMES, places),
            "times": (SINGLE_TIMES, NOTES["times"]),
            "times by place": (BY_SINGLE_PLACE, NOTES["times by place"]),
        }
    share = _hundredths(symbols**0.5 / (symbols**0.5 + intervals**0.5), 5, 95)
    return {"first places": (share, places), "times": (1 - share, NOTES["times"])}


def _divided(times: Fraction, visits: Fraction, by_place: Fraction) -> Shares:
    left = 1 - times - visits - by_place
    others = {name: share for name, share in SHARES.items() if name != "lengths"}
    whole = sum((share for share, _ in others.values()), Fraction(0))
    for_others = left * (1 - FIRST_TIMES - GAPS)
    return {
        **{name: (for_others * share / whole, note) for name, (share, note) in others.items()},
        "visits": (visits, NOTES["visits"]),
        "times": (times, NOTES["times"]),
        "first times": (left * FIRST_TIMES, NOTES["first times"]),
        "gaps": (left * GAPS, NOTES["gaps"]),
        "times by place": (by_place, NOTES["times by place"]),
    }


def _hundredths(share: float, least: int, most: int) -> Fraction:
    return Fraction(min(most, max(least, round(100 * min(share, 1.0)))), 100)
