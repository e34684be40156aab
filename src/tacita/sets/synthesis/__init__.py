"""From noisy counts of items and itemsets to baskets. Behind the wall: nothing here sees records or true counts."""

from tacita.sets.synthesis.baskets import Stratum, baskets_of_rows, strata_baskets
from tacita.sets.synthesis.noisy_itemsets import NoisyItemsets
from tacita.sets.synthesis.rare_items import likely_counts
from tacita.sets.synthesis.sizes import NoisySizes, SizeGroups
from tacita.sets.synthesis.tails import TailSizes, with_tails

__all__ = [
    "NoisyItemsets",
    "NoisySizes",
    "SizeGroups",
    "Stratum",
    "TailSizes",
    "baskets_of_rows",
    "likely_counts",
    "strata_baskets",
    "with_tails",
]
