"""What comes after each context, estimated from noisy grams: how contexts are connected, then their probabilities.

Released counts have noise, and shorter contexts behave differently: both are weighted by how far off they may be. Continuations
that were not released share the rest in the proportions of the longest proper suffix (the Markov parent of the thesis, section
6.4.1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacita.arrays import Booleans, Integers, Numbers, Reals
from tacita.arrays.scatter import on_simplex
from tacita.sequences.ngrams.synthesis.tree import GramLevel, GramTree, find, symbols_of

__all__ = ["Estimate", "Links", "ReleasedCounts", "Runs", "known_of", "largest", "links_of", "numbered", "runs_of"]


# How contexts are connected: which were asked, which is the suffix of which, and where each symbol leads.


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasedCounts:
    """Released counts: how often `symbols[i]` came after the context `states[i]`, with noise of the scale `scales[i]`."""

    states: Integers
    symbols: Integers
    counts: Reals
    scales: Reals


@dataclass(frozen=True, kw_only=True, eq=False)
class Runs:
    """Runs of one symbol. Those longer than grams have states of their own: row i is for the symbol `symbols[i]`.

    `states[i, j]` is the state of a run of `lengths[j]` symbols.
    """

    symbols: Integers
    lengths: Integers
    states: Integers
    known: Integers
    """The lengths that were asked about: those of grams, then those of repeats."""
    counts: Reals
    """How often each symbol (one per row) came that many times in succession, for each known length; 0 if not known."""


def largest(tree: GramTree, most: int) -> GramTree:
    """The tree with at most `most` asked grams; if one is left out, so is everything below it.

    Asked grams of which nothing was released carry no information and are left out first.
    """
    tree = replace(tree, levels=tuple(_informative(*pair) for pair in zip(tree.levels, (*tree.levels[1:], None), strict=True)))
    counts = np.concatenate([level.counts[level.asked] for level in tree.levels]) if tree.levels else np.zeros(0)
    if counts.size <= most:
        return tree
    least = np.partition(counts, counts.size - most)[counts.size - most] if most else np.inf
    levels: list[GramLevel] = []
    above = np.ones(1, dtype=np.bool_)
    for level in tree.levels:
        asked = level.asked & (level.counts > least) & above[level.parents]
        levels.append(GramLevel(level.parents, level.symbols, level.counts, asked, level.scales))
        above = asked
    return replace(tree, levels=tuple(levels))


def _informative(level: GramLevel, below: GramLevel | None) -> GramLevel:
    told = np.zeros(len(level), dtype=np.bool_)
    if below is not None:
        told[below.parents] = True
    return GramLevel(level.parents, level.symbols, level.counts, level.asked & told, level.scales)


def numbered(levels: tuple[GramLevel, ...], *, first: int) -> list[Integers]:
    """The state of each node by level, -1 for those that were not asked."""
    numbers = []
    for level in levels:
        states = np.full(len(level), -1, dtype=np.int64)
        states[level.asked] = first + np.arange(int(level.asked.sum()))
        first += int(level.asked.sum())
        numbers.append(states)
    return numbers


def runs_of(grams: GramTree, *, first: int, max_length: int) -> Runs:
    """States for runs of the symbols whose repeats were kept, up to one symbol less than the longest sequence."""
    longest, repeats = len(grams.levels), grams.repeats
    known = np.unique(np.concatenate([np.arange(1, longest + 1), repeats.lengths]))
    every = np.arange(grams.symbols)
    counts = np.zeros((grams.symbols, known.size))
    for length in range(1, longest + 1):
        nodes = find(grams.levels[:length], np.repeat(every[:, None], length, axis=1), bins=grams.symbols + 2)
        there = nodes >= 0
        counts[there, length - 1] = np.maximum(grams.levels[length - 1].counts[nodes[there]], 0)
    counts[repeats.symbols, np.searchsorted(known, repeats.lengths)] = repeats.counts
    symbols = np.unique(repeats.symbols)
    lengths = np.arange(longest, max_length) if symbols.size else np.zeros(0, dtype=np.int64)
    states = first + np.arange(symbols.size * lengths.size).reshape(symbols.size, lengths.size)
    return Runs(symbols=symbols, lengths=lengths, states=states, known=known, counts=counts)


@dataclass(frozen=True, kw_only=True, eq=False)
class Links:
    """How states are connected."""

    suffixes: Integers
    following: Numbers
    depths: Integers
    parents: Integers
    places: Integers
    trails: Integers


def links_of(  # noqa: PLR0913 - the parts of the machine
    grams: GramTree, starts: GramTree, asked: list[Integers], begun: list[Integers], runs: Runs, *, first: int, size: int
) -> Links:
    """Suffixes and next states, from short contexts to long ones."""
    suffixes, depths = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    following = np.zeros((size, grams.symbols), dtype=np.int32)
    parents, places = np.full(size, -1, dtype=np.int64), np.full(size, -1, dtype=np.int64)
    trails = np.zeros(size, dtype=np.int64)

    def enter(levels: tuple[GramLevel, ...], numbers: list[Integers], root: int, *, own: bool) -> None:
        for depth, level in enumerate(levels):
            nodes = np.flatnonzero(level.asked)
            states = numbers[depth][nodes]
            above = numbers[depth - 1][level.parents[nodes]] if depth else np.full(nodes.size, root)
            parents[states], places[states] = above, level.symbols[nodes]
            depths[states] = depth + 1
            words = symbols_of(levels[: depth + 1], nodes)
            suffixes[states] = _longest(grams, asked, words, own=own)
            same = np.cumprod(words[:, ::-1] == words[:, -1:], axis=1)
            trails[states] = same.sum(axis=1)
        for depth, level in enumerate(levels):
            states = numbers[depth][level.asked]
            following[parents[states], places[states]] = states
            if states.size:  # rows of longer contexts start as copies of their suffixes' rows
                following[states] = following[suffixes[states]]

    enter(grams.levels, asked, 0, own=False)
    for row, symbol in enumerate(runs.symbols.tolist()):
        word = np.full((1, len(grams.levels) - 1), symbol, dtype=np.int64)
        before = int(_longest(grams, asked, word, own=True)[0])
        for place, state in enumerate(runs.states[row].tolist()):
            suffixes[state], depths[state], trails[state] = before, len(grams.levels) - 1, runs.lengths[place]
            following[state] = following[before]
            following[before, symbol] = state
            following[state, symbol] = state  # the longest run leads to itself
            parents[state], places[state] = before, symbol
            before = state if place + 1 < runs.lengths.size else before
    following[first] = following[0]
    enter(starts.levels, begun, first, own=True)
    return Links(suffixes=suffixes, following=following, depths=depths, parents=parents, places=places, trails=trails)


def _longest(grams: GramTree, asked: list[Integers], words: Integers, *, own: bool) -> Integers:
    """The state of the longest suffix of each word that is an asked gram; the word itself counts only for its `own`."""
    found = np.zeros(words.shape[0], dtype=np.int64)
    longest = min(words.shape[1] - (0 if own else 1), len(grams.levels))
    for length in range(1, longest + 1):
        nodes = find(grams.levels[:length], words[:, words.shape[1] - length :], bins=grams.symbols + 2)
        states = np.where(nodes >= 0, asked[length - 1][nodes], -1) if asked[length - 1].size else np.full_like(nodes, -1)
        found = np.where(states >= 0, states, found)
    return found


def known_of(tree: GramTree, numbers: list[Integers], *, first: int) -> ReleasedCounts:
    """The released counts of all asked contexts of a tree."""
    states, symbols, counts, scales = [], [], [], []
    for depth, level in enumerate(tree.levels):
        states.append(numbers[depth - 1][level.parents] if depth else np.full(len(level), first))
        symbols.append(level.symbols)
        counts.append(level.counts)
        scales.append(level.scales)
    every = np.concatenate(states) if states else np.zeros(0, dtype=np.int64)
    asked = np.flatnonzero(every >= 0)  # a context may have been left out
    return ReleasedCounts(
        states=every[asked],
        symbols=np.concatenate(symbols)[asked] if states else every,
        counts=np.concatenate(counts)[asked].astype(np.float64) if states else np.zeros(0),
        scales=np.concatenate(scales)[asked] if states else np.zeros(0),
    )


# The probabilities, and the constants that weight counts against suffixes.


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
