"""What the simplest release of sequences would keep: the floor that a method must not fall below.

*independent* spends a tenth of epsilon on lengths and the rest on how often each label occurs, in sequences cut at the noisy mean
length, and draws every label independently of all others. The visits of a release with times are pairs of a label and an
interval, and are treated like labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.seeded import public_generator
from tacita.sequences import PublishedSequences, SequenceRecords
from tacita.utility.count_queries import QueryKind
from tacita.utility.floors import (
    INDEPENDENT,
    NOTHING,
    RELEASE,
    Standing,
    chosen_codes,
    epsilon_of,
    noisy_chances,
    noisy_sizes,
)
from tacita.utility.kept import LONGEST, TOP, Asked, kept_columns
from tacita.utility.preservation import PatternKind

__all__ = ["independent_sequences", "independent_visits", "standing"]


def standing(records: SequenceRecords, published: PublishedSequences, manifest: Mapping[str, Any]) -> Standing | None:
    """Compare a release with *nothing* and *independent* at its own epsilon, which its manifest says."""
    epsilon, raw = epsilon_of(manifest), records.sequences
    if epsilon is None or not len(raw):
        return None
    labels = len(published.universe) * (1 if published.grid is None else published.grid.intervals)
    sides = {
        RELEASE: published.sequences,
        INDEPENDENT: independent_sequences(raw, labels=labels, epsilon=epsilon),
        NOTHING: Ragged.from_lists([]),
    }
    what = "labels" if published.grid is None else "visits"
    return Standing(
        epsilon=epsilon,
        about=f"patterns of 2 or {LONGEST} {what} in a row, queries of up to {LONGEST} {what}",
        columns=kept_columns("sequences", "mean length"),
        rows={name: _kept_of(raw, side, labels=labels) for name, side in sides.items()},
        facts={"longest": LONGEST, "top": TOP},
    )


def independent_sequences(sequences: Ragged, *, labels: int, epsilon: float, seed: int = 0) -> Ragged:
    """Noisy lengths, and labels drawn one by one in proportion to their noisy numbers."""
    generator = public_generator(seed)
    sizes, most = noisy_sizes(generator, sequences, epsilon)
    running = np.cumsum(noisy_chances(generator, sequences, codes=labels, most=most, epsilon=epsilon))
    if not running[-1]:
        return Ragged.from_lists([])
    return Ragged(chosen_codes(generator, running, int(sizes.sum())).astype(np.int32), offsets_of(sizes))


def independent_visits(sequences: Ragged, *, labels: int, intervals: int, epsilon: float, seed: int = 0) -> Ragged:
    """Noisy lengths, labels and intervals, each drawn independently of the others; the intervals of a sequence are sorted.

    Labels and intervals get half each of what *independent* spends on labels alone.
    """
    generator = public_generator(seed)
    sizes, most = noisy_sizes(generator, sequences, epsilon)
    number = int(sizes.sum())
    drawn = []
    for codes, cells in ((sequences.codes % labels, labels), (sequences.codes // labels, intervals)):
        part = Ragged(codes, sequences.offsets)
        running = np.cumsum(noisy_chances(generator, part, codes=cells, most=most, epsilon=epsilon / 2))
        drawn.append(chosen_codes(generator, running, number) if running[-1] else generator.integers(0, cells, number))
    record = np.repeat(np.arange(sizes.size), sizes)
    when = drawn[1][np.lexsort((drawn[1], record))]
    return Ragged((when * labels + drawn[0]).astype(np.int32), offsets_of(sizes))


def _kept_of(raw: Ragged, released: Ragged, *, labels: int) -> dict[str, float]:
    asked = Asked(query=QueryKind.LOCATION_SET, pattern=PatternKind.CONTIGUOUS, shortest=2)
    return {
        "sequences": len(released),
        "mean_length": float(released.lengths.mean()) if len(released) else 0.0,
        **asked.kept(raw, released, symbols=labels),
    }
