"""From a noisy tree with ends to sequences: sequences lost in the noise are continued the way similar ones go on.

A node's count, minus those of its kept children and of the sequences that end there, is what was lost: sequences whose
continuations were too rare to be kept. The papers let them end there, so a release has too few symbols. Here they continue with
symbols that are not among the node's kept children, drawn from a model of contexts derived from the tree itself. This is not in
the papers; it costs no budget, because it sees only the noisy tree.

No randomness is needed: sequences with the same last symbols take evenly spaced positions in the distribution of the next one
(fractional parts of multiples of the golden ratio), so that their frequencies come out right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacita.arrays import AnyIntegers, Integers, Numbers
from tacita.arrays.parts import RaggedInParts, part_of_each, parts_for
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.privacy.flood import refuse_flood
from tacita.trees.contexts import RECENT, ContextModel
from tacita.trees.noisy_tree import NoisyTree, TreeLevel, sum_wholes

__all__ = ["completed_sequences"]


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
