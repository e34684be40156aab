"""How the contexts of noisy grams are connected: which were asked, which is the suffix of which, and where each symbol leads."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacita.arrays import Integers, Numbers, Reals
from tacita.sequences.ngrams.synthesis.tree import GramLevel, GramTree, find, symbols_of

__all__ = ["Links", "ReleasedCounts", "Runs", "known_of", "largest", "links_of", "numbered", "runs_of"]


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
