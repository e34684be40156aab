"""Frequent strings of one length, grown symbol by symbol: a baseline.

This is the search for frequent strings of McSherry and Mahajan (*Differentially-private network trace analysis*, SIGCOMM
2010), which Chen's thesis compares its n-grams with under the name *FFS*: strings are extended by one symbol at a time, noisy
counts of records that begin with them decide which are kept, and at the end the strings of the full length remain with their
counts. Here strings that nobody has are sampled as well, with exact discrete noise, and a threshold bounds how many of them
pass. It knows only how records begin, so it misses what happens later in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.arrays.ragged import chosen
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Plan
from tacita.privacy.publishing import Made, PrivateMethod, Progress
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import Chosen
from tacita.sequences.prefix_trees.growth import Schedule, Threshold, grow
from tacita.sequences.prefix_trees.method import PrefixTree
from tacita.sequences.published import PublishedSequences
from tacita.sequences.records import CountedSequences
from tacita.trees import Inference, estimate, sequences_from_tree

__all__ = ["FrequentStrings"]


@dataclass(frozen=True, kw_only=True)
class FrequentStrings(PrivateMethod[CountedSequences, PublishedSequences]):
    """Publish the frequent beginnings of sequences, all of one length; a baseline.

    Needs: sequences over a public universe, with times on a public grid if there are any; `length` fixed without looking at the
    data.
    Guarantees: epsilon-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing one sequence, however long; `records.unit` says whose it is.
    Budget: epsilon / length for each symbol; sequential over symbols, parallel over disjoint strings.
    Not covered: how long a run takes and how much memory it needs; several sequences of one person, who is then protected at that
    many times epsilon, as the guarantee says and the ledger charges.
    Reference: McSherry and Mahajan, SIGCOMM 2010, section 4.2; departs from it in noise, threshold and sampled strings.

    >>> from tacita.privacy.budget import PureDP
    >>> print(FrequentStrings(length=2).explain(PureDP("1")).title)
    frequent strings, epsilon = 1
    """

    name: ClassVar[str] = "ffs"
    takes: ClassVar[type] = CountedSequences

    length: int = 3
    threshold: Chosen[Threshold] = Chosen(Threshold, Threshold.DEFAULT)
    max_nodes: int = 20_000_000

    def __post_init__(self) -> None:
        """Check the public parameters."""
        self._tree  # noqa: B018 - a tree of that height checks them

    @property
    def _tree(self) -> PrefixTree:
        return PrefixTree(height=self.length, threshold=self.threshold, inference=Inference.NONE, max_nodes=self.max_nodes)

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes: an equal share for each symbol."""
        return self._tree.plan(budget, public)

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Explain where the budget goes and, given the universe, which strings are kept. Spends nothing."""
        told = self._tree.explain(budget, public)
        fact = f"only strings of exactly {self.length} symbols are published"
        return Explanation(title=f"frequent strings, {budget}", plan=told.plan, facts=(*told.facts, fact))

    def schedules(self, budget: Budget, public: PublicInputs) -> list[Schedule]:
        """What each question costs, and what it keeps."""
        return self._tree.schedules(budget, public)

    def _made(
        self, records: CountedSequences, account: Account, budget: Budget, progress: Progress | None
    ) -> Made[PublishedSequences]:
        """Ask, and build the data from the answers; `progress` is called after each symbol."""
        counter = records.counts().prefixes(end=None)
        schedules = self.schedules(budget, records.public)
        grown = grow(counter, account, schedules, max_nodes=self.max_nodes, progress=progress)
        sequences = sequences_from_tree(estimate(grown.tree, Inference.NONE, noise=grown.noise))
        strings = chosen(sequences, np.flatnonzero(sequences.lengths == self.length))
        return Made(
            data=records.published(strings),
            rules=(
                f"only beginnings of exactly {self.length} symbols were kept",
                "strings with a noisy count below the threshold were dropped, empty ones included",
            ),
        )
