"""How mechanisms for networks are reduced to a size that can be audited."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tacita.audit.cases.networks import NetworkCase
from tacita.audit.subjects.subject import Variant
from tacita.networks import DegreeNetwork, DenseRegions, ShapeNetwork
from tacita.privacy.budget import Budget, PureDP

__all__ = ["Degrees", "NetworkSubject", "Regions", "Shapes"]

SMALL, THREE = PureDP(4), PureDP(3)
CLEAR = PureDP(60)
"""A budget so large that the noise of many numbers can be enumerated; the law has the same form at any budget."""


@dataclass(frozen=True)
class NetworkSubject:
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
class Shapes(NetworkSubject):
    """The shape of a network: two vertices, because every degree and every pair of classes has noise of its own."""

    variants: tuple[Variant, ...] = (Variant(name="shape", mechanism=ShapeNetwork()),)
    labels: str = "AB"
    for_output: Budget = CLEAR
    span: int = 2


@dataclass(frozen=True)
class Degrees(NetworkSubject):
    """The degrees of a network."""

    variants: tuple[Variant, ...] = (Variant(name="degree", mechanism=DegreeNetwork()),)
    labels: str = "AB"
    for_output: Budget = CLEAR
    span: int = 2


@dataclass(frozen=True)
class Regions(NetworkSubject):
    """DER: five vertices make one level of splits at a large budget; three are arranged without a split."""

    variants: tuple[Variant, ...] = (
        Variant(name="der", mechanism=DenseRegions()),
        Variant(name="der, a coarse grid", mechanism=DenseRegions(grid=2, density=Fraction(3, 4))),
    )
    for_output: Budget = THREE
    span: int = 6
