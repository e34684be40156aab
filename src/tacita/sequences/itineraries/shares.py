"""What each question of itineraries costs, of epsilon, and what earlier answers decide about later ones. All of it is public.

The shares were chosen on check-ins by week, a made-up transit agency, days of GeoLife and taxis, and judged on other data.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacita.arrays import Reals
from tacita.sequences.ngrams.rules import Allocation, GramRule

__all__ = [
    "SHARES",
    "SINGLE_SHARES",
    "Caps",
    "beginning_rule",
    "first_rule",
    "letter_rule",
    "longest_gram",
    "place_rule",
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
