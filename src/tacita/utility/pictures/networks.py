"""A released network beside the raw one: degrees, cuts, adjacency.

Cuts are drawn as the mean relative error by the largest size of a subset, beside what the released degrees answer and what the
number of edges alone would give.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tacita.arrays.graphs import Graph
from tacita.networks import NetworkRecords, PublishedNetwork
from tacita.networks.pictures import adjacency_picture, degrees_picture
from tacita.pictures import Axis, Line, Picture, line_plot
from tacita.utility.networks.cuts import CutWorkload, answered_by_degrees, measure_cuts

__all__ = ["cuts_picture", "pictures"]

QUERIES = 1280


def pictures(records: NetworkRecords, published: PublishedNetwork, *, found: Mapping[str, Any] | None = None) -> list[Picture]:  # noqa: ARG001 - as of all kinds
    """Degrees, cuts and adjacency of both sides."""
    sides = {"raw": records.graph, "released": published.graph}
    return [degrees_picture(sides), cuts_picture(records.graph, published), adjacency_picture(sides)]


def cuts_picture(raw: Graph, published: PublishedNetwork) -> Picture:
    """The mean relative error of cuts by the largest size of a subset."""
    workload = CutWorkload(queries=QUERIES)
    found = {"released edges": measure_cuts(raw, published.graph, workload)}
    if published.degrees is not None:
        found["released degrees"] = answered_by_degrees(raw, published.degrees, workload)
    alike = np.full(raw.vertices, 2 * len(published.graph) / max(raw.vertices, 1))
    found["number of edges alone"] = answered_by_degrees(raw, alike, workload)
    lines = [
        Line(
            name=name,
            xs=list(workload.largest),
            values=[error.average_relative_error for error in errors],
            is_baseline=name == "number of edges alone",
        )
        for name, errors in found.items()
    ]
    return line_plot(
        f"Cuts: mean error of {workload.queries:,} queries by size; lower is better",
        lines,
        x=Axis(label="largest size of both subsets, share of all vertices", percent=True),
        y=Axis(label="relative error"),
    )
