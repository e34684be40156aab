"""Pictures of streams: all people over time, and a row for each of the largest cells, with what is known of its errors.

Of a stream with more than a few hundred timestamps some are shown, evenly spaced: a mean of several would not have their errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

import numpy as np
import numpy.typing as npt

from tacita.arrays import Booleans, Integers, Reals
from tacita.pictures import Axis, Line, Picture, line_plot
from tacita.pictures.bars import largest_places
from tacita.pictures.picture import percent
from tacita.pictures.ranked import Area, areas_plot
from tacita.public.pictures import cell_picture, interval_names
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["stream_pictures"]

MOST_POINTS, CELLS = 200, 12


def stream_pictures(  # noqa: PLR0913 - what is known of a stream
    sides: Mapping[str, npt.NDArray[np.generic]],
    *,
    totals: Reals,
    deviations: Reals,
    measured: Booleans,
    cells: Universe,
    grid: TimeGrid,
    grades: Mapping[str, tuple[str, float]] | None = None,
) -> list[Picture]:
    """Draw the sides, each of which has one histogram per timestamp: all cells together, then the largest ones.

    The last side is the released one, to which the other figures belong; `totals` are what its method says of all cells.
    """
    counts = {name: np.asarray(side, dtype=np.float64) for name, side in sides.items()}
    places = _places(grid.intervals)
    names = interval_names(grid, places.tolist())
    whole = {name: side.sum(axis=1) for name, side in counts.items()}
    *_, last = whole
    whole[last] = totals
    lines = [Line(name=name, values=values[places].tolist()) for name, values in whole.items()]
    asked = np.flatnonzero(measured[places]).tolist()
    is_asked_always = len(asked) == places.size
    about = "People in all cells over time." + ("" if is_asked_always else " Orange ticks: measured; in between, an estimate.")
    total = line_plot(
        _total_title(whole, grid),
        lines,
        x=Axis(label="time", names=names),
        y=Axis(label="people"),
        about=about,
        ticks=() if is_asked_always else asked,
    )
    means = {name: side.mean(axis=0) for name, side in counts.items()}
    where = [] if cells.cells is None else [cell_picture(means, cells.cells, what="people on average")]
    return [total, *where, _areas(counts, deviations, cells, places, (names[0], names[-1]), grades)]


def _total_title(whole: Mapping[str, Reals], grid: TimeGrid) -> str:
    """How far off the total is, and whether its peak is at the right time; of one side, when the peak is."""
    released, raw = list(whole.values())[-1], whole.get("raw")
    peak = int(np.argmax(released))
    if raw is None or not raw.any():
        when = interval_names(grid, [0, peak])[1]
        return f"Most people are there at {when}: about {released[peak]:,.0f}" if released.any() else "Nobody was counted"
    off = float(np.abs(raw - released).mean() / raw.mean())
    drift = float((released - raw).mean() / raw.mean())
    if off < 1e-9:
        return "The total is exact: how many people are there is public"
    shape = "The total is right" if off <= 0.1 else "The total is roughly right" if off <= 0.3 else "The total is wrong"
    side = "too high" if drift > 0 else "too low"
    return f"{shape}: off by {percent(off)} at a time, {percent(abs(drift))} {side} on average"


def _areas(
    counts: Mapping[str, Reals],
    deviations: Reals,
    cells: Universe,
    places: Integers,
    ends: tuple[str, str],
    grades: Mapping[str, tuple[str, float]] | None,
) -> Picture:
    released, raw = list(counts.values())[-1], counts.get("raw")
    rows = []
    for cell in largest_places(released.sum(axis=0).tolist(), CELLS):
        name = cells.labels[cell]
        spread = deviations[:, cell]
        known = None if not np.isfinite(spread).any() else [None if isnan(each) else each for each in spread[places].tolist()]
        grade, off = (grades or {}).get(name, ("", 0.0))
        means = [f"{side[:, cell].mean():,.0f}" for side in counts.values()]
        error = [f"{np.abs(raw[:, cell] - released[:, cell]).mean():,.0f}"] if raw is not None else _expected(spread)
        drawn = {side: each[places, cell].tolist() for side, each in counts.items()}
        words = percent(off) if grade else ""
        rows.append(Area(name=name, sides=drawn, band=known, grade=grade, words=words, cells=(*means, *error)))
    columns = [f"mean, {name}" for name in counts] + (
        ["off by"] if raw is not None else ["±"] if rows and len(rows[0].cells) > 1 else []
    )
    band = " Band: the error that the filters expect, which is no promise." if np.isfinite(deviations).any() else ""
    about = f"The {len(rows)} largest cells, people over time." + (" Dashed: raw." if raw is not None else "") + band
    return areas_plot(_areas_title(released, raw, cells, grades), rows, columns=tuple(columns), about=about, times=ends)


def _expected(spread: Reals) -> list[str]:
    return [f"{np.nanmean(spread):,.0f}"] if np.isfinite(spread).any() else []


def _areas_title(released: Reals, raw: Reals | None, cells: Universe, grades: Mapping[str, tuple[str, float]] | None) -> str:
    """How many cells are good, care or bad; of one side, which is largest."""
    if raw is None or not grades:
        sums = released.sum(axis=0)
        largest = int(np.argmax(sums))
        if not sums[largest]:
            return "All released cells are empty"
        return (
            f"{cells.labels[largest][:40]} is largest, with {percent(sums[largest] / max(float(sums.sum()), 1e-9))} of all people"
        )
    kinds = [grade for grade, _ in grades.values()]
    offs = [off for _, off in grades.values()]
    good, bad = kinds.count("good"), kinds.count("bad")
    spread = f"off by {percent(min(offs))} to {percent(max(offs))}"
    if bad > len(kinds) / 2:
        return f"{bad} of the {len(kinds)} largest cells are mostly noise: {spread}"
    return f"{good} of the {len(kinds)} largest cells are good, {kinds.count('care')} need care: {spread}"


def _places(intervals: int) -> Integers:
    return np.linspace(0, intervals - 1, min(MOST_POINTS, intervals)).astype(np.int64)
