"""Which itemsets are asked for, and at what cost: public rules that depend only on the universe, the budget and noisy numbers.

A question is worth asking if its cells hold more than noise. A basket of size s changes C(s, k) of the counts of itemsets of
order k, so their noise has C(s, k) times the scale; but a cell's count is that many times larger too. So, whatever the size and
order, the ratio of a cell's mean count to its noise is (number of baskets * epsilon) / (number of cells). The largest order that
keeps this ratio at 3 or above is asked for. The constants were chosen once, on several collections of baskets.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import numpy.typing as npt

from tacita.privacy.budget import Parallel, Plan, Sequential, Step
from tacita.sets.synthesis import NoisySizes, SizeGroups
from tacita.sets.synthesis.candidates import MOST_CANDIDATES
from tacita.sets.synthesis.weights import MOST_FEATURES

__all__ = [
    "CELLS",
    "CORE_CELLS",
    "FOR_CORE",
    "FOR_CORE_SIZES",
    "FOR_ITEMS",
    "FOR_SIZES",
    "LARGEST_SENSITIVITY",
    "LARGEST_STRATUM",
    "asked_groups",
    "core_size",
    "item_steps",
    "largest_stratum",
    "order_of",
    "plan_of_core",
    "plan_of_strata",
    "size_groups",
    "stratum_step",
    "tail_groups",
]

FOR_SIZES, FOR_ITEMS, FOR_CORE_SIZES = Fraction(1, 25), Fraction(9, 25), Fraction(1, 20)
"""Shares of the whole budget. If all items are counted together, only sizes and, with the rest, itemsets are asked for."""

FOR_CORE = 1 - FOR_SIZES - FOR_ITEMS - FOR_CORE_SIZES
"""What is left for the itemsets of frequent items."""

CELLS = 3
"""The smallest number of baskets times epsilon per cell."""

CORE_CELLS = 90
"""The same per pair of core items; it is larger because baskets come in strata, and rare pairs count too."""

ASKED_SHARE = 0.75
"""Items are counted in baskets up to about the size that this share of them does not exceed; larger ones are cut to it."""

MOST_CELLS = 2**17
LARGEST_SENSITIVITY = 2**12
LARGEST_SIZE = 64
LARGEST_STRATUM = 32


def size_groups(items: int) -> SizeGroups:
    """The groups of sizes that are asked for first."""
    return SizeGroups.doubling(min(items, LARGEST_SIZE), exact=8)


def tail_groups() -> SizeGroups:
    """The groups of numbers of rare items in a basket."""
    return SizeGroups.doubling(LARGEST_SIZE, exact=2, first=0)


def core_size(items: int, *, baskets: float, epsilon: Fraction, most: int) -> int:
    """How many items are counted together: as many as leave every pair of them enough baskets, and at least two."""
    within = min(items, most)
    budget = baskets * float(epsilon) / CORE_CELLS
    size = int((1 + (1 + 8 * budget) ** 0.5) / 2)  # the largest number of items with that many pairs
    return min(max(size, 2), within)


def order_of(items: int, size: int, *, baskets: float, epsilon: Fraction) -> int:
    """The order of the itemsets that baskets of one size are asked for; at least single items."""
    rows = min(comb(items, size), MOST_CANDIDATES)
    allowed = min(baskets * float(epsilon) / CELLS, MOST_CELLS)
    orders = (
        order
        for order in range(min(size, items), 1, -1)
        if comb(items, order) <= allowed and comb(size, order) <= min(LARGEST_SENSITIVITY, MOST_FEATURES // rows)
    )
    return next(orders, 1)


def largest_stratum(items: int, by_size: npt.NDArray[np.float64], *, epsilon: Fraction) -> int:
    """The largest size that is a stratum of its own; larger baskets are cut to it; 0 if there are too few baskets for any.

    `by_size` are the noisy numbers of baskets of sizes 0, 1, ...
    """
    from_here_on = np.cumsum(by_size[::-1])[::-1]
    sizes = np.flatnonzero(from_here_on[: min(items, LARGEST_STRATUM) + 1] * float(epsilon) >= CELLS * items)
    return int(sizes[-1]) if sizes.size else 0


def asked_groups(sizes: NoisySizes) -> tuple[SizeGroups, float]:
    """The groups of sizes in which single items are counted, and the factor by which the counts of the last are raised.

    The last group holds all larger baskets, cut to its largest size: the factor restores what they lose on average.
    """
    by_size = sizes.standing_out()
    groups = SizeGroups.doubling(by_size.size - 1, exact=2)
    shares = np.cumsum(by_size) / by_size.sum()
    last = int(np.searchsorted(shares[groups.most], ASKED_SHARE))
    groups = groups.upto(min(last, groups.least.size - 1))
    large = np.arange(by_size.size) >= groups.least[-1]
    numbers, values = by_size[large], np.arange(by_size.size)[large]
    cut = np.minimum(values, groups.most[-1])
    kept = float((numbers * cut).sum())
    return groups, float((numbers * values).sum()) / kept if kept else 1.0


def item_steps(groups: SizeGroups) -> list[str]:
    """The names of the questions for single items."""
    return [f"items of baskets of size {name}" for name in groups.names()]


def stratum_step(size: int) -> str:
    """The name of the question for the itemsets of one size."""
    return f"itemsets of baskets of size {size}"


def plan_of_core(epsilon: Fraction, groups: SizeGroups) -> Plan:
    """Where the budget goes after sizes, if only some items are in the core; `epsilon` is the whole budget."""
    items = tuple(Step(name=name, epsilon=epsilon * FOR_ITEMS, note="every item is a cell") for name in item_steps(groups))
    return Sequential(
        name="items and core",
        parts=(
            Parallel(name="items by size", parts=items),
            Step(
                name="sizes in the core",
                epsilon=epsilon * FOR_CORE_SIZES,
                note="numbers of baskets by their numbers of frequent and of other items, disjoint",
            ),
            Step(name="core", epsilon=epsilon * FOR_CORE, note="itemsets of frequent items, by size"),
        ),
    )


def plan_of_strata(epsilon: Fraction, orders: dict[int, int]) -> Plan:
    """One question for each size, of itemsets of one order; a basket has one size."""
    steps = tuple(
        Step(name=stratum_step(size), epsilon=epsilon, note=f"{comb(size, order)} of the itemsets of {order} items for a basket")
        for size, order in orders.items()
    )
    return Parallel(name="itemsets by size", parts=steps)
