"""Noisy grams as a tree, in arrays by level as the exploration produces them, and their counts made consistent.

A gram is a path from the root; the last symbol may be the end of a sequence or the point where it was cut. Nodes that were asked
have a histogram: those of their children that reached the threshold. What is below the others is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Reals
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.trees.noisy_tree import NoisyTree, TreeLevel

__all__ = [
    "GramLevel",
    "GramTree",
    "Repeats",
    "asked_suffixes",
    "completed",
    "consistent",
    "find",
    "mode_shares",
    "shared_out",
    "symbols_of",
]


@dataclass(frozen=True, eq=False)
class GramLevel(TreeLevel):
    """The grams of one length: their noisy counts, whether their continuations were asked for, and the scales of their noise."""

    asked: Booleans
    scales: Reals


@dataclass(frozen=True, kw_only=True, eq=False)
class Repeats:
    """How often the symbol `symbols[i]` was counted `lengths[i]` times in a row, for lengths above those of the tree."""

    symbols: Integers
    lengths: Integers
    counts: Integers

    @classmethod
    def none(cls) -> Repeats:
        """Nothing was asked."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(symbols=nothing, lengths=nothing, counts=nothing)


@dataclass(frozen=True, kw_only=True, eq=False)
class GramTree:
    """Levels 1 to the longest gram over `symbols` symbols; the number `symbols` is the end, the one after it the cut."""

    levels: tuple[GramLevel, ...]
    symbols: int
    repeats: Repeats

    @property
    def end(self) -> int:
        """The symbol after the last one of a sequence."""
        return self.symbols

    @property
    def cut(self) -> int:
        """The symbol that stands where a sequence was cut."""
        return self.symbols + 1

    def __len__(self) -> int:
        """The number of grams."""
        return sum(len(level) for level in self.levels)

    def grams(self) -> tuple[Ragged, Integers]:
        """All grams and their counts, short ones first, then in the order of their symbols; repeats come last."""
        rows, lengths, counts = [], [], []
        paths = np.zeros((1, 0), dtype=np.int64)
        for depth, level in enumerate(self.levels):
            paths = np.column_stack([paths[level.parents], level.symbols])
            rows.append(paths.ravel())
            lengths.append(np.full(len(level), depth + 1, dtype=np.int64))
            counts.append(level.counts)
        rows.append(np.repeat(self.repeats.symbols, self.repeats.lengths))
        lengths.append(self.repeats.lengths)
        counts.append(self.repeats.counts)
        return Ragged(np.concatenate(rows), offsets_of(np.concatenate(lengths))), np.concatenate(counts)


def symbols_of(levels: Sequence[TreeLevel], nodes: Integers) -> Integers:
    """The symbols of some nodes of the last of these levels, one gram per row."""
    grams = np.empty((nodes.size, len(levels)), dtype=np.int64)
    for column in range(len(levels) - 1, -1, -1):
        grams[:, column] = levels[column].symbols[nodes]
        nodes = levels[column].parents[nodes]
    return grams


def find(levels: Sequence[TreeLevel], grams: Integers, *, bins: int) -> Integers:
    """The node of each gram (one per row) in the level of its length, or -1 if it is not in the tree."""
    nodes = np.zeros(grams.shape[0], dtype=np.int64)
    for column in range(grams.shape[1]):
        level = levels[column]
        wanted = np.where(nodes >= 0, nodes * bins + grams[:, column], -1)
        keys = level.parents * bins + level.symbols
        guess = np.minimum(np.searchsorted(keys, wanted), max(keys.size - 1, 0))
        nodes = np.where(keys[guess] == wanted, guess, -1) if keys.size else np.full(wanted.size, -1, dtype=np.int64)
    return nodes


def asked_suffixes(levels: Sequence[GramLevel], nodes: Integers) -> tuple[Integers, Integers]:
    """For nodes of the last level, the longest proper suffix that was asked: its length, 0 for the empty one, and its node.

    Grams of the last level itself do not count, because a suffix is shorter.
    """
    return _asked_endings(levels, symbols_of(levels, nodes)[:, 1:])


def _asked_endings(levels: Sequence[GramLevel], grams: Integers) -> tuple[Integers, Integers]:
    """The longest ending of each gram (one per row) that was asked: its length, 0 for the empty one, and its node."""
    bins = 2 + max((int(level.symbols.max(initial=0)) for level in levels), default=0)
    rows, width = grams.shape
    lengths, found = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
    for length in range(1, width + 1):
        there = find(levels[:length], grams[:, width - length :], bins=bins)
        known = there >= 0
        known[known] = levels[length - 1].asked[there[known]]
        lengths[known], found[known] = length, there[known]
    return lengths, found


