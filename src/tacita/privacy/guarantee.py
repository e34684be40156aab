"""What a release promises: the interface of a guarantee, and differential privacy as one that spends a budget.

A guarantee says in one sentence what holds, for whom, and on what evidence. The evidence is *spent*, an account whose draws add
up to the plan, or *verified*, an independent check of the finished release that passed before anything was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from tacita.privacy.budget import Budget, decimal_text
from tacita.privacy.neighbours import Neighbours

__all__ = ["NOT_PRIVATE", "OWNER_ONLY", "DifferentialPrivacy", "Evidence", "Guarantee", "Spent", "Verified", "VerifiedBound"]

NOT_PRIVATE = "NOT PRIVATE"

OWNER_ONLY = "for the owner's eyes only: these figures are computed from raw data, without noise"
"""What every figure is shown with that has no guarantee at all."""


@dataclass(frozen=True, kw_only=True)
class Spent:
    """The evidence is an account: the plan was charged, and every draw under it is in the manifest."""

    def as_json(self) -> dict[str, object]:
        """The evidence as a manifest holds it."""
        return {"kind": "spent"}


@dataclass(frozen=True, kw_only=True)
class Verified:
    """The evidence is a check of the finished release by code that shares nothing with what made it.

    `check` says what was checked, `by` names the code.
    """

    check: str
    by: str

    def as_json(self) -> dict[str, object]:
        """The evidence as a manifest holds it."""
        return {"kind": "verified", "check": self.check, "by": self.by}


Evidence = Spent | Verified


class Guarantee(Protocol):
    """What holds for a release, in one sentence and as JSON, and why it may be believed."""

    @property
    def definition(self) -> str:
        """The name of the definition in a manifest, such as pure-dp."""
        ...

    @property
    def voids(self) -> tuple[str, ...]:
        """The reasons why no guarantee holds at all, if any; a promise must never be shown without its exceptions."""
        ...

    @property
    def holds(self) -> bool:
        """Whether the promise stands."""
        ...

    @property
    def evidence(self) -> Evidence:
        """Why it may be believed."""
        ...

    def statement(self) -> str:
        """The promise in plain words, rendered from the fields."""
        ...

    def as_json(self) -> dict[str, object]:
        """The guarantee as the manifest holds it, with `definition`, `holds`, `voids`, `evidence` and `statement`."""
        ...


@dataclass(frozen=True, kw_only=True)
class VerifiedBound:
    """A guarantee whose parameters are plain numbers or words, and which an independent check has passed."""

    definition: str
    sentence: str
    parameters: Mapping[str, object]
    evidence: Verified
    voids: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the promise stands."""
        return not self.voids

    def statement(self) -> str:
        """The promise in plain words."""
        return self.sentence if self.holds else f"{NOT_PRIVATE}. {self.sentence} But this does not hold: {'; '.join(self.voids)}."

    def as_json(self) -> dict[str, object]:
        """The guarantee as the manifest holds it."""
        return {
            "definition": self.definition,
            **self.parameters,
            "holds": self.holds,
            "voids": list(self.voids),
            "evidence": self.evidence.as_json(),
            "statement": self.statement(),
        }


@dataclass(frozen=True, kw_only=True)
class DifferentialPrivacy:
    """Differential privacy for one relation, together with the weaknesses that void it.

    A void means that no guarantee holds at all (a seeded source, a universe read from the data).
    """

    budget: Budget
    neighbours: Neighbours
    voids: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the promise stands."""
        return not self.voids

    @property
    def evidence(self) -> Evidence:
        """The account."""
        return Spent()

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
        relation: Mapping[str, object] = self.neighbours.as_json()
        return {
            "definition": self.definition,
            "epsilon": decimal_text(self.budget.epsilon),
            "delta": decimal_text(self.budget.delta),
            "neighbours": dict(relation),
            "holds": self.holds,
            "voids": list(self.voids),
            "evidence": self.evidence.as_json(),
            "statement": self.statement(),
        }


def _definition_words(budget: Budget) -> str:
    epsilon = decimal_text(budget.epsilon)
    if budget.delta == Fraction(0):
        return f"{epsilon}-differential privacy"
    return f"({epsilon}, {decimal_text(budget.delta)})-differential privacy"
