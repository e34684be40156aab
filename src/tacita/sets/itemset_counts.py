"""Baskets from noisy counts of their items and itemsets, size by size.

Not in the thesis. DiffPart and the flat histogram count whole baskets, most of which are too rare to be kept. Here, baskets of
each size are asked for itemsets of the largest order that their number allows: whole baskets if they are frequent, pairs or
triples if they are not. A basket has one size, so every size has the whole budget; and nothing has a threshold. Over a large
universe, only a core of frequent items is counted together, and all other items one by one. A maximum-entropy model then builds
baskets from these counts.

The ideas are those of Barak et al., PODS 2007 (low-order counts, made consistent), Li, Qardaji, Su and Cao, PrivBasis, VLDB 2012
(count together what is frequent alone) and McKenna, Sheldon and Miklau, ICML 2019 (a graphical model of noisy counts); strata by
size and the choice of orders are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.counting import ItemCounts
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Parallel, Plan, Sequential, Step
from tacita.privacy.explanation import Explanation
from tacita.privacy.ledger import OpensAccounts
from tacita.privacy.neighbours import Neighbours
from tacita.privacy.noise import require_rate
from tacita.privacy.publishing import charged, parameters_of, private_release, require_pure
from tacita.privacy.release import Release
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import whole_number
from tacita.sets.itemset_questions import Progress, SizeEstimate, ask_core_sizes, ask_items, ask_sizes, ask_strata
from tacita.sets.itemset_schedule import CORE_CELLS, FOR_CORE, FOR_SIZES, LARGEST_SENSITIVITY, core_size
from tacita.sets.published import PublishedBaskets
from tacita.sets.records import CountedBaskets, refuse_times
from tacita.sets.synthesis import NoisySizes, baskets_of_rows, likely_counts, strata_baskets, with_tails

__all__ = ["ItemsetCounts"]

LARGEST_CORE = 512
"""All pairs of core items must fit the cells of one question."""

SANITY_BOUND = 0.001
"""Relative errors of rare items are measured against at least this share of the baskets, as in the thesis."""

STANDS_OUT = 2.0
"""An item is in the core only if its noisy count is at least this many standard deviations of its noise."""


@dataclass(frozen=True, kw_only=True)
class ItemsetCounts:
    """Publish baskets by fitting a model to noisy counts of itemsets, of the largest order that each basket size allows.

    Needs: baskets over a public universe; `max_core`, the most items that are counted together, fixed without looking at the
    data.
    Guarantees: epsilon-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing one basket, however large; `records.unit` says whose it is.
    Budget: 1/25 for the sizes of baskets, which decide what is asked next. If all items are counted together, the rest for
    itemsets; otherwise 9/25 for single items, 1/20 for the numbers of frequent and other items in a basket, and the rest for
    itemsets of frequent items. Sequential over these, parallel over basket sizes, because a basket has only one. A basket of size
    s changes C(s, k) counts of itemsets of k items, and the scale of the noise is multiplied accordingly.
    Not covered: how long a run takes and how much memory it needs; several baskets of one person, who is then protected at that
    many times epsilon, as the guarantee says and the ledger charges. Rare items are independent of all others in the release.
    Reference: none for the whole; after Barak et al. 2007, Li et al. 2012 and McKenna et al. 2019, as described above.

    >>> from tacita.privacy.budget import PureDP
    >>> print(ItemsetCounts().explain(PureDP("1")))
    itemset counts, epsilon = 1
    itemset counts: epsilon 1, the sum of
    ├─ sizes: epsilon 0.04 (numbers of baskets by size, disjoint)
    └─ by size: epsilon 0.96, the largest of
       └─ itemsets: epsilon 0.96 (the questions for baskets of each size, which depend on their noisy numbers)
    """

    max_core: int = 256

    def __post_init__(self) -> None:
        """Check the public parameter."""
        whole_number(self.max_core, name="max_core", least=2, most=LARGEST_CORE)

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes: a small share for sizes, the rest for questions that depend on them."""
        require_pure(budget, method="itemset counts prove")
        refuse_times(public.grid)
        require_rate(budget.epsilon * FOR_SIZES / LARGEST_SENSITIVITY)
        for_sizes = budget.epsilon * FOR_SIZES
        rest = Step(
            name="itemsets",
            epsilon=budget.epsilon - for_sizes,
            note="the questions for baskets of each size, which depend on their noisy numbers",
        )
        return Sequential(
            name="itemset counts",
            parts=(
                Step(name="sizes", epsilon=for_sizes, note="numbers of baskets by size, disjoint"),
                Parallel(name="by size", parts=(rest,)),
            ),
        )

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Explain where the budget goes and, given the universe, how many baskets the method needs. Spends nothing."""
        plan, universe = self.plan(budget, public), public.universe
        facts: list[str] = []
        if universe is not None:
            items, epsilon = len(universe), float(budget.epsilon)
            facts.append(f"the universe has {items:,} labels, from {universe.labels[0]!r} to {universe.labels[-1]!r}")
            together = CORE_CELLS * items * (items - 1) / 2 / epsilon
            if items <= self.max_core:
                facts.append(f"all items are counted together if there are about {together:,.0f} baskets or more")
            core = min(items, self.max_core, 20)
            some = CORE_CELLS * core * (core - 1) / 2 / epsilon
            if core < items:
                facts.append(
                    f"pairs of the {core} most frequent items are counted if there are about {some:,.0f} baskets or more"
                )
            facts.append(_advice(items, together=together, some=some))
        return Explanation(title=f"itemset counts, {budget}", plan=plan, facts=tuple(facts))

    def publish(
        self,
        records: CountedBaskets,
        *,
        budget: Budget,
        ledger: OpensAccounts | None = None,
        neighbours: Neighbours | None = None,
        progress: Progress | None = None,
    ) -> Release[PublishedBaskets]:
        """Publish the records, spending the whole budget; `progress` is called after each size."""
        universe = records.universe
        plan = self.plan(budget, records.public)
        with charged(records, "itemset-counts", plan, ledger=ledger, neighbours=neighbours) as account:
            counter = records.counts().itemsets(items=len(universe))
            return private_release(
                records,
                records.published(self._baskets(counter, account, budget, items=len(universe), progress=progress)),
                account,
                budget=budget,
                parameters=parameters_of(self),
                rules=(
                    "baskets are put together by a model of noisy counts of itemsets; rare items are independent of all others",
                    "baskets too large for a count were cut for it, by an order of items that depends on that basket alone",
                ),
            )

    def _baskets(self, counter: ItemCounts, account: Account, budget: Budget, *, items: int, progress: Progress | None) -> Ragged:
        epsilon = budget.epsilon
        sizes = ask_sizes(counter, account, items=items, epsilon=epsilon)
        core = core_size(items, baskets=sizes.baskets, epsilon=epsilon, most=self.max_core)
        if core < items:
            return _with_core(counter, account, sizes, core=core, items=items, epsilon=epsilon, progress=progress)
        known = SizeEstimate(by_size=sizes.by_size(), variances=sizes.variances())
        for_itemsets = epsilon - epsilon * FOR_SIZES
        strata = ask_strata(counter, account, "itemsets", known, items=items, epsilon=for_itemsets, progress=progress)
        return baskets_of_rows(strata_baskets(strata))


def _with_core(  # noqa: PLR0913 - what is counted, where it is asked, and what is known of it
    counter: ItemCounts,
    account: Account,
    sizes: NoisySizes,
    *,
    core: int,
    items: int,
    epsilon: Fraction,
    progress: Progress | None,
) -> Ragged:
    """Baskets over a universe too large to count all items together."""
    noisy = ask_items(counter, account, sizes, items=items, epsilon=epsilon)
    standing_out = int((noisy.numbers >= STANDS_OUT * noisy.deviation).sum())
    by_number = np.argsort(-noisy.numbers, kind="stable")  # ties in the order of the universe
    frequent = np.sort(by_number[: min(core, max(2, standing_out))])
    rare = np.setdiff1d(np.arange(items), frequent)
    inside, _ = counter.onto(frequent)
    core_sizes = ask_core_sizes(counter, account, core=frequent, epsilon=epsilon)
    strata = ask_strata(
        inside, account, "core", core_sizes.known, items=frequent.size, epsilon=epsilon * FOR_CORE, progress=progress
    )
    rows = [np.zeros((core_sizes.without_core, 0), dtype=np.int64), *(frequent[part] for part in strata_baskets(strata))]
    counts = likely_counts(noisy.numbers[rare], deviation=noisy.deviation, sanity_bound=SANITY_BOUND * max(sizes.baskets, 1.0))
    return with_tails(rows, core_sizes.tails(strata=len(strata)), rare, counts)


def _advice(items: int, *, together: float, some: float) -> str:
    """Which method for baskets to use, judging by public facts and measurements."""
    enough = together if items <= 20 else some
    return (
        f"with about {enough:,.0f} baskets or more, use this method: on every collection measured, it answered counting "
        "queries with less error than diffpart and histogram; with far fewer, none of them shows much beyond single items"
    )
