"""The cells of a city in rows and columns: which are neighbours, and which district each is in."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tacita.arrays import Integers, Numbers

__all__ = ["district_edges", "neighbours", "width_of"]


def width_of(cells: int) -> int:
    """How many cells a row has: the grid is as square as possible, and the last row may be shorter."""
    return math.isqrt(max(cells, 1) - 1) + 1


def neighbours(cells: int) -> tuple[Numbers, Integers]:
    """For each cell, the existing cells left, right, above and below (first in its row of four), and how many there are."""
    width = width_of(cells)
    around = np.zeros((cells, 4), dtype=np.int32)
    ways = np.zeros(cells, dtype=np.int64)
    cell = np.arange(cells)
    column = cell % width
    beside = (
        (cell - 1, column > 0),
        (cell + 1, (column < width - 1) & (cell + 1 < cells)),
        (cell - width, cell >= width),
        (cell + width, cell + width < cells),
    )
    for other, exists in beside:
        at = np.flatnonzero(exists)
        around[at, ways[at]] = other[at]
        ways[at] += 1
    return around, ways


def district_edges(labels: Sequence[str], *, side: int) -> list[tuple[str, str]]:
    """(cell, district) for every cell; a district is a square of `side` by `side` cells, or fewer at the border."""
    width = width_of(len(labels))
    per_row = -(-width // side)
    districts = [cell // width // side * per_row + cell % width // side + 1 for cell in range(len(labels))]
    return [(label, f"district {district}") for label, district in zip(labels, districts, strict=True)]
