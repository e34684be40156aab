"""Released grams: noisy counts of runs of consecutive labels, in a file of their own."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.errors import InputError
from tacita.public.universe import Universe

__all__ = ["GRAMS_FILE", "PublishedGrams"]

GRAMS_FILE = "grams.csv"
AFTER = ("end", "cut")
"""What may stand after the last place of a gram, by its code past the universe."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedGrams:
    """Grams over the universe and their noisy counts; the last symbol may be the end of a sequence, or where it was cut."""

    grams: Ragged = field(repr=False)
    counts: Integers = field(repr=False)
    universe: Universe = field(repr=False)

    @classmethod
    def read(cls, path: Path, *, universe: Universe) -> PublishedGrams:
        """The grams that `write` wrote."""
        size = len(universe)
        codes = {label: code for code, label in enumerate(universe.labels)}
        try:
            table = pl.read_csv(path, schema={"count": pl.Int64, "gram": pl.String, "then": pl.String})
            rows = [[codes[label] for label in json.loads(gram)] for gram in table["gram"].to_list()]
            for row, then in zip(rows, table["then"].to_list(), strict=True):
                row.extend([size + AFTER.index(then)] if then else [])
        except (pl.exceptions.PolarsError, ValueError, KeyError):
            message = f"the file {str(path)!r} does not hold grams of the universe with their counts"
            raise InputError(message) from None
        return cls(grams=Ragged.from_lists(rows), counts=table["count"].to_numpy().copy(), universe=universe)

    def __len__(self) -> int:
        """The number of grams."""
        return len(self.grams)

    def table(self) -> pl.DataFrame:
        """One row per gram: its noisy count, its labels as a JSON list, and whether the sequence ended or was cut after them."""
        labels, size = self.universe.labels, len(self.universe)
        after = dict(zip(range(size, size + 2), AFTER, strict=True))
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
        path = folder / GRAMS_FILE
        self.table().write_csv(path)
        return path
