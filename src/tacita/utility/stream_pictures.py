"""Plots of a released stream over time, beside the true one. Computed from raw data, so for the owner's eyes only."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import numpy.typing as npt

from tacita.line_plots import Line, line_plot
from tacita.streams import PublishedStream, StreamRecords
from tacita.utility.streams import measure

__all__ = ["pictures"]

MOST_POINTS = 400


def pictures(records: StreamRecords, published: PublishedStream) -> dict[str, str]:
    """Inline SVG by title: the number of people, the largest cell, and the error of each timestamp with that of zeros."""
    truth, shown, found = records.histograms(), published.histograms, measure(records, published)
    first, last = (published.grid.beginnings[place] for place in (0, -1))
    largest = int(np.argmax(truth.sum(axis=0)))
    name = published.cells.labels[largest]

    def plot(title: str, lines: list[Line], y_label: str) -> str:
        return line_plot(title, lines, x_label="time", y_label=y_label, ticks=(_when(first), _when(last)))

    zeros = truth.mean(axis=1)
    verdict = "below" if found.is_better_than_nothing else "NOT below"
    return {
        "all cells": plot(
            "All people: true and released", [_line("true", truth.sum(axis=1)), _line("released", shown.sum(axis=1))], "people"
        ),
        "largest cell": plot(
            f"The largest cell, {name}: true and released",
            [_line("true", truth[:, largest]), _line("released", shown[:, largest])],
            "people",
        ),
        "errors": plot(
            f"Mean absolute error per cell is {verdict} that of zeros",
            [_line("zeros", zeros), _line("released", found.absolute_errors)],
            "people per cell",
        ),
    }


def _line(name: str, values: npt.NDArray[np.generic]) -> Line:
    """A line of a few hundred points: means over equal parts of a longer one."""
    numbers = np.asarray(values, dtype=np.float64)
    parts = np.array_split(numbers, min(MOST_POINTS, numbers.size))
    return Line(name=name, values=[float(part.mean()) for part in parts])


def _when(beginning: int | datetime) -> str:
    return beginning.strftime("%Y-%m-%d %H:%M") if isinstance(beginning, datetime) else f"{beginning:,}"
