"""Baskets by a flat histogram: how many people have each whole basket, with noise.

This is the baseline that the thesis calls Basic (section 4.3.1, after Dwork et al. 2006), done right: the noise is discrete and
exact, and baskets that nobody has are sampled rather than visited, so a universe of up to 61 items is no problem. For larger ones
there is the stable histogram (Korolova et al. 2009, Bun, Nissim and Stemmer 2016), which asks only about baskets that somebody
has, and pays for that with a delta.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import expm1
from typing import ClassVar

from tacita.arrays.ragged import chosen, lexicographic_order, sets_of_masks
from tacita.errors import BudgetError, ParameterError
from tacita.privacy.account import Account
from tacita.privacy.budget import ApproxDP, Budget, Explanation, Plan, Step
from tacita.privacy.laws import Change
from tacita.privacy.limits import refuse_flood
from tacita.privacy.noise import passing_probability, require_rate, stable_threshold, threshold_passed_by
from tacita.privacy.publishing import Made, PrivateMethod, require_pure
from tacita.privacy.questions import noisy_cells, stable_lists
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import Chosen, whole_number
from tacita.public.universe import Universe
from tacita.sets.partitioning import Progress
from tacita.sets.published import PublishedBaskets, copies
from tacita.sets.records import CountedBaskets, refuse_times

__all__ = ["FlatHistogram", "HistogramThreshold", "StableHistogram"]

MOST_ITEMS = 61
"""All sets of the items must be cells of one domain."""

FALSE_BASKETS = 3.0
"""The average number of false baskets (that nobody has) to let through if nothing is known about the number of records."""

FALSE_SHARE = 0.001
"""The average number of false published records, as a share of the expected number of records."""


class HistogramThreshold(StrEnum):
    """How large the noisy count of a basket must be to be kept."""

    DEFAULT = "default"
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class FlatHistogram(PrivateMethod[CountedBaskets, PublishedBaskets]):
    """Publish baskets by adding noise to the count of each of the 2 ** n - 1 possible ones, and keeping the frequent ones.

    Needs: baskets over a public universe of at most 61 items; `expected_records`, a rough public number of records, lowers the
    threshold as far as a tenth of a percent of false records allows. With `threshold` set to none every basket with a
    positive noisy count is kept: the thesis's *Basic*, which is flooded with false ones as soon as there are a few dozen items.
    Guarantees: epsilon-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing one basket, however large; `records.unit` says whose it is.
    Budget: all of it at once; baskets are disjoint cells.
    Not covered: how long a run takes and how much memory it needs; several baskets of one person, who is then protected at that
    many times epsilon, as the guarantee says and the ledger charges.
    Reference: Dwork, McSherry, Nissim and Smith 2006; Chen's thesis, section 4.3.1.

    >>> from tacita.privacy.budget import PureDP
    >>> print(FlatHistogram().explain(PureDP("1"), PublicInputs(universe=Universe("abc"))))
    flat histogram, epsilon = 1
    baskets: epsilon 1 (every possible basket is a cell, disjoint)
    <BLANKLINE>
    - the universe has 3 labels, so there are 7 possible baskets
    - a basket is kept if its noisy count is at least 1; 1.9 false ones are expected
    """

    name: ClassVar[str] = "histogram"
    takes: ClassVar[type] = CountedBaskets

    expected_records: int | None = None
    threshold: Chosen[HistogramThreshold] = Chosen(HistogramThreshold, HistogramThreshold.DEFAULT)

    def __post_init__(self) -> None:
        """Check the public parameters."""
        if self.threshold is HistogramThreshold.NONE and self.expected_records is not None:
            message = "without a threshold, a number of expected records changes nothing; leave one of the two out"
            raise ParameterError(message)
        if self.expected_records is not None:
            whole_number(self.expected_records, name="expected_records", least=1)

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes: into one question."""
        require_pure(budget, public, method="the flat histogram (the stable one takes a delta) proves")
        universe = public.universe
        refuse_times(public.grid)
        if universe is not None and len(universe) > MOST_ITEMS:
            message = (
                f"a flat histogram can have at most {MOST_ITEMS} items, but the universe has {len(universe):,}; "
                "choose diffpart, itemset-counts, or stable-histogram with a delta"
            )
            raise ParameterError(message)
        require_rate(budget.epsilon)
        if universe is not None:
            least = self.least(budget, universe=universe)
            refuse_flood(least * (1 + (2 ** len(universe) - 1) * passing_probability(budget.epsilon, least)))
        return Step(name="baskets", epsilon=budget.epsilon, note="every possible basket is a cell, disjoint")

    def least(self, budget: Budget, *, universe: Universe) -> int:
        """The noisy count that a basket must reach to be kept: a public rule."""
        if self.threshold is HistogramThreshold.NONE:
            return 1
        cells, rate = 2 ** len(universe) - 1, budget.epsilon
        threshold = threshold_passed_by(min(1.0, FALSE_BASKETS / cells), rate)
        if self.expected_records is None:
            return threshold
        above = 1 / -expm1(-float(rate))  # the mean count of a false basket, minus its threshold and one
        allowed = FALSE_SHARE * self.expected_records
        low, high = 1, threshold  # the higher the threshold, the fewer false records there are
        while low < high:
            middle = (low + high) // 2
            if cells * passing_probability(rate, middle) * (middle - 1 + above) > allowed:
                low = middle + 1
            else:
                high = middle
        return low

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far one protected unit changes what a step asks; None for a step that there is not."""
        return Change() if step == "baskets" else None

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Explain where the budget goes and, given the universe, which baskets are kept. Spends nothing."""
        plan, universe = self.plan(budget, public), public.universe
        facts: tuple[str, ...] = ()
        if universe is not None:
            cells, least = 2 ** len(universe) - 1, self.least(budget, universe=universe)
            false = cells * passing_probability(budget.epsilon, least)
            facts = (
                f"the universe has {len(universe):,} labels, so there are {cells:,} possible baskets",
                f"a basket is kept if its noisy count is at least {least:,}; {false:.2g} false ones are expected",
            )
        return Explanation(title=f"flat histogram, {budget}", plan=plan, facts=facts)

    def _made(
        self, records: CountedBaskets, account: Account, budget: Budget, progress: Progress | None
    ) -> Made[PublishedBaskets]:
        """Ask, and build the data from the answers; `progress` is called when the one question is answered."""
        universe = records.universe
        masks, counts = records.counts().masks(items=len(universe))
        kept = noisy_cells(
            account,
            "baskets",
            keys=masks - 1,
            counts=counts,
            domain=2 ** len(universe) - 1,
            threshold=self.least(budget, universe=universe),
        )
        if progress is not None:
            progress(1, 1)
        sets = sets_of_masks(kept.keys + 1, symbols=len(universe))
        order = lexicographic_order(sets)
        return Made(
            data=records.published(copies(chosen(sets, order), kept.values[order])),
            rules=("baskets with a noisy count below the threshold were dropped, empty ones included",),
        )


