"""Answers with error bars: how many rows fall into each published cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from tacita.privacy.estimates import LEVEL, NoiseLaw, half_width, laws_of, no_error_bars
from tacita.tables.published import PublishedTable

__all__ = ["TableAnswers"]


@dataclass(frozen=True)
class TableAnswers:
    """Answers from `top-down`, whose rows repeat a noisy count; methods that are verified publish rows as they are."""

    published: PublishedTable
    manifest: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse a release without noisy counts."""
        if self.manifest["mechanism"]["name"] != "top-down" or self._step is None:
            raise no_error_bars(self.manifest, "its rows are no noisy counts")

    @property
    def _step(self) -> str | None:
        kept = [step for step, law in laws_of(self.manifest).items() if law.threshold is not None]
        return kept[-1] if kept else None

    @property
    def law(self) -> NoiseLaw:
        """The noise of a count."""
        return laws_of(self.manifest)[self._step or ""]

    def table(self, *, level: float = LEVEL) -> pl.DataFrame:
        """Every published cell (ranges and sensitive values) with its noisy count and interval, largest first."""
        frame = self.published.frame()
        half = half_width((self.law.scale,), level=level)
        count = pl.col("count").cast(pl.Float64)
        return (
            frame.group_by(frame.columns, maintain_order=True)
            .agg(pl.len().alias("count"))
            .with_columns(low=pl.max_horizontal(count - half, pl.lit(0.0)), high=count + half)
            .sort("count", descending=True, maintain_order=True)
        )
