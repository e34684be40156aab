"""Consistent whole counts for a tree of noisy grams, following section 6.4.1 of Chen's thesis.

From short grams to long ones: continuations of a gram that were not released are inferred from those that were, in the
proportions of their Markov parents (the same continuations after a shorter context), or, if no context is known, from what is
left of the gram's count, in equal parts. Then all of them are scaled to the gram's count. Two departures: counts are whole
numbers, shared out by largest remainders so that continuations add up to their gram exactly, and nothing is negative.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Reals
from tacita.sequences.ngrams.synthesis.tree import GramTree, asked_suffixes
from tacita.trees.noisy_tree import NoisyTree, TreeLevel

__all__ = ["completed", "consistent", "shared_out"]


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
