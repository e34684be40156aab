"""Counting itemsets and asking for them with noise: the part of itemset counts that sees private data.

Everything that this module decides depends on noisy answers only. Every question covers all cells of its domain, without a
threshold, so that sums of answers are unbiased.

What one basket changes, with one size s, in one class of sizes and in one stratum:

    sizes        one count by 1, so 1 in sum and in the sense of squares
    items        s counts by w each: s w <= WHOLE for Laplace noise, s w^2 <= WHOLE^2 for Gaussian noise
    itemsets     the C(s, k) counts of its itemsets of k items by 1 each, so C(s, k) in sum and in the sense of squares
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, isqrt

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.counting import ItemCounts
from tacita.privacy.account import Account
from tacita.privacy.funds import Funds
from tacita.privacy.paths import Blocks, Terms
from tacita.privacy.questions.cells import every_count
from tacita.sets.itemset_schedule import (
    FOR_SIZES,
    LARGEST_STRATUM,
    WHOLE,
    fine_groups,
    item_steps,
    item_weights,
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


def ask_sizes(counter: ItemCounts, account: Account, *, items: int, funds: Funds) -> NoisySizes:
    """How many baskets there are in each group of sizes; `funds` are all that there is."""
    return _ask_sizes(counter, account, "sizes", size_groups(items), funds=funds.part(funds.amount * FOR_SIZES))


def ask_sizes_again(counter: ItemCounts, account: Account, known: NoisySizes, *, funds: Funds) -> NoisySizes:
    """The same question once more, and both answers together; `funds` are for this question, here and below."""
    return known.joined_with(_ask_sizes(counter, account, "sizes again", known.groups, funds=funds))


def ask_fine_sizes(counter: ItemCounts, account: Account, *, items: int, funds: Funds) -> NoisySizes:
    """The same in finer groups."""
    return _ask_sizes(counter, account, "fine sizes", fine_groups(items), funds=funds)


def ask_items(counter: ItemCounts, account: Account, by_size: Reals, *, items: int, funds: Funds) -> NoisyWeights:
    """The weight of each item in baskets of each class of sizes.

    A basket weighs at most `WHOLE`, in sum or in the sense of squares, which is shared out among its items; in small baskets an
    item weighs as much as in those of the mean size of the class, or in somewhat smaller ones, see `shared_from`.
    """
    classes = size_classes(by_size, items=items, funds=funds)
    account.unfold("items", plan_of_classes(funds, classes))
    sizes, last = np.arange(by_size.size), classes.least.size - 1
    values, wholes, known = np.zeros((last + 1, items)), np.zeros(last + 1), []
    for place, step in enumerate(item_steps(classes)):
        inside = slice(int(classes.least[place]), int(classes.most[place]) + 1)
        number = max(float(by_size[inside].sum()), 1.0)
        mean = float((by_size * sizes)[inside].sum()) / number
        shared = shared_from(mean, classes=last + 1, baskets=float(by_size.sum()), items=items, funds=funds)
        weights = item_weights(sizes[inside], shared=shared, funds=funds)
        wholes[place] = (by_size[inside] * _filled(sizes[inside], weights, shared=shared, funds=funds)).sum()
        known.append(Sizes(sizes=sizes[inside].astype(np.float64), numbers=by_size[inside], weights=weights))
        most = None if place == last else inside.stop - 1
        found = counter.shares(least=inside.start, most=most, shared_from=shared, whole=WHOLE, squared=funds.in_rho)
        # By Cauchy and Schwarz, weights whose squares add up to WHOLE^2 are at most WHOLE times the root of their number in sum.
        changes = (WHOLE * (isqrt(items - 1) + 1), WHOLE**2) if funds.in_rho else (WHOLE, WHOLE)
        values[place] = _ask(account, step, funds, counted=found, domain=items, changes=changes) / WHOLE
    return NoisyWeights(
        classes=classes,
        values=values,
        wholes=wholes,
        deviation=funds.noise_of(),
        is_gaussian=funds.in_rho,
        sizes=tuple(known),
    )


def _filled(sizes: Integers, weights: Reals, *, shared: int, funds: Funds) -> Reals:
    """What all items of a basket of each size weigh."""
    return np.asarray(sizes * weights if funds.in_rho else np.minimum(sizes / shared, 1.0), dtype=np.float64)


def ask_core_sizes(counter: ItemCounts, account: Account, *, core: Integers, groups: SizeGroups, funds: Funds) -> CoreSizes:
    """How many baskets have each number of core items and are in each group of sizes."""
    most = min(int(core.size), LARGEST_STRATUM)
    shape = most + 1, groups.least.size
    counted = counter.core_sizes(core, most=most, least=groups.least)
    numbers = _ask(account, "sizes in the core", funds, counted=counted, domain=shape[0] * shape[1])
    return CoreSizes(groups=groups, numbers=numbers.reshape(shape).astype(np.float64), deviation=funds.noise_of())


def ask_strata(  # noqa: PLR0913 - what is counted, where it is asked, and what is known of it
    counter: ItemCounts,
    account: Account,
    step: str,
    known: SizeEstimate,
    *,
    items: int,
    funds: Funds,
    progress: Progress | None,
) -> list[Stratum]:
    """Ask for the itemsets of baskets of sizes 1, 2, ..., unfolding the one step that was planned for them with these funds."""
    largest = largest_stratum(items, known.by_size, funds=funds)
    if not largest:
        return []
    expected, variances = (np.concatenate([part[:largest], [part[largest:].sum()]]) for part in (known.by_size, known.variances))
    orders = {size: order_of(items, size, baskets=float(expected[size]), funds=funds) for size in range(1, largest + 1)}
    account.unfold(step, plan_of_strata(funds, orders))
    strata: list[Stratum] = []
    counter = counter.cut(most=largest)
    for size, order in orders.items():
        cells, each = comb(items, order), comb(size, order)
        counted = counter.itemsets(size=size, order=order, cells=cells)
        values = _ask(account, stratum_step(size), funds, counted=counted, domain=cells, changes=(each, each))
        noisy = NoisyItemsets(items=items, size=size, order=order, values=values, funds=funds)
        strata.append(Stratum(noisy=noisy, expected=float(expected[size]), variance=float(variances[size])))
        if progress is not None:
            progress(size, largest)
    return strata


def _ask_sizes(counter: ItemCounts, account: Account, step: str, groups: SizeGroups, *, funds: Funds) -> NoisySizes:
    numbers = _ask(account, step, funds, counted=counter.sizes(groups.least), domain=groups.least.size)
    return NoisySizes(groups=groups, numbers=numbers.astype(np.float64), deviation=funds.noise_of())


def _ask(
    account: Account,
    step: str,
    funds: Funds,
    *,
    counted: tuple[Integers, Integers],
    domain: int,
    changes: tuple[int, int] = (1, 1),
) -> Integers:
    """A noisy number for every cell of the domain, in order, given the cells that are not empty and their counts.

    `changes` are how far one basket changes them in sum, and how far in the sense of squares.
    """
    keys, counts = counted
    if funds.in_rho:
        truth = np.zeros(domain, dtype=np.int64)
        truth[keys] = counts
        return every_count(account, step, truth, sensitivity=changes[0], squares=changes[1])
    blocks = Blocks(
        nodes=np.zeros(1, dtype=np.int64),
        sizes=np.array([domain], dtype=np.int64),
        terms=np.zeros(1, dtype=np.int64),
        table=(Terms(epsilon=funds.amount, threshold=None),),
    )
    asked = account.paths(step, starts=changes[0])
    return asked.ask(blocks, places=np.zeros(keys.size, dtype=np.int64), cells=keys, counts=counts).values
