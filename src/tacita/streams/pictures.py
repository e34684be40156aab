"""Pictures of streams: all people and the largest cells over time, with the bands of their counts.

Of a stream with more than a few hundred timestamps some are shown, evenly spaced: a mean of several would not have their bands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
import numpy.typing as npt

from tacita.pictures import Axis, Line, Picture, line_plot
from tacita.pictures.distributions import largest_places
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["over_time", "stream_pictures", "times"]

MOST_POINTS, CELLS = 200, 3


def stream_pictures(
    sides: Mapping[str, npt.NDArray[np.generic]], *, bands: npt.NDArray[np.float64], cells: Universe, grid: TimeGrid
) -> list[Picture]:
    """Draw the sides, each of which has one histogram per timestamp: all cells together, then the largest ones.

    The last side is the released one, and has the bands.
    """
    released = np.asarray(list(sides.values())[-1], dtype=np.float64)
    names = times(grid)
    total = [over_time(name, np.asarray(side).sum(axis=1)) for name, side in sides.items()]
    found = [_plot("People in all cells", total, names)]
    for cell in largest_places(released.sum(axis=0).tolist(), CELLS):
        *others, last = (over_time(name, np.asarray(side)[:, cell]) for name, side in sides.items())
        band = _shown(bands[:, cell])
        last = replace(last, band=[None if value != value else value for value in band])  # noqa: PLR0124 - not a number
        found.append(_plot(f"People in {cells.labels[cell]}", [*others, last], names, about=_about(bands[:, cell])))
    return found


def over_time(name: str, values: npt.NDArray[np.generic], *, is_baseline: bool = False) -> Line:
    """A line of at most a few hundred points, evenly spaced ones of a longer one."""
    return Line(name=name, values=_shown(np.asarray(values, dtype=np.float64)), is_baseline=is_baseline)


def times(grid: TimeGrid) -> list[str]:
    """The names of the points that `over_time` draws."""
    return [_when(grid.beginnings[int(place)]) for place in _places(grid.intervals)]


def _places(intervals: int) -> npt.NDArray[np.int64]:
    return np.linspace(0, intervals - 1, min(MOST_POINTS, intervals)).astype(np.int64)


def _shown(values: npt.NDArray[np.float64]) -> list[float]:
    return [float(value) for value in values[_places(values.size)]]


def _about(band: npt.NDArray[np.float64]) -> str:
    """What the band says, for those who do not see it."""
    known = np.isfinite(band)
    if not known.any():
        return "People over time, without a band: nothing public says how far off the counts are."
    where = "" if known.all() else " where the stream was measured; repeated counts have none, since their age is not in it"
    return f"People over time, with the band that should hold 95 of 100 true counts{where}."


def _plot(title: str, lines: Sequence[Line], names: list[str], about: str = "") -> Picture:
    return line_plot(title, lines, x=Axis(label="time", names=names), y=Axis(label="people"), about=about)


def _when(beginning: int | datetime) -> str:
    return beginning.strftime("%Y-%m-%d %H:%M") if isinstance(beginning, datetime) else f"{beginning:,}"
