"""A public grid of cells over the earth's surface: GPS points become places that can be counted.

Cells have equal sides in degrees, so that no projection has to be agreed upon. The box and the number of cells must be fixed
without a look at the data; a point outside the box is dropped by a declared rule.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import cos, isfinite, radians
from typing import Any

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.errors import ParameterError
from tacita.public.parameters import whole_number
from tacita.public.universe import Universe

__all__ = ["CELLS", "CellGrid"]

CELLS = "cells"
"""What the grid of cells is called among the public inputs."""

KM_PER_DEGREE = 111.2
MOST_CELLS = 4_000_000


@dataclass(frozen=True, kw_only=True)
class CellGrid:
    """Rows of cells from south to north, columns from west to east.

    >>> city = CellGrid(south=40.5, west=-74.3, north=40.9, east=-73.7, rows=4, columns=6)
    >>> city.universe.labels[city.codes(np.array([40.72]), np.array([-74.01]))[0]]
    'row 3 column 3'
    """

    south: float
    west: float
    north: float
    east: float
    rows: int
    columns: int

    def __post_init__(self) -> None:
        """Check the box and the numbers."""
        whole_number(self.rows, name="rows", least=1)
        whole_number(self.columns, name="columns", least=1)
        sides = (self.south, self.west, self.north, self.east)
        inside = -90 <= self.south < self.north <= 90 and -180 <= self.west < self.east <= 180
        if not all(map(isfinite, sides)) or not inside or self.rows * self.columns > MOST_CELLS:
            message = (
                f"a grid of cells must be a box of latitudes and longitudes, south below north and west below east, with at most "
                f"{MOST_CELLS:,} cells, got {sides} with {self.rows} x {self.columns}"
            )
            raise ParameterError(message)

    @classmethod
    def of_km(cls, side_km: float, *, south: float, west: float, north: float, east: float) -> CellGrid:
        """Cells of about this side, measured in the middle of the box."""
        if not isfinite(side_km) or side_km <= 0:
            message = f"the side of a cell must be a positive number of kilometres, got {side_km!r}"
            raise ParameterError(message)
        tall = (north - south) * KM_PER_DEGREE
        wide = (east - west) * KM_PER_DEGREE * cos(radians((north + south) / 2))
        return cls(
            south=south,
            west=west,
            north=north,
            east=east,
            rows=max(1, round(tall / side_km)),
            columns=max(1, round(wide / side_km)),
        )

    @classmethod
    def parse(cls, box: str, *, side_km: float) -> CellGrid:
        """Cells of about this side in a box that is typed as `south,west,north,east`."""
        try:
            south, west, north, east = map(float, box.split(","))
        except ValueError:
            message = f"a box of cells must be south,west,north,east in degrees, got {box!r}"
            raise ParameterError(message) from None
        return cls.of_km(side_km, south=south, west=west, north=north, east=east)

    @classmethod
    def from_json(cls, described: Mapping[str, Any]) -> CellGrid:
        """The grid that a manifest describes."""
        return cls(**{name: described[name] for name in ("south", "west", "north", "east", "rows", "columns")})

    @cached_property
    def universe(self) -> Universe:
        """The cells as places."""
        return Universe([f"row {row + 1} column {column + 1}" for row in range(self.rows) for column in range(self.columns)])

    def codes(self, latitudes: Reals, longitudes: Reals) -> Integers:
        """The cell of each point, and -1 outside the box."""
        row = np.floor((latitudes - self.south) / (self.north - self.south) * self.rows)
        column = np.floor((longitudes - self.west) / (self.east - self.west) * self.columns)
        inside = (row >= 0) & (row < self.rows) & (column >= 0) & (column < self.columns)
        return np.where(inside, np.where(inside, row, 0) * self.columns + np.where(inside, column, 0), -1).astype(np.int64)

    def coarser(self, factor: int) -> Integers:
        """For each cell the number of its block of `factor` by `factor` cells."""
        whole_number(factor, name="factor", least=1)
        cells = np.arange(self.rows * self.columns)
        across = -(-self.columns // factor)
        return np.asarray((cells // self.columns) // factor * across + (cells % self.columns) // factor, dtype=np.int64)

    def as_json(self) -> dict[str, object]:
        """The grid as a manifest holds it."""
        fields = {name: getattr(self, name) for name in ("south", "west", "north", "east", "rows", "columns")}
        return {**fields, "sha256": hashlib.sha256(repr(fields).encode()).hexdigest()}
