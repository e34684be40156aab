"""What the owner says that places are worth, so that those are kept first that matter most."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

import numpy as np

from tacita.arrays import Reals
from tacita.errors import ParameterError
from tacita.public.parameters import instance_of
from tacita.public.public_text import public_text
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["PlaceWeights"]


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
