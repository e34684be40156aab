"""What raked sequences ask, through an account, and why one record cannot change it much. This is the wall.

Every question is about sequences that are cut after `max_length` symbols and coded by `StepCodes`, which are maps of one record
given public and noisy numbers. For an epsilon, noise covers what one record changes in sum (L1), for a rho what it changes in the
sense of squares (L2). Adding or removing one record x of l <= max_length symbols, l >= 1, changes

- *people*: one count by 1. *Lengths*, *shapes* and *company*: one cell by 1, because x has one length, one shape, and exactly one
  set of those symbols that company is about. Sensitivity 1.
- *glance*: l cells, or the same one several times, by w = min(UNIT, floor(UNIT * m / l)) each, so by l * w <= UNIT * m in sum: if
  l <= m, l * UNIT <= m * UNIT; otherwise l * floor(UNIT * m / l) <= UNIT * m. Sensitivity UNIT * m, where m = cap - 1.
- *steps*: either single symbols again, as in the glance, or l + 1 cells of the table of steps by min(UNIT, floor(UNIT * cap /
  (l + 1))) each, start and end included, so by UNIT * cap at the most, whatever the codes are.
- *ends*: one cell by 1 if first and last symbols are asked together, two cells by 1 if apart. Sensitivity 1 or 2.

With max_length = 1 only *people* and *symbols* are asked: one count, and one cell, by 1.

For a rho, in the sense of squares, with V = ROOT_UNIT:

- *people*, *lengths*, *shapes*, *company*, *symbols*: one cell by 1, so 1. *Ends*: 1 together; apart, one cell among first
  symbols and one among last ones, so 1 + 1.
- *glance* and *steps*: let x have n parts (n = l symbols, or l + 1 steps), m_c of them in cell c, and S = sum of m_c^2. Parts
  that repeat add up in one cell, so x changes cell c by m_c w and all of them by w^2 S in the sense of squares. Its weight is
  w = min(V, floor(root of floor(V^2 M / S))), so w^2 <= V^2 M / S and w^2 S <= V^2 M, whatever the cells are. S and w are maps
  of x alone, given the cells and M. (By the number of parts alone, S could be n^2, and nothing would be gained.) In sum it
  changes them by n w <= V * root of (n M), because S >= n.
- *repeats*, which is asked for a rho alone: floor(V (S - n) / (n (n - 1))) is added to one number for symbols, and to another for
  steps; each is between 0 and V, because n <= S <= n^2. So V^2 + V^2, and 2 V in sum.

M is what a record of `cap` parts would need that repeats itself as *repeats* says that others do.

An empty record changes nothing. Counts and noise are integers and are divided by UNIT, or V, afterwards. Caps, the codes, whether
steps or symbols are asked, whether ends are asked together and which symbols company is about are decided by noisy answers and
public parameters alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.counting import SequenceCounts, StepCounts, Tally
from tacita.privacy.funds import Funds
from tacita.privacy.questions import Asks, every_count
from tacita.public.steps import ROOT_UNIT, SHAPES, UNIT, StepCodes, length_edges
from tacita.sequences.raked.synthesis import (
    Answers,
    Ends,
    Lengths,
    Noisy,
    Pool,
    Repeats,
    asks_steps,
    chain_of,
    lengths_of,
    pool_of,
    symbols_of,
)
from tacita.synthesis import posterior_means

__all__ = ["REPEATS", "SHARES", "SINGLE_SHARES", "Asked", "Shares", "StepQuestions", "asked", "with_repeats"]

Shares = dict[str, tuple[Fraction, str]]

SHARES: Shares = {
    "people": (Fraction(2, 100), "how many sequences there are"),
    "lengths": (Fraction(8, 100), "how many have each length, disjoint"),
    "glance": (Fraction(74, 1300), "single symbols, so that the rest is asked where it can be seen"),
    "ends": (Fraction(11, 100), "first and last symbols, together or apart"),
    "steps": (Fraction(810, 1300), "what follows what, start and end included; or single symbols again, if noise would hide it"),
    "shapes": (
        Fraction(5, 100),
        "how many have which number of different symbols, are round trips, and stay somewhere, disjoint",
    ),
    "company": (Fraction(6, 100), "how many have exactly which of a few symbols, disjoint"),
}
"""What each question costs. Steps tell most and have the most cells, so they get most."""

REPEATS: Shares = {"repeats": (Fraction(2, 100), "how often symbols and steps of a sequence repeat")}
"""What is asked beside these for a rho."""

SINGLE_SHARES: Shares = {
    "people": (Fraction(1, 10), "how many sequences there are"),
    "symbols": (Fraction(9, 10), "how many have each symbol, disjoint"),
}
"""What each question costs if sequences have one symbol: then there is nothing else to ask."""


def with_repeats(shares: Shares, repeats: Shares) -> Shares:
    """The shares of a rho: those of an epsilon, scaled down to leave room for `repeats`."""
    left = 1 - sum((share for share, _ in repeats.values()), Fraction(0))
    return {**{name: (left * share, note) for name, (share, note) in shares.items()}, **repeats}


SEEN = 4.0
"""First and last are asked together if half of the people are expected in cells of at least this many noise scales."""

MEMBERS = 8
"""Of how many symbols it is asked who has exactly which of them."""

MOST_PAIRS = 4_000_000
"""At most how many cells first and last may have together."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Asked:
    """The lookalikes and all noisy answers."""

    pool: Pool
    answers: Answers
    people: Noisy


