"""Dense regions of an adjacency matrix: what a region is, what each level costs, and how regions are split and edges arranged.

All regions of a level are asked together, because they are disjoint: which split, how many edges, and, for those that end there,
how many edges again and where. Memory grows with edges and regions; of the grid of candidate splits, only the numbers of edges in
its tiles are held, for some regions at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, frexp, ldexp, sqrt

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Places, Reals
from tacita.privacy.account import Account
from tacita.privacy.budget import Parallel, Plan, Sequential, Step
from tacita.privacy.publishing import Progress
from tacita.privacy.questions import ArrangementQuestion, ManySelections, ShareDifferences, every_count

__all__ = ["Explorer", "Regions", "Schedule", "cells_of", "quarters"]


# Regions of the strict upper triangle of an adjacency matrix, in columns.
#
# A region is rows a..b and columns c..d (from 0, both ends included) of which only cells i < j count: an edge is one cell of
# one region. The number of its cells, the rank of a cell in row-major order and the cell of a rank have closed forms, so no
# cell is ever listed.


def cells_of(a: Integers, b: Integers, c: Integers, d: Integers) -> Integers:
    """How many cells i < j there are in rows a..b and columns c..d.

    >>> cells_of(np.array([0]), np.array([3]), np.array([0]), np.array([3])).tolist()
    [6]
    """
    full = np.maximum(0, np.minimum(b, c - 1) - a + 1) * np.maximum(0, d - c + 1)  # rows above the first column
    first, last = np.maximum(a, c), np.minimum(b, d - 1)  # rows that begin right of the diagonal
    longest, shortest = d - first, d - last
    partial = np.where((last >= first) & (d >= c), (longest + shortest) * (last - first + 1) // 2, 0)
    return np.asarray(np.where((b >= a) & (d >= c), full + partial, 0), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Regions:
    """Regions in four columns."""

    a: Integers = field(repr=False)
    b: Integers = field(repr=False)
    c: Integers = field(repr=False)
    d: Integers = field(repr=False)

    @classmethod
    def whole(cls, vertices: int) -> Regions:
        """The whole triangle."""
        return cls(*(np.array([value], dtype=np.int64) for value in (0, vertices - 1, 0, vertices - 1)))

    def __len__(self) -> int:
        """The number of regions."""
        return int(self.a.size)

    @property
    def cells(self) -> Integers:
        """How many cells each region has."""
        return cells_of(self.a, self.b, self.c, self.d)

    def chosen(self, which: AnyIntegers | Booleans) -> Regions:
        """Some of the regions."""
        return Regions(self.a[which], self.b[which], self.c[which], self.d[which])

    def rank(self, region: Integers, rows: Integers, columns: Integers) -> Integers:
        """The place of each cell within its region, row by row."""
        a, c, d = self.a[region], self.c[region], self.d[region]
        return cells_of(a, rows - 1, c, d) + columns - np.maximum(c, rows + 1)

    def unrank(self, region: Integers, ranks: Integers) -> tuple[Integers, Integers]:
        """The row and column of each place."""
        a, c, d = self.a[region], self.c[region], self.d[region]
        low, high = a.copy(), self.b[region].copy()
        while np.any(low < high):
            middle = (low + high) // 2
            beyond = cells_of(a, middle, c, d) > ranks
            low, high = np.where(beyond, low, middle + 1), np.where(beyond, middle, high)
            low = np.minimum(low, high)
        before = cells_of(a, low - 1, c, d)
        return low, np.maximum(c, low + 1) + ranks - before


def quarters(regions: Regions, rows: Integers, columns: Integers) -> list[Regions]:
    """The four parts of each region, cut behind a row and behind a column."""
    a, b, c, d = regions.a, regions.b, regions.c, regions.d
    return [
        Regions(a, rows, c, columns),
        Regions(a, rows, columns + 1, d),
        Regions(rows + 1, b, c, columns),
        Regions(rows + 1, b, columns + 1, d),
    ]


# How high the tree of regions is, and what each of its levels costs; public formulas only.
#
# The height is the largest h at which a leaf is larger than twice the deviation of its noise:
#
#     2^(1/3) 4^h - 2^(5h/3) <= (2^(1/3) - 1) N epsilon_count / (2 sqrt 2),
#
# with N all cells and the epsilon of one edge (the thesis' formula 7.4, which is monotone by its Theorem 7.5). Level i = 1..h
# has a count with a share of epsilon_count that grows like 2^(i/3) (Theorem 7.4); the root is not counted, and its share goes
# to the leaves. A leaf above level h is counted a second time with the share of level h. So on each path counts cost at most
# epsilon_count, splits epsilon_partition / h each, and the arrangement of a leaf takes all that is left.


_BITS = 40


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The shares of counts and splits, what they are shares of, and the number of edges that are protected together."""

    epsilon: Fraction
    counts: Fraction
    splits: Fraction
    cells: int
    correlated_edges: int

    @property
    def height(self) -> int:
        """How many levels of splits there are; 0 for a matrix so small that nothing is split."""
        epsilon = float(self.epsilon * self.counts / self.correlated_edges)
        bound = (2 ** (1 / 3) - 1) * self.cells * epsilon / (2 * sqrt(2))
        height = 0
        while 2 ** (1 / 3) * 4.0 ** (height + 1) - 2 ** (5 * (height + 1) / 3) <= bound:
            height += 1
        return height

    def count_share(self, level: int) -> Fraction:
        """What the counts of one level from 1 to h cost."""
        height = self.height
        unit = (2 ** (1 / 3) - 1) / (2 ** ((height + 1) / 3) - 1)
        share = 2 ** (level / 3) * unit + (unit if level == height else 0)
        return self.epsilon * self.counts * _below(share)

    @property
    def split_share(self) -> Fraction:
        """What the splits of one level cost."""
        return self.epsilon * self.splits / self.height

    def spent(self, level: int) -> Fraction:
        """What has been spent on the way to an arrangement at a level."""
        if level == 0:
            return self.epsilon * self.counts
        counts = sum((self.count_share(each) for each in range(1, level + 1)), Fraction(0))
        again = self.count_share(self.height) if level < self.height else Fraction(0)
        return counts + again + level * self.split_share

    def arrangement_share(self, level: int) -> Fraction:
        """What is left for the arrangement of a leaf."""
        return self.epsilon - self.spent(level)

    def plan(self) -> Plan:
        """The whole: regions of one level are disjoint, and an edge is in leaves of one level only."""
        if self.height == 0 or self.cells == 0:
            return self.flat_plan()
        return Sequential(name="dense regions", parts=self._below(0))

    def flat_plan(self) -> Plan:
        """A matrix that is not split: one count, one arrangement."""
        count = Step(name="count of all", epsilon=self.epsilon * self.counts, note="one edge changes it by 1")
        return Sequential(name="dense regions", parts=(count, self._arrangement(0)))

    def _below(self, level: int) -> tuple[Plan, ...]:
        """What is spent on an edge from a level on."""
        deeper = level + 1
        split = Step(
            name=f"splits {deeper}", epsilon=self.split_share, note="an edge is in one region, whose densities it changes"
        )
        count = Step(name=f"counts {deeper}", epsilon=self.count_share(deeper), note="regions of a level are disjoint")
        if deeper == self.height:
            return split, count, self._arrangement(deeper)
        again = Step(name=f"second counts {deeper}", epsilon=self.count_share(self.height), note="of regions that are not split")
        leaf = Sequential(name=f"leaves {deeper}", parts=(again, self._arrangement(deeper)))
        on = Sequential(name=f"below {deeper}", parts=self._below(deeper))
        return split, count, Parallel(name=f"leaves or below {deeper}", parts=(leaf, on))

    def _arrangement(self, level: int) -> Step:
        return Step(
            name=f"arrangements {level}", epsilon=self.arrangement_share(level), note="all that is left; leaves are disjoint"
        )


