"""What is audited: mechanisms with their parameters, and how each class of them is reduced to a size that can be audited."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from tacita.audit.cases.case import AuditCase
from tacita.errors import ParameterError
from tacita.privacy.budget import Budget

__all__ = ["Subject", "Variant", "crowd_above"]

LARGEST_CROWD = 20_000


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A mechanism as it is audited; with several intervals, on sequences with times.

    DiffPart counts differently over many labels, so it is also replayed with `unused` more labels, which nobody has.
    """

    name: str
    mechanism: Any
    intervals: int = 1
    unused: int = 0


class Subject(Protocol):
    """How the mechanisms of one class are audited; a new class of mechanism needs one of these and nothing else."""

    @property
    def variants(self) -> tuple[Variant, ...]:
        """What is audited if no parameters are given."""
        ...

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A budget in the privacy definition that the mechanism proves."""
        ...

    def replay_case(self, variant: Variant, budget: Budget) -> AuditCase:
        """The mechanism as it is, except for a universe of a few labels, with a crowd large enough to be kept everywhere."""
        ...

    def output_case(self, variant: Variant) -> AuditCase:
        """The mechanism so reduced, and at such a budget, that almost every release can be enumerated."""
        ...


def crowd_above(threshold: int, epsilon: Fraction) -> int:
    """A crowd that noise of this epsilon hardly ever takes below the threshold; refused if it would be too large."""
    crowd = threshold + int(10 / epsilon) + 10
    if crowd > LARGEST_CROWD:
        message = (
            f"an audit needs a crowd that the noise does not drown, here {crowd:,} people, and the limit is {LARGEST_CROWD:,}; "
            "audit with a larger epsilon or fewer levels: the code is the same"
        )
        raise ParameterError(message)
    return crowd
