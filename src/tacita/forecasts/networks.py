"""Forecasts of what a release of a network will keep, from public facts, before any budget is spent.

The method and the ones to compare it with are run on simulated networks that have the public number of vertices and the number of
edges that was given, and differ in how unequal degrees are and how separate communities are. Nothing private is looked at and no
ledger is charged: every number here is about simulated data.

Noise on degrees does not depend on the number of vertices, so networks of more than `MOST_VERTICES` are made smaller with the
same mean degree; the error of cuts, which falls with the square root of the number of edges, is scaled by that. Noise on every
pair makes edges that grow with the number of pairs, so the error of cuts grows with the number of vertices, and that of triangles
with its square.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from tacita.arrays.graphs import Graph
from tacita.errors import ParameterError
from tacita.forecasts import Request
from tacita.forecasts.trials import Measure, Outcome, TrialForecast, run_trials
from tacita.networks import DegreeNetwork, NetworkRecords, ShapeNetwork
from tacita.privacy.budget import Budget
from tacita.privacy.ledger import Ledger
from tacita.privacy.publishing import Mechanism
from tacita.simulate import NetworkWorld
from tacita.utility.networks import CutWorkload, degree_divergence, measure_cuts
from tacita.utility.networks.cuts import independent_edges

__all__ = ["forecast_request"]

MOST_VERTICES, MOST_IN_PAIRS = 1_500, 600
"""The second where every pair has noise, which takes longer."""

WORLDS = ((2.5, 0.2), (2.2, 0.5), (3.5, 0.05), (9.0, 0.3))
"""The exponent of the degrees and the share of edges that lead to any community."""

CUTS = CutWorkload(queries=256, largest=(0.5,))

MEASURES = (
    Measure(key="cut_error", title="error of cuts between up to half of the vertices", shown=".1%", room=0.02, guards=0.03),
    Measure(key="degree_divergence", title="divergence of the degrees", shown=".2f", wider=2.0, wider_below=8.0, decides=True),
    Measure(key="triangles", title="triangles off by", wider=2.0, wider_below=16.0, decides=True),
)


def forecast_request(request: Request) -> TrialForecast:
    """The forecast for a publisher of networks, from public facts alone."""
    if request.like is not None or request.mean_length is not None or request.longest is not None:
        message = "a forecast for networks needs --records, the number of edges, and --universe only; leave out the rest"
        raise ParameterError(message)
    vertices = request.public.size
    if vertices is None:
        message = "a forecast needs the number of vertices: name the public --universe"
        raise ParameterError(message)
    budget, edges = request.required_budget, request.records
    most = MOST_IN_PAIRS if _has_noisy_pairs(request.method) else MOST_VERTICES
    worlds = list(_worlds(edges, vertices, most=most))
    methods: dict[str, Mechanism] = {request.name: request.method, **({} if request.alone else _others(request))}
    rate = float(budget.epsilon) / int(request.method.correlated_edges)
    told, floors = run_trials(
        (_Trial(_records(world), budget, edges, vertices) for world in worlds),
        {name: _contestant(method) for name, method in methods.items()},
        measures=MEASURES,
        floors={
            "independent": lambda trial: trial.outcome(independent_edges(trial.graph, epsilon=rate)),
            "nothing": lambda trial: trial.outcome(Graph(trial.graph.vertices, np.zeros(0, dtype=np.int64))),
        },
        progress=request.progress,
        number=len(worlds),
    )
    return TrialForecast(
        kind="networks",
        subject=(
            f"{edges:,} edges over {vertices:,} vertices, from {len(worlds)} simulated networks of "
            f"{worlds[0].vertices:,} vertices with the same mean degree"
        ),
        facts={"records": edges, "labels": vertices},
        worlds=tuple(f"exponent {exponent:g}, mixing {mixing:g}" for exponent, mixing in WORLDS),
        measures=MEASURES,
        chosen=told[0],
        others=tuple(told[1:]),
        floors=tuple(floors),
        more="more edges or a larger epsilon",
    )


@dataclass(frozen=True)
class _Trial:
    """A network, the budget, and the numbers of edges and vertices of the true one."""

    records: NetworkRecords
    budget: Budget
    edges: int
    vertices: int

    @property
    def graph(self) -> Graph:
        """The simulated network."""
        return self.records.graph

    def outcome(self, released: Graph, *, has_noisy_pairs: bool = False) -> Outcome:
        """Cuts, degrees and triangles; the error of cuts is scaled to the size of the true network, see above."""
        raw, larger = self.graph, self.vertices / self.graph.vertices
        triangles = raw.triangles()
        (cuts,) = measure_cuts(raw, released, CUTS)
        scale = larger if has_noisy_pairs else sqrt(len(raw) / self.edges)
        return {
            "cut_error": cuts.average_relative_error * (scale if len(released) else 1.0),
            "degree_divergence": degree_divergence(raw.degrees, released.degrees),
            "triangles": abs(released.triangles() - triangles) / max(triangles, 1) * (larger**2 if has_noisy_pairs else 1.0),
        }


def _records(world: NetworkWorld) -> NetworkRecords:
    ends = world.edges()
    return NetworkRecords.from_codes(ends[:, 0], ends[:, 1], universe=world.universe, name="simulated")


def _worlds(edges: int, vertices: int, *, most: int) -> Iterator[NetworkWorld]:
    mean = 2 * edges / max(vertices, 1)
    if edges < 1 or vertices < 5 or mean > (vertices - 1) / 4:
        message = f"a forecast knows networks in which up to a quarter of all pairs are joined, got {edges:,} over {vertices:,}"
        raise ParameterError(message)
    few = min(vertices, max(most, int(4 * mean) + 2))
    for exponent, mixing in WORLDS:
        yield NetworkWorld(
            vertices=few, mean_degree=mean, communities=max(1, few // 40), exponent=exponent, mixing=mixing, seed=1
        )


def _others(request: Request) -> dict[str, Mechanism]:
    together = int(request.method.correlated_edges)
    compared = (ShapeNetwork(correlated_edges=together), DegreeNetwork(correlated_edges=together))
    return {method.name: method for method in compared if method.name != request.name}


def _has_noisy_pairs(method: Mechanism) -> bool:
    return bool(getattr(method, "has_noisy_pairs", False))


def _contestant(method: Mechanism) -> Callable[[_Trial], Outcome]:
    """Publish a network and compare; it is made up, so nothing is charged to anybody."""

    def publish(trial: _Trial) -> Outcome:
        released: Graph = method.publish(trial.records, budget=trial.budget, ledger=Ledger()).data.graph  # type: ignore[attr-defined]
        return trial.outcome(released, has_noisy_pairs=_has_noisy_pairs(method))

    return publish