@dataclass(frozen=True, kw_only=True)
class StableHistogram(PrivateMethod[CountedBaskets, PublishedBaskets]):
    """Publish the baskets that many people have, over a universe of any size, under approximate differential privacy.

    Needs: baskets over a public universe; a delta far below 1 / the number of people.
    Guarantees: (epsilon, delta)-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing one basket, however large; `records.unit` says whose it is.
    Budget: all of it at once; baskets are disjoint cells. Delta bounds the probability that a basket which only one person has is
    published.
    Not covered: how long a run takes and how much memory it needs; several baskets of one person.
    Reference: Korolova, Kenthapadi, Mishra and Ntoulas 2009; Bun, Nissim and Stemmer 2016.

    >>> print(StableHistogram().explain(ApproxDP("1", "0.000001")))
    stable histogram, epsilon = 1, delta = 0.000001
    baskets: epsilon 1, delta 0.000001 (every basket that somebody has is a cell, disjoint)
    <BLANKLINE>
    - a basket is kept if its noisy count is at least 15; one that only one person has is kept with a probability below delta
    """

    name: ClassVar[str] = "stable-histogram"
    takes: ClassVar[type] = CountedBaskets

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes: into one question."""
        if not isinstance(budget, ApproxDP):
            message = (
                "the stable histogram needs a delta, as in ApproxDP; without one, choose histogram, diffpart or itemset-counts"
            )
            raise BudgetError(message)
        refuse_times(public.grid)
        require_rate(budget.epsilon)
        note = "every basket that somebody has is a cell, disjoint"
        return Step(name="baskets", epsilon=budget.epsilon, delta=budget.delta, note=note)

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far one protected unit changes what a step asks; None for a step that there is not."""
        return Change(threshold=stable_threshold(budget.epsilon, budget.delta)) if step == "baskets" else None

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Explain where the budget goes and which baskets are kept. Spends nothing."""
        plan = self.plan(budget, public)
        least = stable_threshold(budget.epsilon, budget.delta)
        fact = (
            f"a basket is kept if its noisy count is at least {least:,}; "
            "one that only one person has is kept with a probability below delta"
        )
        return Explanation(title=f"stable histogram, {budget}", plan=plan, facts=(fact,))

    def _made(
        self, records: CountedBaskets, account: Account, _budget: Budget, progress: Progress | None
    ) -> Made[PublishedBaskets]:
        """Ask, and build the data from the answers; `progress` is called when the one question is answered."""
        lists, counts = records.counts().different(symbols=len(records.universe))
        kept = stable_lists(account, "baskets", lists=lists, counts=counts)
        if progress is not None:
            progress(1, 1)
        return Made(
            data=records.published(copies(kept.lists, kept.values)),
            rules=("baskets with a noisy count below the threshold were dropped; baskets that nobody has were never considered",),
        )
