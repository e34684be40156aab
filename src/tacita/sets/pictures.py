"""Pictures of baskets: their items, which ones go together, and how large baskets are; chosen by the last side, the release."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.pictures import Bars, Picture, bar_plot, matrix_plot
from tacita.pictures.bars import largest_places, most_frequent, shares_by_size
from tacita.public.universe import Universe

__all__ = ["basket_pictures"]


TOGETHER, PAIRS = 25, 20


def basket_pictures(sides: Mapping[str, Ragged], *, universe: Universe) -> list[Picture]:
    """Draw the sides, such as the release alone or the raw baskets beside it."""
    counts = {name: np.bincount(side.codes, minlength=len(universe)).tolist() for name, side in sides.items()}
    sizes = {name: np.bincount(side.lengths).tolist() for name, side in sides.items()}
    chosen = sorted(largest_places(list(counts.values())[-1], TOGETHER))
    names = [universe.labels[place] for place in chosen]
    together = {name: _together(side, chosen, len(universe)) for name, side in sides.items()}
    return [
        most_frequent("The items in most baskets", universe.labels, counts, unit="baskets"),
        shares_by_size("How large baskets are", sizes, x_label="items in a basket", y_label="share of baskets", first=1),
        _pairs(together, names),
        matrix_plot(
            f"Which of the {len(names)} most frequent items are together in a basket",
            {name: table.tolist() for name, table in together.items()},
            names=names,
            axes=("item", "other item"),
        ),
    ]


def _together(baskets: Ragged, chosen: list[int], labels: int) -> Integers:
    """In how many baskets two of the chosen items are; nothing on the diagonal."""
    place = np.full(labels, -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    rows = np.repeat(np.arange(len(baskets)), baskets.lengths)
    items = place[baskets.codes]
    there = items >= 0
    rows, items = rows[there], items[there]
    table = np.zeros((len(chosen), len(chosen)), dtype=np.int64)
    for distance in range(1, len(chosen)):  # a basket holds an item once, so that pairs are at most this far apart
        if distance >= rows.size:
            break
        same = rows[:-distance] == rows[distance:]
        np.add.at(table, (items[:-distance][same], items[distance:][same]), 1)
    return table + table.T


def _pairs(together: Mapping[str, Integers], names: list[str]) -> Picture:
    above = np.triu_indices(len(names), k=1)
    counts = {name: table[above].tolist() for name, table in together.items()}
    chosen = largest_places(list(counts.values())[-1], PAIRS)
    groups = [f"{names[above[0][place]]}, {names[above[1][place]]}" for place in chosen]
    series = [Bars(name=name, values=[each[place] for place in chosen]) for name, each in counts.items()]
    return bar_plot(f"The most frequent pairs among the {len(names)} most frequent items", groups, series, unit="baskets")
