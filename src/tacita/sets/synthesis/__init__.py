"""From noisy counts of items and itemsets to baskets. Behind the wall: nothing here sees records or true counts.

In this order: `sizes` and `size_law` (how many baskets of each size), `rare_items`, `saturation` and `item_law` (how many have
each item), `noisy_itemsets`, `pairs`, `candidates`, `weights` and `baskets` (baskets of items that are counted together),
`core_sizes` and `filling` (how large these are, and the items that are counted one by one).
"""

from tacita.sets.synthesis.baskets import CountedRows, Stratum, baskets_of_rows, strata_baskets
from tacita.sets.synthesis.core_sizes import CoreSizes
from tacita.sets.synthesis.filling import filled_in_parts, with_rest
from tacita.sets.synthesis.item_law import NoisyWeights
from tacita.sets.synthesis.noisy_itemsets import NoisyItemsets
from tacita.sets.synthesis.saturation import Sizes
from tacita.sets.synthesis.size_law import numbers_by_size
from tacita.sets.synthesis.sizes import NoisySizes, SizeGroups

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
