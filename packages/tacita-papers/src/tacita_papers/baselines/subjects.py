"""How the baselines are reduced to a size that can be audited."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from tacita.auditing.cases.case import Variant, crowd_above
from tacita.auditing.cases.networks import NetworkSubject
from tacita.auditing.cases.sequences import FEW, SequenceCase
from tacita.auditing.cases.streams import CONTEXTS, StreamSubject, varied
from tacita.privacy.budget import Budget, PureDP
from tacita.streams import Presence
from tacita_papers.baselines.frequent_strings import FrequentStrings
from tacita_papers.baselines.networks import DegreeGenerator, LaplaceNetwork, RandomNetwork, TopFilter
from tacita_papers.baselines.privgraph import PrivGraph
from tacita_papers.baselines.streams import BinaryTree, BudgetAbsorption

__all__ = ["Generators", "NoisyMatrices", "PrivGraphs", "RandomGraphs", "Strings", "TopFilters", "absorptions", "trees"]

TWENTY = PureDP(20)


@dataclass(frozen=True)
class Strings:
    """Frequent strings."""

    variants: tuple[Variant, ...] = (Variant(name="ffs", mechanism=FrequentStrings(length=2)),)

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> SequenceCase:
        """The mechanism as it is on a few labels, with a crowd large enough to be kept for every symbol."""
        mechanism: FrequentStrings = variant.mechanism
        case = SequenceCase(name=variant.name, mechanism=mechanism, budget=budget, labels=FEW, depth=mechanism.length)
        schedules = mechanism.schedules(budget, case.records(()).public)
        asked = [question for schedule in schedules for question in schedule.questions(1)]
        return replace(case, crowd=max(crowd_above(question.threshold, question.epsilon) for question in asked))

    def output_case(self, variant: Variant) -> SequenceCase:
        """Strings of one symbol of two: so few that almost every release can be enumerated."""
        return SequenceCase(
            name=variant.name,
            mechanism=replace(variant.mechanism, length=1),
            budget=PureDP(Fraction(3, 2)),
            labels="AB",
            longest=2,
        )


@dataclass(frozen=True)
class RandomGraphs(NetworkSubject):
    """A random graph with a noisy number of edges."""

    variants: tuple[Variant, ...] = (Variant(name="random", mechanism=RandomNetwork()),)


@dataclass(frozen=True)
class NoisyMatrices(NetworkSubject):
    """The adjacency matrix with noise in each cell."""

    variants: tuple[Variant, ...] = (Variant(name="laplace", mechanism=LaplaceNetwork()),)
    span: int = 6


@dataclass(frozen=True)
class TopFilters(NetworkSubject):
    """The largest cells of a noisy matrix."""

    variants: tuple[Variant, ...] = (Variant(name="tmf", mechanism=TopFilter()),)
    for_output: Budget = TWENTY


@dataclass(frozen=True)
class PrivGraphs(NetworkSubject):
    """Noisy communities, and numbers inside and between them."""

    variants: tuple[Variant, ...] = (
        Variant(name="privgraph", mechanism=PrivGraph()),
        Variant(name="privgraph, two correlated edges", mechanism=PrivGraph(correlated_edges=2)),
    )
    labels: str = "AB"
    for_output: Budget = TWENTY


@dataclass(frozen=True)
class Generators(NetworkSubject):
    """Noisy degrees and affinity blocks."""

    variants: tuple[Variant, ...] = (Variant(name="dgg", mechanism=DegreeGenerator()),)
    for_output: Budget = TWENTY


def absorptions() -> StreamSubject:
    """BA."""
    return StreamSubject(varied("absorption", BudgetAbsorption, Presence.CHANGED, Presence.ADDED))


def trees() -> StreamSubject:
    """The binary tree."""
    return StreamSubject(
        tuple(
            Variant(name=f"tree, presence {presence}", mechanism=BinaryTree(contexts=CONTEXTS, presence=presence, span=4))
            for presence in Presence
        ),
        small={"span": 2},
    )