def _below(share: float) -> Fraction:
    """A fraction of 40 significant bits that is not above the share."""
    mantissa, exponent = frexp(share * (1 - 2**-50))
    return Fraction(floor(ldexp(mantissa, _BITS))) * Fraction(2) ** (exponent - _BITS)


# The exploration: splitting level by level, and arranging the edges of the leaves.


TILES_AT_ONCE = 2**20


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Splits of some regions: for each, its region, the row and the column behind which it cuts, and where they begin."""

    region: Integers = field(repr=False)
    rows: Integers = field(repr=False)
    columns: Integers = field(repr=False)
    truth: ShareDifferences = field(repr=False)


@dataclass(frozen=True, eq=False)
class _Leaves:
    """Regions of one level that end, the edges in them, and how many there are by noisy counts with these variances."""

    regions: Regions = field(repr=False)
    names: Integers = field(repr=False)
    rows: Integers = field(repr=False)
    columns: Integers = field(repr=False)
    counts: Reals = field(repr=False)
    variances: Reals = field(repr=False)
    level: int


@dataclass
class Explorer:
    """Edges, by the region that each is in, while regions are split."""

    rows: Integers
    columns: Integers
    schedule: Schedule
    account: Account
    grid: int
    density: Fraction
    vertices: int
    progress: Progress | None = None
    leaves: list[_Leaves] = field(default_factory=list)
    found: list[Integers] = field(default_factory=list)

    def explore(self) -> Integers:
        """The keys of the synthetic edges, in order."""
        height, group = self.schedule.height, self.schedule.correlated_edges
        regions = Regions.whole(self.vertices)
        where = np.zeros(self.rows.size, dtype=np.int64)
        candidates = self._candidates(regions, where, 0) if height else None
        if candidates is None or not candidates.region.size:
            counts = every_count(self.account, "count of all", np.array([self.rows.size]), sensitivity=group)
            self.leaves.append(_Leaves(regions, where, self.rows, self.columns, counts.astype(np.float64), np.ones(1), 0))
            self._arrange(int(counts[0]))
            return self._keys()
        total = 0
        for level in range(1, height + 1):
            regions, where = self._split(regions, where, candidates, level)
            step = f"counts {level}"
            counts = every_count(self.account, step, np.bincount(where, minlength=len(regions)), sensitivity=group)
            total = int(counts.sum()) if level == 1 else total  # of the fewest regions, so with the least noise
            ends = self._ends(regions, counts, level)
            if level < height:
                candidates = self._candidates(regions.chosen(~ends), _renamed(where, ~ends), level)
                can_split = np.zeros(int((~ends).sum()), dtype=np.bool_)
                can_split[candidates.region] = True
                ends[np.flatnonzero(~ends)[~can_split]] = True  # no split is large enough: a public decision
            self._finish(regions.chosen(ends), _renamed(where, ends), counts[ends], level)
            if self.progress is not None:
                self.progress(level, height)
            if ends.all():
                break
            inside = _renamed(where, ~ends)
            self._keep(inside >= 0)
            regions, where = regions.chosen(~ends), inside[inside >= 0]
            candidates = self._candidates(regions, where, level)
        self._arrange(total)
        return self._keys()

    def _keep(self, kept: Booleans) -> None:
        self.rows, self.columns = self.rows[kept], self.columns[kept]

    def _keys(self) -> Integers:
        return np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *self.found]))

    def _least(self, level: int) -> int:
        """How many cells a part of a region of this level must have at least."""
        quarter = 4 ** int(level + 2)
        return max(1, -(-self.schedule.cells // int(quarter)))

    def _candidates(self, regions: Regions, where: Integers, level: int) -> _Candidates:
        """All splits on the grids of the regions, some regions at a time; those of a region come one after the other."""
        order = np.argsort(where, kind="stable")
        order = order[np.searchsorted(where[order], 0) :]
        starts = np.searchsorted(where[order], np.arange(len(regions) + 1))
        at_once = max(1, TILES_AT_ONCE // (self.grid + 1) ** 2)
        parts = []
        for begin in range(0, len(regions), at_once):
            end = min(begin + at_once, len(regions))
            edges = order[starts[begin] : starts[end]]
            some = regions.chosen(np.arange(begin, end))
            parts.append(
                _scored(some, where[edges] - begin, self.rows[edges], self.columns[edges], self.grid, self._least(level), begin)
            )
        joined = (
            [np.concatenate([part[place] for part in parts]) for place in range(7)]
            if parts
            else [np.zeros(0, dtype=np.int64)] * 7
        )
        return _Candidates(joined[0], joined[1], joined[2], ShareDifferences(*joined[3:]))

    def _split(self, regions: Regions, where: Integers, candidates: _Candidates, level: int) -> tuple[Regions, Integers]:
        """The parts of all regions by the chosen splits, and the part that each edge is in."""
        sizes = np.bincount(candidates.region, minlength=len(regions))
        question = ManySelections(
            step=f"splits {level}",
            epsilon=self.account.planned(f"splits {level}").epsilon,
            sensitivity=Fraction(self.schedule.correlated_edges, self._least(level - 1)),
            sizes=tuple(sizes.tolist()),
        )
        chosen = np.array(self.account.ask(question, candidates.truth), dtype=np.int64) + np.cumsum(sizes) - sizes
        rows, columns = candidates.rows[chosen], candidates.columns[chosen]
        parts = quarters(regions, rows, columns)
        cells = np.stack([part.cells for part in parts], axis=1)
        names = np.where(cells > 0, np.cumsum(cells > 0).reshape(cells.shape) - 1, -1)
        flat = [np.stack([getattr(part, end) for part in parts], axis=1)[cells > 0] for end in "abcd"]
        quarter = 2 * (self.rows > rows[where]) + (self.columns > columns[where])
        return Regions(*flat), names[where, quarter]

    def _ends(self, regions: Regions, counts: Integers, level: int) -> Booleans:
        """Regions that are dense, or that hold fewer edges than a dense leaf would: both by the noisy count."""
        cells, density = regions.cells, float(self.density)
        clipped = np.clip(counts, 0, cells)
        few = clipped < density * self.schedule.cells / 4.0**self.schedule.height
        return np.asarray((level == self.schedule.height) | (clipped >= density * cells) | few)

    def _finish(self, leaves: Regions, where: Integers, counts: Integers, level: int) -> None:
        """Count leaves above the last level again and join both counts; they are arranged once all are known."""
        if not len(leaves):
            return
        first = float(self.schedule.count_share(level)) ** 2
        joined, weight = counts.astype(np.float64), first
        if level < self.schedule.height:
            step = f"second counts {level}"
            second = float(self.schedule.count_share(self.schedule.height)) ** 2
            truth = np.bincount(where[where >= 0], minlength=len(leaves))
            again = every_count(self.account, step, truth, sensitivity=self.schedule.correlated_edges)
            joined, weight = (first * joined + second * again) / (first + second), first + second
        inside = np.flatnonzero(where >= 0)
        self.leaves.append(
            _Leaves(
                leaves, where[inside], self.rows[inside], self.columns[inside], joined, np.full(len(leaves), 1 / weight), level
            )
        )

    def _arrange(self, total: int) -> None:
        """Arrange the edges of all leaves, whose numbers are brought to a noisy total first."""
        counts = np.concatenate([each.counts for each in self.leaves])
        variances = np.concatenate([each.variances for each in self.leaves])
        cells = np.concatenate([each.regions.cells for each in self.leaves])
        ones = np.split(_summing_to(total, counts, variances, cells), np.cumsum([len(each.regions) for each in self.leaves])[:-1])
        for each, wanted in zip(self.leaves, ones, strict=True):
            step = f"arrangements {each.level}"
            question = ArrangementQuestion(
                step=step,
                epsilon=self.account.planned(step).epsilon,
                sizes=each.regions.cells,
                ones=wanted,
                group=self.schedule.correlated_edges,
            )
            bases = question.bases
            truth = np.sort(bases[each.names] + each.regions.rank(each.names, each.rows, each.columns))
            answer = self.account.ask(question, truth)
            region = np.searchsorted(bases, answer, side="right") - 1
            rows, columns = each.regions.unrank(region, answer - bases[region])
            self.found.append(rows * self.vertices + columns)


def _summing_to(total: int, counts: Reals, variances: Reals, cells: Integers) -> Integers:
    """Whole numbers from 0 to the cells of each leaf that add up to the total, near to its noisy count.

    Most leaves of a sparse matrix are empty. Their negative counts cannot be met, so that counts made positive alone would add
    edges that nobody has. Each is lowered (or raised) in proportion to its variance instead, which is nearest in squares.
    """
    total = int(np.clip(total, 0, int(cells.sum())))
    room = float((np.abs(counts) + cells).max(initial=0.0) + 1) / float(variances.min(initial=1.0))
    low, high = -room, room
    for _ in range(100):
        middle = (low + high) / 2
        if float(np.clip(counts - middle * variances, 0, cells).sum()) > total:
            low = middle
        else:
            high = middle
    sums = np.cumsum(np.clip(counts - high * variances, 0, cells))
    ends = np.floor(sums + 0.5).astype(np.int64)  # an end is the cumulative sum, rounded: no leaf gets more than it has cells
    return np.clip(np.diff(ends, prepend=0), 0, cells).astype(np.int64)


def _renamed(where: Integers, kept: Booleans) -> Integers:
    """The place of each edge's region among those that are kept, -1 if it is not."""
    names = np.where(kept, np.cumsum(kept) - 1, -1)
    return np.where(where >= 0, names[where], -1)


