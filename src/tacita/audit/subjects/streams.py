"""How the methods of streams are cut to a size that can be audited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from tacita.audit.cases.streams import StreamCase
from tacita.audit.subjects.subject import Variant
from tacita.privacy.budget import Budget, PureDP
from tacita.streams import Pace, Presence, Republish, Sample, Strategy, Uniform

__all__ = ["CONTEXTS", "StreamSubject", "paces", "republishes", "samples", "uniforms", "varied"]

CONTEXTS = 2


@dataclass(frozen=True)
class StreamSubject:
    """Methods of streams with windows of two contexts, or with a level that has a name."""

    variants: tuple[Variant, ...]
    small: Mapping[str, Any] = field(default_factory=dict)
    """The parameters with which almost every release of the method can be enumerated."""

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> StreamCase:
        """A few people at six timestamps."""
        return StreamCase(name=variant.name, mechanism=variant.mechanism, budget=budget)

    def output_case(self, variant: Variant) -> StreamCase:
        """One person at two timestamps in one of two cells, at an epsilon at which few values are likely; event-level."""
        mechanism = replace(variant.mechanism, contexts="event", **self.small)
        return StreamCase(name=variant.name, mechanism=mechanism, budget=PureDP(6), letters="A", people=("AA",))


def varied(name: str, method: Any, *presences: Presence) -> tuple[Variant, ...]:  # noqa: ANN401 - a class of methods
    """One variant for each presence."""
    return tuple(
        Variant(name=f"{name}, presence {presence}", mechanism=method(contexts=CONTEXTS, presence=presence))
        for presence in presences
    )


def paces() -> StreamSubject:
    """Pace with every presence, and its levels."""
    levels = (Variant(name=f"pace, {level}-level", mechanism=Pace(contexts=level)) for level in ("event", "user"))
    return StreamSubject((*varied("pace", Pace, *Presence), *levels))


def uniforms() -> StreamSubject:
    """UNIFORM."""
    return StreamSubject(varied("uniform", Uniform, *Presence))


def samples() -> StreamSubject:
    """Sample."""
    return StreamSubject(varied("sample", Sample, Presence.PUBLIC, Presence.CHANGED))


def republishes() -> StreamSubject:
    """Adj, MMD and MA, and Adj with private presence, which is BD."""
    strategies = (
        Variant(
            name=f"republish, {strategy}",
            mechanism=Republish(contexts=CONTEXTS, strategy=strategy, past=None if strategy is Strategy.ADJACENT else 3),
        )
        for strategy in Strategy
    )
    return StreamSubject((*strategies, *varied("republish", Republish, Presence.CHANGED)))
