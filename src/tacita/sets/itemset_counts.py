"""Baskets from noisy counts of their items and itemsets, size by size.

Not in the thesis. DiffPart and the flat histogram count whole baskets, most of which are too rare to be kept. Here, baskets of
each size are asked for itemsets of the largest order that their number allows: whole baskets if they are frequent, pairs or
triples if they are not. A basket has one size, so every size has the whole budget; and nothing has a threshold. Over a large
universe, only a core of frequent items is counted together, and all other items one by one; where pairs would drown in their
noise, there is no core, and single items get its budget. A maximum-entropy model then builds baskets from these counts. Baskets
that are rows of a table, with one item of each column, are better declared and published as one.

The ideas are those of Barak et al., PODS 2007 (low-order counts, made consistent), Li, Qardaji, Su and Cao, PrivBasis, VLDB 2012
(count together what is frequent alone) and McKenna, Sheldon and Miklau, ICML 2019 (a graphical model of noisy counts); strata by
size and the choice of orders are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import ClassVar

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.parts import part_of_each
from tacita.arrays.scatter import Stream, evenly_rounded
from tacita.counting import ItemCounts
from tacita.errors import BudgetError
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Parallel, Plan, PureDP, Sequential
from tacita.privacy.funds import Funds, pays_from
from tacita.privacy.laws import Change
from tacita.privacy.limits import refuse_flood
from tacita.privacy.publishing import Made, PrivateMethod
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import instance_of, whole_number
from tacita.sets.itemset_questions import (
    Progress,
    SizeEstimate,
    ask_core_sizes,
    ask_fine_sizes,
    ask_items,
    ask_sizes,
    ask_sizes_again,
    ask_strata,
)
from tacita.sets.itemset_schedule import (
    FOR_FEW,
    FOR_SIZES,
    SMALLEST_CORE,
    TOGETHER_CELLS,
    WHOLE,
    Shares,
    are_together,
    fewest_baskets,
    fewest_for_a_core,
    pairs_in,
    plan_of_core,
    plan_of_items,
    shares_of,
)
from tacita.sets.published import MadeBaskets, PublishedBaskets
from tacita.sets.records import CountedBaskets, refuse_times
from tacita.sets.synthesis import (
    CoreSizes,
    CountedRows,
    NoisySizes,
    NoisyWeights,
    baskets_of_rows,
    filled_in_parts,
    numbers_by_size,
    strata_baskets,
)

__all__ = ["ItemsetCounts"]

LARGEST_CORE = 512
"""All pairs of core items must fit the cells of one question."""

STANDS_OUT = 2.0
"""An item is in the core only if its noisy count is at least this many standard deviations of its noise."""


@dataclass(frozen=True, kw_only=True)
class ItemsetCounts(PrivateMethod[CountedBaskets, PublishedBaskets]):
    """Publish baskets by fitting a model to noisy counts of itemsets, of the largest order that each basket size allows.

    Needs: baskets over a public universe; `max_core`, the most items that are counted together, fixed without looking at the
    data.
    Guarantees: epsilon-differential privacy for the whole release, manifest included; with a delta, (epsilon, delta) by
    zero-concentrated privacy, and with a rho that.
    Neighbours: adding or removing one basket, however large; `records.unit` says whose it is.
    Budget: 1/25 for the sizes of baskets in groups, which decide what is asked next. If all items can be counted together, the
    rest for itemsets. Otherwise, if there are few baskets, up to 1/5 for the same groups again, so that the number of baskets
    does not drown; 1/20 to 1/50 for sizes one by one and, if pairs would drown in their noise, the rest for single items; if not,
    9/25 to 3/4 for single items (the more, the more items there are), 1/25 to 1/50 for the numbers of frequent items in baskets
    of each size, and the rest for itemsets of frequent items. Sequential over these, parallel over basket sizes, because a basket
    has only one. A basket of size s changes C(s, k) counts of itemsets of k items, and the scale of the noise is multiplied
    accordingly; counts of single items share out one basket among its items, in whole numbers, so that it weighs 1 at the most.
    Gaussian noise follows squares: the C(s, k) counts of itemsets change by 1 each, so its variance is C(s, k) times as large,
    and each of s items weighs the root of 1 / s.
    Not covered: how long a run takes and how much memory it needs; several baskets of one person, who is then protected at that
    many times epsilon or the square of their number times rho, as the guarantee says and the ledger charges. Items outside the
    core are independent of all others in the release, except for what the sizes of baskets say.
    Reference: none for the whole; after Barak et al. 2007, Li et al. 2012 and McKenna et al. 2019, as described above.

    >>> from tacita.privacy.budget import PureDP
    >>> print(ItemsetCounts().explain(PureDP("1")))
    itemset counts, epsilon = 1
    itemset counts: epsilon 1, the sum of
    ├─ sizes: epsilon 0.04 (numbers of baskets by size, disjoint)
    └─ by size: epsilon 0.96, the largest of
       └─ itemsets: epsilon 0.96 (the questions for baskets of each size, which depend on their noisy numbers)
    """

    name: ClassVar[str] = "itemset-counts"
    takes: ClassVar[type] = CountedBaskets

    max_core: int = 256
    with_counts: bool = False

    def __post_init__(self) -> None:
        """Check the public parameter."""
        whole_number(self.max_core, name="max_core", least=2, most=LARGEST_CORE)

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes: a small share for sizes, the rest for questions that depend on them."""
        instance_of(public, PublicInputs, name="what is public")
        funds = Funds.of(budget)
        refuse_times(public.grid)
        if funds.in_rho and self.with_counts:
            message = "error bars of released counts follow from Laplace noise; leave out with_counts, or the delta"
            raise BudgetError(message)
        funds.require_share(FOR_FEW / (WHOLE**2 if funds.in_rho else WHOLE))
        for_sizes = funds.amount * FOR_SIZES
        rest = funds.step_of(
            "itemsets",
            funds.amount - for_sizes,
            note="the questions for baskets of each size, which depend on their noisy numbers",
        )
        return Sequential(
            name="itemset counts",
            parts=(
                funds.step_of("sizes", for_sizes, note="numbers of baskets by size, disjoint"),
                Parallel(name="by size", parts=(rest,)),
            ),
        )

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far one basket changes what a step asks; None for a step that there is not."""
        in_rounds = isinstance(budget, PureDP)
        if step in {"sizes", "sizes again", "fine sizes", "sizes in the core"}:
            return Change(in_rounds=in_rounds)
        if step.startswith("items of baskets of size "):
            return Change(least=WHOLE, squares=WHOLE**2, in_rounds=in_rounds)
        if step.startswith("itemsets of baskets of size "):
            return Change(is_chosen=True, in_rounds=in_rounds)  # of how many items follows from noisy numbers
        return None

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Explain where the budget goes and, given the universe, how many baskets the method needs. Spends nothing."""
        plan, universe = self.plan(budget, public), public.universe
        facts: list[str] = []
        if universe is not None:
            items, funds = len(universe), Funds.of(budget)
            facts.append(f"the universe has {items:,} labels, from {universe.labels[0]!r} to {universe.labels[-1]!r}")
            together = TOGETHER_CELLS * items * (items - 1) / 2 / funds.worth()
            if items <= self.max_core:
                facts.append(f"all items are counted together if there are about {together:,.0f} baskets or more")
            core = min(items, self.max_core, SMALLEST_CORE)
            some = fewest_for_a_core(items, funds=funds, most=self.max_core)
            if core < items:
                facts.append(
                    f"pairs of the {core} most frequent items are counted if there are about {some:,.0f} baskets or more, "
                    "single items otherwise"
                )
            few = fewest_baskets(items, funds=funds)
            facts.append(f"with fewer than about {few:,.0f} baskets, noise hides their number: the release would be nearly empty")
            facts.append(_advice(items, together=together, some=some))
        return Explanation(title=f"itemset counts, {budget}", plan=plan, facts=tuple(facts))

    def compared(self, budget: Budget, public: PublicInputs, *, records: int | None = None) -> tuple[str, ...]:  # noqa: ARG002
        """From which size of baskets on the other currency would have less noise."""
        least = pays_from(budget)
        pairs = next(size for size in count(2) if pairs_in(size) >= least)
        verdict = "add the delta" if isinstance(budget, PureDP) else "the delta pays"
        items = f"noise on single items is smaller with a delta in baskets of {least:,} items or more"
        rule = f"if baskets are mostly that large, {verdict}; otherwise leave it out"
        return (f"{items}, on pairs from {pairs:,} items on: {rule}",)

    def _made(
        self, records: CountedBaskets, account: Account, budget: Budget, progress: Progress | None
    ) -> Made[PublishedBaskets]:
        """Ask, and build the data from the answers; `progress` is called after each size."""
        universe = records.universe
        counter = records.counts().itemsets(items=len(universe))
        made = self._baskets(counter, account, budget, items=len(universe), progress=progress)
        in_squares = "the squares of a basket's weights add up to at most 1"
        weighed = in_squares if Funds.of(budget).in_rho else "each basket weighs at most 1"
        return Made(
            data=records.published(made.baskets, counts=made.counts(universe) if self.with_counts else None),
            rules=(
                "baskets were generated from a model of noisy itemset counts; rare items are independent of all others",
                f"items in large baskets were down-weighted, so that {weighed}",
                "baskets with more frequent items than can be counted together were truncated in a fixed pseudo-random order",
            ),
        )

    def _baskets(
        self, counter: ItemCounts, account: Account, budget: Budget, *, items: int, progress: Progress | None
    ) -> MadeBaskets:
        funds = Funds.of(budget)
        sizes = ask_sizes(counter, account, items=items, funds=funds)
        for_itemsets = funds.part(funds.amount - funds.amount * FOR_SIZES)
        baskets, mean_size = sizes.baskets, sizes.mean_size
        if not are_together(items, baskets=baskets, mean_size=mean_size, funds=funds, most=self.max_core):
            shares = shares_of(items, baskets=baskets, mean_size=mean_size, funds=funds, most=self.max_core)
            return _one_by_one(counter, account, sizes, shares=shares, funds=funds, items=items, progress=progress)
        known = SizeEstimate(by_size=sizes.by_size(), variances=sizes.variances())
        strata = ask_strata(counter, account, "itemsets", known, items=items, funds=for_itemsets, progress=progress)
        return MadeBaskets(baskets=baskets_of_rows(strata_baskets(strata)), sizes=sizes, strata=strata, counted=np.arange(items))


