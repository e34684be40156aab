"""Pictures of sequences: stops along each line, from where to where, hours, lengths, and how people come back.

They are drawn from any number of sides, such as the release alone or the raw data beside it; what is shown is chosen by the last
side, the release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.arrays.recency import NEW, recencies
from tacita.pictures import Axis, Line, Picture, line_plot, matrix_plot
from tacita.pictures.bars import largest_places, most_frequent, shares_by_size
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["sequence_pictures"]


LINES, STOPS, MATRIX, FURTHEST, MOST_STEPS = 6, 40, 40, 10, 400
OTHERS = "(all others)"


@dataclass(frozen=True, kw_only=True)
class _Groups:
    """What each label belongs to in a picture: its line, itself if it is among the largest, or all others."""

    names: tuple[str, ...]
    of: Integers


def sequence_pictures(
    sides: Mapping[str, Ragged], *, universe: Universe, grid: TimeGrid | None = None, taxonomy: Taxonomy | None = None
) -> list[Picture]:
    """Draw the sides; with a taxonomy (stations into lines), along lines and from line to line."""
    size = len(universe)
    placed = {name: Ragged(side.codes % size, side.offsets) for name, side in sides.items()}
    counts = {name: _counted(side, size) for name, side in placed.items()}
    found = _along_lines(counts, universe, taxonomy) if taxonomy is not None else []
    if not found:
        title = f"The {min(size, 20)} places with most visits"
        found = [most_frequent(title, universe.labels, _lists(counts), unit="visits")]
    found.append(_from_to(placed, _groups(counts, universe, taxonomy)))
    if grid is not None:
        found.append(_hours({name: (side.codes // size).astype(np.int64) for name, side in sides.items()}, grid))
    lengths = {name: np.bincount(side.lengths).tolist() for name, side in sides.items()}
    found.append(
        shares_by_size("How long sequences are", lengths, x_label="visits in a sequence", y_label="share of sequences", first=1)
    )
    found.append(_returns(placed))
    return found


def _counted(side: Ragged, size: int) -> Integers:
    return np.bincount(side.codes, minlength=size).astype(np.int64)


def _lists(counts: Mapping[str, Integers]) -> dict[str, list[float]]:
    return {name: each.tolist() for name, each in counts.items()}


def _line_of(taxonomy: Taxonomy) -> list[int]:
    """The node right above each label."""
    return [int(parent) for parent in taxonomy.parents[: len(taxonomy.universe)]]


def _along_lines(counts: Mapping[str, Integers], universe: Universe, taxonomy: Taxonomy) -> list[Picture]:
    """One diagram for each of the busiest lines, with its stops in the order of the universe; none if all is one line."""
    lines = _line_of(taxonomy)
    nodes = sorted(set(lines))
    if len(nodes) < 2:
        return []
    released = list(counts.values())[-1]
    busy = [int(released[[place for place, line in enumerate(lines) if line == node]].sum()) for node in nodes]
    found = []
    for number in largest_places(busy, LINES):
        stops = [place for place, line in enumerate(lines) if line == nodes[number]][:STOPS]
        found.append(
            most_frequent(
                f"Visits along {taxonomy.name(nodes[number])}",
                [universe.labels[place] for place in stops],
                {name: each[stops].tolist() for name, each in counts.items()},
                unit="visits",
                as_line=True,
            )
        )
    return found


def _groups(counts: Mapping[str, Integers], universe: Universe, taxonomy: Taxonomy | None) -> _Groups:
    """Lines if there are several, else the labels, the largest ones if there are many."""
    released = list(counts.values())[-1]
    if taxonomy is not None and len(nodes := sorted(set(_line_of(taxonomy)))) > 1:
        names, of = [taxonomy.name(node) for node in nodes], np.searchsorted(nodes, _line_of(taxonomy)).astype(np.int64)
        released = np.bincount(of, weights=released, minlength=len(nodes)).astype(np.int64)
    else:
        names, of = list(universe.labels), np.arange(len(universe), dtype=np.int64)
    if len(names) <= MATRIX:
        return _Groups(names=tuple(names), of=of)
    chosen = sorted(largest_places(released.tolist(), MATRIX - 1))
    place = np.full(len(names), MATRIX - 1, dtype=np.int64)
    place[chosen] = np.arange(MATRIX - 1)
    return _Groups(names=(*(names[each] for each in chosen), OTHERS), of=place[of])


def _from_to(sides: Mapping[str, Ragged], groups: _Groups) -> Picture:
    """First and last place of each sequence, as a matrix."""
    size, matrices = len(groups.names), {}
    for name, side in sides.items():
        filled = side.lengths > 0
        first, last = (groups.of[side.codes[places]] for places in (side.offsets[:-1][filled], side.offsets[1:][filled] - 1))
        matrices[name] = np.bincount(first * size + last, minlength=size * size).reshape(size, size).tolist()
    return matrix_plot(
        "Where sequences begin and where they end", matrices, names=groups.names, axes=("where they begin", "where they end")
    )


def _hours(sides: Mapping[str, Integers], grid: TimeGrid) -> Picture:
    """Visits by hour of the day if the grid is finer than a day, else by interval."""
    beginnings, counts = grid.beginnings, {name: np.bincount(each, minlength=grid.intervals) for name, each in sides.items()}
    hours = [each.hour for each in beginnings if isinstance(each, datetime)]
    if len(set(hours)) > 1:
        names = [f"{hour:02d}:00" for hour in range(24)]
        found = {name: np.bincount(hours, weights=each, minlength=24) for name, each in counts.items()}
        lines = [Line(name=name, values=each.tolist()) for name, each in found.items()]
        return line_plot("Visits by the hour of the day (UTC)", lines, x=Axis(label="hour", names=names), y=Axis(label="visits"))
    shown = min(grid.intervals, MOST_STEPS)
    lines = [Line(name=name, values=each[:shown].tolist()) for name, each in counts.items()]
    names = [f"{each:%Y-%m-%d}" if isinstance(each, datetime) else str(each) for each in beginnings[:shown]]
    return line_plot("Visits by interval", lines, x=Axis(label="beginning of the interval", names=names), y=Axis(label="visits"))


def _returns(sides: Mapping[str, Ragged]) -> Picture:
    """How long ago the place of a step was visited last, counted in different places."""
    names = ["new place", "stays", *(f"{back} back" for back in range(1, FURTHEST)), "further"]
    lines = []
    for name, side in sides.items():
        steps = np.ones(side.codes.size, dtype=np.bool_)
        steps[side.offsets[:-1][side.lengths > 0]] = False
        back = np.minimum(recencies(side)[steps] - NEW, FURTHEST + 1)
        counts = np.bincount(back, minlength=FURTHEST + 2)
        lines.append(Line(name=name, values=(counts / max(int(counts.sum()), 1)).tolist()))
    title = "How people come back: to a new place, or to one visited some places ago"
    return line_plot(title, lines, x=Axis(label="last visited", names=names), y=Axis(label="share of steps", percent=True))
