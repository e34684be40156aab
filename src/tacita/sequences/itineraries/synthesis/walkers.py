"""Walkers in groups: all that have written the same sequence so far are one group with a size, and are moved together.

Where there are few places nearly everybody begins as many others do, so the first steps of a million walkers are those of a few
hundred groups. A group splits when its walkers choose differently, and in the end most groups are single walkers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Integers, Numbers, Reals
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.arrays.recency import NEW, Recent

__all__ = ["Children", "Paths", "Walkers"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Children:
    """Groups that others split into: which of them, the place they go to, where it stood among those visited, their sizes."""

    parents: Integers
    letters: Integers
    codes: Integers
    found: Integers
    sizes: Integers


@dataclass(kw_only=True, eq=False)
class Walkers:
    """Groups that are still going: how many walkers each has, their states, and what they have visited.

    `firsts` says where the first place stands among the visited ones, `nodes` which node of the paths each group has reached,
    and `share` which part of all walkers began with these.
    """

    sizes: Integers
    template: Integers
    states: Integers
    recent: Recent
    firsts: Integers
    nodes: Integers
    share: float = 1.0

    def __len__(self) -> int:
        """The number of groups."""
        return int(self.sizes.size)

    @property
    def shapes(self) -> Integers:
        """The column of `shapes` in which sequences would be that ended here."""
        return np.asarray(2 * self.recent.sizes + (self.firsts == 0), dtype=np.int64)

    def moved(self, children: Children, template: Integers, states: Integers, nodes: Integers) -> Walkers:
        """The groups that these split into, one place further."""
        recent = self.recent.only(children.parents)
        firsts, found = self.firsts[children.parents], children.found
        passed = (found == NEW) | (found > firsts)
        recent.visit(children.codes, found)
        return Walkers(
            sizes=children.sizes,
            template=template,
            states=states,
            recent=recent,
            firsts=np.where(found == firsts, 0, firsts + passed),
            nodes=nodes,
            share=self.share,
        )

    def parts(self, most: int) -> list[Walkers]:
        """Several parts with at most that many groups each, all of them alike."""
        number = -(-len(self) // most)
        if number <= 1:
            return [self]
        total = float(self.sizes.sum())
        picks = [np.arange(start, len(self), number) for start in range(number)]
        return [
            Walkers(
                sizes=self.sizes[pick],
                template=self.template[pick],
                states=self.states[pick],
                recent=self.recent.only(pick),
                firsts=self.firsts[pick],
                nodes=self.nodes[pick],
                share=self.share * float(self.sizes[pick].sum()) / total,
            )
            for pick in picks
        ]


@dataclass(kw_only=True, eq=False)
class Paths:
    """What all groups have written: a tree whose nodes know their parent and their place, and which sequences end where."""

    size: int = 0
    _parents: list[Integers] = field(default_factory=list)
    _codes: list[Integers] = field(default_factory=list)
    _ended: dict[int, list[tuple[Integers, Integers]]] = field(default_factory=dict)

    def grow(self, parents: Integers, codes: Integers) -> Integers:
        """Add a node below each parent (-1 for none); returns their numbers."""
        nodes = np.arange(self.size, self.size + codes.size)
        self._parents.append(parents)
        self._codes.append(codes)
        self.size += codes.size
        return nodes

    def end(self, nodes: Integers, numbers: Integers, *, length: int) -> None:
        """So many sequences end at each of these nodes."""
        there = np.flatnonzero(numbers)
        self._ended.setdefault(length, []).append((nodes[there], numbers[there]))

    def first_places(self, weights: Reals, *, symbols: int) -> Reals:
        """The sum of the weights of nodes that are first places."""
        first = np.flatnonzero(np.concatenate(self._parents) < 0)
        return np.bincount(np.concatenate(self._codes)[first], weights=weights[first], minlength=symbols).astype(np.float64)

    def sums_below(self, weight_of_length: Reals) -> Reals:
        """For each node, the sum of the weights of all sequences that go through it, which are given by their length."""
        sums = np.zeros(self.size)
        for length, ended in self._ended.items():
            for nodes, numbers in ended:
                sums[nodes] += numbers * weight_of_length[length]
        last = self.size
        for parents in reversed(self._parents):
            first = last - parents.size
            if parents.size and parents[0] >= 0:
                begin = int(parents.min())
                added = np.bincount(parents - begin, weights=sums[first:last])
                sums[begin : begin + added.size] += added
            last = first
        return sums

    def sequences(self, *, symbols: int) -> Ragged:
        """All sequences, short ones first and then by their places, so that their order shows nothing."""
        parents, codes = np.concatenate(self._parents), np.concatenate(self._codes).astype(np.int32)
        lengths: list[Integers] = []
        written: list[Numbers] = [np.zeros(0, dtype=np.int32)]
        for length in sorted(self._ended):
            nodes, numbers = (np.concatenate(parts) for parts in zip(*self._ended[length], strict=True))
            table = np.empty((length, nodes.size), dtype=np.uint16 if symbols <= 2**16 else np.int32)
            for place in range(length - 1, -1, -1):
                table[place] = codes[nodes]
                nodes = parents[nodes]
            order = np.lexsort(table[::-1])
            rows = np.repeat(table.T[order].astype(np.int32), numbers[order], axis=0)
            written.append(rows.ravel())
            lengths.append(np.full(rows.shape[0], length, dtype=np.int64))
        return Ragged(np.concatenate(written), offsets_of(np.concatenate(lengths) if lengths else []))
