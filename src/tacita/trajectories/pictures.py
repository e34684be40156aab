"""Pictures of trajectories: places, hours and lengths, drawn from any number of sides and chosen by the last, the release."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.pictures import Axis, Line, Picture, line_plot
from tacita.pictures.bars import most_frequent, shares_by_size
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["trajectory_pictures"]

MOST_STEPS = 200


def trajectory_pictures(sides: Mapping[str, Ragged], *, universe: Universe, grid: TimeGrid) -> list[Picture]:
    """Draw the sides: pairs of place and time by place, by time, and by record."""
    size = len(universe)
    places = {name: np.bincount(side.codes % size, minlength=size).tolist() for name, side in sides.items()}
    lengths = {name: np.bincount(side.lengths, minlength=2).tolist() for name, side in sides.items()}
    return [
        most_frequent("The places with most visits, and what suppression leaves of them", universe.labels, places, unit="visits"),
        _times(sides, size, grid),
        shares_by_size("How many visits a record has", lengths, x_label="visits in a record", y_label="share of records"),
    ]


def _times(sides: Mapping[str, Ragged], size: int, grid: TimeGrid) -> Picture:
    parts = np.array_split(np.arange(grid.intervals), min(MOST_STEPS, grid.intervals))
    names = [grid.named(int(part[0])) for part in parts]
    lines = []
    for name, side in sides.items():
        counts = np.bincount(side.codes // size, minlength=grid.intervals)
        lines.append(Line(name=name, values=[float(counts[part].sum()) for part in parts]))
    return line_plot("Visits over time", lines, x=Axis(label="time", names=names), y=Axis(label="visits"))
