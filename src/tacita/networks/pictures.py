"""Pictures of networks: degrees, and cuts with their error bars.

Degrees are drawn as the share of vertices with at least d neighbours, on log scales. Cuts are those between the first vertices of
the public list and the rest, which nobody chose because of their edges.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacita.arrays.graphs import Graph
from tacita.pictures import Axis, Line, Picture, line_plot
from tacita.pictures.picture import percent

__all__ = ["apart", "cuts_picture", "degrees_picture", "network_pictures"]


NORMAL_95 = 1.96
MOST_DEGREES = 120


def network_pictures(sides: Mapping[str, Graph]) -> list[Picture]:
    """Draw the sides, such as the release alone or the raw network beside it."""
    return [degrees_picture(sides)]


def apart(raw: Graph, released: Graph) -> float:
    """How far the two curves of degrees are apart, as a share of all ends of raw edges."""
    return float(np.abs(np.sort(raw.degrees) - np.sort(released.degrees)).sum()) / max(2 * len(raw), 1)


def degrees_picture(sides: Mapping[str, Graph], *, is_half: bool = False) -> Picture:
    """The share of vertices with at least d neighbours, on log scales."""
    lines = []
    for name, graph in sides.items():
        counts = np.bincount(graph.degrees, minlength=2)
        shares = (np.cumsum(counts[::-1])[::-1] / max(graph.vertices, 1))[1:]
        there = np.flatnonzero(counts[1:] > 0)
        if there.size > MOST_DEGREES:
            there = there[np.unique(np.geomspace(1, there.size, MOST_DEGREES).astype(np.int64) - 1)]
        places, values = (there + 1).tolist() or [1], shares[there].tolist() or [1e-9]
        lines.append(Line(name=name, xs=places, values=values))
    return line_plot(
        _degrees_title(sides),
        lines,
        x=Axis(label="neighbours, at least", logarithmic=True),
        y=Axis(label="share of vertices", logarithmic=True, percent=True),
        about="Share of vertices with at least that many neighbours, both axes logarithmic.",
        is_half=is_half,
    )


def _degrees_title(sides: Mapping[str, Graph]) -> str:
    """How far apart the curves are; of one side, how many neighbours there are."""
    graphs = list(sides.values())
    released = graphs[-1]
    if len(graphs) == 1:
        mean = 2 * len(released) / max(released.vertices, 1)
        return f"A vertex has {mean:.1f} neighbours on average, and {int(released.degrees.max(initial=0)):,} at most"
    off = apart(graphs[0], released)
    verdict = "Degrees agree" if off <= 0.1 else "Degrees agree roughly" if off <= 0.3 else "Degrees do not agree"
    return f"{verdict}: the curves differ by {percent(off)} of all ends of edges"


def cuts_picture(cuts: list[tuple[float, float, float]]) -> Picture:
    """How many edges lead from the first vertices to the rest: (share of the vertices, estimate, standard error)."""
    line = Line(
        name="released",
        xs=[share for share, _, _ in cuts],
        values=[edges for _, edges, _ in cuts],
        band=[NORMAL_95 * error for _, _, error in cuts],
    )
    worst = max((error / edges for _, edges, error in cuts if edges > 0), default=0.0)
    return line_plot(
        f"Edges between two sets of vertices are known to ± {percent(NORMAL_95 * worst)} at worst",
        [line],
        x=Axis(label="share of vertices on one side", percent=True),
        y=Axis(label="edges"),
        about="Between the first vertices of the public list and the rest, estimated from the released degrees, with 95 % bands.",
    )
