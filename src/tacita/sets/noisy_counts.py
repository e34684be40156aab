"""What baskets were made from by itemset counts, as counts that a release may hold beside them.

Everything here was drawn with noise already; only its form changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import comb, sqrt
from typing import TypeAlias

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.combinations import all_itemsets
from tacita.arrays.ragged import Ragged
from tacita.io import NoisyCounts
from tacita.public.universe import Universe
from tacita.sets.itemset_schedule import stratum_step
from tacita.sets.synthesis import CoreSizes, NoisySizes, Stratum

__all__ = ["CORE_SIZES", "SIZES", "MadeBaskets", "itemset_step"]

SIZES, CORE_SIZES = "sizes, round 1", "sizes in the core, round 1"

Part: TypeAlias = tuple[str, list[list[object]], Integers, Reals]


def itemset_step(size: int) -> str:
    """The step of the itemsets in baskets of this size, as the manifest names it."""
    return f"{stratum_step(size)}, round 1"


@dataclass(frozen=True, kw_only=True, eq=False)
class MadeBaskets:
    """Synthetic baskets and the noisy counts behind them; `counted` are the items that were counted together."""

    baskets: Ragged
    sizes: NoisySizes
    strata: Sequence[Stratum] = ()
    counted: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    core_sizes: CoreSizes | None = None

    def counts(self, universe: Universe) -> NoisyCounts:
        """Numbers by size, by number of core items, and of itemsets in baskets of each size, as they were drawn."""
        return NoisyCounts.of(self._parts(universe))

    def _parts(self, universe: Universe) -> Iterator[Part]:
        sizes, core = self.sizes, self.core_sizes
        spans = [[*span] for span in zip(sizes.groups.least.tolist(), sizes.groups.most.tolist(), strict=True)]
        yield SIZES, spans, sizes.numbers.astype(np.int64), np.full(len(spans), sizes.deviation / sqrt(2))
        if core is not None:
            spans = [[*span] for span in zip(core.groups.least.tolist(), core.groups.most.tolist(), strict=True)]
            cells = [[inside, *span] for inside in range(len(core.numbers)) for span in spans]
            yield CORE_SIZES, cells, core.numbers.astype(np.int64).ravel(), np.full(len(cells), core.deviation / sqrt(2))
        labels = [universe.labels[code] for code in self.counted.tolist()]
        for stratum in self.strata:
            noisy = stratum.noisy
            rows = [[labels[place] for place in row] for row in all_itemsets(noisy.items, noisy.order).tolist()]
            scale = comb(noisy.size, noisy.order) / float(noisy.epsilon)
            yield itemset_step(noisy.size), rows, noisy.values, np.full(len(rows), scale)
