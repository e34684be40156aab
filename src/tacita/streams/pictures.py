"""Pictures of streams: all people and the largest cells over time, with what is known of the errors of their counts.

Of a stream with more than a few hundred timestamps some are shown, evenly spaced: a mean of several would not have their errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan

import numpy as np
import numpy.typing as npt

from tacita.arrays import Integers, Reals
from tacita.pictures import Axis, Line, Picture, line_plot
from tacita.pictures.bars import largest_places
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["over_time", "stream_pictures", "times"]

MOST_POINTS, CELLS = 200, 3


def stream_pictures(
    sides: Mapping[str, npt.NDArray[np.generic]],
    *,
    intervals: Reals,
    deviations: Reals,
    cells: Universe,
    grid: TimeGrid,
) -> list[Picture]:
    """Draw the sides, each of which has one histogram per timestamp: all cells together, then the largest ones.

    The last side is the released one, to which intervals and deviations belong.
    """
    released = np.asarray(list(sides.values())[-1], dtype=np.float64)
    names = times(grid)
    total = [over_time(name, np.asarray(side).sum(axis=1)) for name, side in sides.items()]
    found = [_plot("People in all cells", total, names)]
    for cell in largest_places(released.sum(axis=0).tolist(), CELLS):
        *others, last = (over_time(name, np.asarray(side)[:, cell]) for name, side in sides.items())
        interval, deviation = intervals[:, cell], deviations[:, cell]
        last = replace(last, intervals=_ends(interval), band=_band(deviation))
        found.append(_plot(f"People in {cells.labels[cell]}", [*others, last], names, about=_about(interval, deviation)))
    return found


def over_time(name: str, values: npt.NDArray[np.generic], *, is_baseline: bool = False) -> Line:
    """A line of at most a few hundred points, evenly spaced ones of a longer one."""
    return Line(name=name, values=_shown(np.asarray(values, dtype=np.float64)), is_baseline=is_baseline)


def times(grid: TimeGrid) -> list[str]:
    """The names of the points that `over_time` draws."""
    return [grid.named(int(place)) for place in _places(grid.intervals)]


def _places(intervals: int) -> Integers:
    return np.linspace(0, intervals - 1, min(MOST_POINTS, intervals)).astype(np.int64)


def _shown(values: Reals) -> list[float]:
    return [float(value) for value in values[_places(values.size)]]


def _ends(interval: Reals) -> list[tuple[float, float] | None] | None:
    """The interval of each point; nothing if there is none anywhere."""
    if not np.isfinite(interval).any():
        return None
    chosen = interval[_places(len(interval))].tolist()
    return [None if isnan(low) else (low, high) for low, high in chosen]


def _band(deviation: Reals) -> list[float | None] | None:
    """The expected error of each point; nothing if there is none anywhere."""
    if not np.isfinite(deviation).any():
        return None
    return [None if isnan(value) else value for value in _shown(deviation)]


def _about(interval: Reals, deviation: Reals) -> str:
    """What is known of errors, for those who do not see it."""
    known = np.isfinite(interval[:, 0])
    words = []
    if known.any():
        where = "" if known.all() else " where the stream was measured"
        words.append(f"the interval that holds 95 of 100 true counts by the law of the noise{where}")
    if np.isfinite(deviation).any():
        words.append("the band of the error that the filters expect, which is no promise")
    if not words:
        return "People over time; nothing public says how far off the counts are."
    return f"People over time, with {', and '.join(words)}."


def _plot(title: str, lines: Sequence[Line], names: list[str], about: str = "") -> Picture:
    return line_plot(title, lines, x=Axis(label="time", names=names), y=Axis(label="people"), about=about)
