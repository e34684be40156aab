"""Ladders: the sequence of questions that finds the next symbol, and the cells of each question.

A simple tree finds the next symbol of a prefix in one question. A hybrid one asks for its group first, then for smaller groups,
then for the symbol, along a taxonomy; with times, the interval comes first. A rung is one such question: about the children of
one kind (groups, or symbols) of all nodes at one depth. Groups and symbols that are siblings are asked about separately, because
they get different shares of the budget. If the number of sequences that end is asked for too, the end is one more symbol, right
below the root. Everything here is public.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import chosen, ranges
from tacita.errors import ParameterError
from tacita.public.taxonomy import Taxonomy

__all__ = ["CellLayout", "Ladder", "Rung"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Rung:
    """The children of one kind (groups or symbols) of all nodes one depth above.

    `rank[s]` is the place of symbol s, or of the group that it is in, among its siblings of this kind, and -1 if it is of the
    other kind here. Node n above has `fan_out[n]` such children, numbered from `first[n]`. The children are symbols
    (`symbols[number]`) if the rung is final, groups if it is not.
    """

    name: str
    depth: int
    rank: Integers
    fan_out: Integers
    first: Integers
    symbols: Integers | None
    is_end: bool = False

    @property
    def is_final(self) -> bool:
        """Whether the children are symbols."""
        return self.symbols is not None

    @cached_property
    def covers_all(self) -> bool:
        """Whether every symbol is of this kind here."""
        return bool((self.rank >= 0).all())

    @property
    def widest(self) -> int:
        """The largest number of children that one node has."""
        return int(self.fan_out.max(initial=0))


@dataclass(frozen=True, eq=False, kw_only=True)
class CellLayout:
    """The numbers of the cells of one question: for group g and symbol s it is `base[g] + rank[s]`."""

    rung: Rung
    base: Integers
    starts: Integers
    numbers: Integers
    domain: int

    @classmethod
    def of(cls, rung: Rung, nodes: Integers, skipped: Integers | int = 0) -> CellLayout:
        """Lay out the children of some nodes side by side; the first `skipped` children of each are left out."""
        widths = rung.fan_out[nodes] - skipped
        ends = np.cumsum(widths)
        starts = ends - widths
        return cls(
            rung=rung,
            base=starts - skipped,
            starts=starts,
            numbers=rung.first[nodes] - (starts - skipped),
            domain=int(ends[-1]) if ends.size else 0,
        )

    def places(self, cells: Integers) -> tuple[Integers, Integers]:
        """The group of each cell, and the number of its child."""
        groups = np.searchsorted(self.starts, cells, side="right") - 1
        return groups, self.numbers[groups] + cells


@dataclass(frozen=True, eq=False)
class Ladder:
    """The rungs to the symbols `interval * places + place`; without times there is one interval.

    With times, the first rung leaves out what is earlier than the last symbol of a prefix: `step` of its children per interval.
    If `has_end`, the symbol after all of these represents the end of a sequence.
    """

    rungs: tuple[Rung, ...]
    places: int
    intervals: int = 1
    step: int = 0
    has_end: bool = False

    @classmethod
    def simple(cls, places: int, *, intervals: int = 1) -> Ladder:
        """All symbols in one question."""
        everything = np.arange(places * intervals, dtype=np.int64)
        rung = Rung(name="symbols", depth=1, rank=everything, fan_out=_one(everything.size), first=_one(0), symbols=everything)
        return cls((rung,), places, intervals, places if intervals > 1 else 0)

    @classmethod
    def along(cls, taxonomy: Taxonomy, *, intervals: int = 1) -> Ladder:
        """The interval first if there are several, then group by group; a node with only one child is skipped."""
        rungs = tuple(_taxonomy_rungs(taxonomy))
        places = len(taxonomy.universe)
        if intervals == 1:
            return cls(rungs, places)
        return cls(
            (_time_rung(places, intervals), *(_at_every_time(rung, places, intervals) for rung in rungs)), places, intervals, 1
        )

    def with_end(self) -> Ladder:
        """The same with one more symbol, the end, which has a rung of its own beside the first."""
        missing = np.array([-1], dtype=np.int64)
        rungs = [replace(rung, rank=np.append(rung.rank, missing)) for rung in self.rungs]
        rank = np.full(self.symbols + 1, -1, dtype=np.int64)
        rank[self.symbols] = 0
        end = Rung(name="ends", depth=1, rank=rank, fan_out=_one(1), first=_one(0), symbols=_one(self.symbols), is_end=True)
        return replace(self, rungs=(end, *rungs), has_end=True)

    @property
    def symbols(self) -> int:
        """How many symbols there are, without the end."""
        return self.places * self.intervals

    @cached_property
    def depth(self) -> int:
        """The number of questions on the longest path."""
        return max(rung.depth for rung in self.rungs)

    def skipped(self, last: Integers) -> Integers:
        """How many children the first rung leaves out after each of these last symbols, because they are earlier."""
        return np.asarray(last // self.places * self.step, dtype=np.int64)

    def widest_below(self, depth: int) -> int:
        """The largest number of children, of both kinds, of a node of this depth."""
        below = [rung.fan_out for rung in self.rungs if rung.depth == depth + 1 and not rung.is_end]
        if not below:
            message = f"a ladder of depth {self.depth} has nothing below depth {depth}"
            raise ParameterError(message)
        return int(sum(below[1:], below[0]).max())


def _one(value: int) -> Integers:
    return np.array([value], dtype=np.int64)


def _taxonomy_rungs(taxonomy: Taxonomy) -> Iterator[Rung]:
    tree, labels = taxonomy.tree, len(taxonomy.universe)
    nodes, depth = tree.past_only_children[[taxonomy.root]], 0
    if nodes[0] < labels:  # one label only
        yield Rung(name="symbols", depth=1, rank=_one(0), fan_out=_one(1), first=_one(0), symbols=_one(0))
        return
    while nodes.size:
        depth += 1
        children = tree.past_only_children[chosen(tree.children, nodes).codes]
        families = np.repeat(np.arange(nodes.size), tree.widths[nodes])
        is_symbol = children < labels
        for kind in (is_symbol, ~is_symbol):
            if kind.any():
                fan_out = np.bincount(families[kind], minlength=nodes.size)
                yield _rung(taxonomy, depth, children[kind], fan_out, is_final=kind is is_symbol)
        nodes = children[~is_symbol]


def _rung(taxonomy: Taxonomy, depth: int, children: Integers, fan_out: Integers, *, is_final: bool) -> Rung:
    """The rung of these children, family by family; a family has `fan_out` of them."""
    begin, end = taxonomy.tree.ranges
    first = np.cumsum(fan_out) - fan_out
    places = np.arange(children.size) - np.repeat(first, fan_out)
    below = end[children] - begin[children]
    rank = np.full(len(taxonomy.universe), -1, dtype=np.int64)
    rank[taxonomy.tree.leaf_order[ranges(begin[children], below)]] = np.repeat(places, below)
    return Rung(
        name=f"symbols at depth {depth}" if is_final else f"groups at depth {depth}",
        depth=depth,
        rank=rank,
        fan_out=fan_out,
        first=first,
        symbols=children if is_final else None,
    )


def _time_rung(places: int, intervals: int) -> Rung:
    rank = np.repeat(np.arange(intervals, dtype=np.int64), places)
    return Rung(name="intervals", depth=1, rank=rank, fan_out=_one(intervals), first=_one(0), symbols=None)


def _at_every_time(rung: Rung, places: int, intervals: int) -> Rung:
    """The same rung one step further down, below each interval."""
    times = np.arange(intervals, dtype=np.int64)[:, None]
    children = int(rung.fan_out.sum())
    return Rung(
        name=rung.name.replace(f"depth {rung.depth}", f"depth {rung.depth + 1}"),
        depth=rung.depth + 1,
        rank=np.tile(rung.rank, intervals),
        fan_out=np.tile(rung.fan_out, intervals),
        first=(rung.first[None, :] + times * children).ravel(),
        symbols=None if rung.symbols is None else (rung.symbols[None, :] + times * places).ravel(),
    )
