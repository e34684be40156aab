"""A released stream beside the true one, over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacita.pictures import Axis, Picture, line_plot
from tacita.streams import PublishedStream, StreamRecords
from tacita.streams.pictures import over_time, times

__all__ = ["pictures"]


def pictures(records: StreamRecords, published: PublishedStream, *, found: Mapping[str, Any]) -> list[Picture]:
    """People in all cells and in the largest ones, and the error of each timestamp with that of zeros."""
    truth, measured = records.histograms(), found["stream"]
    verdict = "below" if measured.is_better_than_nothing else "NOT below"
    lines = [
        over_time("zeros", truth.mean(axis=1), is_baseline=True),
        over_time("released", measured.absolute_errors),
    ]
    errors = line_plot(
        f"Mean absolute error per cell is {verdict} that of zeros",
        lines,
        x=Axis(label="time", names=times(published.grid)),
        y=Axis(label="people per cell"),
    )
    sides = {"true": truth, "released": published.histograms}
    return [*published.pictures_beside(sides), errors]
