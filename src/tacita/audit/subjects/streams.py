"""How the methods of streams are cut to a size that can be audited."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tacita.audit.cases.streams import StreamCase
from tacita.audit.subjects.subject import Variant
from tacita.privacy.budget import Budget, PureDP
from tacita.streams import BinaryTree, BudgetAbsorption, Pace, Presence, Republish, Sample, Strategy, Uniform

__all__ = ["absorptions", "paces", "republishes", "samples", "trees", "uniforms"]

CONTEXTS = 2


@dataclass(frozen=True)
class StreamSubject:
    """Methods of streams with windows of two contexts, or with a level that has a name."""

    variants: tuple[Variant, ...]

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> StreamCase:
        """A few people at six timestamps."""
        return StreamCase(name=variant.name, mechanism=variant.mechanism, budget=budget)

    def output_case(self, variant: Variant) -> StreamCase:
        """One person at two timestamps in one of two cells, at an epsilon at which few values are likely; event-level."""
        small: dict[str, Any] = {"span": 2} if isinstance(variant.mechanism, BinaryTree) else {}
        mechanism = replace(variant.mechanism, contexts="event", **small)
        return StreamCase(name=variant.name, mechanism=mechanism, budget=PureDP(6), letters="A", people=("AA",))


def _varied(name: str, method: Any, *presences: Presence) -> tuple[Variant, ...]:  # noqa: ANN401 - a class of methods
    return tuple(
        Variant(name=f"{name}, presence {presence}", mechanism=method(contexts=CONTEXTS, presence=presence))
        for presence in presences
    )


def paces() -> StreamSubject:
    """Pace with every presence, and its levels."""
    levels = (Variant(name=f"pace, {level}-level", mechanism=Pace(contexts=level)) for level in ("event", "user"))
    return StreamSubject((*_varied("pace", Pace, *Presence), *levels))


def uniforms() -> StreamSubject:
    """UNIFORM."""
    return StreamSubject(_varied("uniform", Uniform, *Presence))


def samples() -> StreamSubject:
    """Sample."""
    return StreamSubject(_varied("sample", Sample, Presence.PUBLIC, Presence.CHANGED))


def republishes() -> StreamSubject:
    """Adj, MMD and MA, and Adj with private presence, which is BD."""
    strategies = (
        Variant(
            name=f"republish, {strategy}",
            mechanism=Republish(contexts=CONTEXTS, strategy=strategy, past=None if strategy is Strategy.ADJACENT else 3),
        )
        for strategy in Strategy
    )
    return StreamSubject((*strategies, *_varied("republish", Republish, Presence.CHANGED)))


def absorptions() -> StreamSubject:
    """BA."""
    return StreamSubject(_varied("absorption", BudgetAbsorption, Presence.CHANGED, Presence.ADDED))


def trees() -> StreamSubject:
    """The binary tree."""
    return StreamSubject(
        tuple(
            Variant(name=f"tree, presence {presence}", mechanism=BinaryTree(contexts=CONTEXTS, presence=presence, span=4))
            for presence in Presence
        )
    )