def mode_shares(levels: Sequence[GramLevel], contexts: tuple[Integers, Integers], *, symbols: int) -> Reals:
    """For each context (a length and a node) the share of its commonest continuation; 1 if none is known.

    It is a share of the context's own count or, if that is smaller, of everything released. The cut is not a continuation.
    """
    lengths, nodes = contexts
    shares = np.ones(nodes.size)
    for length in np.unique(lengths).tolist():
        level = levels[length]
        counts = np.maximum(level.counts, 0).astype(np.float64)
        size = len(levels[length - 1]) if length else 1
        total = np.bincount(level.parents, weights=counts, minlength=size)
        if length:
            total = np.maximum(total, levels[length - 1].counts)
        largest = np.zeros(size)
        np.maximum.at(largest, level.parents, np.where(level.symbols <= symbols, counts, 0.0))
        here = np.flatnonzero(lengths == length)
        shares[here] = np.where(largest > 0, largest / np.maximum(total, 1.0), 1.0)[nodes[here]]
    return shares


def expected_steps(levels: Sequence[GramLevel], nodes: Integers, least: Integers, *, symbols: int, most: int) -> Integers:
    """For nodes of the last level, how many questions their commonest continuation will pass, looking at each level anew.

    From a gram the commonest next symbol is appended, with the share that the longest known ending predicts, until the expected
    count is below `least`: the more precise estimate that a footnote of the thesis (section 6.4.1) mentions.
    """
    grams = symbols_of(levels, nodes)[:, 1:]
    reached, steps = levels[-1].counts[nodes].astype(np.float64), np.ones(nodes.size, dtype=np.int64)
    going = np.ones(nodes.size, dtype=np.bool_)
    for _ in range(1, most):
        contexts = _asked_endings(levels, grams)
        reached *= mode_shares(levels, contexts, symbols=symbols)
        going &= reached >= least
        steps += going
        if grams.shape[1]:
            grams = np.column_stack([grams[:, 1:], _mode_symbols(levels, contexts, symbols=symbols)])
    return np.minimum(steps, max(most, 1))


def _mode_symbols(levels: Sequence[GramLevel], contexts: tuple[Integers, Integers], *, symbols: int) -> Integers:
    """For each context its commonest continuation that is not an end; the first of equals."""
    lengths, nodes = contexts
    found = np.zeros(nodes.size, dtype=np.int64)
    for length in np.unique(lengths).tolist():
        level = levels[length]
        order = np.lexsort(
            (level.symbols, -np.where(level.symbols < symbols, level.counts, np.iinfo(np.int64).min + 1), level.parents)
        )
        size = len(levels[length - 1]) if length else 1
        first = np.searchsorted(level.parents[order], np.arange(size))
        symbol = np.zeros(size, dtype=np.int64)
        there = first < order.size
        symbol[there] = level.symbols[order[first[there]]]
        here = np.flatnonzero(lengths == length)
        found[here] = symbol[nodes[here]]
    return found


# Consistent whole counts, following section 6.4.1 of Chen's thesis.
#
# From short grams to long ones: continuations of a gram that were not released are inferred from those that were, in the
# proportions of their Markov parents (the same continuations after a shorter context), or, if no context is known, from what is
# left of the gram's count, in equal parts. Then all of them are scaled to the gram's count. Two departures: counts are whole
# numbers, shared out by largest remainders so that continuations add up to their gram exactly, and nothing is negative.


