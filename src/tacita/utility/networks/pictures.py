"""Pictures of a released network for its owner: degrees, cuts, and the adjacency matrix ordered by degree.

Degrees are drawn as the share of vertices with at least d neighbours, on log scales. Cuts are drawn as the mean relative error by
the largest size of a subset, beside what the released degrees answer and what the number of edges alone would give. Both
adjacency matrices are ordered by the degree in their own network, and drawn in squares, the darker (on a log scale) the more
edges they hold.
"""

from __future__ import annotations

from html import escape
from math import ceil, floor, log10

import numpy as np
import numpy.typing as npt

from tacita.arrays.graphs import Graph
from tacita.networks import NetworkRecords, PublishedNetwork
from tacita.utility.networks.cuts import CutWorkload, answered_by_degrees, measure_cuts

__all__ = ["adjacency_picture", "cuts_picture", "degrees_picture", "pictures"]

Reals = npt.NDArray[np.float64]

QUERIES = 1280
_RAW, _RELEASED, _BASELINE = "#0072b2", "#d55e00", "#7f7f7f"
_DASHES = {_RAW: "", _RELEASED: ' stroke-dasharray="7 4"', _BASELINE: ' stroke-dasharray="2 4"'}
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 640, 380, 64, 44, 330
_SQUARES = 48


def pictures(records: NetworkRecords, published: PublishedNetwork) -> dict[str, str]:
    """Inline SVG by title; computed from raw data, so for the owner's eyes only."""
    return {
        "Degrees": degrees_picture(records.graph, published.graph),
        "Cuts": cuts_picture(records.graph, published),
        "Adjacency matrix by degree": adjacency_picture(records.graph, published.graph),
    }


def degrees_picture(raw: Graph, released: Graph) -> str:
    """The share of vertices with at least d neighbours, on log scales."""
    curves = []
    for graph, colour, name in ((raw, _RAW, "raw"), (released, _RELEASED, "released")):
        counts = np.bincount(graph.degrees, minlength=2)
        shares = (np.cumsum(counts[::-1])[::-1] / max(graph.vertices, 1))[1:]
        there = np.flatnonzero(counts[1:] > 0)
        curves.append((name, colour, (there + 1).astype(np.float64), shares[there]))
    same = int(np.abs(np.sort(raw.degrees) - np.sort(released.degrees)).sum())
    title = f"Degrees: the two curves differ by {same / max(2 * len(raw), 1):.1%} of all ends of edges"
    most = max((float(x.max()) for _, _, x, _ in curves if x.size), default=10.0)
    x_axis = _Axis(1.0, max(most, 10.0), _LEFT, _WIDTH - 16, logarithmic=True)
    y_axis = _Axis(1 / max(raw.vertices, 10), 1.0, _BOTTOM, _TOP, logarithmic=True)
    return _plot(title, curves, x_axis, y_axis, ("neighbours, at least", "share of vertices"))


def cuts_picture(raw: Graph, published: PublishedNetwork) -> str:
    """The mean relative error of cuts by the largest size of a subset."""
    workload = CutWorkload(queries=QUERIES)
    sizes = np.array(workload.largest)
    found = {"released edges": (_RAW, measure_cuts(raw, published.graph, workload))}
    if published.degrees is not None:
        found["released degrees"] = _RELEASED, answered_by_degrees(raw, published.degrees, workload)
    alike = np.full(raw.vertices, 2 * len(published.graph) / max(raw.vertices, 1))
    found["number of edges alone"] = _BASELINE, answered_by_degrees(raw, alike, workload)
    curves = [
        (name, colour, sizes, np.array([error.average_relative_error for error in errors]))
        for name, (colour, errors) in found.items()
    ]
    most = max(float(errors.max()) for _, _, _, errors in curves)
    x_axis = _Axis(0.0, 1.0, _LEFT, _WIDTH - 16)
    y_axis = _Axis(0.0, max(1.1 * most, 0.01), _BOTTOM, _TOP)
    title = f"Cuts: mean error of {workload.queries:,} queries by size; lower is better"
    return _plot(title, curves, x_axis, y_axis, ("largest size of both subsets, share of all vertices", "relative error"))