def _one_by_one(  # noqa: PLR0913 - what is counted, where it is asked, and what it may cost
    counter: ItemCounts,
    account: Account,
    sizes: NoisySizes,
    *,
    shares: Shares,
    funds: Funds,
    items: int,
    progress: Progress | None,
) -> MadeBaskets:
    """Baskets over a universe too large to count all items together: a core of frequent items, if it pays, and all others."""
    account.unfold("itemsets", plan_of_items(shares, funds))
    again = shares.sizes_again
    groups_of_sizes = ask_sizes_again(counter, account, sizes, funds=funds.part(again)) if again else sizes
    for_fine = funds.part(shares.fine_sizes)
    by_size = numbers_by_size(groups_of_sizes, ask_fine_sizes(counter, account, items=items, funds=for_fine))
    noisy = ask_items(counter, account, by_size, items=items, funds=funds.part(shares.items))
    symbols = float((by_size * np.arange(by_size.size)).sum())
    refuse_flood(symbols, in_parts=True)
    if not shares.core_size:
        if progress is not None:
            progress(1, 1)
        copies = evenly_rounded(by_size)
        empty = [CountedRows(np.zeros((copies.size, 0), dtype=np.int64), copies)]
        made = filled_in_parts(empty, partial(_sizes_in_order, copies), np.arange(items), noisy, symbols=symbols)
        return MadeBaskets(baskets=made, sizes=sizes)
    account.unfold("core", plan_of_core(shares, funds))
    frequent = _frequent(noisy, by_size, most=shares.core_size)
    inside, _ = counter.onto(frequent)
    groups = sizes.groups.joined(sizes.groups.sums(by_size) > 0)
    for_sizes = funds.part(shares.core_sizes)
    core_sizes = ask_core_sizes(counter, account, core=frequent, groups=groups, funds=for_sizes)
    by_core = core_sizes.by_core
    known = SizeEstimate(by_size=by_core, variances=np.full(by_core.size, core_sizes.variance))
    for_core = funds.part(shares.core)
    strata = ask_strata(inside, account, "itemsets of the core", known, items=frequent.size, funds=for_core, progress=progress)
    found = [CountedRows(frequent[part.rows], part.copies) for part in strata_baskets(strata)]
    without = max(0, round(float(by_size.sum())) - sum(int(part.copies.sum()) for part in found))
    baskets = [CountedRows(np.zeros((1, 0), dtype=np.int64), np.array([without])), *found]
    rest = np.setdiff1d(np.arange(items), frequent)
    made = filled_in_parts(baskets, partial(_sizes_by_core, core_sizes, by_size), rest, noisy, symbols=symbols)
    return MadeBaskets(baskets=made, sizes=sizes, strata=strata, counted=frequent, core_sizes=core_sizes)


