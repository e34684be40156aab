"""Places at several grains, and what they are worth: which places a coarser one groups, and weights that an owner declares."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

import numpy as np
import polars as pl

from tacita.arrays import Integers, Reals
from tacita.errors import ParameterError
from tacita.public.cells import CELLS, CellGrid
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe, public_text

__all__ = ["PLACES", "PlaceGroups", "PlaceWeights", "public_places"]

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
    def from_frame(cls, frame: pl.DataFrame, *, coarse: Universe, cells: CellGrid | None = None) -> PlaceGroups:
        """Read them back, for the coarser places of a release; the fine ones may be cells."""
        groups = [coarse.code(label) for label in frame["group"].to_list()]
        fine = Universe(frame["place"].to_list(), cells=cells)
        return cls(fine=fine, coarse=coarse, groups=np.array(groups, dtype=np.int64))

    def as_json(self) -> dict[str, object]:
        """The groups as a manifest holds them."""
        digest = hashlib.sha256("\n".join(map("\t".join, self.frame().iter_rows())).encode()).hexdigest()
        return {"size": len(self.fine), "groups": len(self.coarse), "sha256": digest}


def public_places(universe: Universe, grid: TimeGrid, places: PlaceGroups | None) -> PublicInputs:
    """What is public about trajectories: places, times, and the finer places and their cells if these are groups of them."""
    public = PublicInputs(universe=universe, grid=grid)
    return public if places is None else public.having(**{CELLS: places.fine.cells, PLACES: places})


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
