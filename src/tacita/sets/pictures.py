"""Pictures of baskets: their items, which ones go together, and how large baskets are; chosen by the last side, the release."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.pictures import Picture
from tacita.pictures.bars import largest_places
from tacita.pictures.picture import percent
from tacita.pictures.ranked import MARKS, Row, columns_plot, rows_plot
from tacita.pictures.squares import pair_maps
from tacita.public.pictures import cell_picture
from tacita.public.universe import Universe

__all__ = ["basket_pictures"]

TOGETHER, TOP, LARGEST = 15, 15, 20
NEAR, LEAST = 0.05, 10


def basket_pictures(sides: Mapping[str, Ragged], *, universe: Universe) -> list[Picture]:
    """Draw the sides, such as the release alone or the raw baskets beside it."""
    counts = {name: np.bincount(side.codes, minlength=len(universe)) for name, side in sides.items()}
    chosen = largest_places(list(counts.values())[-1].tolist(), min(TOGETHER, len(universe)))
    names = [universe.labels[place] for place in chosen]
    together = {name: _together(side, chosen, len(universe)) for name, side in sides.items()}
    places = [] if universe.cells is None else [cell_picture(counts, universe.cells, what="baskets")]
    return [*places, _items(counts, universe), _pairs(together, names), _sizes(sides), _map(together, sides, names)]


def _items(counts: Mapping[str, Integers], universe: Universe) -> Picture:
    released, raw = list(counts.values())[-1], counts.get("raw")
    rows = [
        Row(
            name=universe.labels[place],
            value=float(released[place]),
            mark=None if raw is None else float(raw[place]),
            words=f"{int(released[place]):,}",
            cells=tuple(int(each[place]) for each in counts.values()),
        )
        for place in largest_places(released.tolist(), TOP)
    ]
    about = "The items in most released baskets. Bar: released baskets" + ("; mark: raw." if raw is not None else ".")
    key = MARKS if raw is not None else ""
    return rows_plot(_items_title(released, raw, universe), rows, about=about, columns=("item", *counts), is_half=True, key=key)


def _items_title(released: Integers, raw: Integers | None, universe: Universe) -> str:
    if raw is None:
        busiest = int(np.argmax(released))
        if not released[busiest]:
            return "The release has no items"
        return f"{universe.labels[busiest][:30]} is in most baskets: {int(released[busiest]):,}"
    there = raw >= LEAST
    if not there.any():
        return "Too few baskets have any one item to tell"
    off = np.abs(released[there] - raw[there]) / raw[there]
    return f"{int((off <= NEAR).sum()):,} of {int(there.sum()):,} items are within 5 % of the raw number of baskets"


def _pairs(together: Mapping[str, Integers], names: list[str]) -> Picture:
    above = np.triu_indices(len(names), k=1)
    counts = {name: table[above] for name, table in together.items()}
    released, raw = list(counts.values())[-1], counts.get("raw")
    chosen = largest_places(released.tolist(), TOP)
    rows = [
        Row(
            name=f"{names[above[0][place]]}, {names[above[1][place]]}",
            value=float(released[place]),
            mark=None if raw is None else float(raw[place]),
            words=f"{int(released[place]):,}",
            cells=tuple(int(each[place]) for each in counts.values()),
        )
        for place in chosen
    ]
    if raw is None:
        title = f"The {len(chosen)} most frequent pairs among the {len(names)} most frequent items"
    else:
        there = raw >= LEAST
        off = np.abs(released[there] - raw[there]) / np.maximum(raw[there], 1)
        near = int((off <= 0.2).sum())
        title = (
            f"{near} of {int(there.sum())} pairs of frequent items are within 20 %" if there.any() else "Too few pairs to tell"
        )
    about = "Baskets that hold both items. Bar: released" + ("; mark: raw." if raw is not None else ".")
    key = MARKS if raw is not None else ""
    return rows_plot(title, rows, about=about, columns=("pair", *counts), is_half=True, key=key)


def _sizes(sides: Mapping[str, Ragged]) -> Picture:
    counts = {name: np.bincount(np.minimum(side.lengths, LARGEST), minlength=LARGEST + 1)[1:] for name, side in sides.items()}
    most = max((int(np.flatnonzero(each)[-1]) + 1 if each.any() else 1 for each in counts.values()), default=1)
    names = [str(size) for size in range(1, most + 1)]
    if most == LARGEST:
        names[-1] = f"{LARGEST}+"
    shares = {name: (each[:most] / max(int(each.sum()), 1)).tolist() for name, each in counts.items()}
    released, raw = list(shares.values())[-1], shares.get("raw")
    if raw is None:
        title = f"{names[int(np.argmax(released))]} is the commonest number of items" if any(released) else "There are no baskets"
    else:
        off = float(np.abs(np.array(raw) - np.array(released)).sum() / 2)
        verdict = "Baskets have the right size" if off <= 0.1 else "Baskets have wrong sizes"
        title = f"{verdict}: {percent(off)} would have to change"
    return columns_plot(
        title, names, shares, x="items in a basket", about="Share of baskets by their number of items.", is_half=False
    )


def _map(together: Mapping[str, Integers], sides: Mapping[str, Ragged], names: list[str]) -> Picture:
    """In what share of baskets two items are together."""
    shares = {name: table / max(len(sides[name]), 1) for name, table in together.items()}
    most = max((float(each.max(initial=0.0)) for each in shares.values()), default=0.0)
    title = f"Which of the {len(names)} most frequent items go together: at most {percent(most)} of the baskets"
    about = "The share of baskets that hold both items; the darker, the more."
    matrices = {name: each.tolist() for name, each in shares.items()}
    return pair_maps(title, matrices, names=names, about=about, most=max(most, 1e-9), least=0.0)


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
