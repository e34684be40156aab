"""Noisy grams as a machine that writes sequences: its states are contexts, and each knows what may come next.

A context is what a sequence ended with so far: a gram whose continuations were asked for, the same symbol so many times in a row,
or the whole beginning of the sequence. A sequence is always in the longest context that is known. What is known of a context's
continuations are the released counts; the rest of its count is shared as its longest proper suffix tells (its Markov parent in
the thesis, section 6.4.1), and what the empty context does not know is shared equally.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tacita.trees.gram_tree import GramLevel, GramTree, find, symbols_of

__all__ = ["Contexts", "Known", "contexts_of"]

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
States = npt.NDArray[np.int32]

LEAST_HAZARD, LARGEST_HAZARD = 0.01, 0.999
"""No run of one symbol is taken to stop, or to go on, for sure."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Known:
    """Released counts: how often `symbols[i]` came after the context `states[i]`; ordered by context."""

    states: Integers
    symbols: Integers
    counts: Reals


@dataclass(frozen=True, kw_only=True, eq=False)
class Contexts:
    """States from 0, the empty context, in this order: asked grams by length, runs of one symbol by length, beginnings.

    `shares[s]` are the probabilities of each symbol and, last, the end; `following[s]` the state after each symbol. `first` is the
    state in which every sequence begins, and from it on all states are beginnings. `depths` are lengths; a run of more symbols
    than a gram has counts as the longest gram.
    """

    shares: Reals
    following: States
    suffixes: Integers
    depths: Integers
    first: int
    known: Known
    runs: Runs

    @property
    def symbols(self) -> int:
        """The number of symbols; the end is one more."""
        return int(self.following.shape[1])

    def with_shares(self, shares: Reals) -> Contexts:
        """The same machine with other probabilities."""
        return replace(self, shares=shares)

    def __len__(self) -> int:
        """The number of states."""
        return int(self.depths.size)


@dataclass(frozen=True, kw_only=True, eq=False)
class Runs:
    """Runs of one symbol that are longer than grams. Row i is the symbol `symbols[i]`.

    `states[i, j]` is the state of a run of `lengths[j]` symbols; `counts[i, k]` is how often `known[k]` of them in a row were
    counted, or -1 where that is not known; `known[0]` is the length of the longest grams.
    """

    symbols: Integers
    lengths: Integers
    states: Integers
    known: Integers
    counts: Reals


