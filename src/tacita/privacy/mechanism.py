"""What every method is: public parameters with two or three verbs.

The command line and whoever else takes any method ask for this, and for no class of their own. A *private* method spends a
budget; a *verified* one has its bound among its parameters and publishes only what an independent check has passed.
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
    """Released data that can write itself and has a number of records, which is noisy or synthetic and may be told."""


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
    """A frozen dataclass of public parameters, its bound among them, whose releases an independent check has passed."""

    def explain(self, public: PublicInputs = UNKNOWN) -> Explanation:
        """What will be guaranteed and what not, and the public facts around it."""
        ...

    def publish(
        self,
        records: Any,  # noqa: ANN401 - each kind has records of its own
        *,
        progress: Progress | None = None,
    ) -> Release[Published]:
        """Publish the records, or refuse to if the check does not pass."""
        ...
