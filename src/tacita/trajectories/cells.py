"""Places as public inputs: a grid of cells for GPS points, which places a coarser one groups, and what places are worth.

A grid of cells over the earth's surface turns GPS points into places that can be counted. Cells have equal sides in degrees, so
that no projection has to be agreed upon. The box and the number of cells must be fixed without a look at the data; a point
outside the box is dropped by a declared rule.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import cos, isfinite, radians
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Integers, Reals
from tacita.errors import ParameterError
from tacita.public.parameters import instance_of, whole_number
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe, public_text

__all__ = ["CELLS", "PLACES", "CellGrid", "PlaceGroups", "PlaceWeights"]

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


# Which fine place lies in which coarser one: public, and part of a release whose places were made coarser. Anyone who judges such
# a release reads the private file with its fine places, and uses this to bring them to the grain of the release.

PLACES = "places"
"""What it is called among the public inputs, and its file in a release folder."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PlaceGroups:
    """For each place of a fine universe, the number of its place in a coarser one.

    >>> halves = PlaceGroups(fine=Universe("abc"), coarse=Universe(["ab", "c"]), groups=np.array([0, 0, 1]))
    >>> halves.frame().rows()
    [('a', 'ab'), ('b', 'ab'), ('c', 'c')]
    """

    fine: Universe
    coarse: Universe
    groups: Integers = field(repr=False)

    def __post_init__(self) -> None:
        """Check that every fine place has a group."""
        instance_of(self.groups, np.ndarray, name="the groups of places")
        inside = self.groups.size and 0 <= int(self.groups.min()) <= int(self.groups.max()) < len(self.coarse)
        if self.groups.shape != (len(self.fine),) or not inside:
            message = "every fine place must lie in one of the coarser places"
            raise ParameterError(message)

    def after(self, finer: PlaceGroups | None) -> PlaceGroups:
        """The same for the places that these are already groups of, if they are."""
        return self if finer is None else PlaceGroups(fine=finer.fine, coarse=self.coarse, groups=self.groups[finer.groups])

    def frame(self) -> pl.DataFrame:
        """One row per fine place."""
        labels = pl.Series(self.coarse.labels, dtype=pl.String)
        return pl.DataFrame({"place": list(self.fine.labels), "group": labels.gather(self.groups)})

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, *, coarse: Universe) -> PlaceGroups:
        """Read them back, for the coarser places of a release."""
        groups = [coarse.code(label) for label in frame["group"].to_list()]
        return cls(fine=Universe(frame["place"].to_list()), coarse=coarse, groups=np.array(groups, dtype=np.int64))

    def as_json(self) -> dict[str, object]:
        """The groups as a manifest holds them."""
        digest = hashlib.sha256("\n".join(map("\t".join, self.frame().iter_rows())).encode()).hexdigest()
        return {"size": len(self.fine), "groups": len(self.coarse), "sha256": digest}


# What the owner declares places to be worth, so that those that matter most are kept first.


@dataclass(frozen=True)
class PlaceWeights:
    """A positive weight for some places; all others weigh 1.

    >>> day = TimeGrid(start=0, interval=12, intervals=2)
    >>> PlaceWeights({"clinic": 5.0}).of_codes(Universe(["clinic", "shop"]), day, 1).tolist()
    [5.0, 1.0, 5.0, 1.0, 1.0]
    """

    weights: Mapping[str, float] = field(hash=False)

    def __post_init__(self) -> None:
        """Check that they are weights."""
        instance_of(self.weights, Mapping, name="the weights of places")
        for label, weight in self.weights.items():
            if not isfinite(weight) or weight <= 0:
                message = f"the weight of a place must be a positive number, {label!r} has {weight!r}"
                raise ParameterError(message)

    @classmethod
    def parse(cls, text: str) -> PlaceWeights:
        """The weights in the file of this name."""
        return cls.read(text)

    @classmethod
    def read(cls, path: str | Path) -> PlaceWeights:
        """Read the columns label and weight of a CSV file."""
        reader = csv.DictReader(io.StringIO(public_text(path, what="table of weights", error=ParameterError), newline=""))
        if not {"label", "weight"} <= set(reader.fieldnames or []):
            message = f"the table of weights {str(path)!r} must have the columns label and weight"
            raise ParameterError(message)
        weights: dict[str, float] = {}
        for line, row in enumerate(reader, start=2):
            label = (row["label"] or "").strip()
            try:
                weight = float(row["weight"] or "")
            except ValueError:
                message = f"every weight in {str(path)!r} must be a number, line {line} has {row['weight']!r}"
                raise ParameterError(message) from None
            if label in weights:
                message = f"every place must have one weight in {str(path)!r}, {label!r} has several"
                raise ParameterError(message)
            weights[label] = weight
        return cls(weights)

    def of_codes(self, universe: Universe, grid: TimeGrid, others: int) -> Reals:
        """The weight of each pair of a place and an interval, and of that many other codes behind them, which weigh 1."""
        unknown = next((label for label in self.weights if label not in universe), None)
        if unknown is not None:
            message = f"a weight must be for a place of the release, {unknown!r} is none"
            raise ParameterError(message)
        places = np.array([self.weights.get(label, 1.0) for label in universe.labels])
        return np.append(np.tile(places, grid.intervals), np.ones(others))

    def digest(self) -> str:
        """A hash of the weights, for manifests."""
        lines = [f"{label}\t{weight}" for label, weight in sorted(self.weights.items())]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()