def consistent(tree: GramTree, *, shares_missing: bool) -> NoisyTree:
    """The grams with a count above 0 once all are consistent; without `shares_missing`, only released ones can have one."""
    levels: list[TreeLevel] = []
    rows: list[Reals] = []  # by length of the context: the continuations of each asked gram, as shares
    numbers: list[Integers] = []  # the row of each gram of a level, or -1
    own = np.zeros(1, dtype=np.int64)  # the consistent count of each gram of the level before
    place = np.zeros(1, dtype=np.int64)  # the index of each of them among the kept ones, -1 for the others
    for length, level in enumerate(tree.levels):
        if not length:
            own = np.maximum(level.counts, 0)
            kept = np.flatnonzero(own > 0)
            levels.append(TreeLevel(level.parents[kept], level.symbols[kept], own[kept]))
            rows.append((own / max(1, int(own.sum())))[None])
        else:
            above = tree.levels[length - 1]
            asked = np.flatnonzero(above.asked)
            number = np.full(len(above), -1, dtype=np.int64)
            number[asked] = np.arange(asked.size)
            numbers.append(number)
            table, released = np.zeros((asked.size, tree.symbols + 1)), np.zeros((asked.size, tree.symbols + 1), dtype=np.bool_)
            cells = number[level.parents], level.symbols
            table[cells] = np.maximum(level.counts, 0)
            released[cells] = True
            suffix, known = _suffix_rows(tree, rows, numbers, asked, length)
            estimate = completed(table, released, own[asked], suffix, known) if shares_missing else table
            rows.append(estimate / np.maximum(estimate.sum(axis=1, keepdims=True), 1e-300))
            own, place = _children(levels, cells, estimate, own[asked], place[asked])
            continue
        place = np.full(len(level), -1, dtype=np.int64)
        place[kept] = np.arange(kept.size)
    return NoisyTree(tuple(levels))


def completed(counts: Reals, released: Booleans, own: AnyIntegers, suffix: Reals, known: Booleans) -> Reals:
    """Counts of all continuations of each gram (one gram per row), those not released inferred from Markov parents.

    `own` is the count of each gram, `suffix` has the shares of the same continuations after its longest suffix, and `known` says
    where that suffix has at least one symbol.
    """
    found = counts.sum(axis=1)
    beside = np.where(released, suffix, 0.0).sum(axis=1)
    by_parent = suffix * np.where(beside > 0, found / np.maximum(beside, 1e-300), 0.0)[:, None]
    missing = (~released).sum(axis=1)
    equally = np.maximum(own - found, 0.0) / np.maximum(missing, 1)
    told = np.where(known[:, None], by_parent, equally[:, None])
    is_any = np.asarray(released.any(axis=1))
    return np.where(is_any[:, None], np.where(released, counts, told), 0.0)


def _suffix_rows(
    tree: GramTree, rows: list[Reals], numbers: list[Integers], asked: Integers, length: int
) -> tuple[Reals, Booleans]:
    """For each asked gram of this length, the shares of continuations after its longest shorter context."""
    lengths, nodes = asked_suffixes(tree.levels[:length], asked)
    suffix = np.zeros((asked.size, tree.symbols + 1))
    for context in np.unique(lengths[lengths > 0]).tolist():
        here = np.flatnonzero(lengths == context)
        suffix[here] = rows[context][numbers[context - 1][nodes[here]]]
    return suffix, lengths > 0


def _children(
    levels: list[TreeLevel], released: tuple[Integers, Integers], estimate: Reals, own: Integers, place: Integers
) -> tuple[Integers, Integers]:
    """Share each gram's count out among its continuations and add them as a level; returns the counts of the released ones."""
    owners, cells = np.nonzero(estimate > 0)
    counts = np.zeros(estimate.shape, dtype=np.int64)
    counts[owners, cells] = shared_out(own, owners, estimate[owners, cells])
    where = np.full(estimate.shape, -1, dtype=np.int64)
    owners, cells = np.nonzero((counts > 0) & (place >= 0)[:, None])
    where[owners, cells] = np.arange(owners.size)
    levels.append(TreeLevel(place[owners], cells.astype(np.int64), counts[owners, cells]))
    return counts[released], where[released]


def shared_out(totals: Integers, owners: AnyIntegers, weights: Reals) -> Integers:
    """Share each owner's total in proportion to the weights, in whole numbers that add up to it; owners come in order.

    >>> shared_out(np.array([4]), np.array([0, 0, 0]), np.array([2.1, 4.0, 1.9])).tolist()
    [1, 2, 1]
    """
    sums = np.bincount(owners, weights, totals.size)
    exact = totals[owners] * (weights / np.maximum(sums[owners], 1e-300))
    whole: Integers = np.floor(exact + 1e-9).astype(np.int64)
    extra = totals - np.bincount(owners, whole, totals.size).astype(np.int64)
    order = np.lexsort((np.arange(owners.size), whole - exact, owners))
    rank = np.arange(order.size) - np.searchsorted(owners, owners[order])
    whole[order] += rank < extra[owners[order]]
    return whole