def contexts_of(  # noqa: PLR0913 - public parameters
    grams: GramTree, starts: GramTree, *, max_length: int, lengths: Reals, shares_missing: bool, max_cells: int
) -> Contexts:
    """Make the machine; `lengths[l]` sequences have l symbols, the last place counting those that were cut.

    Without `shares_missing`, continuations that were not released are taken as not there. Of the contexts as many are used as
    `max_cells` probabilities allow, those with the largest counts.
    """
    grams = _largest(grams, max_cells // (grams.symbols + 2) // 2)
    starts = _largest(starts, max_cells // (grams.symbols + 2) // 2)
    asked = _numbered(grams.levels, first=1)
    runs = _runs(grams, first=1 + sum(int(level.asked.sum()) for level in grams.levels), max_length=max_length)
    first = 1 + sum(int(level.asked.sum()) for level in grams.levels) + runs.states.size
    begun = _numbered(starts.levels, first=first + 1)
    size = first + 1 + sum(int(level.asked.sum()) for level in starts.levels)
    links = _links(grams, starts, asked, begun, runs, first=first, size=size)
    known, own = _known(grams, asked, first=0), _known(starts, begun, first=first)
    shares = _Estimate(links, symbols=grams.symbols, shares_missing=shares_missing).of(known, own, lengths, runs, first)
    return Contexts(
        shares=shares,
        following=links.following,
        suffixes=links.suffixes,
        depths=links.depths,
        first=first,
        known=known,
        runs=runs,
    )


def _largest(tree: GramTree, most: int) -> GramTree:
    """The tree with so many asked grams at the most; where one is left out, so is what is below it."""
    counts = np.concatenate([level.counts[level.asked] for level in tree.levels]) if tree.levels else np.zeros(0)
    if counts.size <= most:
        return tree
    least = np.partition(counts, counts.size - most)[counts.size - most] if most else np.inf
    levels: list[GramLevel] = []
    above = np.ones(1, dtype=np.bool_)
    for level in tree.levels:
        asked = level.asked & (level.counts > least) & above[level.parents]
        levels.append(GramLevel(level.parents, level.symbols, level.counts, asked))
        above = asked
    return replace(tree, levels=tuple(levels))


def _numbered(levels: tuple[GramLevel, ...], *, first: int) -> list[Integers]:
    """The state of each node by level, -1 for those that were not asked."""
    numbers = []
    for level in levels:
        states = np.full(len(level), -1, dtype=np.int64)
        states[level.asked] = first + np.arange(int(level.asked.sum()))
        first += int(level.asked.sum())
        numbers.append(states)
    return numbers


def _runs(grams: GramTree, *, first: int, max_length: int) -> Runs:
    """Runs of the symbols whose repeats were asked for, from the length of the longest grams to one less than a sequence has."""
    longest = len(grams.levels)
    repeats = grams.repeats
    known = np.unique(np.append(repeats.lengths, longest))
    symbols = np.unique(repeats.symbols)
    lengths = np.arange(longest, max_length) if symbols.size else np.zeros(0, dtype=np.int64)
    counts = np.full((symbols.size, known.size), -1.0)
    counts[np.searchsorted(symbols, repeats.symbols), np.searchsorted(known, repeats.lengths)] = repeats.counts
    if symbols.size:
        nodes = find(grams.levels, np.repeat(symbols[:, None], longest, axis=1), bins=grams.symbols + 2)
        counts[:, 0] = grams.levels[-1].counts[nodes]
    states = first + np.arange(symbols.size * lengths.size).reshape(symbols.size, lengths.size)
    return Runs(symbols=symbols, lengths=lengths, states=states, known=known, counts=counts)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Links:
    """How states hang together."""

    suffixes: Integers
    following: States
    depths: Integers
    parents: Integers
    places: Integers


def _links(  # noqa: PLR0913 - the parts of the machine
    grams: GramTree, starts: GramTree, asked: list[Integers], begun: list[Integers], runs: Runs, *, first: int, size: int
) -> _Links:
    """Suffixes and next states, from short contexts to long ones."""
    suffixes, depths = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    following = np.zeros((size, grams.symbols), dtype=np.int32)
    parents, places = np.full(size, -1, dtype=np.int64), np.full(size, -1, dtype=np.int64)

    def enter(levels: tuple[GramLevel, ...], numbers: list[Integers], root: int, *, own: bool) -> None:
        for depth, level in enumerate(levels):
            nodes = np.flatnonzero(level.asked)
            states = numbers[depth][nodes]
            above = numbers[depth - 1][level.parents[nodes]] if depth else np.full(nodes.size, root)
            parents[states], places[states] = above, level.symbols[nodes]
            depths[states] = depth + 1
            words = symbols_of(levels[: depth + 1], nodes)
            suffixes[states] = _longest(grams, asked, words, own=own)
        for depth, level in enumerate(levels):
            states = numbers[depth][level.asked]
            following[parents[states], places[states]] = states
            if states.size:  # rows of longer contexts begin as those of their suffixes
                following[states] = following[suffixes[states]]

    enter(grams.levels, asked, 0, own=False)
    for row, symbol in enumerate(runs.symbols.tolist()):
        word = np.full((1, len(grams.levels) - 1), symbol, dtype=np.int64)
        before = int(_longest(grams, asked, word, own=True)[0])
        for place, state in enumerate(runs.states[row].tolist()):
            suffixes[state], depths[state] = before, len(grams.levels) - 1
            following[state] = following[before]
            following[before, symbol] = state
            following[state, symbol] = state  # the longest run goes on as it is
            parents[state], places[state] = before, symbol
            before = state if place + 1 < runs.lengths.size else before
    following[first] = following[0]
    enter(starts.levels, begun, first, own=True)
    return _Links(suffixes=suffixes, following=following, depths=depths, parents=parents, places=places)


def _longest(grams: GramTree, asked: list[Integers], words: Integers, *, own: bool) -> Integers:
    """The state of the longest suffix of each word that is an asked gram; the word itself counts for its `own` only."""
    found = np.zeros(words.shape[0], dtype=np.int64)
    longest = min(words.shape[1] - (0 if own else 1), len(grams.levels))
    for length in range(1, longest + 1):
        nodes = find(grams.levels[:length], words[:, words.shape[1] - length :], bins=grams.symbols + 2)
        states = np.where(nodes >= 0, asked[length - 1][nodes], -1)
        found = np.where(states >= 0, states, found)
    return found


def _known(tree: GramTree, numbers: list[Integers], *, first: int) -> Known:
    """The released counts of all asked contexts of a tree."""
    states, symbols, counts = [], [], []
    for depth, level in enumerate(tree.levels):
        states.append(numbers[depth - 1][level.parents] if depth else np.full(len(level), first))
        symbols.append(level.symbols)
        counts.append(level.counts)
    every = np.concatenate(states) if states else np.zeros(0, dtype=np.int64)
    asked = np.flatnonzero(every >= 0)  # a context may have been left out
    return Known(
        states=every[asked],
        symbols=np.concatenate(symbols)[asked] if states else every,
        counts=np.concatenate(counts)[asked].astype(np.float64) if states else np.zeros(0),
    )


@dataclass(frozen=True)
class _Estimate:
    """Probabilities of what comes next from released counts, context by context."""

    links: _Links
    symbols: int
    shares_missing: bool

    def of(self, known: Known, begun: Known, lengths: Reals, runs: Runs, first: int) -> Reals:
        """The probabilities of each symbol and the end after every context."""
        table = np.zeros((self.links.depths.size, self.symbols + 2))
        own = np.zeros(self.links.depths.size)
        everything = max(1.0, float(lengths @ np.minimum(np.arange(lengths.size), lengths.size - 2)))
        own[0], own[first] = everything, max(1.0, float(lengths.sum()))
        for part in (known, begun):
            counts = np.maximum(part.counts, 0.0)
            released = np.zeros_like(table, dtype=np.bool_)
            released[part.states, part.symbols] = True
            table[part.states, part.symbols] = counts
            self._own_counts(own, table, part)
        released = np.zeros_like(table, dtype=np.bool_)
        for part in (known, begun):
            released[part.states, part.symbols] = True
        self._root(table, released, own[0], lengths)
        depth_of = np.where(np.arange(own.size) >= first, self.links.depths + self.links.depths.max() + 1, self.links.depths)
        depth_of[runs.states.ravel()] = -1
        for depth in range(1, int(depth_of.max(initial=0)) + 1):
            self._fill(table, released, own, np.flatnonzero(depth_of == depth))
        shares = np.delete(table, self.symbols + 1, axis=1)
        shares[first, self.symbols] = 0.0  # nobody is empty
        shares = _normalised(shares)
        _fill_runs(shares, runs, self.links.suffixes)
        return shares

    def _own_counts(self, own: Reals, table: Reals, part: Known) -> None:
        """How often each context was counted itself: as the continuation of the one before."""
        states = np.unique(part.states)
        states = states[self.links.parents[states] >= 0]
        own[states] = table[self.links.parents[states], self.links.places[states]]

    def _root(self, table: Reals, released: npt.NDArray[np.bool_], everything: float, lengths: Reals) -> None:
        """After nothing: symbols as often as they occur, what is missing shared equally, and ends as often as records."""
        missing = np.flatnonzero(~released[0, : self.symbols])
        rest = max(0.0, everything - float(table[0, : self.symbols].sum()))
        if missing.size:
            table[0, missing] = max(rest, 1e-6 * everything) / missing.size
        table[0, self.symbols] = float(lengths[:-1].sum())
        table[0, self.symbols + 1] = float(lengths[-1])
        table[0] /= max(table[0].sum(), 1e-12)

    def _fill(self, table: Reals, released: npt.NDArray[np.bool_], own: Reals, states: Integers) -> None:
        """Share the rest of each context's count among what was not released, as its suffix tells."""
        if not states.size:
            return
        rows, suffix = table[states], table[self.links.suffixes[states]]
        sums = rows.sum(axis=1)
        weights = np.where(released[states], 0.0, suffix)
        total = weights.sum(axis=1)
        rest = np.maximum(own[states] - sums, 0.0)
        if not self.shares_missing:
            rest[sums > 0] = 0.0
        rest = np.where((sums <= 0) & (rest <= 0), 1.0, rest)
        rows += weights * (np.where(total > 0, rest, 0.0) / np.maximum(total, 1e-300))[:, None]
        table[states] = np.where(rows.sum(axis=1, keepdims=True) > 0, _normalised(rows), suffix)


def _fill_runs(shares: Reals, runs: Runs, suffixes: Integers) -> None:
    """Runs go on at a rate that is the same between two known counts; what comes after them is as for the longest gram."""
    for row, symbol in enumerate(runs.symbols.tolist()):
        there = np.flatnonzero(runs.counts[row] > 0)
        known, counts = runs.known[there], runs.counts[row, there]
        rates = np.clip((counts[1:] / counts[:-1]) ** (1 / np.diff(known)), LEAST_HAZARD, LARGEST_HAZARD)
        segment = np.clip(np.searchsorted(known, runs.lengths, side="right") - 1, 0, max(rates.size - 1, 0))
        base = shares[suffixes[runs.states[row, 0]]].copy()
        others = np.maximum(base.sum() - base[symbol], 1e-300)
        for state, rate in zip(runs.states[row].tolist(), (rates[segment] if rates.size else base[symbol] + 0 * segment).tolist(), strict=True):
            shares[state] = base * ((1 - rate) / others)
            shares[state, symbol] = rate
            shares[state] /= shares[state].sum()


def _normalised(rows: Reals) -> Reals:
    return np.asarray(rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-300), dtype=np.float64)
