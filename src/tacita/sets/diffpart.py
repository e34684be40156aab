"""Baskets by top-down partitioning along a context-free taxonomy.

DiffPart is Algorithms 4.1 and 4.2 of Chen's thesis. Departures that the guarantee needs: only masks that a basket can have are
tested (the published loop tests one empty partition too many, which can cost twelve times what it claims); the last test of a
path *is* the noisy count of its leaf (the published budgets are right only then); universe, order and taxonomy are public; noise
is discrete and exact; and no constant may be tuned on the data. Departures that memory needs: no node of the taxonomy has a
single child, and the default threshold allows a quarter of a false partition per split on average, so that false ones die out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from math import ceil, log, sqrt
from typing import ClassVar

from tacita.errors import ParameterError
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Plan, Step, decimal_text
from tacita.privacy.laws import Change
from tacita.privacy.limits import refuse_flood
from tacita.privacy.noise import require_rate, threshold_passed_by
from tacita.privacy.publishing import Made, PrivateMethod, require_pure
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import Chosen, whole_number
from tacita.public.taxonomy import Taxonomy, require_taxonomy
from tacita.public.universe import Universe
from tacita.sets.partitioning import Progress, Split, SplitOrder, partition
from tacita.sets.published import PublishedBaskets, copies
from tacita.sets.records import CountedBaskets, refuse_times

__all__ = ["DiffPart", "PartitionAllocation", "PartitionThreshold"]

WIDEST = 32
"""A mask over the children of a node must fit a machine word, with room for many partitions."""

FALSE_PARTITIONS = 0.25
"""The average number of false partitions per split under the default threshold; small enough that they die out."""

FALSE_LEAVES = 3.0
"""The average number of false leaves per split under the default threshold; leaves are not split, so they cannot multiply."""

USEFUL = Fraction(1, 20)
"""The probability with which an error may exceed the bound that `explain` shows."""


class PartitionAllocation(StrEnum):
    """How the half of the budget that is for splits is divided."""

    ADAPTIVE = "adaptive"
    EQUAL = "equal"


class PartitionThreshold(StrEnum):
    """How large a noisy count must be to be kept."""

    DEFAULT = "default"
    AUTHORS = "authors"

    @property
    def for_leaves(self) -> float:
        """The constant C1: standard deviations of the noise of a leaf."""
        return 1.0 if self is PartitionThreshold.DEFAULT else 2.75

    @property
    def for_partitions(self) -> float:
        """The constant C2: standard deviations of the noise of a test, for each step of height."""
        return 1.2 if self is PartitionThreshold.DEFAULT else 6.75


@dataclass(frozen=True, kw_only=True)
class DiffPart(PrivateMethod[CountedBaskets, PublishedBaskets]):
    """Publish baskets by splitting them into ever smaller partitions, following only those whose noisy count is large enough.

    Needs: baskets over a public universe in a public order; fan-out, taxonomy and thresholds fixed without looking at the data.
    Guarantees: epsilon-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing one basket, however large; `records.unit` says whose it is.
    Budget: along each path, half of epsilon is kept for the leaf; the other half is shared by as many splits as could follow, and
    what they leave over goes to the leaf. Parallel over the partitions of a split, whose baskets are disjoint. `allocation` set
    to equal gives every split the same share, as if each path had all of them: what the thesis tries first and finds worse.
    Not covered: how long a run takes and how much memory it needs; several baskets of one person, who is then protected at that
    many times epsilon, as the guarantee says and the ledger charges.
    Reference: Chen, PhD thesis, Concordia University 2012, Algorithms 4.1 and 4.2; departs from them as described above.

    >>> from tacita.privacy.budget import PureDP
    >>> print(DiffPart(fan_out=2).explain(PureDP("1")))
    DiffPart, epsilon = 1
    partitions: epsilon 1 (along each path: half for splits; a leaf spends what is left)
    """

    name: ClassVar[str] = "diffpart"
    takes: ClassVar[type] = CountedBaskets

    fan_out: int = 10
    taxonomy: Taxonomy | None = None
    threshold: Chosen[PartitionThreshold] = Chosen(PartitionThreshold, PartitionThreshold.DEFAULT)
    allocation: Chosen[PartitionAllocation] = Chosen(PartitionAllocation, PartitionAllocation.ADAPTIVE)
    max_partitions: int = 5_000_000

    def __post_init__(self) -> None:
        """Check the public parameters."""
        whole_number(self.fan_out, name="fan_out", least=2, most=WIDEST)
        whole_number(self.max_partitions, name="max_partitions", least=1)
        require_taxonomy(self.taxonomy)

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes: one step, divided along each path depending on the answers."""
        require_pure(budget, public, method="DiffPart proves")
        refuse_times(public.grid)
        if public.universe is not None:
            order = self.order(public.universe)
            require_rate(budget.epsilon / 2 / max(1, len(order.splits)))
            rule = self.rule(budget, public.universe)
            leaf = rule.thresholds(order.last, is_last=True, for_split=budget.epsilon, for_leaf=budget.epsilon)[1]
            refuse_flood(float(leaf or 1))  # a single leaf would have that many copies
        note = "along each path: half for splits; a leaf spends what is left"
        return Step(name="partitions", epsilon=budget.epsilon, note=note)

    def order(self, universe: Universe) -> SplitOrder:
        """The taxonomy to split along: the one that was given, or groups of consecutive items by the fan-out."""
        if self.taxonomy is not None and self.taxonomy.universe != universe:
            message = "the taxonomy must be one over the universe of the records, label by label in the same order"
            raise ParameterError(message)
        return _order(self.taxonomy, universe, self.fan_out)

    def rule(self, budget: Budget, universe: Universe) -> PartitionRule:
        """What splits and leaves cost, and how large their noisy count must be to be kept."""
        return PartitionRule(budget.epsilon, max(1, len(self.order(universe).splits)), self.threshold, self.allocation)

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far one protected unit changes what a step asks; None for a step that there is not."""
        return Change(in_rounds=True) if step == "partitions" else None

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Explain where the budget goes and, given the universe, which partitions are kept. Spends nothing."""
        plan, universe = self.plan(budget, public), public.universe
        title = f"DiffPart, {budget}"
        if universe is None:
            return Explanation(title=title, plan=plan)
        order, rule = self.order(universe), self.rule(budget, universe)
        facts = [f"the universe has {len(universe):,} labels, from {universe.labels[0]!r} to {universe.labels[-1]!r}"]
        if order.splits:
            first, operations = order.splits[0], len(order.splits)
            for_split, for_leaf = rule.parts(budget.epsilon, operations)
            on, end = rule.thresholds(first, is_last=True, for_split=for_split, for_leaf=for_leaf)
            groups = "is one group" if operations == 1 else f"has {operations:,} groups, so a path has up to that many splits"
            facts.append(f"the taxonomy {groups}; the first one costs epsilon {decimal_text(for_split)}")
            if on is not None:
                facts.append(f"at the first split, a partition is followed if its noisy count is at least {on:,}")
            if end is not None:
                facts.append(f"at the first split, a basket is kept if its noisy count is at least {end:,}")
            each = self.usefulness(budget, universe=universe)
            facts.append(
                f"with probability {decimal_text(1 - USEFUL)}, each distinct basket that a query covers adds at most "
                f"{each:,.0f} to its error (if it covers one that is real or released; Theorem 4.3, corrected)"
            )
        return Explanation(title=title, plan=plan, facts=tuple(facts))

    def usefulness(self, budget: Budget, *, universe: Universe, itemsets: int = 1, beta: Fraction = USEFUL) -> float:
        """The delta of (delta, beta)-usefulness for a query that covers `itemsets` distinct baskets, real or released.

        Theorem 4.3 of the thesis, with its union bound over every test on the way to each basket, not just one, and over both
        tails of discrete noise: a basket is lost at a test only if its count is below the threshold plus the noise there.
        """
        whole_number(itemsets, name="itemsets", least=1)
        order, rule = self.order(universe), self.rule(budget, universe)
        tests = max(1, len(order.splits))
        smallest = budget.epsilon / 2 / tests
        worst = max((rule.largest_threshold(split, smallest) for split in order.splits.of_each_shape()), default=0)
        return itemsets * (worst + log(2 * itemsets * tests / float(beta)) / float(smallest))

    def _made(
        self, records: CountedBaskets, account: Account, budget: Budget, progress: Progress | None
    ) -> Made[PublishedBaskets]:
        """Ask, and build the data from the answers; `progress` is called after each split of the taxonomy."""
        universe = records.universe
        order = self.order(universe)
        counter = records.counts().partitions(place_of=order.place_of)
        leaves = partition(
            counter,
            account.paths("partitions"),
            order,
            self.rule(budget, universe),
            max_partitions=self.max_partitions,
            progress=progress,
        )
        return Made(
            data=records.published(copies(leaves.itemsets, leaves.counts)),
            rules=("partitions and baskets with a noisy count below their threshold were dropped, empty ones included",),
            others={"taxonomy": self.taxonomy},
        )


