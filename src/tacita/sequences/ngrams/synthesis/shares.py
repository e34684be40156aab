"""Estimating what comes after each context from noisy grams.

Released counts have noise, and shorter contexts behave differently: both are weighted by how far off they may be. Continuations
that were not released share the rest in the proportions of the longest proper suffix (the Markov parent of the thesis, section
6.4.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.arrays.simplex import on_simplex
from tacita.sequences.ngrams.synthesis.links import Links, ReleasedCounts, Runs

__all__ = ["Estimate"]


LEAST_HAZARD, LARGEST_HAZARD = 0.01, 0.999
"""No run of one symbol is assumed to stop, or to continue, with certainty."""

DOUBT = 0.5
"""The assumed relative error of what a suffix says about the rest of a context."""

PRECISE = 0.1
"""A count with this relative noise has half the weight of one without noise."""

FLOOR = 1e-6
"""Symbols that seem not to occur get this share in total, so that nothing is impossible."""

LEAST_REST = 0.1
"""Continuations that were not released get at least this share of what the suffix suggests."""

LARGEST_START, DEVIATIONS = 1.5, 2.0
"""The count of a beginning is at most this many times that of its gram, plus this many standard deviations of its noise."""

_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Estimate:
    """Probabilities of what comes next from released counts, context by context.

    `table` holds counts of each symbol, the end and the cut after each context at first, and shares once a context is filled;
    `own` is how often each context was counted itself, with noise of the variance `variances`.
    """

    links: Links
    symbols: int
    shares_missing: bool
    table: Reals
    released: Booleans
    noise: Reals
    own: Reals
    variances: Reals
    wanted: Reals
    counts: Reals

    @classmethod
    def of(cls, links: Links, parts: tuple[ReleasedCounts, ReleasedCounts], *, symbols: int, shares_missing: bool) -> Estimate:
        """Enter what is known about grams and beginnings."""
        size = links.depths.size
        table, released = np.zeros((size, symbols + 2)), np.zeros((size, symbols + 2), dtype=np.bool_)
        noise, own, variances = np.zeros((size, symbols + 2)), np.zeros(size), np.zeros(size)
        for part in parts:
            table[part.states, part.symbols] = part.counts
            released[part.states, part.symbols] = True
            noise[part.states, part.symbols] = 2 * part.scales**2
        below = np.flatnonzero(links.parents >= 0)
        own[below] = table[links.parents[below], links.places[below]]
        variances[below] = noise[links.parents[below], links.places[below]]
        counts = table.copy()
        np.maximum(table, 0.0, out=table)
        return cls(
            links,
            symbols,
            shares_missing,
            table,
            released,
            noise,
            own,
            variances + noise.sum(axis=1),
            np.full((size, symbols + 1), -1.0),
            counts,
        )

    def shares(self, *, lengths: Reals, runs: Runs, first: int) -> Reals:
        """The probabilities of each symbol and the end after every context."""
        places = np.minimum(np.arange(lengths.size), lengths.size - 2)
        self.own[0], self.own[first] = max(1.0, float(lengths @ places)), max(1.0, float(lengths.sum()))
        self._fill_empty(lengths)
        if self.released[first, : self.symbols].all():
            self.table[first, : self.symbols] = on_simplex(self.counts[first, : self.symbols], self.own[first])
        depths = self.links.depths
        turn = np.where(np.arange(depths.size) >= first, depths + depths.max() + 1, depths)
        turn[runs.states.ravel()] = -1
        for depth in range(1, int(turn.max(initial=0)) + 1):
            self._fill(np.flatnonzero(turn == depth), is_start=depth > depths.max())
        shares = np.delete(self.table, self.symbols + 1, axis=1)
        shares[first, self.symbols] = 0.0  # no sequence is empty
        shares = _normalised(shares)
        _fill_runs(shares, runs, self.links.suffixes)
        return shares

    def trust(self) -> Reals:
        """How much each released count is worth, by its relative noise; if none was released, how much the rest is worth."""
        own = np.maximum(self.own, 1.0)[:, None]
        released = 1 / (1 + self.noise / np.maximum(PRECISE * np.abs(self.counts), 1.0) ** 2)
        rest = 1 / (1 + self.variances[:, None] / (PRECISE * own) ** 2)
        return np.asarray(np.where(self.released, released, rest)[:, : self.symbols + 1], dtype=np.float64)

    def _fill_empty(self, lengths: Reals) -> None:
        """After nothing: symbols as often as they occur, what is missing shared equally, and ends as often as records.

        The total number of symbols is inferred from the lengths, which have less noise than single symbols.
        """
        row, missing = self.table[0], np.flatnonzero(~self.released[0, : self.symbols])
        if not missing.size:
            row[: self.symbols] = on_simplex(self.counts[0, : self.symbols], self.own[0])
        elif self.shares_missing:
            row[missing] = max(self.own[0] - float(row[: self.symbols].sum()), 0.0) / missing.size
        row[: self.symbols] += FLOOR * self.own[0] / self.symbols
        self.wanted[0, : self.symbols] = row[: self.symbols] / max(row[: self.symbols].sum(), _TINY)
        row[self.symbols :] = float(lengths[:-1].sum()), float(lengths[-1])
        self.own[0] = max(float(row.sum()), 1.0)  # every symbol, and every end, comes after something
        row /= self.own[0]

    def _at_most_as_grams(self, states: Integers, rows: Reals, suffix: Reals) -> Reals:
        """Counts of beginnings, none of them much above how often their symbols follow one another anywhere.

        Beginnings have small counts, so if there are many of them, chance makes some large; their grams reveal which.
        """
        links = self.links.suffixes[states]
        anywhere = suffix * self.own[links][:, None]
        noise = np.sqrt(self.noise[links].max(axis=1))[:, None]
        return np.asarray(np.minimum(rows, LARGEST_START * anywhere + DEVIATIONS * noise), dtype=np.float64)

    def _fill(self, states: Integers, *, is_start: bool) -> None:
        """Combine what was released with what the suffix suggests, and share the rest among what was not released.

        A released count has noise, and the suffix is a different context: what each of them says about a probability, and about
        the sum of all that was not released, is weighted by how far off it may be.
        """
        rows, suffix = self.table[states], self.table[self.links.suffixes[states]]
        released, own = self.released[states], np.maximum(self.own[states], 1.0)[:, None]
        if is_start:
            rows = self._at_most_as_grams(states, rows, suffix)
        seen = rows / own
        if self.shares_missing:
            noise = self.noise[states] / own**2
            doubt = (DOUBT * np.maximum(seen, suffix)) ** 2
            trust = doubt / np.maximum(doubt + noise, _TINY)
            known = np.where(released, trust * seen + (1 - trust) * suffix, 0.0)
            missing = np.where(released, 0.0, suffix)
            told = missing.sum(axis=1, keepdims=True)
            trust = (DOUBT * told) ** 2 / np.maximum((DOUBT * told) ** 2 + self.variances[states][:, None] / own**2, _TINY)
            rest = np.clip(trust * (1 - seen.sum(axis=1, keepdims=True)) + (1 - trust) * told, LEAST_REST * told, 1.0)
            rows = known + missing * (rest / np.maximum(told, _TINY))
            seen = known
        self.wanted[states] = np.where(released, seen, -1.0)[:, : self.symbols + 1]
        empty = rows.sum(axis=1, keepdims=True) <= 0
        self.table[states] = np.where(empty, suffix, _normalised(rows))


def _fill_runs(shares: Reals, runs: Runs, suffixes: Integers) -> None:
    """Runs continue at a constant rate between two known counts; what comes after them is as for the longest gram."""
    for row, symbol in enumerate(runs.symbols.tolist()):
        there = np.flatnonzero((runs.counts[symbol] > 0) & (runs.known >= runs.lengths[0]))
        known, counts = runs.known[there], runs.counts[symbol, there]
        rates = np.clip((counts[1:] / counts[:-1]) ** (1 / np.diff(known)), LEAST_HAZARD, LARGEST_HAZARD)
        segment = np.clip(np.searchsorted(known, runs.lengths, side="right") - 1, 0, max(rates.size - 1, 0))
        base = shares[suffixes[runs.states[row, 0]]].copy()
        others = np.maximum(base.sum() - base[symbol], 1e-300)
        for state, rate in zip(
            runs.states[row].tolist(), (rates[segment] if rates.size else base[symbol] + 0 * segment).tolist(), strict=True
        ):
            shares[state] = base * ((1 - rate) / others)
            shares[state, symbol] = rate
            shares[state] /= shares[state].sum()


def _normalised(rows: Reals) -> Reals:
    return np.asarray(rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-300), dtype=np.float64)
