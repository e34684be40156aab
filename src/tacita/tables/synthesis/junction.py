"""A distribution over all columns as a junction tree: cliques of columns, fitted to marginals, from which rows are dealt.

The cliques are those of a triangulated graph whose edges are the columns of each fitted marginal. Fitting is iterative
proportional fitting with messages between cliques: in turn, each clique's table is multiplied by (target / marginal) ** power
for every target that it hosts. Noisy targets contradict each other a little, so the power falls to 0 over the last sweeps, which
ends between them.

Rows are dealt clique by clique, from the root down. Given the columns that are dealt already, each combination of the others
gets its share of these rows up to rounding, so that the rows have hardly any sampling error of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.scatter import scattered, spread
from tacita.tables.synthesis.views import Columns, Node, Nodes

__all__ = ["Columns", "Junction", "cells_needed"]

SWEEPS = 40
"""Of fitting; in the second half the power falls."""

_NOTHING = 1e-300


def cliques_of(sets: Iterable[Columns], sizes: Sequence[int]) -> list[Columns]:
    """The maximal cliques of a triangulated graph: the column with the smallest clique is taken out, one after the other."""
    near = [1 << column for column in range(len(sizes))]
    for columns in sets:
        mask = sum(1 << column for column in columns)
        for column in columns:
            near[column] |= mask
    weights = [_cells(mask, sizes) for mask in near]
    alive = set(range(len(sizes)))
    found: list[int] = []
    while alive:
        first = min(alive, key=lambda column: (weights[column], column))
        clique = near[first]
        if not any(clique & other == clique for other in found):
            found.append(clique)
        alive.discard(first)
        for column in _members(clique & ~(1 << first)):
            near[column] = (near[column] | clique) & ~(1 << first)
            weights[column] = _cells(near[column], sizes)
    return [tuple(_members(mask)) for mask in found]


def _members(mask: int) -> list[int]:
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return found


def _cells(mask: int, sizes: Sequence[int]) -> int:
    return prod(sizes[column] for column in _members(mask))


def cells_needed(sets: Iterable[Columns], sizes: Sequence[int]) -> int:
    """How many cells the tables of all cliques have together."""
    return sum(prod(sizes[column] for column in clique) for clique in cliques_of(sets, sizes))


class Junction:
    """A distribution over all columns, given the shares of single columns and the marginals that it is fitted to."""

    def __init__(
        self, ones: Sequence[Reals], targets: Mapping[Columns, Reals], *, nodes: Nodes | None = None, sweeps: int = SWEEPS
    ) -> None:
        """`ones` are counts of single columns, `targets` counts of sets of columns, as arrays with an axis for each.

        `nodes` say which of these columns are views of others.
        """
        self.sizes = [one.size for one in ones]
        self.ones = [one / one.sum() for one in ones]
        self.nodes = nodes or Nodes(
            tuple(Node(column=column, level=0, group=np.arange(size)) for column, size in enumerate(self.sizes))
        )
        self.cliques = cliques_of([*targets, *self.nodes.chains], self.sizes)
        self._link()
        self._tables = [self.independent(clique) for clique in self.cliques]
        self._separators = [self.independent(columns) for _, _, columns in self._links]
        self._hosted: list[list[tuple[Columns, Reals]]] = [[] for _ in self.cliques]
        for columns, target in targets.items():
            self._hosted[self._host(columns)].append((columns, target / target.sum()))
        for sweep in range(sweeps if targets else 0):
            self._visit(0, 1.0 if 2 * sweep < sweeps else 2 * (1 - sweep / sweeps))
        for link, (parent, child, _) in enumerate(self._links):
            self._send(link, parent, child)

    def _link(self) -> None:
        """A tree over the cliques in which neighbours share as many columns as possible; the root is the first clique."""
        outside = set(range(1, len(self.cliques)))
        shared = {clique: (self._common(0, clique), 0) for clique in outside}
        self._links: list[tuple[int, int, Columns]] = []
        while outside:
            child = max(outside, key=lambda clique: (shared[clique][0], -clique))
            parent = shared[child][1]
            self._links.append((parent, child, tuple(sorted({*self.cliques[parent]} & {*self.cliques[child]}))))
            outside.discard(child)
            for clique in outside:
                common = self._common(child, clique)
                if common > shared[clique][0]:
                    shared[clique] = common, child
        self._children: list[list[int]] = [[] for _ in self.cliques]
        self._parents, self._depths = [0] * len(self.cliques), [0] * len(self.cliques)
        self._tops: dict[int, int] = dict.fromkeys(self.cliques[0], 0)
        """For each column, the clique nearest to the root that has it."""
        for link, (parent, child, _) in enumerate(self._links):
            self._children[parent].append(link)
            self._parents[child], self._depths[child] = parent, self._depths[parent] + 1
            for column in self.cliques[child]:
                self._tops.setdefault(column, child)

    def cells_more(self, columns: Columns, sizes: Sequence[int]) -> int:
        """At most how many cells more a model has that is also fitted to a set of these columns, in views of these sizes.

        All but the largest column are added to every clique on the way from it to theirs.
        """
        largest = max(range(len(columns)), key=lambda place: sizes[place])
        way: set[int] = set()
        for column in columns:
            way |= self._way(self._tops[columns[largest]], self._tops[column])
        widest = prod(size for place, size in enumerate(sizes) if place != largest)
        return prod(sizes) + widest * sum(self._tables[clique].size for clique in way)

    def _way(self, one: int, other: int) -> set[int]:
        """The cliques from one to another, ends included."""
        way = {one, other}
        while one != other:
            if self._depths[one] < self._depths[other]:
                one, other = other, one
            one = self._parents[one]
            way.add(one)
        return way

    def _common(self, one: int, other: int) -> int:
        return len({*self.cliques[one]} & {*self.cliques[other]})

    def _host(self, columns: Columns) -> int:
        """The smallest clique that has all of these columns."""
        hosts = [place for place, clique in enumerate(self.cliques) if {*columns} <= {*clique}]
        return min(hosts, key=lambda place: prod(self.sizes[column] for column in self.cliques[place]))

    def independent(self, columns: Columns) -> Reals:
        """The shares of all combinations of some columns, if columns are independent."""
        shares = np.ones(())
        for place, column in enumerate(columns):
            node = self.nodes.every[column]
            finer = columns[place - 1] if place and self.nodes.every[columns[place - 1]].column == node.column else None
            if finer is None:
                shares = np.multiply.outer(shares, self.ones[column])
            else:  # a group of a finer one, which has been there just before
                belongs = self.nodes.every[finer].grouped(node.group)[:, np.newaxis] == np.arange(node.size)
                shares = shares[..., np.newaxis] * belongs
        return np.asarray(shares, dtype=np.float64)

    def marginal(self, columns: Columns) -> Reals | None:
        """The shares of all combinations of some columns, if a clique has all of them."""
        if not any({*columns} <= {*clique} for clique in self.cliques):
            return None
        return self._marginal(self._host(columns), columns)

    def _marginal(self, clique: int, columns: Columns) -> Reals:
        axes = tuple(axis for axis, column in enumerate(self.cliques[clique]) if column not in columns)
        return np.asarray(self._tables[clique].sum(axis=axes), dtype=np.float64)

    def _scale(self, clique: int, columns: Columns, ratio: Reals) -> None:
        shape = [self.sizes[column] if column in columns else 1 for column in self.cliques[clique]]
        self._tables[clique] *= ratio.reshape(shape)

    def _send(self, link: int, sender: int, receiver: int) -> None:
        columns = self._links[link][2]
        if not columns:
            return
        new, old = self._marginal(sender, columns), self._separators[link]
        self._scale(receiver, columns, np.divide(new, old, out=np.zeros_like(new), where=old > _NOTHING))
        self._separators[link] = new

    def _visit(self, clique: int, power: float) -> None:
        """Fit a clique, then those below it, each with the messages on the way there and back."""
        for columns, target in self._hosted[clique]:
            now = self._marginal(clique, columns)
            self._scale(clique, columns, np.divide(target, now, out=np.ones_like(now), where=now > _NOTHING) ** power)
        if self._hosted[clique]:
            self._tables[clique] /= max(float(self._tables[clique].sum()), _NOTHING)
        for link in self._children[clique]:
            child = self._links[link][1]
            self._send(link, clique, child)
            self._visit(child, power)
            self._send(link, child, clique)

    def dealt(self, rows: int, *, salt: int) -> list[Integers]:
        """So many rows, as one array of codes per column."""
        made: list[Integers] = [np.zeros(rows, dtype=np.int64) for _ in self.sizes]
        for step, (clique, given) in enumerate([(0, ()), *((child, columns) for _, child, columns in self._links)]):
            new = [column for column in self.cliques[clique] if column not in given]
            order = [self.cliques[clique].index(column) for column in (*given, *new)]
            table = self._tables[clique].transpose(order).reshape(prod(self.sizes[column] for column in given), -1)
            keys = np.zeros(rows, dtype=np.int64)
            for column in given:
                keys = keys * self.sizes[column] + made[column]
            mixed, cells = _dealt_cells(table, keys, salt=salt + step)
            for column in reversed(new):
                made[column][mixed] = cells % self.sizes[column]
                cells = cells // self.sizes[column]
        return made


def _dealt_cells(table: Reals, keys: Integers, *, salt: int) -> tuple[Integers, Integers]:
    """For rows in a scattered order, group by group, a cell of the table's line of their group, as often as its share says."""
    totals = table.sum(axis=1, keepdims=True)
    shares = np.where(totals > _NOTHING, table / np.where(totals > _NOTHING, totals, 1.0), 1 / table.shape[1])
    ends = np.cumsum(shares, axis=1)
    ends[:, -1] = 1.0
    ends += np.arange(ends.shape[0])[:, np.newaxis]
    mixed = np.argsort(scattered(np.arange(keys.size), salt=salt), kind="stable")
    mixed = mixed[np.argsort(keys[mixed], kind="stable")]
    groups = keys[mixed]
    numbers = np.bincount(keys, minlength=ends.shape[0])
    firsts = np.repeat(np.cumsum(numbers) - numbers, numbers)
    starts = spread(np.arange(ends.shape[0]), salt=salt)
    at = (np.arange(keys.size) - firsts + starts[groups]) / np.maximum(numbers[groups], 1)
    cells = np.searchsorted(ends.ravel(), groups + np.minimum(at, 1 - 1e-12), side="right") - groups * table.shape[1]
    return np.asarray(mixed, dtype=np.int64), np.clip(cells, 0, table.shape[1] - 1).astype(np.int64)