def adjacency_picture(raw: Graph, released: Graph) -> str:
    """Both adjacency matrices, vertices ordered by falling degree in their own network."""
    side, parts = 280, []
    densities = [_density(graph) for graph in (raw, released)]
    darkest = max(float(table.max()) for table in densities) or 1.0
    for place, (name, table) in enumerate(zip(("raw", "released"), densities, strict=True)):
        left, cell = 16 + place * (side + 40), side / _SQUARES
        parts.append(
            f'<text x="{left}" y="40">{name}</text><rect x="{left}" y="48" width="{side}" height="{side}" fill="none" '
            'stroke="currentColor"/>'
        )
        for row, column in zip(*np.nonzero(table), strict=True):
            shade = float(np.log1p(999 * table[row, column] / darkest) / np.log(1000))
            parts.append(
                f'<rect x="{left + column * cell:.1f}" y="{48 + row * cell:.1f}" width="{cell:.1f}" height="{cell:.1f}" '
                f'fill="{_RAW}" fill-opacity="{shade:.2f}"/>'
            )
    title = f"Adjacency matrix, largest degrees first; in the darkest square {darkest:.0%} of pairs are joined"
    return _svg(title, 340, "".join(parts))


def _density(graph: Graph) -> Reals:
    """The share of joined pairs in squares of the matrix."""
    place = np.empty(graph.vertices, dtype=np.int64)
    place[np.argsort(-graph.degrees, kind="stable")] = np.arange(graph.vertices)
    square = place * _SQUARES // max(graph.vertices, 1)
    sizes = np.bincount(square, minlength=_SQUARES)
    first, second = square[graph.sources], square[graph.targets]
    keys = np.concatenate([first * _SQUARES + second, second * _SQUARES + first])
    table = np.bincount(keys, minlength=_SQUARES**2).reshape(_SQUARES, _SQUARES)
    return np.asarray(table / np.maximum(np.outer(sizes, sizes), 1), dtype=np.float64)


class _Axis:
    """From numbers to places on the page, by a linear or a log scale."""

    def __init__(self, low: float, high: float, start: float, end: float, *, logarithmic: bool = False) -> None:
        self._log, self._start, self._end = logarithmic, start, end
        self._low, self._high = (log10(low), log10(high)) if logarithmic else (low, high)

    def at(self, values: Reals) -> Reals:
        """Where the values are."""
        seen = np.log10(values) if self._log else values
        return np.asarray(self._start + (seen - self._low) / (self._high - self._low) * (self._end - self._start))

    def ticks(self) -> list[tuple[float, str]]:
        """Round numbers on the axis, with their names."""
        if self._log:
            values = [10.0**power for power in range(ceil(self._low - 1e-9), floor(self._high + 1e-9) + 1)]
        else:
            raw = (self._high - self._low) / 5
            size = 10.0 ** floor(log10(raw))
            step = next(size * each for each in (1, 2, 5, 10) if size * each >= raw)
            values = [step * place for place in range(ceil(self._low / step), floor(self._high / step) + 1)]
        return [(value, f"{value:g}") for value in values]


def _plot(title: str, curves: list[tuple[str, str, Reals, Reals]], x_axis: _Axis, y_axis: _Axis, names: tuple[str, str]) -> str:
    parts = [f'<path d="M{_LEFT} {_TOP}V{_BOTTOM}H{_WIDTH - 16}" fill="none" stroke="currentColor"/>']
    for value, label in x_axis.ticks():
        x = float(x_axis.at(np.array([value]))[0])
        parts.append(
            f'<path d="M{x:.1f} {_BOTTOM}v5" stroke="currentColor"/>'
            f'<text x="{x:.1f}" y="{_BOTTOM + 20}" text-anchor="middle">{label}</text>'
        )
    for value, label in y_axis.ticks():
        y = float(y_axis.at(np.array([value]))[0])
        parts.append(
            f'<path d="M{_LEFT - 5} {y:.1f}h5" stroke="currentColor"/>'
            f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'
        )
    parts.append(f'<text x="{(_LEFT + _WIDTH) / 2:.0f}" y="{_BOTTOM + 42}" text-anchor="middle">{escape(names[0])}</text>')
    parts.append(f'<text x="{_LEFT}" y="{_TOP - 8}">{escape(names[1])}</text>')
    for place, (name, colour, values, heights) in enumerate(curves):
        points = " ".join(
            f"{a:.1f},{b:.1f}" for a, b in zip(x_axis.at(values).tolist(), y_axis.at(heights).tolist(), strict=True)
        )
        top = _TOP + 6 + 18 * place
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{_DASHES[colour]}/>'
            f'<path d="M{_WIDTH - 210} {top}h28" stroke="{colour}" stroke-width="2"{_DASHES[colour]}/>'
            f'<text x="{_WIDTH - 176}" y="{top + 4}">{escape(name)}</text>'
        )
    return _svg(title, _HEIGHT, "".join(parts))


def _svg(title: str, height: int, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" font-family="sans-serif" '
        f'font-size="13" fill="currentColor"><title>{escape(title)}</title>'
        f'<text x="0" y="14" font-weight="bold">{escape(title)}</text>{content}</svg>'
    )