def _scored(  # noqa: PLR0913, PLR0917 - regions, their edges, and what bounds a split
    regions: Regions, where: Integers, rows: Integers, columns: Integers, grid: int, least: int, first: int
) -> list[Integers]:
    """For some regions: region, row, column of each possible split, and its largest and smallest share of edges."""
    number, steps = len(regions), np.arange(grid)
    cuts = [
        low[:, np.newaxis] + (high - low)[:, np.newaxis] * steps // grid
        for low, high in ((regions.a, regions.b), (regions.c, regions.d))
    ]
    tiles = [np.zeros(where.size, dtype=np.int64) for _ in range(2)]
    for cut, ends, tile in zip(cuts, (rows, columns), tiles, strict=True):
        for step in range(grid):
            np.add(tile, ends > cut[where, step], out=tile)
    table = np.bincount((where * (grid + 1) + tiles[0]) * (grid + 1) + tiles[1], minlength=number * (grid + 1) ** 2)
    sums = table.reshape(number, grid + 1, grid + 1).cumsum(axis=1).cumsum(axis=2)
    whole = sums[:, -1:, -1:]
    upper_left, upper, left = sums[:, :grid, :grid], sums[:, :grid, -1:], sums[:, -1:, :grid]
    edges = np.stack([upper_left, upper - upper_left, left - upper_left, whole - upper - left + upper_left], axis=-1)
    row, column = (np.broadcast_to(part, (number, grid, grid)) for part in (cuts[0][:, :, np.newaxis], cuts[1][:, np.newaxis, :]))
    a, b, c, d = (
        np.broadcast_to(end[:, np.newaxis, np.newaxis], row.shape) for end in (regions.a, regions.b, regions.c, regions.d)
    )
    cells = np.stack(
        [
            cells_of(a, row, c, column),
            cells_of(a, row, column + 1, d),
            cells_of(row + 1, b, c, column),
            cells_of(row + 1, b, column + 1, d),
        ],
        axis=-1,
    )
    possible = np.all((cells == 0) | (cells >= least), axis=-1) & (np.count_nonzero(cells, axis=-1) >= 2)
    possible[:, 1:, :] &= row[:, 1:, :] != row[:, :-1, :]  # each cut once
    possible[:, :, 1:] &= column[:, :, 1:] != column[:, :, :-1]
    possible &= (row < b) & (column < d)
    place, _, _ = np.nonzero(possible)
    edges, cells = edges[possible], cells[possible]
    shares = np.where(cells > 0, edges / np.maximum(cells, 1), np.nan)
    picked = []
    for extreme in (_argument(shares, edges, cells, largest=True), _argument(shares, edges, cells, largest=False)):
        each = np.arange(extreme.size)
        picked += [edges[each, extreme], cells[each, extreme]]
    return [place + first, row[possible], column[possible], *(np.asarray(part, dtype=np.int64) for part in picked)]


def _argument(shares: Reals, edges: Integers, cells: Integers, *, largest: bool) -> Places:
    """Which part has the largest, or smallest, share exactly; parts without cells have none."""
    best = np.nanargmax(shares, axis=1) if largest else np.nanargmin(shares, axis=1)
    near = np.abs(shares - np.take_along_axis(shares, best[:, np.newaxis], axis=1)) <= 1e-12
    for row in np.flatnonzero(np.count_nonzero(near, axis=1) > 1):
        parts = [part for part in np.flatnonzero(near[row]).tolist() if cells[row, part]]
        exact = {part: Fraction(int(edges[row, part]), int(cells[row, part])) for part in parts}
        best[row] = (max if largest else min)(exact, key=lambda part, exact=exact: exact[part])  # type: ignore[misc]
    return np.asarray(best, dtype=np.intp)
