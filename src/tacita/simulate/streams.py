"""Streams: people moving between the cells of a city, a grid with districts, time step by time step, with a daily rhythm.

The presets have the sizes of Li, Quan, Yu, "Differentially private real-time data release based on the moving average strategy",
Table 1: Geolife with 1,440 time steps, 240,990 points and 170 users; T-Drive with 886 time steps, 37,225 points and 2,698 users.
Section 4.2 has 96 time steps a day, which we use for both. The paper does not say how many cells its contexts are: that, and how
people move, are our assumptions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from tacita.arrays import Integers, Numbers, Reals
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.simulate.draws import Popularity, is_exponent, require_sizes

__all__ = ["StreamColumns", "StreamWorld", "district_edges", "neighbours", "width_of"]


# The cells of a city in rows and columns: which are neighbours, and which district each is in.


def width_of(cells: int) -> int:
    """How many cells a row has: the grid is as square as possible, and the last row may be shorter."""
    return math.isqrt(max(cells, 1) - 1) + 1


def neighbours(cells: int) -> tuple[Numbers, Integers]:
    """For each cell, the existing cells left, right, above and below (first in its row of four), and how many there are."""
    width = width_of(cells)
    around = np.zeros((cells, 4), dtype=np.int32)
    ways = np.zeros(cells, dtype=np.int64)
    cell = np.arange(cells)
    column = cell % width
    beside = (
        (cell - 1, column > 0),
        (cell + 1, (column < width - 1) & (cell + 1 < cells)),
        (cell - width, cell >= width),
        (cell + width, cell + width < cells),
    )
    for other, exists in beside:
        at = np.flatnonzero(exists)
        around[at, ways[at]] = other[at]
        ways[at] += 1
    return around, ways


def district_edges(labels: Sequence[str], *, side: int) -> list[tuple[str, str]]:
    """(cell, district) for every cell; a district is a square of `side` by `side` cells, or fewer at the border."""
    width = width_of(len(labels))
    per_row = -(-width // side)
    districts = [cell // width // side * per_row + cell % width // side + 1 for cell in range(len(labels))]
    return [(label, f"district {district}") for label, district in zip(labels, districts, strict=True)]


# The people.


STROLL_BEGINS, STROLL_ENDS = 0.5, 1.0  # an hour


@dataclass(frozen=True, eq=False, kw_only=True)
class StreamColumns:
    """One row per report, ordered by time, then user; a user reports at most one cell per time step."""

    time: Numbers
    user: Numbers
    cell: Numbers

    def __post_init__(self) -> None:
        """Make the arrays read-only, because a world keeps them."""
        for column in (self.time, self.user, self.cell):
            column.setflags(write=False)


@dataclass(frozen=True, kw_only=True)
class StreamWorld:
    """A made-up city that is observed over time; the same fields give the same world.

    Users live in one cell and work in another, five days out of seven, and now and then stroll through neighbouring cells. At
    each time step a user reports with probability `activity` on average, more often in the afternoon and less at night by the
    share `rhythm`, as far as probabilities allow. The popularity of homes and work places follows a Zipf law with `exponent`.

    >>> world = StreamWorld(users=10, cells=9, steps=4)
    >>> columns = world.columns()
    >>> columns.time.size == columns.user.size == columns.cell.size
    True
    """

    users: int
    cells: int = 64
    steps: int = 96
    steps_per_day: int = 96
    activity: float = 0.6
    rhythm: float = 0.6
    exponent: float = 0.8
    seed: int = 0

    kind: ClassVar[str] = "streams"

    def __post_init__(self) -> None:
        """Check the sizes and the probabilities."""
        require_sizes(
            self,
            (
                self.users >= 0 and self.cells >= 1,
                "a stream needs at least one cell and must not have a negative number of users",
            ),
            (self.steps >= 1 and self.steps_per_day >= 1, "a stream needs at least one time step, in all and per day"),
            (
                is_exponent(self.exponent) and self.seed >= 0,
                "Zipf exponents must be between 0 and 10, and a seed must not be negative",
            ),
            (0 <= self.activity <= 1 and 0 <= self.rhythm <= 1, "activity and rhythm must be between 0 and 1"),
        )

    @classmethod
    def geolife(cls, *, users: int = 170, seed: int = 0) -> StreamWorld:
        """1,440 steps of a quarter of an hour at which nearly everybody reports."""
        return cls(users=users, steps=1440, activity=240_990 / (1440 * 170), seed=seed)

    @classmethod
    def taxis(cls, *, users: int = 2_698, seed: int = 0) -> StreamWorld:
        """886 steps of a quarter of an hour at which one user in sixty reports."""
        return cls(users=users, steps=886, activity=37_225 / (886 * 2_698), seed=seed)

    @property
    def description(self) -> str:
        """What this is, in a sentence."""
        return (
            f"{self.users:,} users between {self.cells} cells of a city in {self.steps:,} time steps, "
            f"{self.steps_per_day} per day; one row per report"
        )

    @cached_property
    def universe(self) -> Universe:
        """The cells, row by row."""
        return Universe([f"cell {cell + 1}" for cell in range(self.cells)])

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """Cells in districts of up to sixteen."""
        return Taxonomy.from_edges(district_edges(self.universe.labels, side=4), universe=self.universe)

    def columns(self) -> StreamColumns:
        """All reports."""
        return self._columns

    @cached_property
    def _columns(self) -> StreamColumns:
        generator = np.random.default_rng(self.seed)
        popularity = Popularity.zipf(self.cells, exponent=self.exponent, generator=generator)
        home, work = (popularity.draw(generator, self.users) for _ in range(2))
        leaves, returns = generator.normal(8, 1, self.users), generator.normal(17.5, 1.5, self.users)
        works_at_weekends = generator.random(self.users) < 0.2
        around, ways = neighbours(self.cells)
        chances = self._chances()
        strolling = np.zeros(self.users, dtype=np.bool_)
        here = home.copy()
        hours = 24 / self.steps_per_day
        reports: list[tuple[Numbers, Numbers]] = []
        for step in range(self.steps):
            day, hour = divmod(step * hours, 24)
            at_work = (leaves <= hour) & (hour < returns) & ((day % 7 < 5) | works_at_weekends)
            ends = generator.random(self.users) < min(1.0, STROLL_ENDS * hours)
            begins = (generator.random(self.users) < min(1.0, STROLL_BEGINS * hours)) & (7 <= hour < 23) & ~at_work
            strolling = (strolling & ~ends) | begins
            moves = np.flatnonzero(strolling & (ways[here] > 0))
            choice = (generator.random(moves.size) * ways[here[moves]]).astype(np.int64)
            usual = np.where(at_work, work, home)
            usual[moves] = around[here[moves], choice]
            here = usual
            who = np.flatnonzero(generator.random(self.users) < chances[step]).astype(np.int32)
            reports.append((who, here[who]))
        counts = [who.size for who, _ in reports]
        return StreamColumns(
            time=np.repeat(np.arange(self.steps, dtype=np.int32), counts),
            user=np.concatenate([who for who, _ in reports]),
            cell=np.concatenate([cells for _, cells in reports]),
        )

    def _chances(self) -> Reals:
        """The probability of a report at each step: `activity` on average, highest at 15:00."""
        if self.activity == 0:
            return np.zeros(self.steps)
        hour = np.arange(self.steps) * (24 / self.steps_per_day)
        depth = min(self.rhythm, (1 - self.activity) / self.activity)
        shape = 1 + depth * np.cos(2 * np.pi * (hour - 15) / 24)
        return np.asarray(np.minimum(self.activity * shape / shape.mean(), 1.0), dtype=np.float64)

    def tables(self) -> dict[str, pl.DataFrame]:
        """Long rows: time, id, label."""
        columns = self.columns()
        labels = pl.Series(self.universe.labels, dtype=pl.String)
        return {self.kind: pl.DataFrame({"time": columns.time, "id": columns.user, "label": labels.gather(columns.cell)})}

    def statistics(self) -> dict[str, float]:
        """The figures that papers report for such data."""
        columns = self.columns()
        busiest = np.bincount(columns.cell, minlength=self.cells).max()
        return {
            "records": self.users,
            "labels": self.cells,
            "time steps": self.steps,
            "points": columns.time.size,
            "share of points in the busiest cell": float(busiest / max(columns.time.size, 1)),
        }
