"""What a release promises: the definition, its parameters, for whom, and what stands against it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tacita.privacy.budget import Budget, decimal_text
from tacita.privacy.neighbours import Neighbours

__all__ = ["NOT_PRIVATE", "DifferentialPrivacy"]

NOT_PRIVATE = "NOT PRIVATE"


@dataclass(frozen=True, kw_only=True)
class DifferentialPrivacy:
    """Differential privacy for one relation, together with the weaknesses that void or qualify it.

    A void means that no guarantee holds at all (a seeded source, a universe read from the data). It is a field of
    its own, because a promise that can be read without its exception is a false promise.
    """

    budget: Budget
    neighbours: Neighbours
    voids: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the promise stands."""
        return not self.voids

    @property
    def definition(self) -> str:
        """The name of the definition in a manifest."""
        return "approximate-dp" if self.budget.delta else "pure-dp"

    def statement(self) -> str:
        """The promise as one paragraph, rendered from the fields."""
        promise = f"{_definition_words(self.budget)} for {self.neighbours}"
        if self.holds:
            return f"This release satisfies {promise}."
        reasons = "; ".join(self.voids)
        return f"{NOT_PRIVATE}. This release would satisfy {promise}, but does not: {reasons}."

    def as_json(self) -> dict[str, object]:
        """The guarantee as the manifest holds it."""
        return {
            "definition": self.definition,
            "epsilon": decimal_text(self.budget.epsilon),
            "delta": decimal_text(self.budget.delta),
            "neighbours": {"relation": self.neighbours.name, "unit": self.neighbours.unit},
            "holds": self.holds,
            "voids": list(self.voids),
            "statement": self.statement(),
        }


def _definition_words(budget: Budget) -> str:
    epsilon = decimal_text(budget.epsilon)
    if budget.delta == Fraction(0):
        return f"{epsilon}-differential privacy"
    return f"({epsilon}, {decimal_text(budget.delta)})-differential privacy"
