"""Degrees and cuts of a network with error bars, from the released degrees and their public errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from tacita.errors import ParameterError
from tacita.networks.published import PublishedNetwork
from tacita.privacy.estimates import LEVEL, Estimate, no_error_bars

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
        """How many edges lead between two sets of vertices that were not chosen because of their edges.

        Where noise is large beside the degrees, the interval is wider than it has to be.
        """
        answer = self.published.cut(self._places(first), self._places(second))
        half = NormalDist().inv_cdf((1 + level) / 2) * answer.error
        return Estimate(value=answer.edges, low=max(0.0, answer.edges - half), high=answer.edges + half, level=level)

    def _places(self, vertices: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        known = {label: place for place, label in enumerate(self.published.universe.labels)}
        if any(vertex not in known for vertex in vertices):
            message = "every vertex of a cut must be one of the network's"
            raise ParameterError(message)
        return np.array([known[vertex] for vertex in vertices], dtype=np.int64)
