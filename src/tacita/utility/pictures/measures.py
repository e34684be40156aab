"""Pictures of the figures that sequences and sets share: errors of queries, patterns that are kept, distances."""

from __future__ import annotations

from itertools import groupby

from tacita.pictures import Axis, Bars, Line, Picture, bar_plot, line_plot
from tacita.utility.rendering import Distances, Utility

__all__ = ["measure_pictures"]


def measure_pictures(found: Utility[Distances]) -> list[Picture]:
    """One picture per kind of figure, with what an empty release would give where that is known."""
    distances = found.distributions.as_json()
    names = [name.replace("_", " ") for name in distances]
    drawn = [
        bar_plot(
            "How far the release is from the raw data: 0 % is the same, 100 % has nothing in common",
            names,
            [Bars(name="released", values=list(distances.values()))],
            unit="total variation distance",
            percent=True,
        )
    ]
    if found.queries:
        drawn.append(_queries(found))
    if any(pattern.tops for pattern in found.patterns):
        drawn.append(_patterns(found))
    return drawn


def _queries(found: Utility[Distances]) -> Picture:
    lines = []
    for kind, errors in groupby(found.queries, key=lambda query: str(query.kind)):
        some = list(errors)
        values = [error.average_relative_error for error in some]
        lines.append(Line(name=kind, xs=[error.max_length for error in some], values=values))
    title = "Count queries: the average relative error by the longest query; lower is better"
    return line_plot(title, lines, x=Axis(label="labels in a query, at most"), y=Axis(label="average relative error"))


def _patterns(found: Utility[Distances]) -> Picture:
    lines = [
        Line(
            name=str(pattern.kind),
            xs=[top.count for top in pattern.tops],
            values=[top.true_positive_ratio for top in pattern.tops],
        )
        for pattern in found.patterns
        if pattern.tops
    ]
    title = "The most frequent patterns: how many of them the release has too; higher is better"
    return line_plot(title, lines, x=Axis(label="most frequent patterns"), y=Axis(label="share found", percent=True))
