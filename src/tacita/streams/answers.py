"""How many people were in some cells at some times, with error bars, where the counts of a stream were drawn anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.errors import ParameterError
from tacita.privacy.estimates import LEVEL, Estimate, NoiseLaw, half_width, laws_of, no_error_bars
from tacita.streams.published import PublishedStream

__all__ = ["StreamAnswers"]

STEP = "counts of a timestamp"


@dataclass(frozen=True)
class StreamAnswers:
    """Answers by the law of the noise, at timestamps that were measured: all of `uniform` and `tree`, some of other methods.

    What pace publishes is filtered; its intervals are those of the draw, and hold whatever the filters do.
    """

    published: PublishedStream
    manifest: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse a method none of whose counts follow from one law."""
        if self._law is None and not np.isfinite(self.published.intervals).any():
            raise no_error_bars(self.manifest, "no timestamp was measured by itself")

    def count(self, cell: str, time: int, *, level: float = LEVEL) -> Estimate:
        """How many people were in a cell at a timestamp, by its place from 0."""
        if self._law is not None:
            return self.total(cells=[cell], times=[time], level=level)
        [row], [column] = self._rows([time]), self._columns([cell])
        low, high = (float(end) for end in self.published.intervals[row, column])
        if level != LEVEL:
            raise no_error_bars(self.manifest, f"its intervals are of {LEVEL:.0%}, and no other level can be told from them")
        if not isfinite(low):
            raise no_error_bars(
                self.manifest, f"timestamp {time} was not measured by itself, and how counts move in between is not public"
            )
        return Estimate(value=float(self.published.histograms[row, column]), low=low, high=high, level=level)

    def total(self, *, cells: Sequence[str] | None = None, times: Sequence[int] | None = None, level: float = LEVEL) -> Estimate:
        """The sum over some cells and timestamps, all of them if not named: an event counts once for each."""
        if self._law is None:
            raise no_error_bars(
                self.manifest, "its counts have no independent noise of one scale, so that sums of them have no known law"
            )
        columns = self._columns(cells)
        rows = np.arange(len(self.published)) if times is None else np.array(self._rows(times), dtype=np.int64)
        value = float(self.published.histograms[np.ix_(rows, columns)].sum())
        half = half_width((self._law.scale,) * (rows.size * columns.size), level=level) if rows.size * columns.size else 0
        return Estimate(value=value, low=max(0.0, value - half), high=max(0.0, value + half), level=level)

    def table(self) -> pl.DataFrame:
        """Every published count with its interval, where it has one."""
        return self.published.frame()

    @property
    def _law(self) -> NoiseLaw | None:
        """The noise of every count, if that is the same for all."""
        return laws_of(self.manifest).get(STEP) if self.manifest["mechanism"]["name"] == "uniform" else None

    def _columns(self, cells: Sequence[str] | None) -> Integers:
        labels = self.published.cells.labels
        if cells is None:
            return np.arange(len(labels))
        unknown = [cell for cell in cells if cell not in self.published.cells]
        if unknown or len(set(cells)) != len(cells):
            message = f"cells must be among those of the stream, each once, got {list(cells)}"
            raise ParameterError(message)
        return np.array([labels.index(cell) for cell in cells], dtype=np.int64)

    def _rows(self, times: Sequence[int]) -> list[int]:
        if any(not 0 <= time < len(self.published) for time in times) or len(set(times)) != len(times):
            message = f"times must be places of timestamps from 0 to {len(self.published) - 1}, each once, got {list(times)}"
            raise ParameterError(message)
        return list(times)
