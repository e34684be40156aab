"""Forecasts of what a release of a network will keep, from public facts, before any budget is spent.

The method and the ones to compare it with are run on simulated networks that have the public number of vertices and the number of
edges that was given, and differ in how unequal degrees are and how separate communities are. Nothing private is looked at and no
ledger is charged: every number here is about simulated data.

Noise on degrees does not depend on the number of vertices, so networks of more than `MOST_VERTICES` are made smaller with the
same mean degree; the error of cuts, which falls with the square root of the number of edges, is scaled by that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import median

from tacita.errors import ParameterError
from tacita.forecasts import ForecastFigure, Request
from tacita.forecasts.intervals import CLEARLY, Interval
from tacita.networks import DegreeNetwork, NetworkRecords, ShapeNetwork
from tacita.privacy.ledger import Ledger
from tacita.privacy.mechanism import Mechanism
from tacita.simulate import NetworkWorld
from tacita.utility.networks import CutWorkload, degree_divergence, measure_cuts

__all__ = ["NetworkForecast", "NetworkMethodForecast", "forecast_request"]

MOST_VERTICES = 1_500
WORLDS = ((2.5, 0.2), (2.2, 0.5), (3.5, 0.05))
"""The exponent of the degrees and the share of edges that lead to any community."""

CUTS = CutWorkload(queries=256, largest=(0.5,))


@dataclass(frozen=True, kw_only=True)
class NetworkMethodForecast:
    """What one method keeps of all simulated networks; intervals over them."""

    method: str
    cut_error: Interval
    divergence: Interval
    triangles: Interval

    def line(self) -> str:
        """For people."""
        cuts = self.cut_error.text(lambda value: f"{value:.1%}")
        return (
            f"  {self.method}: error of cuts between up to half of the vertices {cuts}; divergence of the degrees "
            f"{self.divergence.text(lambda value: f'{value:.2f}')}; triangles off by "
            f"{self.triangles.text(lambda value: f'{value:.0%}')}"
        )

    def figures(self, method: str | None) -> list[ForecastFigure]:
        """What pictures show."""
        return [
            self.cut_error.figure("error of cuts between up to half of the vertices", best=0, method=method),
            self.divergence.figure("divergence of the degrees", best=0, method=method),
            self.triangles.figure("relative error of the triangles", best=0, method=method),
        ]

    def as_json(self) -> dict[str, object]:
        """For scripts."""
        return {
            "cut_error": self.cut_error.as_json(),
            "degree_divergence": self.divergence.as_json(),
            "triangles": self.triangles.as_json(),
        }


@dataclass(frozen=True, kw_only=True)
class NetworkForecast:
    """What the chosen method and the others will probably keep, and which of them to use."""

    edges: int
    vertices: int
    simulated: int
    chosen: NetworkMethodForecast
    others: tuple[NetworkMethodForecast, ...]
    better: str | None

    def lines(self) -> list[str]:
        """The forecast for people."""
        title = (
            f"forecast for {self.edges:,} edges over {self.vertices:,} vertices, from {len(WORLDS)} simulated networks of "
            f"{self.simulated:,} vertices with the same mean degree; no data was read:"
        )
        found = [
            title,
            self.chosen.line(),
            *(other.line() for other in self.others),
        ]
        if not self.others:
            return found
        if self.better is not None:
            return [*found, f"use {self.better} instead of {self.chosen.method}: it keeps clearly more of such networks"]
        return [*found, f"use {self.chosen.method}: nothing here is clearly better"]

    def figures(self) -> list[ForecastFigure]:
        """What pictures show, of all methods that were tried."""
        return [*self.chosen.figures(None), *(figure for other in self.others for figure in other.figures(other.method))]

    def as_json(self) -> dict[str, object]:
        """The forecast for scripts."""
        return {
            "records": self.edges,
            "labels": self.vertices,
            "worlds": [f"exponent {exponent:g}, mixing {mixing:g}" for exponent, mixing in WORLDS],
            "chosen": {"method": self.chosen.method, **self.chosen.as_json()},
            "others": {other.method: other.as_json() for other in self.others},
            "better": self.better,
        }


@dataclass(frozen=True)
class _Outcome:
    cut_error: float
    divergence: float
    triangles: float


def forecast_request(request: Request) -> NetworkForecast:
    """The forecast for a publisher of networks, from public facts alone."""
    if request.like is not None or request.mean_length is not None or request.longest is not None:
        message = "a forecast for networks needs --records, the number of edges, and --universe only; leave out the rest"
        raise ParameterError(message)
    vertices = request.public.size
    if vertices is None:
        message = "a forecast needs the number of vertices: name the public --universe"
        raise ParameterError(message)
    worlds = list(_worlds(request.records, vertices))
    methods: dict[str, Mechanism] = {request.name: request.method, **({} if request.alone else _others(request))}
    outcomes: dict[str, list[_Outcome]] = {}
    done = 0
    for name, method in methods.items():
        outcomes[name] = []
        for world in worlds:
            outcomes[name].append(_try(method, world, request))
            done += 1
            if request.progress is not None:
                request.progress(done, len(methods) * len(worlds))
    told = {name: _summary(name, tried) for name, tried in outcomes.items()}
    return NetworkForecast(
        edges=request.records,
        vertices=vertices,
        simulated=worlds[0].vertices,
        chosen=told[request.name],
        others=tuple(other for name, other in told.items() if name != request.name),
        better=_better(request.name, outcomes),
    )


def _worlds(edges: int, vertices: int) -> Iterator[NetworkWorld]:
    mean = 2 * edges / max(vertices, 1)
    if edges < 1 or vertices < 5 or mean > (vertices - 1) / 4:
        message = f"a forecast knows networks in which up to a quarter of all pairs are joined, got {edges:,} over {vertices:,}"
        raise ParameterError(message)
    few = min(vertices, max(MOST_VERTICES, int(4 * mean) + 2))
    for exponent, mixing in WORLDS:
        yield NetworkWorld(
            vertices=few, mean_degree=mean, communities=max(1, few // 40), exponent=exponent, mixing=mixing, seed=1
        )


def _others(request: Request) -> dict[str, Mechanism]:
    together = int(request.method.correlated_edges)
    compared: dict[str, Mechanism] = {
        "shape": ShapeNetwork(correlated_edges=together),
        "degree": DegreeNetwork(correlated_edges=together),
    }
    return {name: method for name, method in compared.items() if name != request.name}


def _try(method: Mechanism, world: NetworkWorld, request: Request) -> _Outcome:
    """Publish a network and compare; it is made up, so nothing is charged to anybody."""
    ends = world.edges()
    records = NetworkRecords.from_codes(ends[:, 0], ends[:, 1], universe=world.universe, name="simulated")
    raw = records.graph
    released = method.publish(records, budget=request.budget, ledger=Ledger()).data.graph  # type: ignore[attr-defined]
    triangles = raw.triangles()
    (cuts,) = measure_cuts(raw, released, CUTS)
    return _Outcome(
        cut_error=cuts.average_relative_error * sqrt(len(raw) / request.records),
        divergence=degree_divergence(raw.degrees, released.degrees),
        triangles=abs(released.triangles() - triangles) / max(triangles, 1),
    )


def _summary(method: str, tried: list[_Outcome]) -> NetworkMethodForecast:
    return NetworkMethodForecast(
        method=method,
        cut_error=Interval.of([outcome.cut_error for outcome in tried]),
        divergence=Interval.of([outcome.divergence for outcome in tried]),
        triangles=Interval.of([outcome.triangles for outcome in tried]),
    )


def _better(name: str, outcomes: Mapping[str, list[_Outcome]]) -> str | None:
    """The method whose degrees and triangles are clearly nearer, without a clearly larger error of cuts."""

    def middle(title: str) -> tuple[float, float]:
        tried = outcomes[title]
        return median(each.divergence + each.triangles for each in tried), median(each.cut_error for each in tried)

    loss, error = middle(name)
    others = {title: middle(title) for title in outcomes if title != name}
    found = [title for title, (less, other) in others.items() if less < CLEARLY * loss and other <= error / CLEARLY]
    return min(found, key=lambda title: others[title][0], default=None)
