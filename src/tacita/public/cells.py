"""Cells of the earth's surface as public places: a box in degrees, divided into rows and columns, and its outlines as GeoJSON.

A grid turns points into places that can be counted. Cells have equal sides in degrees, so that no projection has to be agreed
upon. The box and the size of a cell must be fixed without a look at the data; a point outside the box is dropped by a declared
rule. The universe of a grid remembers it, so that whatever is read, drawn or written with that universe knows where its places
lie.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from math import cos, isfinite, radians
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.errors import ParameterError
from tacita.public.parameters import whole_number
from tacita.public.universe import Universe, public_text

__all__ = ["CELLS", "KM_PER_DEGREE", "CellGrid"]

CELLS = "cells"
"""What the grid is called among the public inputs."""

KM_PER_DEGREE = 111.2
MOST_CELLS = 4_000_000

MOST_OUTLINES = 100_000
"""So many cells are outlined in a file of some 30 MB; those of a finer grid follow from the manifest alone."""

MOST_POINTS = 20_000
"""So many points of an outline fit a page; a map of a phone shows no more."""

DIGITS = 7
"""Decimals of a coordinate: about a centimetre."""

_SIZE = re.compile(r"(?:(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>m|km|deg))|(?:(?P<rows>\d{1,7})\s*x\s*(?P<columns>\d{1,7}))")


Point: TypeAlias = tuple[float, float]
"""A longitude and a latitude."""
Line: TypeAlias = tuple[Point, ...]


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
    outline: tuple[Line, ...] = field(default=(), compare=False, repr=False)
    """Lines that maps of these cells show, such as a coast; no part of the grid itself."""

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
        wide = (east - west) * KM_PER_DEGREE * cos(radians((north + south) / 2))
        rows, columns = _number((north - south) * KM_PER_DEGREE, side_km), _number(wide, side_km)
        return cls(south=south, west=west, north=north, east=east, rows=rows, columns=columns)

    @classmethod
    def of_degrees(cls, side: float, *, south: float, west: float, north: float, east: float) -> CellGrid:
        """Cells of about this side in degrees, the same to the north and to the east."""
        rows, columns = _number(north - south, side), _number(east - west, side)
        return cls(south=south, west=west, north=north, east=east, rows=rows, columns=columns)

    @classmethod
    def parse(cls, box: str | Iterable[float], size: str) -> CellGrid:
        """A box as `south,west,north,east`, and a size such as `500m`, `0.5km`, `0.01deg` or `16x16` (rows and columns).

        >>> CellGrid.parse("39.8,116.2,40.05,116.55", "16x16").rows
        16
        """
        try:
            south, west, north, east = map(float, box.split(",") if isinstance(box, str) else box)
        except (ValueError, TypeError):
            message = f"a box of cells must be south,west,north,east in degrees, got {box!r}"
            raise ParameterError(message) from None
        found = _SIZE.fullmatch(size.strip())
        if found is None:
            message = f"the size of a cell must be such as 500m, 0.5km, 0.01deg or 16x16 (rows and columns), got {size!r}"
            raise ParameterError(message)
        if found["rows"] is not None:
            rows, columns = int(found["rows"]), int(found["columns"])
            return cls(south=south, west=west, north=north, east=east, rows=rows, columns=columns)
        side = float(found["number"]) / (1000 if found["unit"] == "m" else 1)
        sized = cls.of_degrees if found["unit"] == "deg" else cls.of_km
        return sized(side, south=south, west=west, north=north, east=east)

    @classmethod
    def from_json(cls, described: Mapping[str, Any]) -> CellGrid:
        """The grid that a manifest describes."""
        found = cls(**{name: described[name] for name in ("south", "west", "north", "east", "rows", "columns")})
        if found.as_json() != described:
            message = "the manifest must describe the grid of its cells with its digest; it does not"
            raise ParameterError(message)
        return found

    @cached_property
    def universe(self) -> Universe:
        """The cells as places."""
        labels = [f"row {row + 1} column {column + 1}" for row in range(self.rows) for column in range(self.columns)]
        return Universe(labels, cells=self)

    def codes(self, latitudes: Reals, longitudes: Reals) -> Integers:
        """The cell of each point, and -1 outside the box, and for what is no number.

        The south and the west side belong to the box, the other two do not.
        """
        # Only points of the box are computed with: a coordinate such as 1e308 would overflow, and numpy would warn of that row.
        inside = (latitudes >= self.south) & (latitudes < self.north) & (longitudes >= self.west) & (longitudes < self.east)
        row = _part(latitudes[inside], self.south, self.north, parts=self.rows)
        column = _part(longitudes[inside], self.west, self.east, parts=self.columns)
        found = np.full(inside.shape, -1, dtype=np.int64)
        found[inside] = row * self.columns + column
        return found

    def coarser(self, factor: int) -> Integers:
        """For each cell the number of its block of `factor` by `factor` cells."""
        whole_number(factor, name="factor", least=1)
        cells = np.arange(self.rows * self.columns)
        across = -(-self.columns // factor)
        return np.asarray((cells // self.columns) // factor * across + (cells % self.columns) // factor, dtype=np.int64)

    def centres(self) -> tuple[Reals, Reals]:
        """The latitude and the longitude of the middle of each cell."""
        south, west = self._edges()
        latitudes, longitudes = (south[1:] + south[:-1]) / 2, (west[1:] + west[:-1]) / 2
        return np.repeat(latitudes, self.columns), np.tile(longitudes, self.rows)

    def _edges(self) -> tuple[Reals, Reals]:
        """Where rows and columns begin and end, in degrees."""
        return np.linspace(self.south, self.north, self.rows + 1), np.linspace(self.west, self.east, self.columns + 1)

    def as_json(self) -> dict[str, object]:
        """The grid as a manifest holds it."""
        fields = {name: getattr(self, name) for name in ("south", "west", "north", "east", "rows", "columns")}
        return {**fields, "sha256": hashlib.sha256(repr(fields).encode()).hexdigest()}

    @property
    def is_outlined(self) -> bool:
        """Whether there are few enough cells for a file with the outline of each."""
        return self.rows * self.columns <= MOST_OUTLINES

    def geojson(self) -> str:
        """Every cell with its label, its centre and its outline, as any map program reads it; a function of the grid alone."""
        return '{"type": "FeatureCollection", "features": [\n' + ",\n".join(self._features()) + "\n]}\n"

    def _features(self) -> Iterator[str]:
        latitudes, longitudes = ([round(each, DIGITS) for each in edges.tolist()] for edges in self._edges())
        middle = [[round(each, DIGITS) for each in centres.tolist()] for centres in self.centres()]
        for code, label in enumerate(self.universe.labels):
            row, column = divmod(code, self.columns)
            (south, north), (west, east) = latitudes[row : row + 2], longitudes[column : column + 2]
            ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
            properties = {"label": label, "latitude": middle[0][code], "longitude": middle[1][code]}
            geometry = {"type": "Polygon", "coordinates": [ring]}
            yield json.dumps({"type": "Feature", "properties": properties, "geometry": geometry})

    def outlined(self, path: str | Path) -> CellGrid:
        """The same with the lines of a GeoJSON file on its maps: those parts of them that lie in the box."""
        text = public_text(path, what="outline", error=ParameterError)
        try:
            found = tuple(part for line in _lines(json.loads(text)) for part in self._inside(line))
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            message = f"the outline {str(path)!r} must be GeoJSON, with lines or polygons of longitudes and latitudes; it is not"
            raise ParameterError(message) from None
        if not found:
            message = (
                f"the outline {str(path)!r} must have lines or polygons in the box of the cells, in degrees; it has none there"
            )
            raise ParameterError(message)
        if sum(map(len, found)) > MOST_POINTS:
            message = (
                f"the outline {str(path)!r} must have at most {MOST_POINTS:,} points in the box of the cells; simplify it first"
            )
            raise ParameterError(message)
        return replace(self, outline=found)

    def _inside(self, line: Line) -> Iterator[Line]:
        """The parts of a line that lie in the box, cut at its sides."""
        part: list[Point] = []
        for start, end in pairwise(line):
            cut = self._cut(start, end)
            if cut is None or (part and part[-1] != cut[0]):
                if len(part) > 1:
                    yield tuple(part)
                part = []
            if cut is not None:
                part += cut if not part else cut[1:]
        if len(part) > 1:
            yield tuple(part)

    def _cut(self, start: Point, end: Point) -> tuple[Point, Point] | None:
        """The part of a segment in the box, after Liang and Barsky; None if there is none."""
        east, north = end[0] - start[0], end[1] - start[1]
        low, high = 0.0, 1.0
        for way, room in (
            (-east, start[0] - self.west),
            (east, self.east - start[0]),
            (-north, start[1] - self.south),
            (north, self.north - start[1]),
        ):
            if way == 0 and room < 0:
                return None
            if way < 0:
                low = max(low, room / way)
            elif way > 0:
                high = min(high, room / way)
        if low >= high:
            return None

        def at(share: float) -> Point:
            if share in {0.0, 1.0}:
                return (start, end)[int(share)]
            return start[0] + share * east, start[1] + share * north

        return at(low), at(high)


def _lines(shape: Mapping[str, Any]) -> Iterator[Line]:
    """The lines of a GeoJSON object: those of its features, its parts, the rings of its polygons."""
    match shape["type"]:
        case "FeatureCollection":
            inside = shape["features"]
        case "Feature":
            inside = [shape["geometry"]] if shape["geometry"] is not None else []
        case "GeometryCollection":
            inside = shape["geometries"]
        case "LineString":
            yield tuple((float(point[0]), float(point[1])) for point in shape["coordinates"])
            return
        case "Polygon" | "MultiLineString":
            inside = [{"type": "LineString", "coordinates": line} for line in shape["coordinates"]]
        case "MultiPolygon":
            inside = [{"type": "Polygon", "coordinates": rings} for rings in shape["coordinates"]]
        case _:
            return  # points are no lines
    for part in inside:
        yield from _lines(part)


def _part(degrees: Reals, low: float, high: float, *, parts: int) -> Integers:
    """In which of equal parts each lies; what rounds up to the end is in the last."""
    found: Integers = np.floor((degrees - low) / (high - low) * parts).astype(np.int64)
    return np.minimum(found, parts - 1)


def _number(length: float, side: float) -> int:
    """How many sides go into a length; one at least."""
    if not isfinite(side) or side <= 0:
        message = f"the side of a cell must be a positive number of kilometres or degrees, got {side!r}"
        raise ParameterError(message)
    return max(1, round(min(length / side, MOST_CELLS + 1))) if isfinite(length) else 1
