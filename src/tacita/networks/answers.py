"""Degrees and cuts of a network with error bars, from the released degrees and their public errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from tacita.errors import ParameterError
from tacita.networks.published import PublishedNetwork
from tacita.privacy.estimates import LEVEL, Estimate, laws_of, no_error_bars

__all__ = ["NetworkAnswers"]


@dataclass(frozen=True)
class NetworkAnswers:
    """Answers from `shape` and `degree`, which release an estimate of every degree with its standard error."""

    published: PublishedNetwork
    manifest: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse a release without errors of degrees."""
        if self.published.degrees is None or self.published.degree_errors is None:
            raise no_error_bars(self.manifest, "it holds no degrees with their errors; shape and degree do")

    def cut(self, first: Sequence[str], second: Sequence[str], *, level: float = LEVEL) -> Estimate:
        """How many edges lead between two sets of vertices that were not chosen because of their edges."""
        answer = self.published.cut(self._places(first), self._places(second), edges_error=self._edges_error())
        half = NormalDist().inv_cdf((1 + level) / 2) * answer.error
        return Estimate(value=answer.edges, low=max(0.0, answer.edges - half), high=answer.edges + half, level=level)

    def _edges_error(self) -> float:
        """The standard error of the number of edges by both noisy answers that say something of it."""
        laws = laws_of(self.manifest)
        precisions = (
            (1.0, laws.get("number of edges")),
            (4.0 / max(self.published.graph.vertices, 1), laws.get("degrees")),
        )
        precision = sum(weight / (2 * float(law.scale) ** 2) for weight, law in precisions if law is not None)
        return 1 / sqrt(precision) if precision else 0.0

    def _places(self, vertices: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        known = {label: place for place, label in enumerate(self.published.universe.labels)}
        if any(vertex not in known for vertex in vertices):
            message = "every vertex of a cut must be one of the network's"
            raise ParameterError(message)
        return np.array([known[vertex] for vertex in vertices], dtype=np.int64)
