"""How the private publisher of tables is reduced to a size that can be audited."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from tacita.audit.cases.tables import TableCase
from tacita.audit.subjects.subject import Variant, crowd_above
from tacita.privacy.budget import Budget, PureDP
from tacita.tables import SplitScore, TopDown
from tacita.tables.top_down import cell_threshold

__all__ = ["TopDowns"]

CUTS = 3
"""The number of cuts that are replayed: selections at several depths of both columns."""


@dataclass(frozen=True)
class TopDowns:
    """Top-down partitioning."""

    variants: tuple[Variant, ...] = tuple(
        Variant(name=f"top-down, {score}", mechanism=TopDown(splits=CUTS, share=Fraction(1, 2), score=score))
        for score in SplitScore
    )

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A pure one."""
        return PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> TableCase:
        """On all rows of a small table, with few cuts; the code is the same for many."""
        mechanism = replace(variant.mechanism, splits=min(CUTS, variant.mechanism.splits))
        case = TableCase(name=variant.name, mechanism=mechanism, budget=budget, values="pqr")
        for_cells = budget.epsilon * (1 - mechanism.share)
        return replace(case, crowd=crowd_above(cell_threshold(len(case.domain), for_cells), for_cells))

    def output_case(self, variant: Variant) -> TableCase:
        """One cut of one of two columns with two values each, and two sensitive values: four cells."""
        mechanism = replace(variant.mechanism, splits=1)
        return TableCase(name=variant.name, mechanism=mechanism, budget=PureDP(4), letters="AB", digits=2, values="pq")
