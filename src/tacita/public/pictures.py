"""Visits by place and by time, of one side or of two: what sequences and trajectories share.

Titles are findings: of two sides how near they are, of one what it shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.pictures.bars import largest_places
from tacita.pictures.picture import Picture, percent
from tacita.pictures.ranked import MARKS, Row, rows_plot
from tacita.pictures.squares import Box, cell_maps, week_maps
from tacita.public.cells import CellGrid
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["cell_picture", "interval_names", "place_pictures", "time_pictures"]

TOP, BUSIEST, MOST_STEPS = 20, 12, 48
NEAR = 0.05
"""Places whose count is off by at most this share are counted in titles."""


def _last(sides: Mapping[str, Integers | Reals]) -> Any:  # noqa: ANN401 - an array
    return list(sides.values())[-1]


def _whole(value: float) -> str:
    return f"{value:,.0f}"


# Visits by place: a map where labels are cells of a grid, else a row for each place.


def place_pictures(counts: Mapping[str, Integers], universe: Universe, taxonomy: Taxonomy | None = None) -> list[Picture]:
    """Visits by place: a map if the places are cells of a grid."""
    if universe.cells is not None:
        return [cell_picture(counts, universe.cells)]
    released, raw = _last(counts), counts.get("raw")
    chosen = largest_places(released.tolist(), TOP)
    if taxonomy is not None:
        lines = [int(parent) for parent in taxonomy.parents[: len(universe)]]
        chosen = sorted(chosen, key=lambda place: (lines[place], place))
    rows = [
        Row(
            name=universe.labels[place] + (f" ({taxonomy.name(lines[place])})" if taxonomy is not None else ""),
            value=float(released[place]),
            mark=None if raw is None else float(raw[place]),
            words=_whole(released[place]),
            cells=tuple(int(each[place]) for each in counts.values()),
        )
        for place in chosen
    ]
    shown = f"The {len(chosen)} places with most visits" if len(chosen) < len(universe) else "All places"
    about = f"{shown}{', by line' if taxonomy is not None else ''}. Bar: released visits" + (
        "; mark: raw." if raw is not None else "."
    )
    columns = ("place", *counts)
    return [rows_plot(_places_title(counts, universe), rows, about=about, columns=columns, key=MARKS if raw is not None else "")]


def _places_title(counts: Mapping[str, Integers], universe: Universe) -> str:
    """How many places are near, and the farthest; of one side, how much the busiest have."""
    released, raw = _last(counts), counts.get("raw")
    if raw is None:
        whole = int(released.sum())
        if not whole:
            return "The release has no visits"
        busiest = int(np.argmax(released))
        return f"{_clip(universe.labels[busiest])} is busiest, with {percent(released[busiest] / whole)} of all visits"
    there = raw > 0
    if not there.any():
        return "Too few visits to tell"
    off = np.abs(released[there] - raw[there]) / raw[there]
    near = int((off <= NEAR).sum())
    worst = percent(float(off.max()))
    return f"{near:,} of {int(there.sum()):,} places are within 5 %; the farthest is off by {worst}"


def _clip(label: str) -> str:
    return label if len(label) <= 40 else label[:39] + "…"


def cell_picture(counts: Mapping[str, Integers | Reals], cells: CellGrid, *, what: str = "visits") -> Picture:
    """A map of each side; what stands behind the cells, such as all other places, is not on it."""
    size = cells.rows * cells.columns
    inside = {name: each[:size] for name, each in counts.items()}
    matrices = {name: each.reshape(cells.rows, cells.columns).tolist() for name, each in inside.items()}
    about = f"{what[:1].upper()}{what[1:]} by cell, rows from south to north."
    about += " An empty cell of the release is zero or was removed."
    box = Box(south=cells.south, west=cells.west, north=cells.north, east=cells.east, outline=cells.outline)
    return cell_maps(_map_title(inside, what), matrices, about=about, unit=what, box=box)


def _map_title(counts: Mapping[str, Integers | Reals], what: str) -> str:
    released, raw = _last(counts), counts.get("raw")
    if raw is None:
        filled = int((released > 0).sum())
        return f"{filled:,} of {released.size:,} cells have {what}, {_whole(released.sum())} in all"
    whole = int(raw.sum())
    if not whole:
        return f"Too few {what} to tell"
    busiest = set(largest_places(raw.tolist(), BUSIEST)) & set(np.flatnonzero(raw).tolist())
    same = len(busiest & set(largest_places(released.tolist(), len(busiest))))
    gone = int(((raw > 0) & (released == 0)).sum())
    lost = f"; {gone:,} of {int((raw > 0).sum()):,} visited cells are empty" if gone else "; no visited cell is empty"
    return f"{same} of the {len(busiest)} busiest cells are the same{lost}"


# When.


def time_pictures(counts: Mapping[str, Integers], grid: TimeGrid) -> list[Picture]:
    """Visits by hour of the week if the grid has hours, else by interval."""
    begins = _moments(grid)
    if begins is not None and len({each.hour for each in begins}) > 6:
        days = sorted({each.weekday() for each in begins})
        names = [("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[day] for day in days]
        matrices = {}
        for name, each in counts.items():
            matrix = np.zeros((len(days), 24))
            np.add.at(matrix, ([days.index(when.weekday()) for when in begins], [when.hour for when in begins]), each)
            matrices[name] = matrix.tolist()
        about = f"Visits by hour and day of the week ({_read_as(grid)})."
        return [week_maps(_times_title(counts, begins), matrices, rows=names, about=about, unit="visits")]
    filled = np.flatnonzero(sum(counts.values(), np.zeros(grid.intervals, dtype=np.int64)))
    span = np.arange(int(filled[0]), int(filled[-1]) + 1) if filled.size else np.arange(grid.intervals)
    parts = np.array_split(span, min(MOST_STEPS, span.size))
    names = interval_names(grid, [int(part[0]) for part in parts])
    released, raw = _last(counts), counts.get("raw")
    rows = [
        Row(
            name=name,
            value=float(released[part].sum()),
            mark=None if raw is None else float(raw[part].sum()),
            words=_whole(released[part].sum()) + ("" if raw is None else f" of {_whole(raw[part].sum())}"),
            cells=tuple(int(each[part].sum()) for each in counts.values()),
        )
        for name, part in zip(names, parts, strict=True)
    ]
    about = f"Visits by interval{f' ({_read_as(grid)})' if begins is not None else ''}. Bar: released"
    about += "; mark: raw." if raw is not None else "."
    key = MARKS if raw is not None else ""
    return [rows_plot(_times_title(counts, begins), rows, about=about, columns=("interval", *counts), key=key)]


def _times_title(counts: Mapping[str, Integers], begins: list[datetime] | None) -> str:
    """How near times are; of one side, which is busiest."""
    released, raw = _last(counts), counts.get("raw")
    if not released.any() or (raw is not None and not raw.any()):
        return "Too few visits to tell when"
    if raw is None:
        busiest = int(np.argmax(released))
        when = (
            f"interval {busiest + 1:,}"
            if begins is None
            else f"{begins[busiest]:%a} {begins[busiest].day} {begins[busiest]:%b, %H:%M}"
        )
        return f"Most visits are in {when}: {percent(released[busiest] / released.sum())} of all"
    if released.sum() < 0.9 * raw.sum():
        kept = np.divide(released, raw, out=np.ones(raw.size), where=raw > 0)
        return f"{percent(released.sum() / raw.sum())} of the visits are kept; the emptiest time keeps {percent(kept.min())}"
    off = float(np.abs(raw / raw.sum() - released / released.sum()).sum() / 2)
    verdict = "Times are right" if off <= 0.1 else "Times are roughly right" if off <= 0.3 else "Times are wrong"
    return f"{verdict}: {percent(off)} of all visits are at another time than in the raw data"


# Intervals as people write them, never as seconds since 1970.


def _moments(grid: TimeGrid) -> list[datetime] | None:
    """When intervals begin, if times are dates, or whole numbers that can only be seconds since 1970; else nothing."""
    first, step = grid.beginning(0), grid.interval
    if isinstance(first, datetime) and isinstance(step, timedelta):
        return [first + place * step for place in range(grid.intervals)]
    is_epoch = isinstance(first, int) and 10**8 <= first < 10**10 and isinstance(step, int) and step % 60 == 0
    if not is_epoch or not isinstance(first, int) or not isinstance(step, int):
        return None
    return [datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=first + place * step) for place in range(grid.intervals)]


def _read_as(grid: TimeGrid) -> str:
    """How times are read, in a few words."""
    return "UTC" if grid.is_of_dates else "whole numbers read as seconds since 1970, UTC"


def interval_names(grid: TimeGrid, places: Sequence[int]) -> list[str]:
    """When intervals begin, as people write it: a day and an hour, or the number of the interval."""
    begins = _moments(grid)
    if begins is None:
        return (
            [f"interval {place + 1:,}" for place in places]
            if isinstance(grid.interval, int) and grid.interval > 1
            else [str(grid.beginning(place)) for place in places]
        )
    is_daily = all(begins[place].hour == begins[0].hour and begins[place].minute == begins[0].minute for place in places)
    if len({begins[place].date() for place in places}) == 1:
        return [f"{begins[place]:%H:%M}" for place in places]
    return [
        f"{begins[place]:%a} {begins[place].day} {begins[place]:%b}" + ("" if is_daily else f" {begins[place]:%H:%M}")
        for place in places
    ]
