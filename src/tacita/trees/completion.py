"""From a noisy tree with ends to sequences: sequences lost in the noise are continued the way similar ones go on.

A node's count, minus those of its kept children and of the sequences that end there, is what was lost: sequences whose
continuations were too rare to be kept. The papers let them end there, so a release has too few symbols. Here they continue with
symbols that are not among the node's kept children, drawn from a model of contexts derived from the tree itself (`ContextModel`,
which comes first). This is not in the papers; it costs no budget, because it sees only the noisy tree.

No randomness is needed: sequences with the same last symbols take evenly spaced positions in the distribution of the next one
(fractional parts of multiples of the golden ratio), so that their frequencies come out right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Numbers, Reals
from tacita.arrays.parts import RaggedInParts, part_of_each, parts_for
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.privacy.limits import refuse_flood
from tacita.trees.noisy_tree import NoisyTree, TreeLevel, sum_wholes

__all__ = ["ContextModel", "completed_sequences"]


# The model: what comes after the last symbols of a sequence, estimated from the tree.
#
# For the last two symbols the tree knows some continuations and how often they occur, summed over all its nodes that end with
# them. What was lost in the noise may be a return to where the sequence was one, two, three or four symbols ago, as often as
# returns occur in the whole tree. Beyond that, the last symbol alone decides and, failing that, the overall frequency of
# symbols. So every context has a complete distribution: its known part, and for the rest that of the next rule.


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


# The sequences: those that end in the tree, and those that were lost and are continued by the model.


_GOLDEN, _SILVER = (5**0.5 - 1) / 2, 2**0.5 - 1
_ROUNDS = 12


def completed_sequences(tree: NoisyTree, *, symbols: int, places: int) -> Ragged:
    """Write out the sequences of a tree with consistent counts in which the symbol number `symbols` is the end.

    `places` is the number of symbols per interval of time, or of all symbols if there are no times.
    """
    refuse_flood(len(tree.levels) * sum(float(level.counts.sum()) for level in tree.levels[:1]), in_parts=True)
    records = sum(int(level.counts.sum()) for level in tree.levels[:1])
    completed = _Completed(tree, ContextModel.of(tree, symbols=symbols), symbols, places, parts_for(records))
    most = [completed.size(part) for part in range(completed.parts)]
    return RaggedInParts(most, completed.written, symbols=float(len(tree.levels)) * records)


@dataclass(frozen=True, eq=False)
class _Completed:
    """All sequences of a tree, in parts: each has its share of what ends and of what was lost at every node."""

    tree: NoisyTree
    model: ContextModel
    symbols: int
    places: int
    parts: int

    def size(self, part: int) -> int:
        """How many sequences a part has."""
        levels = range(len(self.tree.levels))
        return sum(int(known.sum()) + int(lost.sum()) for known, lost in (self._here(number, part) for number in levels))

    def written(self, part: int) -> Ragged:
        """The sequences of one part."""
        by_length = self._by_length(part)
        found = [paths[np.lexsort(_quickly_sorted(paths, self.symbols).T[::-1])] for paths in by_length]
        lengths = [np.full(paths.shape[0], paths.shape[1]) for paths in found]
        if not found:
            return Ragged.from_lists([])
        return Ragged(np.concatenate([paths.ravel() for paths in found]), offsets_of(np.concatenate(lengths)))

    def _here(self, number: int, part: int) -> tuple[Integers, Integers]:
        """For each node of a level, how many sequences of the part are known to end there, and how many were lost there."""
        level, is_last = self.tree.levels[number], number + 1 == len(self.tree.levels)
        if is_last:
            known, lost = np.where(level.symbols < self.symbols, level.counts, 0), np.zeros(len(level), dtype=np.int64)
        else:
            known, lost = _ended_and_lost(level, self.tree.levels[number + 1], self.symbols)
        return part_of_each(known, part, self.parts), part_of_each(lost, part, self.parts)

    def _by_length(self, part: int) -> Iterator[Numbers]:
        """The sequences of each length."""
        tree, going = self.tree, np.zeros((0, 1), dtype=np.int32)
        for number in range(len(tree.levels)):
            known, lost = self._here(number, part)
            if number + 1 == len(tree.levels):
                yield np.concatenate([_copies(tree, number, known), going])
                return
            fresh = _copies(tree, number, lost)
            nodes = np.repeat(np.arange(lost.size), lost)
            chosen = _continued(self.model, fresh, nodes, tree.levels[number + 1], going, start=part * _SILVER)
            everyone = np.concatenate([fresh, going])
            goes_on = (chosen < self.symbols) & (chosen // self.places >= everyone[:, -1] // self.places)
            yield np.concatenate([_copies(tree, number, known), everyone[~goes_on]])
            going = np.column_stack([everyone[goes_on], chosen[goes_on].astype(np.int32)])


def _ended_and_lost(level: TreeLevel, below: TreeLevel, symbols: int) -> tuple[Integers, Integers]:
    """For each node, how many sequences are known to end there, and how many have an unknown continuation."""
    ended = np.zeros(len(level), dtype=np.int64)
    is_end = below.symbols == symbols
    ended[below.parents[is_end]] = below.counts[is_end]
    known = sum_wholes(below.counts, below.parents, size=len(level))
    return ended, np.where(level.symbols < symbols, level.counts - known, 0)


def _copies(tree: NoisyTree, level: int, times: Integers) -> Numbers:
    """The prefix of each node, repeated the given number of times."""
    nodes = np.flatnonzero(times)
    return np.repeat(tree.prefixes(level, nodes).astype(np.int32), times[nodes], axis=0)


def _continued(
    model: ContextModel, fresh: Numbers, nodes: Integers, below: TreeLevel, going: Numbers, *, start: float
) -> Integers:
    """The next symbol of sequences that leave the tree now (never a kept child), and of those that left it before."""
    everyone = np.concatenate([fresh, going])
    chosen = _drawn(model, everyone, start=start)
    if not fresh.size:
        return chosen
    base = model.symbols + 1
    kept = below.parents * base + below.symbols
    for turn in range(1, _ROUNDS + 1):
        keys = nodes * base + chosen[: nodes.size]
        guess = np.minimum(np.searchsorted(kept, keys), max(kept.size - 1, 0))
        again = np.flatnonzero(kept[guess] == keys) if kept.size else np.zeros(0, dtype=np.int64)
        if not again.size:
            break
        chosen[again] = model.symbols if turn == _ROUNDS else _drawn(model, fresh[again], start=start + turn * 2**0.5)
    return chosen


def _drawn(model: ContextModel, paths: Numbers, *, start: float) -> Integers:
    """The next symbol of each path; paths with the same context take evenly spaced positions in its distribution."""
    recent = np.full((paths.shape[0], RECENT), -1, dtype=np.int64)
    known = min(RECENT, paths.shape[1])
    recent[:, :known] = paths[:, ::-1][:, :known]
    order = np.lexsort(_quickly_sorted(recent[:, :2], model.symbols).T)
    spread = ((np.arange(1, order.size + 1, dtype=np.float64)) * _GOLDEN + start) % 1
    chosen = np.empty(order.size, dtype=np.int64)
    chosen[order] = model.next_symbols(recent[order], spread)
    return chosen


def _quickly_sorted(codes: AnyIntegers, symbols: int) -> AnyIntegers:
    """The same codes in 16 bits if they fit, which NumPy sorts by counting; a missing one then comes last."""
    return codes.astype(np.uint16) if symbols < 2**16 - 1 else codes
