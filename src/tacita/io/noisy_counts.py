"""Noisy counts as they were drawn, in a file of their own beside the data of a release.

Synthetic data rewrites the noisy counts that it was made from, and no error bar follows from it. The counts themselves may be
published too: they are the answers that the budget paid for, and the law of their noise is public.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import polars as pl

from tacita.errors import InputError

__all__ = ["COUNTS_FILE", "Counted", "Drawn", "NoisyCounts"]

COUNTS_FILE = "counts.csv"
_SCHEMA = {"step": pl.String, "of": pl.String, "count": pl.Int64, "scale": pl.Float64}

Counted = tuple[object, ...]
"""What a count is of: labels, numbers, or what the method's step asks for; as JSON can hold it."""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """One noisy count, and the scale of its noise."""

    count: int
    scale: float


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyCounts:
    """One row per count: the step of the plan that drew it, as the manifest names it, what was counted, and its noise.

    >>> found = NoisyCounts.of([("lengths, round 1", [(1,), (2,)], [40, 12], [25.0, 25.0])])
    >>> found.drawn["lengths, round 1"][2,]
    Drawn(count=12, scale=25.0)
    """

    table: pl.DataFrame = field(repr=False)

    @classmethod
    def of(cls, parts: Iterable[tuple[str, Sequence[Sequence[object]], Iterable[float], Iterable[float]]]) -> NoisyCounts:
        """From the steps in their order, each with what was counted, the counts, and their scales."""
        encode = json.JSONEncoder(ensure_ascii=False).encode
        columns: dict[str, list[object]] = {name: [] for name in _SCHEMA}
        for step, counted, counts, scales in parts:
            columns["of"] += [encode(list(each)) for each in counted]
            columns["count"] += map(int, counts)
            columns["scale"] += map(float, scales)
            columns["step"] += [step] * (len(columns["of"]) - len(columns["step"]))
        return cls(table=pl.DataFrame(columns, schema=_SCHEMA))

    @classmethod
    def read(cls, path: Path) -> NoisyCounts:
        """The counts that `write` wrote."""
        try:
            found = cls(table=pl.read_csv(path, schema=_SCHEMA))
            found.drawn  # noqa: B018 - read everything now
        except (pl.exceptions.PolarsError, ValueError, TypeError):
            message = f"the file {str(path)!r} does not hold noisy counts with their steps and scales"
            raise InputError(message) from None
        return found

    def __len__(self) -> int:
        """The number of counts."""
        return self.table.height

    @cached_property
    def drawn(self) -> dict[str, dict[Counted, Drawn]]:
        """The counts of each step by what was counted."""
        found: dict[str, dict[Counted, Drawn]] = {}
        for step, counted, count, scale in self.table.iter_rows():
            found.setdefault(step, {})[_hashable(json.loads(counted))] = Drawn(count=count, scale=scale)
        return found

    def write(self, folder: Path) -> Path:
        """Write `counts.csv`."""
        path = folder / COUNTS_FILE
        self.table.write_csv(path)
        return path


def _hashable(counted: list[object]) -> Counted:
    return tuple(tuple(each) if isinstance(each, list) else each for each in counted)
