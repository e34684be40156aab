"""Released grams: noisy counts of runs of consecutive labels, in a file of their own."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays.ragged import Ragged
from tacita.public.universe import Universe

__all__ = ["PublishedGrams"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedGrams:
    """Grams over the universe and their noisy counts; the last symbol may be the end of a sequence, or where it was cut."""

    grams: Ragged = field(repr=False)
    counts: npt.NDArray[np.int64] = field(repr=False)
    universe: Universe = field(repr=False)

    def __len__(self) -> int:
        """The number of grams."""
        return len(self.grams)

    def table(self) -> pl.DataFrame:
        """One row per gram: its noisy count, its labels as a JSON list, and whether the sequence ended or was cut after them."""
        labels, size = self.universe.labels, len(self.universe)
        after = {size: "end", size + 1: "cut"}
        rows = self.grams.to_lists()
        return pl.DataFrame(
            {
                "count": pl.Series(self.counts, dtype=pl.Int64),
                "gram": pl.Series(
                    [json.dumps([labels[code] for code in row if code < size], ensure_ascii=False) for row in rows],
                    dtype=pl.String,
                ),
                "then": pl.Series([after.get(row[-1], "") for row in rows], dtype=pl.String),
            }
        )

    def write(self, folder: Path) -> Path:
        """Write `grams.csv`."""
        path = folder / "grams.csv"
        self.table().write_csv(path)
        return path