@dataclass(frozen=True, kw_only=True)
class StepQuestions:
    """Everything that is asked of sequences over this many labels. All parameters are public."""

    labels: int
    max_length: int

    @property
    def edges(self) -> Integers:
        """The last length of each cell of lengths and of numbers of different symbols."""
        return length_edges(self.max_length)

    def asked(self, counts: SequenceCounts, account: Asks) -> Asked:
        """Ask one question after the other."""
        return self.asked_further(counts, account, *self.lengths(counts, account))

    def asked_further(self, counts: SequenceCounts, account: Asks, people: Noisy, lengths: Lengths) -> Asked:
        """Ask all that there is to ask, given how many people there are and how long their sequences are."""
        counted = counts.steps(max_length=self.max_length)
        if account.planned("steps").rho:
            lengths = replace(lengths, repeats=self._repeats(counted, account, lengths))
        glance = self._symbols(counted, account, "glance", lengths)
        mass = lengths.mass(lengths.middles, lengths.middles, lengths.symbol_cap)
        shares = posterior_means(glance.counts, glance.scale, mass) / mass
        ends = self._ends(counted, account, shares, lengths)
        scale = lengths.step_cap.bound / Funds.of_step(account.planned("steps")).worth()
        has_steps = asks_steps(shares, ends, lengths, scale=scale)
        if not has_steps:
            glance = glance.with_(self._symbols(counted, account, "steps", lengths))
        symbols = symbols_of(glance, mass=mass, step_scale=scale, has_steps=has_steps)
        steps = self._steps(counted, account, symbols.codes, lengths) if has_steps else None
        starts = lengths.mass(np.ones(self.edges.size), lengths.middles + 1, lengths.step_cap)
        pool = pool_of(chain_of(symbols, steps, people=starts), symbols.codes, lengths)
        shapes = asked(account, "shapes", counted.shapes(self.edges, labels=self.labels), cells=SHAPES * self.edges.size)
        members = pool.members(MEMBERS)
        company = asked(account, "company", counted.company(symbols.codes.kept[members]), cells=2**members.size)
        answers = Answers(symbols=glance, steps=steps, ends=ends, shapes=shapes, members=members, company=company)
        return Asked(pool=pool, answers=answers, people=people)

    def people(self, counts: SequenceCounts, account: Asks) -> Noisy:
        """Ask how many sequences there are."""
        return answered(account, "people", np.array(counts.lengths(longest=1), dtype=np.int64))

    def singles(self, counts: SequenceCounts, account: Asks) -> Noisy:
        """Ask how many sequences begin with each symbol; with `people`, all that there is of sequences of one symbol."""
        keys, weights = counts.steps(max_length=1).symbols(labels=self.labels, most=1)
        return asked(account, "symbols", (keys, weights // UNIT), cells=self.labels)

    def lengths(self, counts: SequenceCounts, account: Asks) -> tuple[Noisy, Lengths]:
        """Ask how many sequences there are, and how many have each length."""
        each = np.array(counts.lengths(longest=self.max_length), dtype=np.int64)
        cells = np.searchsorted(self.edges, np.arange(1, each.size + 1))
        by_cell = np.bincount(cells, weights=each, minlength=self.edges.size).astype(np.int64)
        people = answered(account, "people", each.sum(keepdims=True))
        drawn = answered(account, "lengths", by_cell)
        number = float(people.counts[0])
        return people, lengths_of(drawn.counts, number, edges=self.edges, scale=drawn.scale, people_scale=people.scale)

    def _symbols(self, counted: StepCounts, account: Asks, step: str, lengths: Lengths) -> Noisy:
        """Single symbols."""
        cap = lengths.symbol_cap
        truth = counted.symbols(labels=self.labels, most=cap.most, squared=cap.squared)
        return asked(account, step, truth, cells=self.labels, changes=cap.changes(self.max_length), unit=cap.unit)

    def _steps(self, counted: StepCounts, account: Asks, codes: StepCodes, lengths: Lengths) -> Noisy:
        """What follows what."""
        cap = lengths.step_cap
        truth = counted.steps(codes, most=cap.most, squared=cap.squared)
        cells, changes = (codes.size + 1) ** 2, cap.changes(self.max_length + 1)
        return asked(account, "steps", truth, cells=cells, changes=changes, unit=cap.unit)

    def _repeats(self, counted: StepCounts, account: Asks, lengths: Lengths) -> Repeats:
        """How often symbols and steps of sequences repeat; a deviation of the noise is taken off, because less is safer.

        If they are taken to repeat less than they do, weights are lower than they might be; if more, all of them are noisier.
        """
        truth, changes = counted.repeats(labels=self.labels), (2 * ROOT_UNIT, 2 * ROOT_UNIT**2)
        noisy = asked(account, "repeats", truth, cells=2, changes=changes, unit=ROOT_UNIT)
        people = max(float(lengths.counts[lengths.edges > 1].sum()), 1.0)
        symbols, steps = np.clip((noisy.counts - sqrt(noisy.variance)) / people, 0.0, 1.0).tolist()
        return Repeats(symbols=symbols, steps=steps)

    def _ends(self, counted: StepCounts, account: Asks, shares: Reals, lengths: Lengths) -> Ends:
        """First and last symbols: together, if that is expected to be seen of symbols with these shares."""
        seen = SEEN / Funds.of_step(account.planned("ends")).worth()
        together = False
        if self.labels**2 <= MOST_PAIRS:
            expected = lengths.people * np.multiply.outer(shares, shares)
            together = bool(expected[expected > seen].sum() > lengths.people / 2)
        truth = counted.ends(StepCodes(symbols=self.labels, kept=np.arange(self.labels)), together=together)
        cells, changed = (self.labels**2, 1) if together else (2 * self.labels, 2)  # by 1 each
        noisy = asked(account, "ends", truth, cells=cells, changes=(changed, changed))
        return Ends(counts=noisy.counts, scale=noisy.scale, labels=self.labels, together=together)


def asked(account: Asks, step: str, truth: Tally, *, cells: int, changes: tuple[int, int] = (1, 1), unit: float = 1) -> Noisy:
    """The same as `answered`, given the cells that are not empty."""
    keys, counts = truth
    table = np.zeros(cells, dtype=np.int64)
    table[keys] = counts
    return answered(account, step, table, changes=changes, unit=unit)


def answered(account: Asks, step: str, table: Integers, *, changes: tuple[int, int] = (1, 1), unit: float = 1) -> Noisy:
    """The noisy counts in whole people, symbols or steps, whatever unit they were counted in.

    One record changes them by so much in sum, and in the sense of squares.
    """
    funds = Funds.of_step(account.planned(step))
    noisy = every_count(account, step, table, sensitivity=changes[0], squares=changes[1])
    changed = sqrt(changes[1]) if funds.in_rho else changes[0]
    return Noisy(counts=noisy / unit, scale=changed / funds.worth() / unit)
