"""From noisy counts of items and itemsets to baskets. Behind the wall: nothing here sees records or true counts.

In this order: `sizes` (how many baskets of each size, and how large those with some core items are), `item_law` (how many have
each item), `noisy_itemsets`, `pairs` and `weights` (baskets of items that are counted together), `baskets` (all of
these together, and the items that are counted one by one).
"""

from tacita.sets.synthesis.baskets import CountedRows, Stratum, baskets_of_rows, filled_in_parts, strata_baskets, with_rest
from tacita.sets.synthesis.item_law import NoisyWeights, Sizes
from tacita.sets.synthesis.noisy_itemsets import NoisyItemsets
from tacita.sets.synthesis.sizes import CoreSizes, NoisySizes, SizeGroups, numbers_by_size

__all__ = [
    "CoreSizes",
    "CountedRows",
    "NoisyItemsets",
    "NoisySizes",
    "NoisyWeights",
    "SizeGroups",
    "Sizes",
    "Stratum",
    "baskets_of_rows",
    "filled_in_parts",
    "numbers_by_size",
    "strata_baskets",
    "with_rest",
]
