"""Sequences by a noisy prefix tree, level by level.

Algorithm 1 of Chen, Fung and Desai, *Differentially private trajectory data publication* (also section 6.3 of Chen's thesis),
with three departures that its guarantee or its memory needs: the universe is public, the noise is discrete and exact, and the
threshold bounds the expected number of false children (the published constant lets false nodes multiply as soon as there are
more than 34 locations).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil, exp, log, sqrt

from tacita.core.account import Account, Charge
from tacita.core.budget import Budget, PureDP, Sequential, Step, split
from tacita.core.errors import BudgetError, ParameterError, TooManyNodesError
from tacita.core.explanation import Explanation
from tacita.core.guarantee import DifferentialPrivacy
from tacita.core.ledger import Ledger, OpensAccounts
from tacita.core.neighbours import AddRemoveRecord, Neighbours, require
from tacita.core.noise import passing_probability, require_rate
from tacita.core.release import Release, manifest_of
from tacita.core.universe import Universe
from tacita.counting import PrefixCounter
from tacita.sequences.published import PublishedSequences
from tacita.sequences.records import SequenceRecords
from tacita.trees import NoisyTree, TreeLevel, sequences_from_tree

__all__ = ["PrefixTree", "Threshold"]

FALSE_CHILDREN = Fraction(1, 2)
"""The default threshold lets a prefix have at most this many false children on average, so that they die out."""


class Threshold(StrEnum):
    """How large a noisy count must be to be kept."""

    DEFAULT = "default"
    PUBLISHED = "published"


Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class PrefixTree:
    """Publish sequences by counting their prefixes with noise, one length after the other.

    Needs: sequences over a public universe, one for each person; the height fixed without a look at the data.
    Guarantees: epsilon-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing one sequence, however long.
    Budget: epsilon / height for each level; sequential over levels, parallel over the disjoint prefixes of one length.
    Not covered: how long a run takes and how much memory it needs; a person who has several sequences.
    Reference: Chen, Fung and Desai, Algorithm 1; departs from it in the public universe, exact discrete noise and the
    threshold, because the guarantee and the memory need them.

    >>> print(PrefixTree(height=2).explain(PureDP("1")))
    prefix tree, epsilon = 1
    levels: epsilon 1, the sum of
    ├─ level 1: epsilon 0.5 (prefixes of length 1, disjoint)
    └─ level 2: epsilon 0.5 (prefixes of length 2, disjoint)
    <BLANKLINE>
    - sequences are cut after 2 symbols
    """

    height: int
    threshold: Threshold = Threshold.DEFAULT
    max_nodes: int = 20_000_000

    def __post_init__(self) -> None:
        """Check the public parameters."""
        for name, least in (("height", 1), ("max_nodes", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                message = f"{name} must be a whole number of at least {least}, got {value!r}"
                raise ParameterError(message)
        try:
            object.__setattr__(self, "threshold", Threshold(self.threshold))
        except ValueError:
            message = f"threshold must be one of {', '.join(Threshold)}, got {self.threshold!r}"
            raise ParameterError(message) from None

    def plan(self, budget: Budget) -> Sequential:
        """Where the budget goes: the same share for each level."""
        if not isinstance(budget, PureDP):
            message = (
                f"the prefix tree proves pure differential privacy, so its budget must be PureDP, got {type(budget).__name__}"
            )
            raise BudgetError(message)
        shares = split(budget.epsilon, [1] * self.height)
        require_rate(shares[0])
        steps = tuple(
            Step(name=f"level {length}", epsilon=share, note=f"prefixes of length {length}, disjoint")
            for length, share in enumerate(shares, start=1)
        )
        return Sequential(name="levels", parts=steps)

    def explain(self, budget: Budget, *, universe: Universe | None = None) -> Explanation:
        """Tell where the budget goes and, given the universe, from which count on a prefix is kept. Spends nothing."""
        plan = self.plan(budget)
        facts = [f"sequences are cut after {self.height} symbols"]
        if universe is not None:
            share = plan.parts[0].epsilon
            least = self.least_count(share, symbols=len(universe))
            false = len(universe) * passing_probability(share, least)
            facts.append(
                f"a prefix is kept from a noisy count of {least} on ({self.threshold} threshold, {len(universe)} labels)"
            )
            facts.append(f"a kept prefix gets {false:.2g} false children on average")
        return Explanation(title=f"prefix tree, {budget}", plan=plan, facts=tuple(facts))

    def least_count(self, epsilon: Fraction, *, symbols: int) -> int:
        """The threshold on a level of cost `epsilon`; public, so it may be computed in floating point."""
        published = ceil(2 * sqrt(2) / float(epsilon))
        if self.threshold is Threshold.PUBLISHED:
            return max(1, published)
        bound = log(symbols / float(FALSE_CHILDREN) / (1 + exp(-float(epsilon)))) / float(epsilon)
        return max(1, published, ceil(bound))

    def publish(
        self,
        records: SequenceRecords,
        *,
        budget: Budget,
        ledger: OpensAccounts | None = None,
        neighbours: Neighbours | None = None,
        progress: Progress | None = None,
    ) -> Release[PublishedSequences]:
        """Publish the records, spending the whole budget; `progress` is told of each level that is done."""
        if neighbours is not None:
            require(neighbours, proved=(AddRemoveRecord,), mechanism="prefix-tree")
        relation = AddRemoveRecord(unit=records.unit)  # the unit is what the mechanism proves, whoever asks
        charge = Charge(dataset=records.name, mechanism="prefix-tree", plan=self.plan(budget))
        with (Ledger() if ledger is None else ledger).open(charge) as account:
            tree = self._grow(records, account, progress)
            data = PublishedSequences(
                sequences=sequences_from_tree(tree),
                universe=records.universe,
                file_format=records.file_format,
                columns=records.columns,
            )
            guarantee = DifferentialPrivacy(budget=budget, neighbours=relation, voids=_voids(records.universe, account))
            return Release(data=data, guarantee=guarantee, manifest=self._manifest(records.universe, guarantee, account))

    def _grow(self, records: SequenceRecords, account: Account, progress: Progress | None) -> NoisyTree:
        """Ask for one level after the other; which prefixes are asked for depends on earlier answers only."""
        symbols = len(records.universe)
        counter = PrefixCounter(records.sequences, symbols=symbols)
        levels: list[TreeLevel] = []
        nodes = 0
        for done, step in enumerate(account.charge.plan.steps(), start=1):
            threshold = self.least_count(step.epsilon, symbols=symbols)
            self._refuse_flood(nodes + counter.domain * passing_probability(step.epsilon, threshold))
            keys, counts = counter.counts()
            kept = account.noisy_cells(step.name, keys=keys, counts=counts, domain=counter.domain, threshold=threshold)
            counter.keep(kept.keys)
            levels.append(TreeLevel.from_cells(kept, symbols=symbols))
            nodes += len(levels[-1])
            self._refuse_flood(nodes)
            if progress is not None:
                progress(done, self.height)
        return NoisyTree(tuple(levels))

    def _refuse_flood(self, nodes: float) -> None:
        """Stop before memory is gone; the number of nodes is noisy or expected, so that stopping tells nothing else."""
        if nodes > self.max_nodes:
            message = (
                f"the noisy tree must have at most max_nodes = {self.max_nodes:,} nodes and would have about {nodes:,.0f}; "
                "use the default threshold, a larger epsilon, a smaller height, or raise max_nodes"
            )
            raise TooManyNodesError(message)

    def _manifest(self, universe: Universe, guarantee: DifferentialPrivacy, account: Account) -> dict[str, object]:
        return manifest_of(
            kind="sequences",
            mechanism="prefix-tree",
            parameters={"height": self.height, "threshold": str(self.threshold), "max_nodes": self.max_nodes},
            guarantee=guarantee,
            account=account,
            public_inputs={"universe": {"size": len(universe), "sha256": universe.digest(), "origin": universe.origin}},
            rules=(
                "labels outside the universe were dropped from their sequence",
                f"sequences were cut after {self.height} symbols",
                "prefixes with a noisy count below the threshold were dropped, empty ones included",
            ),
        )


def _voids(universe: Universe, account: Account) -> tuple[str, ...]:
    voids: list[str] = []
    if not universe.is_public:
        voids.append("its universe was read from the data, so that a label can show that somebody is there")
    if not account.private:
        voids.append(f"its noise came from {account.noise_source}")
    return tuple(voids)
