"""A small real mechanism for sets, kept with the tests: noisy counts of single items, published as baskets of one item each.

It exercises what the command line and the files do with any mechanism for sets, in both definitions of privacy.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.methods import Kind, Method
from tacita.privacy.account import Charge
from tacita.privacy.budget import Step
from tacita.privacy.explanation import Explanation
from tacita.privacy.guarantee import DifferentialPrivacy
from tacita.privacy.ledger import Ledger
from tacita.privacy.neighbours import AddRemoveRecord, require
from tacita.privacy.questions import noisy_cells
from tacita.privacy.release import Release, manifest_of
from tacita.sets import BasketRecords, PublishedBaskets

PURE = Method(name="item-counts", kind=Kind.SETS, module="item_counts", class_name="ItemCounts")
APPROXIMATE = Method(name="item-deltas", kind=Kind.SETS, module="item_counts", class_name="ItemCounts", takes_delta=True)
"""Pure privacy satisfies the weaker definition with any delta, so one class serves both."""


@dataclass(frozen=True, kw_only=True)
class ItemCounts:
    """Count each item of the first `max_items` of a basket."""

    max_items: int = 3
    threshold: int = 20

    def plan(self, budget, *, universe=None):  # noqa: ARG002 - as every mechanism takes it
        """One step; it knows of no grid, as no mechanism for sets does."""
        return Step(name="items", epsilon=budget.epsilon, delta=budget.delta)

    def explain(self, budget, *, universe=None):  # noqa: ARG002
        """The plan alone."""
        return Explanation(title=f"item counts, {budget}", plan=self.plan(budget), facts=(f"cut after {self.max_items} items",))

    def publish(self, records: BasketRecords, *, budget, ledger=None, neighbours=None, progress=None):
        """Publish as many baskets of each item as its noisy count says."""
        if neighbours is not None:
            require(neighbours, proved=(AddRemoveRecord,), mechanism="item-counts")
        plan, universe = self.plan(budget), records.universe
        charge = Charge(dataset=records.name, mechanism="item-counts", plan=plan, records_per_person=records.records_per_person)
        with (Ledger() if ledger is None else ledger).open(charge) as account:
            baskets = records.baskets
            places = np.arange(baskets.codes.size) - np.repeat(baskets.offsets[:-1], baskets.lengths)
            counts = np.bincount(baskets.codes[places < self.max_items], minlength=len(universe))
            keys = np.flatnonzero(counts)
            kept = noisy_cells(
                account,
                "items",
                keys=keys.astype(np.int64),
                counts=counts[keys].astype(np.int64),
                domain=len(universe),
                threshold=self.threshold,
                sensitivity=self.max_items,
            )
            if progress is not None:
                progress(1, 1)
            codes = np.repeat(kept.keys, kept.values).astype(np.int32)
            voids = () if universe.is_public else ("its universe was read from the data",)
            relation = AddRemoveRecord(unit=records.unit)
            guarantee = DifferentialPrivacy(budget=budget, neighbours=relation, voids=voids)
            manifest = manifest_of(
                kind="sets",
                mechanism="item-counts",
                parameters=asdict(self),
                guarantee=guarantee,
                account=account,
                public_inputs={"universe": {"size": len(universe), "sha256": universe.digest(), "origin": universe.origin}},
                rules=records.rules,
            )
            data = PublishedBaskets(
                baskets=Ragged(codes, np.arange(codes.size + 1)),
                universe=universe,
                file_format=records.file_format,
                columns=records.columns,
            )
            return Release(data=data, guarantee=guarantee, manifest=manifest)
