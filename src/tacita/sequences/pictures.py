"""Pictures of sequences: visits by place, from where to where, hours, lengths, returns and steps.

They are drawn from any number of sides, such as the release alone or the raw data beside it. What is shown, and in which order,
is chosen by the last side, the release. Titles are findings: of two sides how near they are, of one what it shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.ragged import Ragged, every_nth
from tacita.arrays.recency import NEW, recencies
from tacita.pictures import Picture
from tacita.pictures.bars import largest_places
from tacita.pictures.picture import percent
from tacita.pictures.ranked import MARKS, Row, columns_plot, rows_plot
from tacita.pictures.squares import Flows, flow_maps
from tacita.public.pictures import place_pictures, time_pictures
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["sequence_pictures"]

BUSIEST, FURTHEST, MOST_LENGTHS, MOST_CELLS, MOST_DRAWN = 12, 9, 20, 2**24, 200_000

LEAST_ROW = 10
"""A pair of places in which fewer records begin and end says too little to be counted in a title."""


def sequence_pictures(
    sides: Mapping[str, Ragged], *, universe: Universe, grid: TimeGrid | None = None, taxonomy: Taxonomy | None = None
) -> list[Picture]:
    """Draw the sides; with a taxonomy (stations into lines), places stand by lines."""
    size = len(universe)
    placed = {name: Ragged(side.codes % size, side.offsets) for name, side in sides.items()}
    found = place_pictures({name: _counted(side, size) for name, side in placed.items()}, universe, taxonomy)
    found.append(_flows(placed, universe))
    if grid is not None:
        found += time_pictures({name: _counted_times(side, size, grid) for name, side in sides.items()}, grid)
    found += [_steps(placed, universe), _lengths(sides), _returns(placed)]
    return found


def _counted(side: Ragged, size: int) -> Integers:
    return np.bincount(side.codes, minlength=size).astype(np.int64)


def _counted_times(side: Ragged, size: int, grid: TimeGrid) -> Integers:
    return np.bincount(side.codes // size, minlength=grid.intervals).astype(np.int64)


def _whole(value: float) -> str:
    return f"{value:,.0f}"


# From where to where.


def _flows(sides: Mapping[str, Ragged], universe: Universe) -> Picture:
    """First and last place of each sequence: the places that most begin or end in, in order, and all others apart."""
    size, pairs = len(universe), {}
    for name, side in sides.items():
        filled = side.lengths > 0
        first, last = (
            side.codes[places].astype(np.int64) for places in (side.offsets[:-1][filled], side.offsets[1:][filled] - 1)
        )
        pairs[name] = (first, last)
    released = list(pairs.values())[-1]
    busy = sum((np.bincount(each, minlength=size) for each in released), np.zeros(size, dtype=np.int64))
    chosen = largest_places(busy.tolist(), min(BUSIEST, size))
    place = np.full(size, len(chosen), dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    wide, flows = len(chosen) + 1, {}
    for name, (first, last) in pairs.items():
        table = np.bincount(place[first] * wide + place[last], minlength=wide * wide).reshape(wide, wide)
        flows[name] = Flows(
            inner=table[:-1, :-1].tolist(), to_others=table[:-1, -1].tolist(), from_others=table[-1, :-1].tolist()
        )
    others = size - len(chosen)
    about = f"First and last place of a sequence, the {len(chosen)} busiest places in order; rows begin, columns end; log scale."
    if others:
        about += f" “{others} other” stands apart."
    names = [universe.labels[each] for each in chosen]
    return flow_maps(_flows_title(pairs, size, universe), flows, names=names, others=others, about=about)


def _flows_title(pairs: Mapping[str, tuple[Integers, Integers]], size: int, universe: Universe) -> str:
    """How many of the strongest pairs are the same; of one side, the strongest."""
    counts = {}
    for name, (first, last) in pairs.items():
        steps = _tally(first * size + last, size)
        order = np.lexsort((steps.keys, -steps.numbers))
        counts[name] = [(int(steps.keys[each]), int(steps.numbers[each])) for each in order[:100].tolist()]
    released, raw = list(counts.values())[-1], counts.get("raw")
    if not released:
        return "The release has no sequences"
    if raw is None:
        key, number = released[0]
        share = number / max(list(pairs.values())[-1][0].size, 1)
        names = f"{universe.labels[key // size][:20]} to {universe.labels[key % size][:20]}"
        return f"{names} is the strongest pair, with {percent(share)} of all sequences"
    strong = {key for key, number in raw if number >= LEAST_ROW}
    if not strong:
        return "Too few sequences begin and end in the same two places to tell"
    same = len(strong & {key for key, _ in released[: len(strong)]})
    return f"{same} of the {len(strong)} strongest pairs of first and last place are the same"


# Steps, lengths and returns.


@dataclass(frozen=True)
class _Steps:
    keys: Integers
    numbers: Integers

    def of(self, key: int) -> int:
        place = int(np.searchsorted(self.keys, key))
        return int(self.numbers[place]) if place < self.keys.size and self.keys[place] == key else 0


def _counted_steps(side: Ragged, size: int) -> _Steps:
    goes_on = np.ones(side.codes.size, dtype=np.bool_)
    goes_on[side.offsets[1:][side.lengths > 0] - 1] = False
    places = np.flatnonzero(goes_on)
    codes = side.codes.astype(np.int64)
    return _tally(codes[places] * size + codes[places + 1], size)


def _tally(pairs: Integers, size: int) -> _Steps:
    """The different pairs of places, in order, and how often each occurs."""
    if size * size > MOST_CELLS:
        return _Steps(*np.unique(pairs, return_counts=True))
    table = np.bincount(pairs, minlength=1)
    keys = np.flatnonzero(table)
    return _Steps(keys, table[keys])


def _steps(sides: Mapping[str, Ragged], universe: Universe) -> Picture:
    """The steps that are most frequent in the release, and how frequent they really are."""
    size = len(universe)
    counted = {name: _counted_steps(side, size) for name, side in sides.items()}
    released, raw = list(counted.values())[-1], counted.get("raw")
    order = np.lexsort((released.keys, -released.numbers))[:15]
    rows = [
        Row(
            name=f"{universe.labels[key // size]} to {universe.labels[key % size]}",
            value=float(number),
            mark=None if raw is None else float(raw.of(key)),
            words=_whole(number),
            cells=tuple(each.of(key) for each in counted.values()),
        )
        for key, number in zip(released.keys[order].tolist(), released.numbers[order].tolist(), strict=True)
    ]
    about = "How often sequences go from one place straight to the next. Bar: released" + (
        "; mark: raw." if raw is not None else "."
    )
    key = MARKS if raw is not None else ""
    return rows_plot(_steps_title(released, raw), rows, about=about, columns=("step", *counted), is_half=True, key=key)


def _steps_title(released: _Steps, raw: _Steps | None) -> str:
    if not released.keys.size:
        return "The release has no steps from place to place"
    if raw is None:
        top = np.sort(released.numbers)[::-1][:15].sum() / released.numbers.sum()
        return f"The {min(15, released.keys.size)} most frequent steps are {percent(float(top))} of all"
    tops = []
    for side in (raw, released):
        most = min(100, int((raw.numbers >= LEAST_ROW).sum()))
        order = np.lexsort((side.keys, -side.numbers))[:most]
        tops.append(set(side.keys[order].tolist()))
    if not tops[0]:
        return "Too few steps from place to place to tell"
    return f"{len(tops[0] & tops[1])} of the {len(tops[0])} most frequent steps are found again"


def _shares(counts: Reals | Integers) -> list[float]:
    values: list[float] = (counts / max(float(counts.sum()), 1.0)).tolist()
    return values


def _lengths(sides: Mapping[str, Ragged]) -> Picture:
    counts = {
        name: np.bincount(np.minimum(side.lengths, MOST_LENGTHS), minlength=MOST_LENGTHS + 1)[1:] for name, side in sides.items()
    }
    most = max((int(np.flatnonzero(each)[-1]) + 1 if each.any() else 1 for each in counts.values()), default=1)
    names = [str(length) for length in range(1, most + 1)]
    if most == MOST_LENGTHS:
        names[-1] = f"{MOST_LENGTHS}+"
    shares = {name: _shares(each[:most]) for name, each in counts.items()}
    about = "Share of sequences by their number of visits."
    title = _shape_title(
        shares, "Sequences have the right length", "Sequences have wrong lengths", "visits is the commonest length", names
    )
    return columns_plot(title, names, shares, x="visits in a sequence", about=about)


def _returns(sides: Mapping[str, Ragged]) -> Picture:
    """How long ago the place of a step was visited last, counted in different places."""
    names = ["new", "stays", *(f"{back}" for back in range(1, FURTHEST)), "more"]
    shares = {}
    for name, whole in sides.items():
        side = every_nth(whole, MOST_DRAWN)
        steps = np.ones(side.codes.size, dtype=np.bool_)
        steps[side.offsets[:-1][side.lengths > 0]] = False
        back = np.minimum(recencies(side)[steps] - NEW, FURTHEST + 1)
        shares[name] = _shares(np.bincount(back, minlength=FURTHEST + 2))
    released, raw = list(shares.values())[-1], shares.get("raw")
    if raw is None:
        title = f"{percent(released[0])} of the steps lead to a new place" if any(released) else "There are no steps to tell from"
    else:
        title = _shape_title(shares, "People come back as they do", "People come back otherwise", "", names)
    about = "Share of steps by where they lead: a new place, the same one, or one left some different places ago."
    return columns_plot(title, names, shares, x="how many places ago", about=about)


def _shape_title(shares: Mapping[str, Sequence[float]], good: str, bad: str, commonest: str, names: Sequence[str]) -> str:
    released, raw = list(shares.values())[-1], shares.get("raw")
    if raw is None:
        return f"{names[int(np.argmax(released))]} {commonest}" if any(released) else "Too few sequences to tell"
    off = float(np.abs(np.array(raw) - np.array(released)).sum() / 2)
    return f"{good if off <= 0.1 else bad}: {percent(off)} would have to change"
