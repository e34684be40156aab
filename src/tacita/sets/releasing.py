"""What every publisher of baskets does around its own work: check who is a neighbour, charge, and make the release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from tacita.core.account import Account, Charge
from tacita.core.budget import Budget, Plan
from tacita.core.errors import ParameterError
from tacita.core.flood import refuse_flood
from tacita.core.guarantee import DifferentialPrivacy
from tacita.core.ledger import Ledger, OpensAccounts
from tacita.core.neighbours import AddRemoveRecord, Neighbours, require
from tacita.core.ragged import Ragged, repeated
from tacita.core.release import Release, manifest_of, public_inputs, voids_of
from tacita.core.taxonomy import Taxonomy
from tacita.core.time_grid import TimeGrid
from tacita.sets.published import PublishedBaskets
from tacita.sets.records import BasketRecords

__all__ = ["basket_release", "charged", "copies", "refuse_times"]


def copies(itemsets: Ragged, counts: npt.NDArray[np.int64]) -> Ragged:
    """Each set of items as often as its noisy number says, unless no memory would hold that."""
    refuse_flood(float((counts.astype(np.float64) * itemsets.lengths).sum()))
    return repeated(itemsets, counts)


def refuse_times(grid: TimeGrid | None) -> None:
    """Baskets are in no order."""
    if grid is not None:
        message = "baskets have no times, so a time grid has no use here; leave it out"
        raise ParameterError(message)


@contextmanager
def charged(
    records: BasketRecords, mechanism: str, plan: Plan, *, ledger: OpensAccounts | None, neighbours: Neighbours | None
) -> Iterator[Account]:
    """The account of one publication; adding or removing a basket is what every mechanism here proves."""
    if neighbours is not None:
        require(neighbours, proved=(AddRemoveRecord,), mechanism=mechanism)
    charge = Charge(dataset=records.name, mechanism=mechanism, plan=plan, records_per_person=records.records_per_person)
    with (Ledger() if ledger is None else ledger).open(charge) as account:
        yield account


def basket_release(  # noqa: PLR0913 - the parts of a release
    records: BasketRecords,
    baskets: Ragged,
    account: Account,
    *,
    budget: Budget,
    parameters: Mapping[str, object],
    rules: tuple[str, ...],
    taxonomy: Taxonomy | None = None,
) -> Release[PublishedBaskets]:
    """Synthetic baskets with what their receiver may know; to be made while the account is open."""
    universe = records.universe
    data = PublishedBaskets(baskets=baskets, universe=universe, file_format=records.file_format, columns=records.columns)
    relation = AddRemoveRecord(unit=records.unit)  # the unit is what the mechanism proves, whoever asks
    guarantee = DifferentialPrivacy(budget=budget, neighbours=relation, voids=voids_of(universe, account))
    manifest = manifest_of(
        kind="sets",
        mechanism=account.charge.mechanism,
        parameters=parameters,
        guarantee=guarantee,
        account=account,
        public_inputs=public_inputs(universe, taxonomy=taxonomy),
        rules=(*records.rules, *rules),
    )
    return Release(data=data, guarantee=guarantee, manifest=manifest)
