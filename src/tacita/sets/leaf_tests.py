"""What a basket has to pass in DiffPart to be published, recomputed from the manifest.

Which splits a basket takes part in, what each costs and which noisy counts they keep follow from the universe, the parameters and
the basket alone: on its way, a basket meets one test at each split, and the last of them is its own noisy count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tacita.privacy.budget import PureDP
from tacita.privacy.estimates import NoiseLaw, no_error_bars
from tacita.public.universe import Universe
from tacita.sets.diffpart import DiffPart, PartitionRule
from tacita.sets.splits import Split, SplitOrder

__all__ = ["LeafTests"]


@dataclass(frozen=True, kw_only=True)
class LeafTests:
    """The tests on the way to every basket over a universe."""

    universe: Universe
    epsilon: Fraction
    order: SplitOrder
    rule: PartitionRule

    @classmethod
    def of(cls, manifest: Mapping[str, Any], universe: Universe) -> LeafTests:
        """Those of a release; its taxonomy must be the one that the fan-out makes, as another is not part of the folder."""
        given = manifest["mechanism"]["parameters"]
        if given.get("taxonomy") is not None:
            raise no_error_bars(manifest, "it was split along a taxonomy that is not part of the folder")
        budget = PureDP(manifest["budget"]["plan"]["epsilon"])
        method = DiffPart(fan_out=given["fan_out"], threshold=given["threshold"], allocation=given["allocation"])
        return cls(universe=universe, epsilon=budget.epsilon, order=method.order(universe), rule=method.rule(budget, universe))

    def tests(self, basket: frozenset[str]) -> list[NoiseLaw]:
        """The noise and the threshold of each test, in their order; the last is that of the basket itself."""
        positions = [int(self.order.place_of[self.universe.code(item)]) for item in basket]
        left, operations, waiting = self.epsilon, max(1, len(self.order.splits)), {0}
        tests: list[NoiseLaw] = []
        while waiting:
            split = self.order.splits[turn] if (turn := min(waiting)) < len(self.order.splits) else self.order.last
            waiting.discard(turn)
            for_split, for_leaf = self.rule.parts(left, operations)
            go_on, end = self.rule.thresholds(split, is_last=not waiting, for_split=for_split, for_leaf=for_leaf)
            children = _children(split, positions)
            if not waiting and all(child < len(split.labels) for child in children):
                return [*tests, NoiseLaw(scale=1 / for_leaf, threshold=end)]
            tests.append(NoiseLaw(scale=1 / for_split, threshold=go_on))
            left -= for_split
            operations += sum(split.below[child] for child in children) - 1 - sum(split.below)
            waiting |= {split.inner[child - len(split.labels)] for child in children if child >= len(split.labels)}
        return tests


def _children(split: Split, positions: Sequence[int]) -> list[int]:
    """The children of a split in which a basket has items."""
    return [child for child, (begin, end) in enumerate(split.children) if any(begin <= position < end for position in positions)]
