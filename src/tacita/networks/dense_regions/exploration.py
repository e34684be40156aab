"""Splitting regions level by level, and arranging the edges of the leaves.

All regions of a level are asked together, because they are disjoint: which split, how many edges, and, for those that end there,
how many edges again and where. Memory grows with edges and regions; of the grid of candidate splits, only the numbers of edges in
its tiles are held, for some regions at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from tacita.arrays import Booleans, Integers, Places, Reals
from tacita.networks.dense_regions.regions import Regions, cells_of, quarters
from tacita.networks.dense_regions.schedule import Schedule
from tacita.privacy.account import Account
from tacita.privacy.publishing import Progress
from tacita.privacy.questions import ArrangementQuestion, ManySelections, ShareDifferences, every_count

__all__ = ["Explorer"]


TILES_AT_ONCE = 2**20


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Splits of some regions: for each, its region, the row and the column behind which it cuts, and where they begin."""

    region: Integers = field(repr=False)
    rows: Integers = field(repr=False)
    columns: Integers = field(repr=False)
    truth: ShareDifferences = field(repr=False)


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
    found: list[Integers] = field(default_factory=list)

    def explore(self) -> Integers:
        """The keys of the synthetic edges, in order."""
        height, group = self.schedule.height, self.schedule.correlated_edges
        regions = Regions.whole(self.vertices)
        where = np.zeros(self.rows.size, dtype=np.int64)
        candidates = self._candidates(regions, where, 0) if height else None
        if candidates is None or not candidates.region.size:
            counts = every_count(self.account, "count of all", np.array([self.rows.size]), sensitivity=group)
            self._arrange(regions, where, counts.astype(np.float64), 0)
            return self._keys()
        for level in range(1, height + 1):
            regions, where = self._split(regions, where, candidates, level)
            step = f"counts {level}"
            counts = every_count(self.account, step, np.bincount(where, minlength=len(regions)), sensitivity=group)
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
        """Count leaves above the last level again, join both counts by their variances, and arrange their edges."""
        if not len(leaves):
            return
        joined = counts.astype(np.float64)
        if level < self.schedule.height:
            step = f"second counts {level}"
            first, second = (float(self.schedule.count_share(each)) ** 2 for each in (level, self.schedule.height))
            truth = np.bincount(where[where >= 0], minlength=len(leaves))
            again = every_count(self.account, step, truth, sensitivity=self.schedule.correlated_edges)
            joined = (first * joined + second * again) / (first + second)
        self._arrange(leaves, where, joined, level)

    def _arrange(self, leaves: Regions, where: Integers, counts: Reals, level: int) -> None:
        cells = leaves.cells
        step = f"arrangements {level}"
        question = ArrangementQuestion(
            step=step,
            epsilon=self.account.planned(step).epsilon,
            sizes=cells,
            ones=np.clip(np.floor(counts + 0.5).astype(np.int64), 0, cells),
            group=self.schedule.correlated_edges,
        )
        bases = question.bases
        inside = np.flatnonzero(where >= 0)
        names = where[inside]
        truth = np.sort(bases[names] + leaves.rank(names, self.rows[inside], self.columns[inside]))
        answer = self.account.ask(question, truth)
        region = np.searchsorted(bases, answer, side="right") - 1
        rows, columns = leaves.unrank(region, answer - bases[region])
        self.found.append(rows * self.vertices + columns)


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
