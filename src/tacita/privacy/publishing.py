"""What every publisher does around its own work, whatever the kind of data: check who is a neighbour, and charge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from tacita.privacy.account import Account, Charge
from tacita.privacy.budget import Budget, Plan
from tacita.privacy.guarantee import DifferentialPrivacy
from tacita.privacy.ledger import Ledger, OpensAccounts
from tacita.privacy.neighbours import AddRemoveRecord, Neighbours, require
from tacita.privacy.release import voids_of
from tacita.public.universe import Universe

__all__ = ["PrivateRecords", "charged", "guarantee_of"]


class PrivateRecords(Protocol):
    """What is public about private records."""

    @property
    def name(self) -> str:
        """How a ledger knows the data set."""
        ...

    @property
    def universe(self) -> Universe:
        """The public labels."""
        ...

    @property
    def unit(self) -> str:
        """What one protected record is."""
        ...

    @property
    def records_per_person(self) -> int:
        """How many records one person has at most."""
        ...


@contextmanager
def charged(
    records: PrivateRecords, mechanism: str, plan: Plan, *, ledger: OpensAccounts | None, neighbours: Neighbours | None
) -> Iterator[Account]:
    """The account of one publication; adding or removing a record is what every mechanism so far proves."""
    if neighbours is not None:
        require(neighbours, proved=(AddRemoveRecord,), mechanism=mechanism)
    charge = Charge(dataset=records.name, mechanism=mechanism, plan=plan, records_per_person=records.records_per_person)
    with (Ledger() if ledger is None else ledger).open(charge) as account:
        yield account


def guarantee_of(records: PrivateRecords, account: Account, *, budget: Budget) -> DifferentialPrivacy:
    """What a release of these records promises; the unit is what the mechanism proves, whoever asks."""
    relation = AddRemoveRecord(unit=records.unit)
    return DifferentialPrivacy(budget=budget, neighbours=relation, voids=voids_of(records.universe, account))
