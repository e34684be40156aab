"""Pictures of networks: degrees, the adjacency matrix ordered by degree, and cuts with their error bars.

Degrees are drawn as the share of vertices with at least d neighbours, on log scales. Adjacency matrices are ordered by the degree
in their own network and drawn in squares. Cuts are those between the first vertices of the public list and the rest, which
nobody chose because of their edges.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacita.arrays import Reals
from tacita.arrays.graphs import Graph
from tacita.pictures import Axis, Line, Picture, line_plot, matrix_plot

__all__ = ["adjacency_picture", "cuts_picture", "degrees_picture", "network_pictures"]


NORMAL_95 = 1.96
SQUARES = 40
MOST_DEGREES = 120


def network_pictures(sides: Mapping[str, Graph]) -> list[Picture]:
    """Draw the sides, such as the release alone or the raw network beside it."""
    return [degrees_picture(sides), adjacency_picture(sides)]


def degrees_picture(sides: Mapping[str, Graph]) -> Picture:
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
    title = "How many neighbours vertices have"
    graphs = list(sides.values())
    if len(graphs) == 2:
        apart = int(np.abs(np.sort(graphs[0].degrees) - np.sort(graphs[1].degrees)).sum())
        title = f"Degrees: the two curves differ by {100 * apart / max(2 * len(graphs[0]), 1):.1f} % of all ends of edges"
    return line_plot(
        title,
        lines,
        x=Axis(label="neighbours, at least", logarithmic=True),
        y=Axis(label="share of vertices", logarithmic=True),
    )


def adjacency_picture(sides: Mapping[str, Graph]) -> Picture:
    """The adjacency matrices, vertices ordered by falling degree in their own network."""
    names = [f"{100 * square // SQUARES} to {100 * (square + 1) // SQUARES} %" for square in range(SQUARES)]
    return matrix_plot(
        "Adjacency matrix, vertices with most neighbours first",
        {name: _density(graph).tolist() for name, graph in sides.items()},
        names=names,
        axes=("vertices", "vertices"),
        about="The share of joined pairs in each square, on a log scale; vertices are ordered by their own network's degrees.",
        numbers=False,
    )


def cuts_picture(cuts: list[tuple[float, float, float]]) -> Picture:
    """How many edges lead from the first vertices to the rest: (share of the vertices, estimate, standard error)."""
    line = Line(
        name="released",
        xs=[share for share, _, _ in cuts],
        values=[edges for _, edges, _ in cuts],
        band=[NORMAL_95 * error for _, _, error in cuts],
    )
    return line_plot(
        "Edges between the first vertices of the list and the rest, with 95 % bands",
        [line],
        x=Axis(label="share of vertices on one side", percent=True),
        y=Axis(label="edges"),
        about="Estimated from the released degrees; the band is that of a network whose edges are spread as degrees predict.",
    )


def _density(graph: Graph) -> Reals:
    """The share of joined pairs in squares of the matrix."""
    place = np.empty(graph.vertices, dtype=np.int64)
    place[np.argsort(-graph.degrees, kind="stable")] = np.arange(graph.vertices)
    square = place * SQUARES // max(graph.vertices, 1)
    sizes = np.bincount(square, minlength=SQUARES)
    first, second = square[graph.sources], square[graph.targets]
    keys = np.concatenate([first * SQUARES + second, second * SQUARES + first])
    table = np.bincount(keys, minlength=SQUARES**2).reshape(SQUARES, SQUARES)
    return np.asarray(table / np.maximum(np.outer(sizes, sizes), 1), dtype=np.float64)
