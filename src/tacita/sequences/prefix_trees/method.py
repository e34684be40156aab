"""Sequences by a noisy prefix tree, level by level.

The simple tree is Algorithm 1 of Chen, Fung and Desai, *Differentially private trajectory data publication*; the hybrid tree is
that of Chen, Fung, Desai and Sossou, KDD 2012 (both in section 6.3 of Chen's thesis). Departures that guarantee or memory need:
universe, taxonomy and time grid are public; a label has one place in the taxonomy; the noise is discrete and exact; candidates
with times may be as early as the last symbol; and the threshold bounds the expected number of false children (the published
constant lets false nodes multiply as soon as there are more than 34 locations). Not in the papers: asking for ends and continuing
lost sequences, and a height chosen with a share of the budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from tacita.counting import SequenceCounts
from tacita.errors import ParameterError
from tacita.io import NoisyCounts
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Plan, Sequential, Step, decimal_text, split
from tacita.privacy.laws import Change, Law
from tacita.privacy.noise import require_rate
from tacita.privacy.publishing import Made, PrivateMethod, Progress, require_pure
from tacita.privacy.questions import select
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.ladder import Ladder
from tacita.public.parameters import Chosen, one_of, whole_number
from tacita.public.taxonomy import Taxonomy, require_taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences.length import MOST_LEVELS, PrivateLength, quantile_scores
from tacita.sequences.prefix_trees.growth import GrownTree, Schedule, Threshold, grow
from tacita.sequences.published import PublishedSequences, prefix_counts
from tacita.sequences.records import CountedSequences
from tacita.trees import Inference, completed_sequences, estimate, sequences_from_tree

__all__ = ["Granularity", "Lost", "PrefixTree"]

MOST_CONTINUED = 2_000_000
"""Three symbols together must fit into the 64 bits of a context."""


class Granularity(StrEnum):
    """Whether the next symbol of a prefix is asked for at once, or group by group."""

    SIMPLE = "simple"
    HYBRID = "hybrid"


class Lost(StrEnum):
    """What happens to sequences whose continuation was lost in the noise."""

    END = "end"
    CONTINUE = "continue"


@dataclass(frozen=True, kw_only=True)
class PrefixTree(PrivateMethod[CountedSequences, PublishedSequences]):
    """Publish sequences by counting their prefixes with noise, one length after another.

    Needs: sequences over a public universe, with times on a public grid if there are any; height, taxonomy and every other
    parameter fixed without looking at the data.
    Guarantees: epsilon-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing one sequence, however long; `records.unit` says whose it is.
    Budget: epsilon / height for each level, after what a private height costs; sequential over levels and over the questions on
    the way to a symbol (interval, groups, symbol), parallel over disjoint prefixes, groups, symbols and ends.
    Not covered: how long a run takes and how much memory it needs; several sequences of one person, who is then protected at that
    many times epsilon, as the guarantee says and the ledger charges.
    Reference: Chen, Fung and Desai, Algorithm 1; Chen et al., KDD 2012, Algorithm 1; departs from them as described above.

    >>> from tacita.privacy.budget import PureDP
    >>> print(PrefixTree(height=2).explain(PureDP("1")))
    prefix tree, epsilon = 1
    levels: epsilon 1, the sum of
    ├─ level 1: epsilon 0.5 (prefixes of length 1, disjoint)
    └─ level 2: epsilon 0.5 (prefixes of length 2, disjoint)
    <BLANKLINE>
    - sequences are cut after 2 symbols
    """

    name: ClassVar[str] = "prefix-tree"
    takes: ClassVar[type] = CountedSequences

    height: int | PrivateLength
    granularity: Granularity | str | None = None
    taxonomy: Taxonomy | None = None
    threshold: Chosen[Threshold] = Chosen(Threshold, Threshold.DEFAULT)
    inference: Chosen[Inference] = Chosen(Inference, Inference.EXACT)
    lost: Chosen[Lost] = Chosen(Lost, Lost.END)
    with_counts: bool = False
    max_nodes: int = 20_000_000

    def __post_init__(self) -> None:
        """Check the public parameters; with a taxonomy the tree is hybrid unless it is set to simple."""
        if not isinstance(self.height, PrivateLength):
            whole_number(self.height, name="height", least=1, most=MOST_LEVELS)
        whole_number(self.max_nodes, name="max_nodes", least=1)
        require_taxonomy(self.taxonomy)
        implied = Granularity.SIMPLE if self.taxonomy is None else Granularity.HYBRID
        object.__setattr__(self, "granularity", one_of(Granularity, self.granularity or implied, name="granularity"))
        if self.lost is Lost.CONTINUE and self.inference not in {Inference.EXACT, Inference.CORRECTED}:
            message = (
                f"lost sequences can be continued only from consistent counts, got the inference {self.inference}; "
                f"choose {Inference.EXACT} or {Inference.CORRECTED}"
            )
            raise ParameterError(message)
        if self.granularity is Granularity.SIMPLE and self.taxonomy is not None:
            message = "a simple tree does not use a taxonomy; leave it out, or choose the hybrid granularity"
            raise ParameterError(message)

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes: an equal share for each level, divided among its questions."""
        require_pure(budget, public, method="the prefix tree proves")
        ladder = self._ladder(public)
        if isinstance(self.height, PrivateLength):
            self._levels(budget.epsilon * (1 - self.height.share), self.height.longest, ladder)
            return self._plan_of_private_height(budget, self.height)
        return self._levels(budget.epsilon, self.height, ladder)

    def _plan_of_private_height(self, budget: Budget, height: PrivateLength) -> Plan:
        for_height = budget.epsilon * height.share
        note = f"a length from 1 to {height.longest} that {decimal_text(height.quantile)} of the sequences do not exceed"
        levels = Step(name="levels", epsilon=budget.epsilon - for_height, note="divided equally among that many levels")
        return Sequential(name="prefix tree", parts=(Step(name="height", epsilon=for_height, note=note), levels))

    def _levels(self, epsilon: Fraction, height: int, ladder: Ladder) -> Plan:
        schedule = self._schedules(epsilon, height, ladder)[0]
        require_rate(min(schedule.costs))
        return _plan_of_levels(schedule, height)

    def _ladder(self, public: PublicInputs) -> Ladder:
        """The questions that lead to a symbol and, if lost sequences are continued, to the end."""
        universe, grid = public.universe, public.grid
        intervals, has_end = 1 if grid is None else grid.intervals, self.lost is Lost.CONTINUE
        if has_end and universe is not None and len(universe) * intervals > MOST_CONTINUED:
            message = (
                f"lost sequences can be continued over at most {MOST_CONTINUED:,} labels times intervals, "
                f"got {len(universe) * intervals:,}; let them end, or choose a coarser grid"
            )
            raise ParameterError(message)
        if self.granularity is Granularity.SIMPLE:
            return _simple_ladder(1 if universe is None else len(universe), intervals, has_end=has_end)
        return _hybrid_ladder(self._groups(universe, grid), intervals, has_end=has_end)

    def _groups(self, universe: Universe | None, grid: TimeGrid | None) -> Taxonomy:
        """The taxonomy of a hybrid tree; with times there need not be one."""
        taxonomy = self.taxonomy
        if taxonomy is None:
            if universe is None or grid is None:
                message = (
                    "a hybrid tree must have a taxonomy, or times and a universe; give one, or choose the simple granularity"
                )
                raise ParameterError(message)
            return Taxonomy.flat(universe)
        if universe is not None and taxonomy.universe != universe:
            message = "the taxonomy must be one over the universe of the records, label by label in the same order"
            raise ParameterError(message)
        return taxonomy

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far one protected unit changes what a step asks; None for a step that there is not."""
        if step == "height":
            return Change(law=Law.CHOICE)
        return Change() if step.startswith("level ") else None

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Explain where the budget goes and, given the universe, which prefixes are kept. Spends nothing."""
        plan, universe = self.plan(budget, public), public.universe
        title = f"prefix tree, {budget}"
        if isinstance(self.height, PrivateLength):
            return Explanation(
                title=title,
                plan=plan,
                facts=("sequences are truncated at a height that is chosen privately, for a share of epsilon",),
            )
        facts = [f"sequences are cut after {self.height} symbols"]
        if universe is not None:
            facts.append(f"the universe has {len(universe):,} labels, from {universe.labels[0]!r} to {universe.labels[-1]!r}")
            schedule = self.schedules(budget, public)[0]
            for question in schedule.questions(min(self.height, 2)):
                if question.rung.is_end:
                    what = "the number of sequences that end at a prefix is"
                else:
                    what = "a prefix is" if question.rung.is_final else f"of the {question.rung.name}, one is"
                facts.append(f"{what} kept if its noisy count is at least {question.threshold}")
            facts.append(
                f"thresholds: {self.threshold}; a kept prefix gets {schedule.false_children():.2g} false children on average"
            )
        return Explanation(title=title, plan=plan, facts=tuple(facts))

    def schedules(self, budget: Budget, public: PublicInputs) -> list[Schedule]:
        """What each question of each level costs, and what it keeps; known in advance if the height is."""
        if isinstance(self.height, PrivateLength):
            message = "the schedule of a tree with a private height is not known in advance"
            raise ParameterError(message)
        return self._schedules(budget.epsilon, self.height, self._ladder(public))

    def _schedules(self, epsilon: Fraction, height: int, ladder: Ladder) -> list[Schedule]:
        """The schedule of each of `height` levels that cost `epsilon` together: the same for all of them."""
        return [_schedule_of_level(ladder, split(epsilon, [1] * height)[0], self.threshold)] * height

    def _made(
        self, records: CountedSequences, account: Account, budget: Budget, progress: Progress | None
    ) -> Made[PublishedSequences]:
        """Ask, and build the data from the answers; `progress` is called after each level."""
        counts = records.counts()
        ladder = self._ladder(records.public)
        height, epsilon = self._height(counts, account, budget, ladder)
        schedules = self._schedules(epsilon, height, ladder)
        counter = counts.prefixes(end=ladder.symbols if ladder.has_end else None)
        grown = grow(counter, account, schedules, max_nodes=self.max_nodes, progress=progress)
        tree = estimate(grown.tree, self.inference, noise=grown.noise)
        sequences = (
            completed_sequences(tree, symbols=ladder.symbols, places=ladder.places)
            if ladder.has_end
            else sequences_from_tree(tree)
        )
        return Made(
            data=records.published(sequences, counts=self._drawn(grown, records) if self.with_counts else None),
            bought={"height": height},
            rules=self._rules(height),
            others={"taxonomy": self.taxonomy},
        )

    @staticmethod
    def _drawn(grown: GrownTree, records: CountedSequences) -> NoisyCounts:
        """The noisy counts as they were drawn."""
        return prefix_counts(grown.tree, grown.noise, universe=records.universe, grid=records.grid)

    def _height(self, counts: SequenceCounts, account: Account, budget: Budget, ladder: Ladder) -> tuple[int, Fraction]:
        """The height and the budget of its levels; a private height is determined first."""
        if not isinstance(self.height, PrivateLength):
            return self.height, budget.epsilon
        lengths = counts.lengths(longest=self.height.longest)
        scores = quantile_scores(lengths, quantile=self.height.quantile)
        height = 1 + select(account, "height", scores=scores, sensitivity=self.height.sensitivity)
        left = budget.epsilon * (1 - self.height.share)
        account.unfold("levels", self._levels(left, height, ladder))
        return height, left

    def _rules(self, height: int) -> tuple[str, ...]:
        rules = [
            f"sequences were cut after {height} symbols",
            "prefixes with a noisy count below the threshold were dropped, empty ones included",
        ]
        if isinstance(self.height, PrivateLength):
            rules.append(f"that length was chosen privately: {self.height}")
        if self.lost is Lost.CONTINUE:
            rules.append(
                "where the continuation of sequences was dropped, they were continued like similar ones, from noisy counts alone"
            )
        return tuple(rules)


# Whatever depends on public parameters alone is cached: an audit publishes many thousands of times.


@lru_cache(maxsize=64)
def _simple_ladder(places: int, intervals: int, *, has_end: bool) -> Ladder:
    ladder = Ladder.simple(places, intervals=intervals)
    return ladder.with_end() if has_end else ladder


@lru_cache(maxsize=64)
def _hybrid_ladder(taxonomy: Taxonomy, intervals: int, *, has_end: bool) -> Ladder:
    ladder = Ladder.along(taxonomy, intervals=intervals)
    return ladder.with_end() if has_end else ladder


@lru_cache(maxsize=256)
def _schedule_of_level(ladder: Ladder, epsilon: Fraction, threshold: Threshold) -> Schedule:
    return Schedule(ladder=ladder, epsilon=epsilon, threshold=threshold)


@lru_cache(maxsize=256)
def _plan_of_levels(schedule: Schedule, height: int) -> Sequential:
    return Sequential(name="levels", parts=tuple(schedule.plan(level) for level in range(1, height + 1)))
