"""A small real mechanism for sets, kept with the tests: noisy counts of single items, published as baskets of one item each.

It exercises what the command line and the files do with any mechanism for sets, in both definitions of privacy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.kinds import Method, Option, Promise
from tacita.privacy.budget import Explanation, Step
from tacita.privacy.publishing import charged, parameters_of, private_release
from tacita.privacy.questions import noisy_cells
from tacita.public.inputs import UNKNOWN
from tacita.sets import BasketRecords

OPTIONS = (
    Option(field_name="max_items", convert=int, metavar="N", help="count the first N items of a basket (3)"),
    Option(field_name="least_count", convert=int, metavar="N", help="keep noisy counts of at least N (20)"),
)
PURE = Method(name="item-counts", kind="sets", loads="item_counts:ItemCounts", options=OPTIONS)
APPROXIMATE = Method(
    name="item-deltas", kind="sets", loads="item_counts:ItemCounts", promise=Promise.APPROXIMATE, options=OPTIONS
)
"""Pure privacy satisfies the weaker definition with any delta, so one class serves both."""


@dataclass(frozen=True, kw_only=True)
class ItemCounts:
    """Count each item of the first `max_items` of a basket."""

    max_items: int = 3
    least_count: int = 20

    def plan(self, budget, public=UNKNOWN):  # noqa: ARG002 - as every mechanism takes it
        """One step."""
        return Step(name="items", epsilon=budget.epsilon, delta=budget.delta)

    def explain(self, budget, public=UNKNOWN):
        """The plan alone."""
        plan = self.plan(budget, public)
        return Explanation(title=f"item counts, {budget}", plan=plan, facts=(f"cut after {self.max_items} items",))

    def publish(self, records: BasketRecords, *, budget, ledger=None, neighbours=None, progress=None):
        """Publish as many baskets of each item as its noisy count says."""
        plan, universe = self.plan(budget), records.universe
        with charged(records, "item-counts", plan, ledger=ledger, neighbours=neighbours) as account:
            counter = records.counts().itemsets(items=len(universe))
            most = self.max_items
            keys, counts = counter.cut(most=most).shares(least=0, most=None, shared_from=most, whole=most)
            kept = noisy_cells(
                account,
                "items",
                keys=keys,
                counts=counts,
                domain=len(universe),
                threshold=self.least_count,
                sensitivity=self.max_items,
            )
            if progress is not None:
                progress(1, 1)
            codes = np.repeat(kept.keys, kept.values).astype(np.int32)
            data = records.published(Ragged(codes, np.arange(codes.size + 1)))
            return private_release(records, data, account, budget=budget, parameters=parameters_of(self), rules=())
