"""Counting itemsets and asking for them with noise: the part of itemset counts that sees private data.

Everything that this module decides depends on noisy answers only. Every question covers all cells of its domain, without a
threshold, so that sums of answers are unbiased.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import comb, sqrt

import numpy as np
import numpy.typing as npt

from tacita.counting import ItemCounts
from tacita.privacy.account import Account
from tacita.privacy.flood import refuse_flood
from tacita.privacy.paths import Blocks, Terms
from tacita.sets.itemset_schedule import (
    FOR_CORE_SIZES,
    FOR_ITEMS,
    FOR_SIZES,
    LARGEST_STRATUM,
    asked_groups,
    item_steps,
    largest_stratum,
    order_of,
    plan_of_core,
    plan_of_strata,
    size_groups,
    stratum_step,
    tail_groups,
)
from tacita.sets.synthesis import NoisyItemsets, NoisySizes, SizeGroups, Stratum, TailSizes
from tacita.sets.synthesis.baskets import SIGNIFICANT

__all__ = ["CoreSizes", "NoisyItems", "Progress", "SizeEstimate", "ask_core_sizes", "ask_items", "ask_sizes", "ask_strata"]

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyItems:
    """How many baskets have each item, all with noise of the same standard deviation."""

    numbers: Reals
    deviation: float


@dataclass(frozen=True, kw_only=True, eq=False)
class SizeEstimate:
    """Estimated numbers of baskets of sizes 0, 1, ..., from earlier answers, with their variances."""

    by_size: Reals
    variances: Reals


@dataclass(frozen=True, kw_only=True, eq=False)
class CoreSizes:
    """How many baskets have each number of core items (rows; the last counts larger ones too) and group of others (columns)."""

    groups: SizeGroups
    numbers: Reals
    deviation: float

    @property
    def known(self) -> SizeEstimate:
        """The number of baskets by their number of core items."""
        by_size = self.numbers.sum(axis=1)
        return SizeEstimate(by_size=by_size, variances=np.full(by_size.size, self.deviation**2 * self.groups.least.size))

    @property
    def without_core(self) -> int:
        """How many baskets have only other items; 0 if noise alone could explain the count."""
        number, columns = float(self.numbers[0, 1:].sum()), self.groups.least.size - 1
        if number < SIGNIFICANT * self.deviation * sqrt(columns):
            return 0
        refuse_flood(number)
        return round(number)

    def tails(self, *, strata: int) -> list[TailSizes]:
        """How many other items there are in baskets of 0, 1, ... core items; the last stratum has all larger ones."""
        without = SizeGroups(self.groups.least[1:], self.groups.most[1:])
        with_core = [self.numbers[size] for size in range(1, strata)] + [self.numbers[strata:].sum(axis=0)] * bool(strata)
        return [
            TailSizes(groups=without, numbers=self.numbers[0, 1:]),
            *(TailSizes(groups=self.groups, numbers=numbers) for numbers in with_core),
        ]


def ask_sizes(counter: ItemCounts, account: Account, *, items: int, epsilon: Fraction) -> NoisySizes:
    """How many baskets there are of each size; `epsilon` is the whole budget, here and below."""
    groups = size_groups(items)
    keys, counts = counter.sizes(groups.least)
    numbers = _ask(account, "sizes", epsilon * FOR_SIZES, keys=keys, counts=counts, domain=groups.least.size)
    return NoisySizes(groups=groups, numbers=numbers.astype(np.float64), deviation=_deviation(epsilon * FOR_SIZES))


def ask_items(counter: ItemCounts, account: Account, sizes: NoisySizes, *, items: int, epsilon: Fraction) -> NoisyItems:
    """How many baskets have each item: group by group of sizes, so that small baskets are counted with little noise."""
    groups, raised = asked_groups(sizes)
    account.unfold("itemsets", plan_of_core(epsilon, groups))
    numbers, variance = np.zeros(items), 0.0
    last = groups.least.size - 1
    for group, step in enumerate(item_steps(groups)):
        least, most = int(groups.least[group]), int(groups.most[group])
        keys, counts = counter.items(least=least, most=None if group == last else most, cut=most)
        answer = _ask(account, step, epsilon * FOR_ITEMS, keys=keys, counts=counts, domain=items, sensitivity=most)
        factor = raised if group == last else 1.0
        numbers += factor * answer
        variance += (factor * most * _deviation(epsilon * FOR_ITEMS)) ** 2
    return NoisyItems(numbers=numbers, deviation=sqrt(variance))


def ask_core_sizes(counter: ItemCounts, account: Account, *, core: Integers, epsilon: Fraction) -> CoreSizes:
    """How many baskets have each number of core items and of others."""
    groups, most = tail_groups(), min(int(core.size), LARGEST_STRATUM)
    shape = most + 1, groups.least.size
    keys, counts = counter.core_sizes(core, most=most, least=groups.least)
    for_sizes = epsilon * FOR_CORE_SIZES
    numbers = _ask(account, "sizes in the core", for_sizes, keys=keys, counts=counts, domain=shape[0] * shape[1])
    return CoreSizes(groups=groups, numbers=numbers.reshape(shape).astype(np.float64), deviation=_deviation(for_sizes))


def ask_strata(  # noqa: PLR0913 - what is counted, where it is asked, and what is known of it
    counter: ItemCounts,
    account: Account,
    step: str,
    known: SizeEstimate,
    *,
    items: int,
    epsilon: Fraction,
    progress: Progress | None,
) -> list[Stratum]:
    """Ask for the itemsets of baskets of sizes 1, 2, ..., unfolding the one step that was planned for them at `epsilon`."""
    largest = largest_stratum(items, known.by_size, epsilon=epsilon)
    if not largest:
        return []
    expected, variances = (np.concatenate([part[:largest], [part[largest:].sum()]]) for part in (known.by_size, known.variances))
    orders = {size: order_of(items, size, baskets=float(expected[size]), epsilon=epsilon) for size in range(1, largest + 1)}
    account.unfold(step, plan_of_strata(epsilon, orders))
    strata: list[Stratum] = []
    counter = counter.cut(most=largest)
    for size, order in orders.items():
        cells, sensitivity = comb(items, order), comb(size, order)
        keys, counts = counter.itemsets(size=size, order=order, cells=cells)
        values = _ask(account, stratum_step(size), epsilon, keys=keys, counts=counts, domain=cells, sensitivity=sensitivity)
        noisy = NoisyItemsets(items=items, size=size, order=order, values=values, epsilon=epsilon)
        strata.append(Stratum(noisy=noisy, expected=float(expected[size]), variance=float(variances[size])))
        if progress is not None:
            progress(size, largest)
    return strata


def _ask(  # noqa: PLR0913 - the parts of a question
    account: Account,
    step: str,
    epsilon: Fraction,
    *,
    keys: Integers,
    counts: Integers,
    domain: int,
    sensitivity: int = 1,
) -> Integers:
    """A noisy number for every cell of the domain, in order; one basket changes them by at most `sensitivity` in total."""
    blocks = Blocks(
        nodes=np.zeros(1, dtype=np.int64),
        sizes=np.array([domain], dtype=np.int64),
        terms=np.zeros(1, dtype=np.int64),
        table=(Terms(epsilon=epsilon, threshold=None),),
    )
    asked = account.paths(step, starts=sensitivity)
    return asked.ask(blocks, places=np.zeros(keys.size, dtype=np.int64), cells=keys, counts=counts).values


def _deviation(epsilon: Fraction) -> float:
    return sqrt(2) / float(epsilon)
