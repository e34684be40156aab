"""Which itemsets are asked for, and at what cost: public rules that depend only on the universe, the budget and noisy numbers.

A question is worth asking if its cells hold more than noise. A basket of size s changes C(s, k) of the counts of itemsets of
order k, so their noise has C(s, k) times the scale; but a cell's count is that many times larger too. So, whatever the size and
order, the ratio of a cell's mean count to its noise is (number of baskets * epsilon) / (number of cells). The largest order that
keeps this ratio at 3 or above is asked for. The constants were chosen once, on several collections of baskets.

Gaussian noise grows with the root of C(s, k) only: a rho is worth the epsilon 2 sqrt(C(s, k) rho) there (`Funds.worth`), and the
same rules and constants apply with that.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, hypot, inf, log, sqrt

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.privacy.budget import Parallel, Plan, Sequential, Step
from tacita.privacy.funds import Funds
from tacita.sets.synthesis import SizeGroups
from tacita.sets.synthesis.weights import MOST_CANDIDATES, MOST_FEATURES

__all__ = [
    "CELLS",
    "CORE_CELLS",
    "FOR_CORE_SIZES",
    "FOR_FEW",
    "FOR_FINE_SIZES",
    "FOR_MANY",
    "FOR_SIZES",
    "LARGEST_SENSITIVITY",
    "LARGEST_STRATUM",
    "SMALLEST_CORE",
    "TOGETHER_CELLS",
    "WHOLE",
    "Shares",
    "are_together",
    "core_size",
    "drown",
    "fewest_baskets",
    "fewest_for_a_core",
    "fine_groups",
    "item_steps",
    "item_weights",
    "largest_stratum",
    "order_of",
    "pairs_in",
    "plan_of_classes",
    "plan_of_core",
    "plan_of_items",
    "plan_of_strata",
    "shared_from",
    "shares_of",
    "size_classes",
    "size_groups",
    "stratum_step",
]

FOR_SIZES, FOR_FINE_SIZES, FOR_CORE_SIZES = Fraction(1, 25), Fraction(1, 20), Fraction(1, 25)
"""Shares of the whole budget: for sizes in groups, which are always asked; for sizes one by one, if items are not all counted
together; and for sizes in the core, if there is one."""

SIZES_ENOUGH, LEAST_FOR_SIZES = 2_500, 50
"""One part in (baskets times epsilon) / `SIZES_ENOUGH` of the budget is enough for sizes one by one and for those in the core;
they get no more than above, and no less than one part in `LEAST_FOR_SIZES`."""

STANDS_OUT = 4.0
"""From this many standard deviations on, a number of baskets is sure to be seen."""

NUMBER_NEEDS, MOST_FOR_NUMBER = 50, Fraction(1, 5)
"""So many parts in baskets times epsilon of the budget are what it takes to know the number of baskets to about an eighth, in
spite of the noise of all groups of sizes. If `FOR_SIZES` is less, the groups are asked once more for the difference, up to the
second constant."""

FOR_FEW, FOR_MANY = Fraction(9, 25), Fraction(3, 4)
"""The share for single items beside a core, if there are few or many items for the baskets; without a core, all the rest is for
single items."""

FOR_DENSE = Fraction(1, 2)
"""The same if baskets are dense."""

SCARCE, AMPLE = 150, 400
"""There are many items if each has at most `SCARCE` baskets times epsilon, and few if each has at least `AMPLE`; in between, the
share falls with the logarithm."""

CELLS = 3
"""The smallest number of baskets times epsilon per cell."""

CORE_CELLS = 50
"""The same per pair of core items, of the epsilon for the core; larger because baskets come in strata and rare pairs count."""

TOGETHER_CELLS = 90
"""The same per pair of all items, of the whole epsilon, if all are counted together."""

SMALLEST_CORE, SMALLEST_DENSE_CORE = 14, 6
"""A smaller core is not worth its share: single items gain more from it than pairs. Fewer items do if baskets are dense, because
the most frequent itemsets are then made of a few items that nearly all baskets have."""

MOST_FOR_SMALLEST = Fraction(17, 100)
"""The smallest core gets what it needs, up to this share of the budget, at the expense of single items."""

DENSE = 10
"""Baskets are dense if they hold at least one in this number of all items on average."""

CLASS_CELLS = 10
"""The number of baskets times epsilon for each item and class of sizes in which single items are asked."""

LARGE_ENOUGH = 2.25
"""The mean size from which on there are several classes: smaller baskets tell little about what large ones hold, and two noisy
answers add up to more noise than one."""

MOST_CLASSES = 2

DROWNED = 1
"""Single items drown if each has less than this number of baskets times epsilon: then noise matters more than who has what, and
they need the budget that a core would take."""

SHARED_EARLY = 0.5
"""Baskets are shared out among their items from the mean size of their class on; from this part of it on if single items drown,
or if there are several classes. That leaves more weight against the noise, and gives large baskets less than their part."""

WHOLE = 2**20
"""What one basket weighs in whole numbers when it is shared out among its items."""

MOST_CELLS = 2**17
LARGEST_SENSITIVITY = 2**12
LARGEST_SIZE = 2**14
LARGEST_STRATUM = 32
FINE_PARTS = 32


def size_groups(items: int) -> SizeGroups:
    """The groups of sizes that are asked for first."""
    return SizeGroups.doubling(min(items, LARGEST_SIZE), exact=8)


def fine_groups(items: int) -> SizeGroups:
    """The same sizes in finer groups."""
    return size_groups(items).finer(FINE_PARTS)


@dataclass(frozen=True, kw_only=True)
class Shares:
    """What each question may cost if not all items are counted together, and how many are in the core."""

    sizes_again: Fraction
    """0 if they are not asked again."""
    fine_sizes: Fraction
    items: Fraction
    core_sizes: Fraction
    core: Fraction
    core_size: int


def pairs_in(size: float) -> float:
    """How many pairs a basket of so many items has."""
    return size * (size - 1) / 2


def core_size(items: int, *, baskets: float, mean_size: float, funds: Funds, most: int) -> int:
    """How many items are counted together: as many as leave every pair of them enough baskets; `funds` are for the core.

    A basket is taken to have about as many pairs of core items as it has items, which matters for a rho only.
    """
    budget = baskets * funds.worth(mean_size) / CORE_CELLS
    size = int((1 + (1 + 8 * budget) ** 0.5) / 2)  # the largest number of items with that many pairs
    return min(max(size, 2), items, most)


def are_together(items: int, *, baskets: float, mean_size: float, funds: Funds, most: int) -> bool:
    """Whether all items are counted together; `funds` are all that there is."""
    worth = funds.worth(pairs_in(mean_size))
    return items <= 2 or (items <= most and baskets * worth >= TOGETHER_CELLS * comb(items, 2))


def shares_of(items: int, *, baskets: float, mean_size: float, funds: Funds, most: int) -> Shares:
    """How the budget is divided if not all items are counted together; `funds` are all that there is.

    What a question is worth decides: an epsilon, or what a rho is worth in a question of which a basket changes as many counts as
    it has items (`Funds.worth`).
    """
    whole, is_dense, weight = funds.amount, mean_size * DENSE >= items, baskets * funds.worth()
    enough = Fraction(1, max(int(weight / SIZES_ENOUGH), 1))
    enough = max(enough**2 if funds.in_rho else enough, Fraction(1, LEAST_FOR_SIZES))
    fine_sizes, for_sizes = whole * min(FOR_FINE_SIZES, enough), whole * min(FOR_CORE_SIZES, enough)
    again = whole * _for_number(weight, funds)
    left = whole - whole * FOR_SIZES - again - fine_sizes
    for_items = whole * (FOR_DENSE if is_dense else _for_items(baskets * funds.worth(mean_size) / items))
    smallest = min(SMALLEST_DENSE_CORE if is_dense else SMALLEST_CORE, most)
    for_smallest = _for_core_of(smallest, baskets, mean_size, funds)
    for_core = max(left - for_items - for_sizes, min(for_smallest, whole * MOST_FOR_SMALLEST))
    for_items = left - for_sizes - for_core
    core = core_size(items, baskets=baskets, mean_size=mean_size, funds=funds.part(for_core), most=most)
    if core < smallest or drown(items, baskets=baskets, mean_size=mean_size, funds=funds):
        for_items, for_sizes, for_core, core = left, Fraction(0), Fraction(0), 0
    return Shares(sizes_again=again, fine_sizes=fine_sizes, items=for_items, core_sizes=for_sizes, core=for_core, core_size=core)


def drown(items: int, *, baskets: float, mean_size: float, funds: Funds) -> bool:
    """Whether single items drown in their noise, if these funds are for them."""
    return baskets * funds.worth(mean_size) < DROWNED * items


def fewest_baskets(items: int, *, funds: Funds) -> float:
    """About how many baskets it takes for their number to stand out from its noise; `funds` are all that there is."""
    parts = float(FOR_SIZES), float(MOST_FOR_NUMBER)
    part = sqrt(sum(parts)) if funds.in_rho else hypot(*parts)
    return STANDS_OUT * sqrt(2 * size_groups(items).least.size) / (funds.worth() * part)


def _for_number(weight: float, funds: Funds) -> Fraction:
    """The share for asking sizes in groups once more, given the number of baskets times what the funds are worth; in percent."""
    needed = funds.part_for(NUMBER_NEEDS / max(weight, 1.0)) - float(FOR_SIZES)
    return min(Fraction(ceil(100 * min(max(needed, 0.0), 1.0)), 100), MOST_FOR_NUMBER)


def _for_core_of(core: int, baskets: float, mean_size: float, funds: Funds) -> Fraction:
    """What a core of this many items takes, rounded up."""
    grain = 10**6 if funds.in_rho else 1000
    needed = funds.price_of(CORE_CELLS * comb(core, 2) / max(baskets, 1.0), mean_size)
    return Fraction(ceil(grain * needed) + 1, grain)


def fewest_for_a_core(items: int, *, funds: Funds, most: int) -> float:
    """About how many baskets it takes for a core, if they are not dense; `funds` are all that there is."""
    if items < min(SMALLEST_CORE, most):
        return inf
    low, high = 0.0, 1.0
    while not shares_of(items, baskets=high, mean_size=0.0, funds=funds, most=most).core_size:
        low, high = high, 2 * high
    while high - low > high / 1000:
        middle = (low + high) / 2
        has_core = shares_of(items, baskets=middle, mean_size=0.0, funds=funds, most=most).core_size > 0
        low, high = (low, middle) if has_core else (middle, high)
    return high


def _for_items(weight: float) -> Fraction:
    """The share for single items, each of which has this number of baskets times epsilon; in whole percent."""
    place = min(max(log(max(weight, 1.0) / SCARCE) / log(AMPLE / SCARCE), 0.0), 1.0)
    return Fraction(round(100 * float(FOR_MANY - (FOR_MANY - FOR_FEW) * Fraction(place))), 100)


def order_of(items: int, size: int, *, baskets: float, funds: Funds) -> int:
    """The order of the itemsets that baskets of one size are asked for; at least single items."""
    rows = min(comb(items, size), MOST_CANDIDATES)
    orders = (
        order
        for order in range(min(size, items), 1, -1)
        if comb(items, order) <= min(baskets * funds.worth(comb(size, order)) / CELLS, MOST_CELLS)
        and comb(size, order) <= min(LARGEST_SENSITIVITY, MOST_FEATURES // rows)
    )
    return next(orders, 1)


def largest_stratum(items: int, by_size: Reals, *, funds: Funds) -> int:
    """The largest size that is a stratum of its own; larger baskets are cut to it; 0 if there are too few baskets for any.

    `by_size` are the noisy numbers of baskets of sizes 0, 1, ...
    """
    from_here_on = np.cumsum(by_size[::-1])[::-1][: min(items, LARGEST_STRATUM) + 1]
    worth = np.array([funds.worth(size) for size in range(from_here_on.size)])
    sizes = np.flatnonzero(from_here_on * worth >= CELLS * items)
    return int(sizes[-1]) if sizes.size else 0


def size_classes(by_size: Reals, *, items: int, funds: Funds) -> SizeGroups:
    """The classes of sizes in which single items are asked: several only if baskets are large, and each class has enough.

    Large baskets may hold other items than small ones, but every class has noise of its own.
    """
    running = np.cumsum(by_size)
    total, largest, places = float(running[-1]), by_size.size - 1, float(by_size @ np.arange(by_size.size))
    is_large = places >= LARGE_ENOUGH * total
    worth = funds.worth(places / max(total, 1.0))
    classes = min(MOST_CLASSES if is_large else 1, max(1, int(total * worth / (CLASS_CELLS * items))))
    ends = {int(np.searchsorted(running, total * place / classes)) for place in range(1, classes)}
    return SizeGroups.starting([1, *(end + 1 for end in sorted(ends) if 1 <= end < largest)], largest=largest)


def shared_from(mean_size: float, *, classes: int, baskets: float, items: int, funds: Funds) -> int:
    """From which size on baskets of a class of this mean size are shared out; `baskets` are those of all classes."""
    is_early = classes > 1 or drown(items, baskets=baskets, mean_size=mean_size, funds=funds)
    return max(1, round(mean_size * (SHARED_EARLY if is_early else 1.0)))


def item_weights(sizes: Integers, *, shared: int, funds: Funds) -> Reals:
    """What an item of a basket of each size weighs, as a part of `WHOLE`: for a rho, the squares add up to 1 at most."""
    most = np.maximum(sizes, shared)
    return np.asarray(1 / (np.sqrt(most) if funds.in_rho else most), dtype=np.float64)


def item_steps(classes: SizeGroups) -> list[str]:
    """The names of the questions for single items."""
    return [f"items of baskets of size {name}" for name in classes.names()]


def stratum_step(size: int) -> str:
    """The name of the question for the itemsets of one size."""
    return f"itemsets of baskets of size {size}"


def plan_of_items(shares: Shares, funds: Funds) -> Plan:
    """Where the budget goes after sizes, if not all items are counted together."""
    items: tuple[Step, ...] = (
        funds.step_of("fine sizes", shares.fine_sizes, note="numbers of baskets by size, disjoint"),
        funds.step_of("items", shares.items, note="a basket is shared out among its items"),
    )
    if shares.sizes_again:
        items = (funds.step_of("sizes again", shares.sizes_again, note="the same, because there are few baskets"), *items)
    if not shares.core_size:
        return Sequential(name="items one by one", parts=items)
    together = shares.core_sizes + shares.core
    core = funds.step_of("core", together, note="what frequent items, or columns of a table, have together")
    return Sequential(name="items and core", parts=(*items, core))


def plan_of_core(shares: Shares, funds: Funds) -> Plan:
    """What is asked about frequent items together."""
    note = "numbers of baskets by their number of frequent items and their size, disjoint"
    sizes = funds.step_of("sizes in the core", shares.core_sizes, note=note)
    itemsets = funds.step_of("itemsets of the core", shares.core, note="itemsets of frequent items, by size")
    return Sequential(name="core of frequent items", parts=(sizes, itemsets))


def plan_of_classes(funds: Funds, classes: SizeGroups) -> Plan:
    """One question for single items in baskets of each class of sizes."""
    steps = tuple(funds.step_of(name, funds.amount, note="every item is a cell") for name in item_steps(classes))
    return Parallel(name="items by size", parts=steps)


def plan_of_strata(funds: Funds, orders: dict[int, int]) -> Plan:
    """One question for each size, of itemsets of one order; a basket has one size."""
    steps = tuple(
        funds.step_of(stratum_step(size), funds.amount, note=f"{comb(size, order)} of the itemsets of {order} items for a basket")
        for size, order in orders.items()
    )
    return Parallel(name="itemsets by size", parts=steps)
