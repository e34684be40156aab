"""How high the tree of regions is, and what each of its levels costs; public formulas only.

The height is the largest h at which a leaf is larger than twice the deviation of its noise:

    2^(1/3) 4^h - 2^(5h/3) <= (2^(1/3) - 1) N epsilon_count / (2 sqrt 2),

with N all cells and the epsilon of one edge (the thesis' formula 7.4, which is monotone by its Theorem 7.5). Level i = 1..h has a
count with a share of epsilon_count that grows like 2^(i/3) (Theorem 7.4); the root is not counted, and its share goes to the
leaves. A leaf above level h is counted a second time with the share of level h. So on each path counts cost at most
epsilon_count, splits epsilon_partition / h each, and the arrangement of a leaf takes all that is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor, frexp, ldexp, sqrt

from tacita.privacy.budget import Parallel, Plan, Sequential, Step

__all__ = ["Schedule"]

_BITS = 40


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The shares of counts and splits, what they are shares of, and the number of edges that are protected together."""

    epsilon: Fraction
    counts: Fraction
    splits: Fraction
    cells: int
    correlated_edges: int

    @property
    def height(self) -> int:
        """How many levels of splits there are; 0 for a matrix so small that nothing is split."""
        epsilon = float(self.epsilon * self.counts / self.correlated_edges)
        bound = (2 ** (1 / 3) - 1) * self.cells * epsilon / (2 * sqrt(2))
        height = 0
        while 2 ** (1 / 3) * 4.0 ** (height + 1) - 2 ** (5 * (height + 1) / 3) <= bound:
            height += 1
        return height

    def count_share(self, level: int) -> Fraction:
        """What the counts of one level from 1 to h cost."""
        height = self.height
        unit = (2 ** (1 / 3) - 1) / (2 ** ((height + 1) / 3) - 1)
        share = 2 ** (level / 3) * unit + (unit if level == height else 0)
        return self.epsilon * self.counts * _below(share)

    @property
    def split_share(self) -> Fraction:
        """What the splits of one level cost."""
        return self.epsilon * self.splits / self.height

    def spent(self, level: int) -> Fraction:
        """What has been spent on the way to an arrangement at a level."""
        if level == 0:
            return self.epsilon * self.counts
        counts = sum((self.count_share(each) for each in range(1, level + 1)), Fraction(0))
        again = self.count_share(self.height) if level < self.height else Fraction(0)
        return counts + again + level * self.split_share

    def arrangement_share(self, level: int) -> Fraction:
        """What is left for the arrangement of a leaf."""
        return self.epsilon - self.spent(level)

    def plan(self) -> Plan:
        """The whole: regions of one level are disjoint, and an edge is in leaves of one level only."""
        if self.height == 0 or self.cells == 0:
            return self.flat_plan()
        return Sequential(name="dense regions", parts=self._below(0))

    def flat_plan(self) -> Plan:
        """A matrix that is not split: one count, one arrangement."""
        count = Step(name="count of all", epsilon=self.epsilon * self.counts, note="one edge changes it by 1")
        return Sequential(name="dense regions", parts=(count, self._arrangement(0)))

    def _below(self, level: int) -> tuple[Plan, ...]:
        """What is spent on an edge from a level on."""
        deeper = level + 1
        split = Step(
            name=f"splits {deeper}", epsilon=self.split_share, note="an edge is in one region, whose densities it changes"
        )
        count = Step(name=f"counts {deeper}", epsilon=self.count_share(deeper), note="regions of a level are disjoint")
        if deeper == self.height:
            return split, count, self._arrangement(deeper)
        again = Step(name=f"second counts {deeper}", epsilon=self.count_share(self.height), note="of regions that are not split")
        leaf = Sequential(name=f"leaves {deeper}", parts=(again, self._arrangement(deeper)))
        on = Sequential(name=f"below {deeper}", parts=self._below(deeper))
        return split, count, Parallel(name=f"leaves or below {deeper}", parts=(leaf, on))

    def _arrangement(self, level: int) -> Step:
        return Step(
            name=f"arrangements {level}", epsilon=self.arrangement_share(level), note="all that is left; leaves are disjoint"
        )


def _below(share: float) -> Fraction:
    """A fraction of 40 significant bits that is not above the share."""
    mantissa, exponent = frexp(share * (1 - 2**-50))
    return Fraction(floor(ldexp(mantissa, _BITS))) * Fraction(2) ** (exponent - _BITS)
