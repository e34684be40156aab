"""Pictures of trajectories: places, times and lengths, drawn from any number of sides and chosen by the last, the release.

Places that are cells of a grid are drawn as a map.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.pictures import Picture
from tacita.pictures.ranked import columns_plot
from tacita.public.pictures import place_pictures, time_pictures
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["trajectory_pictures"]

LONGEST = 20


def trajectory_pictures(sides: Mapping[str, Ragged], *, universe: Universe, grid: TimeGrid) -> list[Picture]:
    """Draw the sides: pairs of place and time by place, by time, and by record."""
    size = len(universe)
    places = {name: np.bincount(side.codes % size, minlength=size).astype(np.int64) for name, side in sides.items()}
    times = {name: np.bincount(side.codes // size, minlength=grid.intervals).astype(np.int64) for name, side in sides.items()}
    return [*place_pictures(places, universe), *time_pictures(times, grid), _lengths(sides)]


def _lengths(sides: Mapping[str, Ragged]) -> Picture:
    counts = {name: np.bincount(np.minimum(side.lengths, LONGEST), minlength=LONGEST + 1) for name, side in sides.items()}
    most = max(int(np.flatnonzero(each)[-1]) + 1 if each.any() else 1 for each in counts.values())
    names = [str(length) for length in range(most)]
    if most == LONGEST + 1:
        names[-1] = f"{LONGEST}+"
    shares = {name: (each[:most] / max(int(each.sum()), 1)).tolist() for name, each in counts.items()}
    means = [float(side.lengths.mean()) if len(side) else 0.0 for side in sides.values()]
    title = f"A record has {means[-1]:.1f} visits on average" + (f", {means[0]:.1f} in the raw data" if len(means) > 1 else "")
    return columns_plot(title, names, shares, x="visits in a record", about="Share of records by their number of visits.")
