"""The interface of every method: public parameters with two or three verbs.

The command line, and any other code that accepts every method, relies on these protocols only. A *private* method spends a
budget; a *verified* one has its bound among its parameters and publishes only what has passed an independent check.
"""

from __future__ import annotations

from collections.abc import Sized
from typing import Any, Protocol, runtime_checkable

from tacita.privacy.budget import Budget, Plan
from tacita.privacy.explanation import Explanation
from tacita.privacy.ledger import OpensAccounts
from tacita.privacy.neighbours import Neighbours
from tacita.privacy.publishing import Progress
from tacita.privacy.release import Payload, Release
from tacita.public.inputs import UNKNOWN, PublicInputs

__all__ = ["Mechanism", "Published", "VerifiedMethod"]


class Published(Payload, Sized, Protocol):
    """Released data that can write itself and has a number of records, which is noisy or synthetic and so may be shown."""


@runtime_checkable
class Mechanism(Protocol):
    """A frozen dataclass of public parameters that can say where a budget would go, and spend it."""

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes; refuses a budget or public inputs that the mechanism cannot use.

        Where the plan depends on the public inputs, they must be given.
        """
        ...

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """The plan with the public facts around it. Spends nothing."""
        ...

    def publish(
        self,
        records: Any,  # noqa: ANN401 - each kind has records of its own
        *,
        budget: Budget,
        ledger: OpensAccounts | None = None,
        neighbours: Neighbours | None = None,
        progress: Progress | None = None,
    ) -> Release[Published]:
        """Publish the records, spending the whole budget."""
        ...


@runtime_checkable
class VerifiedMethod(Protocol):
    """A frozen dataclass of public parameters, its bound among them, whose releases have passed an independent check."""

    def explain(self, public: PublicInputs = UNKNOWN) -> Explanation:
        """What will be guaranteed and what not, and the public facts around it."""
        ...

    def publish(
        self,
        records: Any,  # noqa: ANN401 - each kind has records of its own
        *,
        progress: Progress | None = None,
    ) -> Release[Published]:
        """Publish the records, or refuse if the check does not pass."""
        ...
