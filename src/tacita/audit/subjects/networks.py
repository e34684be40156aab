"""How mechanisms for networks are reduced to a size that can be audited."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tacita.audit.cases.networks import NetworkCase
from tacita.audit.subjects.subject import Variant
from tacita.networks import (
    DegreeGenerator,
    DegreeNetwork,
    DenseRegions,
    LaplaceNetwork,
    RandomNetwork,
    ShapeNetwork,
    TopFilter,
)
from tacita.privacy.budget import Budget, PureDP

__all__ = ["Degrees", "Generators", "NoisyMatrices", "RandomGraphs", "Regions", "Shapes", "TopFilters"]

SMALL, THREE, TWENTY = PureDP(4), PureDP(3), PureDP(20)
CLEAR = PureDP(60)
"""A budget so large that the noise of many numbers can be enumerated; the law has the same form at any budget."""


@dataclass(frozen=True)
class _Networks:
    """What all of them share: replays on all graphs of five vertices, outputs on those of a few."""

    variants: tuple[Variant, ...]
    labels: str = "ABC"
    for_output: Budget = SMALL
    span: int = 4

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> NetworkCase:
        """On graphs of five vertices."""
        return NetworkCase(name=variant.name, mechanism=variant.mechanism, budget=budget)

    def output_case(self, variant: Variant) -> NetworkCase:
        """On graphs with so few vertices that all outputs can be enumerated."""
        return NetworkCase(
            name=variant.name, mechanism=variant.mechanism, budget=self.for_output, labels=self.labels, span=self.span
        )


@dataclass(frozen=True)
class Shapes(_Networks):
    """The shape of a network: two vertices, because every degree and every pair of classes has noise of its own."""

    variants: tuple[Variant, ...] = (Variant(name="shape", mechanism=ShapeNetwork()),)
    labels: str = "AB"
    for_output: Budget = CLEAR
    span: int = 2


@dataclass(frozen=True)
class Degrees(_Networks):
    """The degrees of a network."""

    variants: tuple[Variant, ...] = (Variant(name="degree", mechanism=DegreeNetwork()),)
    labels: str = "AB"
    for_output: Budget = CLEAR
    span: int = 2


@dataclass(frozen=True)
class Regions(_Networks):
    """DER: five vertices make one level of splits at a large budget; three are arranged without a split."""

    variants: tuple[Variant, ...] = (
        Variant(name="der", mechanism=DenseRegions()),
        Variant(name="der, a coarse grid", mechanism=DenseRegions(grid=2, density=Fraction(3, 4))),
    )
    for_output: Budget = THREE
    span: int = 6


@dataclass(frozen=True)
class RandomGraphs(_Networks):
    """A random graph with a noisy number of edges."""

    variants: tuple[Variant, ...] = (Variant(name="random", mechanism=RandomNetwork()),)


@dataclass(frozen=True)
class NoisyMatrices(_Networks):
    """The adjacency matrix with noise in each cell."""

    variants: tuple[Variant, ...] = (Variant(name="laplace", mechanism=LaplaceNetwork()),)
    span: int = 6


@dataclass(frozen=True)
class TopFilters(_Networks):
    """The largest cells of a noisy matrix."""

    variants: tuple[Variant, ...] = (Variant(name="tmf", mechanism=TopFilter()),)
    for_output: Budget = TWENTY


@dataclass(frozen=True)
class Generators(_Networks):
    """Noisy degrees and affinity blocks."""

    variants: tuple[Variant, ...] = (Variant(name="dgg", mechanism=DegreeGenerator()),)
    for_output: Budget = TWENTY
