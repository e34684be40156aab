"""What every mechanism is: public parameters with three verbs.

The command line and whoever else takes any mechanism ask for this, and for no class of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any, Protocol, runtime_checkable

from tacita.privacy.budget import Budget, Plan
from tacita.privacy.explanation import Explanation
from tacita.privacy.ledger import OpensAccounts
from tacita.privacy.neighbours import Neighbours
from tacita.privacy.release import Payload, Release
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["Mechanism", "Published"]


class Published(Payload, Sized, Protocol):
    """Released data that can write itself and has a number of records, which is noisy or synthetic and may be told."""


@runtime_checkable
class Mechanism(Protocol):
    """A frozen dataclass of public parameters that can say what it would do, and do it."""

    def plan(self, budget: Budget, *, universe: Universe | None = None, grid: TimeGrid | None = None) -> Plan:
        """Where the budget goes; refuses a budget that the mechanism cannot use.

        Where the plan depends on the labels, or on the intervals of times, they must be given.
        """
        ...

    def explain(self, budget: Budget, *, universe: Universe | None = None, grid: TimeGrid | None = None) -> Explanation:
        """The plan with the public facts around it. Spends nothing."""
        ...

    def publish(
        self,
        records: Any,  # noqa: ANN401 - each kind has records of its own
        *,
        budget: Budget,
        ledger: OpensAccounts | None = None,
        neighbours: Neighbours | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Release[Published]:
        """Publish the records, spending the whole budget."""
        ...