@dataclass(frozen=True)
class PartitionRule:
    """The corrected allocation: leaves get half of epsilon and what splits leave over; each split gets its share of the rest."""

    epsilon: Fraction
    splits: int
    threshold: Chosen[PartitionThreshold] = Chosen(PartitionThreshold)
    allocation: Chosen[PartitionAllocation] = Chosen(PartitionAllocation)

    def parts(self, left: Fraction, operations: int) -> tuple[Fraction, Fraction]:
        """The cost of the next split, and of a leaf that it produces."""
        if self.allocation is PartitionAllocation.EQUAL:
            return self.epsilon / 2 / self.splits, left
        return (left - self.epsilon / 2) / operations, left

    def thresholds(
        self, split: Split, *, is_last: bool, for_split: Fraction, for_leaf: Fraction
    ) -> tuple[int | None, int | None]:
        """The noisy counts from which partitions are followed and leaves are kept; None where there can be none."""
        leaves = split.label_masks - 1 if is_last else 0
        others = split.masks - 1 - leaves
        on = self._least(self.threshold.for_partitions * split.height, for_split, FALSE_PARTITIONS / others) if others else None
        end = self._least(self.threshold.for_leaves, for_leaf, FALSE_LEAVES / leaves) if leaves else None
        return on, end

    def largest_threshold(self, split: Split, smallest: Fraction) -> int:
        """The largest threshold that this split can have at any cost of at least the smallest one."""
        found = [
            threshold
            for is_last in (True, False)
            for threshold in self.thresholds(split, is_last=is_last, for_split=smallest, for_leaf=self.epsilon / 2)
            if threshold is not None
        ]
        return max(found)

    def _least(self, deviations: float, epsilon: Fraction, share: float) -> int:
        published = max(1, ceil(sqrt(2) * deviations / float(epsilon)))
        if self.threshold is PartitionThreshold.AUTHORS:
            return published
        return max(published, threshold_passed_by(share, epsilon))


@lru_cache(maxsize=8)
def _order(taxonomy: Taxonomy | None, universe: Universe, fan_out: int) -> SplitOrder:
    return SplitOrder(Taxonomy.balanced(universe, fan_out=fan_out) if taxonomy is None else taxonomy.narrowed(fan_out))
