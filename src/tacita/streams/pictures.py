"""Pictures of streams: all people and the largest cells over time, with bands where the noise of a count is public."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt

from tacita.pictures import Axis, Line, Picture, line_plot
from tacita.pictures.distributions import largest_places
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["over_time", "stream_pictures", "times"]

MOST_POINTS, CELLS = 200, 3


def stream_pictures(sides: Mapping[str, npt.NDArray[np.generic]], *, cells: Universe, grid: TimeGrid) -> list[Picture]:
    """Draw the sides, each of which has one histogram per timestamp: all cells together, then the largest ones."""
    released = np.asarray(list(sides.values())[-1], dtype=np.float64)
    names = times(grid)
    total = [over_time(name, np.asarray(side).sum(axis=1)) for name, side in sides.items()]
    found = [_plot("People in all cells", total, names)]
    for cell in largest_places(released.sum(axis=0).tolist(), CELLS):
        lines = [over_time(name, np.asarray(side)[:, cell]) for name, side in sides.items()]
        found.append(_plot(f"People in {cells.labels[cell]}", lines, names))
    return found


def over_time(name: str, values: npt.NDArray[np.generic], *, is_baseline: bool = False) -> Line:
    """A line of at most a few hundred points: means over equal parts of a longer one."""
    numbers = np.asarray(values, dtype=np.float64)
    parts = np.array_split(numbers, min(MOST_POINTS, max(numbers.size, 1)))
    return Line(name=name, values=[float(part.mean()) if part.size else 0.0 for part in parts], is_baseline=is_baseline)


def times(grid: TimeGrid) -> list[str]:
    """The names of the points that `over_time` draws."""
    places = np.array_split(np.arange(grid.intervals), min(MOST_POINTS, grid.intervals))
    return [_when(grid.beginnings[int(part[0])]) for part in places]


def _plot(title: str, lines: Sequence[Line], names: list[str]) -> Picture:
    return line_plot(title, lines, x=Axis(label="time", names=names), y=Axis(label="people"))


def _when(beginning: int | datetime) -> str:
    return beginning.strftime("%Y-%m-%d %H:%M") if isinstance(beginning, datetime) else f"{beginning:,}"
