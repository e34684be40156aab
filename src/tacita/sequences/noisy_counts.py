"""What noisy trees and itineraries were made from, as counts that a release may hold beside its sequences.

Everything here was drawn with noise already; only its form changes. A prefix is a list of labels, or of labels with the number of
their interval; None at its end stands for the end of a sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.io import NoisyCounts
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences.ngrams.synthesis import GramTree
from tacita.trees import LevelNoise, NoisyTree

__all__ = ["FIRST", "LENGTHS", "SHAPES", "itinerary_counts", "level_step", "prefix_counts", "run_step"]

LENGTHS, SHAPES, FIRST = "lengths, round 1", "shapes, round 1", "first places, round 1"

Part: TypeAlias = tuple[str, list[list[object]], Integers | Reals, Reals]


def level_step(length: int) -> str:
    """The step of prefixes of this length; the manifest divides it where symbols were asked for group by group."""
    return f"level {length}"


def run_step(length: int) -> str:
    """The step of places that follow each other, of this length."""
    return f"places, round {length}"


def prefix_counts(tree: NoisyTree, noise: Sequence[LevelNoise], *, universe: Universe, grid: TimeGrid | None) -> NoisyCounts:
    """The noisy counts of a prefix tree, level by level, before anything was inferred from them."""
    labels, places = universe.labels, len(universe)
    symbols = places if grid is None else places * grid.intervals

    def named(code: int) -> object:
        if code >= symbols:
            return None
        return labels[code] if grid is None else [labels[code % places], code // places]

    def parts() -> Iterator[Part]:
        for place, (level, law) in enumerate(zip(tree.levels, noise, strict=True)):
            rows = tree.prefixes(place, np.arange(len(level))).tolist()
            counted = [[named(code) for code in row] for row in rows]
            yield level_step(place + 1), counted, level.counts, 1 / np.broadcast_to(law.rates, level.counts.shape)

    return NoisyCounts.of(parts())


def itinerary_counts(
    *,
    universe: Universe,
    lengths: tuple[Integers, float],
    first: GramTree,
    shapes: tuple[Reals, float] | None = None,
    runs: GramTree | None = None,
) -> NoisyCounts:
    """The noisy counts of itineraries that mean something by themselves; lengths and shapes come with the scale of their noise.

    `lengths` are those of sequences of 1, 2, ... symbols, the last one of all that were cut. `shapes[l]` are those of l symbols
    with d places, ending elsewhere (column 2 d) or where they began (2 d + 1). Without `runs`, long sequences counted for less.
    """
    parts = [_lengths(*lengths)]
    if shapes is not None:
        parts.append(_shapes(*shapes))
    parts.extend(_runs(first, universe, [FIRST]))
    if runs is not None:
        parts.extend(_runs(runs, universe, [run_step(place + 1) for place in range(len(runs.levels))]))
    return NoisyCounts.of(parts)


def _lengths(counts: Integers, scale: float) -> Part:
    return LENGTHS, [[length] for length in range(1, counts.size + 1)], counts, np.full(counts.size, scale)


def _shapes(counts: Reals, scale: float) -> Part:
    """One row for each shape that a sequence can have: its length, its number of places, and whether it ends where it began."""
    possible: list[tuple[int, int, bool]] = [
        (length, places, is_round)
        for length in range(1, len(counts))
        for places in range(1, length + 1)
        for is_round in (False, True)
        if ((places < length or length == 1) if is_round else places > 1)
    ]
    values = np.array([counts[length, 2 * places + is_round] for length, places, is_round in possible])
    return SHAPES, [[*each] for each in possible], values, np.full(len(possible), scale)


def _runs(tree: GramTree, universe: Universe, steps: Sequence[str]) -> Iterator[Part]:
    """The places that follow each other; a None stands for the end of a sequence. Where it was cut is left out."""
    named = [*universe.labels, None]
    paths = np.zeros((1, 0), dtype=np.int64)
    for step, level in zip(steps, tree.levels, strict=True):
        paths = np.column_stack([paths[level.parents], level.symbols])
        kept = np.flatnonzero(level.symbols < tree.cut)
        yield step, [[named[code] for code in row] for row in paths[kept].tolist()], level.counts[kept], level.scales[kept]
