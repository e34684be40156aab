"""Synthetic baskets as a release, with what their receiver may know."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import Ragged, repeated
from tacita.errors import ParameterError
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget
from tacita.privacy.flood import refuse_flood
from tacita.privacy.publishing import guarantee_of
from tacita.privacy.release import Release, manifest_of, public_inputs
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.sets.published import PublishedBaskets
from tacita.sets.records import BasketRecords

__all__ = ["basket_release", "copies", "refuse_times"]


def copies(itemsets: Ragged, counts: npt.NDArray[np.int64]) -> Ragged:
    """Each set of items as often as its noisy number says, unless no memory would hold that."""
    refuse_flood(float((counts.astype(np.float64) * itemsets.lengths).sum()))
    return repeated(itemsets, counts)


def refuse_times(grid: TimeGrid | None) -> None:
    """Baskets are in no order."""
    if grid is not None:
        message = "baskets have no times, so a time grid has no use here; leave it out"
        raise ParameterError(message)


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
    guarantee = guarantee_of(records, account, budget=budget)
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