def _sizes_in_order(copies: Integers, _: list[int], stream: Stream, parts: int) -> list[Integers]:
    """The sizes of empty baskets, of which there are that many of each size."""
    return [np.repeat(np.arange(copies.size), part_of_each(copies, stream.number, parts))]


def _sizes_by_core(core_sizes: CoreSizes, by_size: Reals, built: list[int], stream: Stream, parts: int) -> list[Integers]:
    """The sizes of baskets with 0, 1, ... core items, in a part that has its share of all sizes."""
    return core_sizes.sizes(built, by_size / parts, stream=stream)


def _frequent(noisy: NoisyWeights, by_size: Reals, *, most: int) -> Integers:
    """The items with the largest noisy numbers that stand out from their noise, in the order of the universe."""
    sizes, everything = np.arange(by_size.size), np.arange(noisy.values.shape[1])
    rooms, baskets = noisy.classes.sums(by_size * sizes), noisy.classes.sums(by_size)
    numbers = sum(
        noisy.counts(place, items=everything, room=float(rooms[place]), most=float(baskets[place])) for place in range(rooms.size)
    )
    by_number = np.argsort(-np.asarray(numbers), kind="stable")  # ties in the order of the universe
    standing_out = int(noisy.standing_out(STANDS_OUT).sum())
    return np.sort(by_number[: min(most, max(2, standing_out))])


def _advice(items: int, *, together: float, some: float) -> str:
    """Which method for baskets to use, judging by public facts and measurements."""
    enough = together if items <= 20 else some
    return (
        f"with about {enough:,.0f} baskets or more, use this method: on every collection measured, it answered counting "
        "queries with less error than diffpart and histogram; with far fewer, none of them shows much beyond single items"
    )
