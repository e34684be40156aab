"""Estimating from a noisy tree what comes after the last symbols of a sequence.

For the last two symbols the tree knows some continuations and how often they occur, summed over all its nodes that end with them.
What was lost in the noise may be a return to where the sequence was one, two, three or four symbols ago, as often as returns
occur in the whole tree. Beyond that, the last symbol alone decides and, failing that, the overall frequency of symbols. So every
context has a complete distribution: its known part, and for the rest that of the next rule.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.trees.noisy_tree import NoisyTree

__all__ = ["ContextModel"]


ORDERS = (2, 1, 0)
RECENT = 4


@dataclass(frozen=True, eq=False)
class _Order:
    """Contexts of one length by their number, each with the mass that enters it and its known continuations.

    The continuations of context i are `symbols[starts[i]:starts[i + 1]]`; `reached` is the running sum of their counts over all
    contexts.
    """

    contexts: Integers
    entering: Reals
    starts: Integers
    symbols: Integers
    reached: Reals

    def places(self, contexts: Integers) -> Integers:
        """The index of each context, or -1 if it is unknown."""
        if not self.contexts.size:
            return np.full(contexts.size, -1, dtype=np.int64)
        guess = np.minimum(np.searchsorted(self.contexts, contexts), self.contexts.size - 1)
        return np.where(self.contexts[guess] == contexts, guess, -1)


@dataclass(frozen=True, eq=False)
class ContextModel:
    """Distributions of the next symbol, including the end, after two, one and no symbols."""

    orders: tuple[_Order, ...]
    returns: Reals
    symbols: int

    @classmethod
    def of(cls, tree: NoisyTree, *, symbols: int) -> ContextModel:
        """Sum up a tree whose counts are consistent; the symbol after the others is the end."""
        return cls(tuple(_order(tree, order, symbols) for order in ORDERS), _return_rates(tree, symbols), symbols)

    def next_symbols(self, recent: Integers, spread: Reals) -> Integers:
        """One symbol for each row of recent symbols, the last one first, -1 where there is none.

        `spread` holds numbers from 0 up to 1; evenly spread numbers give evenly spread symbols. If nothing is known at all, the
        sequence ends.
        """
        chosen = np.full(spread.size, self.symbols, dtype=np.int64)
        waiting = np.arange(spread.size)
        left = spread.copy()
        last, before_last = recent[:, 0], recent[:, 1]
        for length, order in zip(ORDERS, self.orders, strict=True):
            if length == 1:
                waiting = self._return(recent, waiting, left, chosen)
            contexts = _number(before_last[waiting], last[waiting], length, self.symbols)
            places = order.places(contexts)
            known = np.flatnonzero(places >= 0)
            mass = left[waiting[known]] * order.entering[places[known]]
            begins, ends = order.starts[places[known]], order.starts[places[known] + 1]
            before = order.reached[begins]
            explained = order.reached[ends] - before
            found = mass < explained
            which = np.searchsorted(order.reached, before[found] + mass[found], side="right") - 1
            which = np.clip(which, begins[found], ends[found] - 1)
            chosen[waiting[known[found]]] = order.symbols[which]
            missed = known[~found]
            rest = order.entering[places[missed]] - explained[~found]
            left[waiting[missed]] = np.minimum((mass[~found] - explained[~found]) / rest, np.nextafter(1.0, 0.0))
            still = np.ones(waiting.size, dtype=np.bool_)
            still[known[found]] = False
            waiting = waiting[still]
        return chosen

    def _return(self, recent: Integers, waiting: Integers, left: Reals, chosen: Integers) -> Integers:
        """Let some of the waiting sequences return to a recent symbol; returns those still waiting."""
        rates = np.where(_is_latest(recent[waiting]), self.returns, 0.0)
        reached = np.cumsum(rates, axis=1)
        total = reached[:, -1]
        lag = (left[waiting, None] >= reached).sum(axis=1)
        back = np.flatnonzero(lag < RECENT)
        chosen[waiting[back]] = recent[waiting[back], lag[back]]
        stay = np.flatnonzero(lag == RECENT)
        left[waiting[stay]] = np.minimum((left[waiting[stay]] - total[stay]) / (1 - total[stay]), np.nextafter(1.0, 0.0))
        return waiting[stay]


def _is_latest(recent: Integers) -> Booleans:
    """Which recent symbols exist and did not occur again later."""
    latest = recent >= 0
    for lag in range(1, RECENT):
        for later in range(lag):
            latest[:, lag] &= recent[:, lag] != recent[:, later]
    return latest


def _return_rates(tree: NoisyTree, symbols: int) -> Reals:
    """For each lag, the share of continuing sequences with a symbol that far back that return to it."""
    returned, could = np.zeros(RECENT), np.full(RECENT, 1e-9)
    recent: Integers | None = None
    for depth, level in enumerate(tree.levels):
        weights = level.counts.astype(np.float64)
        if recent is None:
            before = np.full((len(level), RECENT), -1, dtype=np.int64)
        else:
            before = recent[level.parents]
            latest = _is_latest(before)
            returned += (weights[:, None] * (latest & (before == level.symbols[:, None]))).sum(axis=0)
        recent = np.column_stack([level.symbols, before[:, :-1]])
        if depth + 1 < len(tree.levels):
            goes_on = np.where(level.symbols < symbols, weights, 0.0)
            could += (goes_on[:, None] * _is_latest(recent)).sum(axis=0)
    return np.asarray(np.minimum(returned / could, 1.0), dtype=np.float64)


def _number(before_last: Integers, last: Integers, length: int, symbols: int) -> Integers:
    """The number of a context; one with too few symbols has none."""
    if length == 0:
        return np.zeros(last.size, dtype=np.int64)
    if length == 1:
        return last
    return np.where(before_last >= 0, before_last * (symbols + 1) + last, -1)


def _order(tree: NoisyTree, length: int, symbols: int) -> _Order:
    """Sum the counts of all nodes by their last symbols: what enters each context, and how it continues."""
    base = symbols + 1
    entering_keys, entering_counts, keys, counts = [], [], [], []
    last_two: tuple[Integers, Integers] | None = None
    for depth, level in enumerate(tree.levels):
        if last_two is None:
            before = np.full(len(level), -1, dtype=np.int64), np.full(len(level), -1, dtype=np.int64)
        else:
            before = last_two[0][level.parents], last_two[1][level.parents]
        if depth >= length:
            keys.append(_number(*before, length, symbols) * base + level.symbols)
            counts.append(level.counts)
        last_two = before[1], level.symbols
        goes_on = (level.symbols < symbols) if depth + 1 < len(tree.levels) else np.zeros(len(level), dtype=np.bool_)
        if depth + 1 >= length and length:
            entering_keys.append(_number(*last_two, length, symbols)[goes_on])
            entering_counts.append(level.counts[goes_on])
    grams, totals = _summed(keys, counts)
    contexts, entering = _summed(entering_keys, entering_counts) if length else (np.zeros(1, np.int64), totals.sum(keepdims=True))
    inside = contexts >= 0
    contexts, entering = contexts[inside], entering[inside]
    owners = grams // base
    starts = np.append(np.searchsorted(owners, contexts), grams.size).astype(np.int64)  # a parent's count is at least its child's
    reached = np.append(0.0, np.cumsum(totals))
    return _Order(contexts, np.maximum(entering, np.diff(reached[starts])), starts, grams % base, reached)


def _summed(keys: list[Integers], counts: list[Integers]) -> tuple[Integers, Reals]:
    """The distinct keys in order, each with the sum of its counts; those with none are left out."""
    all_keys = np.concatenate(keys) if keys else np.zeros(0, dtype=np.int64)
    all_counts = np.concatenate(counts).astype(np.float64) if counts else np.zeros(0)
    kept = all_counts > 0
    distinct, places = np.unique(all_keys[kept], return_inverse=True)
    return distinct, np.bincount(places, weights=all_counts[kept], minlength=distinct.size).astype(np.float64)
