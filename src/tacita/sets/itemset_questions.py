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

from tacita.arrays import Integers, Reals
from tacita.counting import ItemCounts
from tacita.privacy.account import Account
from tacita.privacy.paths import Blocks, Terms
from tacita.sets.itemset_schedule import (
    FOR_SIZES,
    LARGEST_STRATUM,
    WHOLE,
    fine_groups,
    item_steps,
    largest_stratum,
    order_of,
    plan_of_classes,
    plan_of_strata,
    shared_from,
    size_classes,
    size_groups,
    stratum_step,
)
from tacita.sets.synthesis import (
    CoreSizes,
    NoisyItemsets,
    NoisySizes,
    NoisyWeights,
    SizeGroups,
    Sizes,
    Stratum,
)

__all__ = [
    "Progress",
    "SizeEstimate",
    "ask_core_sizes",
    "ask_fine_sizes",
    "ask_items",
    "ask_sizes",
    "ask_sizes_again",
    "ask_strata",
]

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class SizeEstimate:
    """Estimated numbers of baskets of sizes 0, 1, ..., from earlier answers, with their variances."""

    by_size: Reals
    variances: Reals


def ask_sizes(counter: ItemCounts, account: Account, *, items: int, epsilon: Fraction) -> NoisySizes:
    """How many baskets there are in each group of sizes; `epsilon` is the whole budget, here and below."""
    return _ask_sizes(counter, account, "sizes", size_groups(items), epsilon=epsilon * FOR_SIZES)


def ask_sizes_again(counter: ItemCounts, account: Account, known: NoisySizes, *, epsilon: Fraction) -> NoisySizes:
    """The same question once more, and both answers together; `epsilon` is what this question may cost."""
    return known.joined_with(_ask_sizes(counter, account, "sizes again", known.groups, epsilon=epsilon))


def ask_fine_sizes(counter: ItemCounts, account: Account, *, items: int, epsilon: Fraction) -> NoisySizes:
    """The same in finer groups; `epsilon` is what this question may cost."""
    return _ask_sizes(counter, account, "fine sizes", fine_groups(items), epsilon=epsilon)


def ask_items(counter: ItemCounts, account: Account, by_size: Reals, *, items: int, epsilon: Fraction) -> NoisyWeights:
    """The weight of each item in baskets of each class of sizes; `epsilon` is what this question may cost.

    A basket weighs at most `WHOLE`, which is shared out among its items; in small baskets an item weighs as much as in those of
    the mean size of the class, or in somewhat smaller ones, see `shared_from`.
    """
    classes = size_classes(by_size, items=items, epsilon=epsilon)
    account.unfold("items", plan_of_classes(epsilon, classes))
    sizes, last = np.arange(by_size.size), classes.least.size - 1
    values, wholes, known = np.zeros((last + 1, items)), np.zeros(last + 1), []
    for place, step in enumerate(item_steps(classes)):
        inside = slice(int(classes.least[place]), int(classes.most[place]) + 1)
        number = max(float(by_size[inside].sum()), 1.0)
        mean = float((by_size * sizes)[inside].sum()) / number
        shared = shared_from(mean, classes=last + 1, baskets=float(by_size.sum()), items=items, epsilon=epsilon)
        wholes[place] = (by_size * np.minimum(sizes / shared, 1.0))[inside].sum()
        known.append(
            Sizes(sizes=sizes[inside].astype(np.float64), numbers=by_size[inside], weights=1 / np.maximum(sizes[inside], shared))
        )
        most = None if place == last else inside.stop - 1
        keys, counts = counter.shares(least=inside.start, most=most, shared_from=shared, whole=WHOLE)
        values[place] = _ask(account, step, epsilon, keys=keys, counts=counts, domain=items, sensitivity=WHOLE) / WHOLE
    return NoisyWeights(classes=classes, values=values, wholes=wholes, deviation=_deviation(epsilon), sizes=tuple(known))


def ask_core_sizes(counter: ItemCounts, account: Account, *, core: Integers, groups: SizeGroups, epsilon: Fraction) -> CoreSizes:
    """How many baskets have each number of core items and are in each group of sizes; `epsilon` is for this question."""
    most = min(int(core.size), LARGEST_STRATUM)
    shape = most + 1, groups.least.size
    keys, counts = counter.core_sizes(core, most=most, least=groups.least)
    numbers = _ask(account, "sizes in the core", epsilon, keys=keys, counts=counts, domain=shape[0] * shape[1])
    return CoreSizes(groups=groups, numbers=numbers.reshape(shape).astype(np.float64), deviation=_deviation(epsilon))


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


def _ask_sizes(counter: ItemCounts, account: Account, step: str, groups: SizeGroups, *, epsilon: Fraction) -> NoisySizes:
    keys, counts = counter.sizes(groups.least)
    numbers = _ask(account, step, epsilon, keys=keys, counts=counts, domain=groups.least.size)
    return NoisySizes(groups=groups, numbers=numbers.astype(np.float64), deviation=_deviation(epsilon))


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
