"""Sequences by variable-length n-grams: the questions and what is made of the answers, then the public parameters and the verb.

Algorithm 6.3 of Chen's thesis (section 6.4; Chen, Acs and Castelluccia, CCS 2012): a tree of grams is explored level by level,
and each path divides the budget by how long its counts suggest it will be. Departures that the guarantee needs: the universe is
public, the end is never a gram of its own, heights are rounded up, and thresholds come from the epsilon of the counts they are
compared with. A departure that large universes need: the last level has a threshold too. Not in the thesis: beginnings and
lengths, which cost little because a record has one of each; a cut that does not count as an end; a question about long repeats of
one symbol, past the longest grams; and a generator that is fitted to all of these. The published rules can be chosen by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import inf, sqrt
from typing import ClassVar, Protocol

import numpy as np

from tacita.arrays import Reals
from tacita.arrays.ragged import Ragged
from tacita.arrays.scatter import on_simplex
from tacita.counting import GramCounts, SequenceCounts
from tacita.errors import ParameterError
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Plan, Sequential, Step, decimal_text
from tacita.privacy.laws import Change, Law
from tacita.privacy.limits import MOST_UNSURE, SURE, believed, is_sure, unsure_rules
from tacita.privacy.noise import passing_probability, require_rate
from tacita.privacy.paths import Blocks, Paths, Terms
from tacita.privacy.publishing import Made, PrivateMethod, Progress, require_pure
from tacita.privacy.questions import select
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import Chosen, whole_number
from tacita.sequences.length import MOST_LEVELS, PrivateLength, quantile_scores
from tacita.sequences.ngrams.exploration import Allocation, GramRule, explore
from tacita.sequences.ngrams.synthesis import GramTree, consistent, contexts_of, fitted, joined, walked
from tacita.sequences.prefix_trees.growth import Threshold
from tacita.sequences.published import PublishedGrams, PublishedSequences
from tacita.sequences.records import CountedSequences

__all__ = ["AnswersGrams", "GramPipeline", "Missing", "NGram", "Synthesis"]


# The pipeline: the questions, their order, and what is made of the answers.
#
# Whether the result is private depends on who answers: an account adds noise. The owner's evaluation also runs the pipeline
# without noise, to separate what noise costs from what grams cannot express.


LEAPS, LEAP = 1, 1.6
"""For repeats of one symbol: how many lengths past the longest grams are asked about, and the ratio of each to the last."""

MOST_SHARES = 2**22
"""How many probabilities the machine that writes sequences may have; rare contexts that would exceed it are left out."""


class Missing(StrEnum):
    """How to treat counts that were not released."""

    MARKOV = "markov"
    ZERO = "zero"


class Synthesis(StrEnum):
    """How sequences are made of grams."""

    GENERATED = "generated"
    JOINED = "joined"


class AnswersGrams(Protocol):
    """Something that answers questions: an account, or an evaluation without noise."""

    def paths(self, step: str, *, starts: int = 1) -> Paths:
        """A tree of questions that share a budget."""
        ...


@dataclass(frozen=True, kw_only=True)
class GramPipeline:
    """The n-gram method once its longest length is known. All parameters are public."""

    symbols: int
    max_length: int
    max_gram: int
    allocation: Chosen[Allocation] = Chosen(Allocation)
    missing: Chosen[Missing] = Chosen(Missing)
    threshold: Chosen[Threshold] = Chosen(Threshold)
    synthesis: Chosen[Synthesis] = Chosen(Synthesis)
    max_nodes: int

    @property
    def grams(self) -> GramRule:
        """The questions about grams. The published construction has no leaps and treats a cut as an end."""
        is_joined = self.synthesis is Synthesis.JOINED
        return GramRule(
            symbols=self.symbols,
            starts=self.max_length,
            max_gram=min(self.max_gram, self.max_length + 1),
            allocation=self.allocation,
            threshold=self.threshold,
            leaps=() if is_joined else _leaps(self.max_gram, self.max_length),
            has_cut=not is_joined,
            first_weight=Fraction(_bits_past_four(self.symbols), 4),
        )

    @property
    def starts(self) -> GramRule:
        """The questions about the beginnings of sequences; a record has one beginning."""
        return GramRule(
            symbols=self.symbols,
            starts=1,
            max_gram=max(1, min(self.max_gram - 1, self.max_length)),
            allocation=Allocation.UNIFORM,
            threshold=Threshold.DEFAULT,
            first_weight=Fraction(_bits_past_four(self.symbols)),
        )

    def run(self, counts: SequenceCounts, answers: AnswersGrams, *, progress: Progress | None = None) -> tuple[Ragged, GramTree]:
        """Ask everything, and write synthetic sequences; the noisy grams come with them."""
        counter = counts.grams(symbols=self.symbols, max_length=self.max_length, cut=self.grams.cut)
        if self.synthesis is Synthesis.JOINED:
            tree = self._explored(counter, answers, "grams", self.grams, progress=progress)
            shares_missing = self.missing is Missing.MARKOV
            whole = consistent(tree, shares_missing=shares_missing)
            most = inf if _stands_out(tree) else MOST_UNSURE
            return joined(whole, symbols=self.symbols, max_length=self.max_length, most=most), tree
        lengths = self._lengths(counts, answers)
        starts = self._explored(counter.beginnings(), answers, "starts", self.starts)
        tree = self._explored(counter, answers, "grams", self.grams, progress=progress)
        contexts = contexts_of(
            tree,
            starts,
            max_length=self.max_length,
            lengths=lengths,
            shares_missing=self.missing is Missing.MARKOV,
            max_cells=MOST_SHARES,
        )
        machine = fitted(contexts, lengths=lengths)
        return walked(machine, records=int(lengths.sum()), max_length=self.max_length), tree

    def _lengths(self, counted: SequenceCounts, answers: AnswersGrams) -> Reals:
        """How many sequences have each length, from 0; the last entry counts those longer than the longest length."""
        counts = np.array(counted.lengths(longest=self.max_length + 1), dtype=np.int64)
        paths, one = answers.paths("lengths"), np.zeros(1, dtype=np.int64)
        terms = Terms(epsilon=paths.epsilon, threshold=None)
        blocks = Blocks(nodes=one, sizes=one + counts.size, terms=one, table=(terms,))
        cells = np.flatnonzero(counts).astype(np.int64)
        kept = paths.ask(blocks, places=np.zeros_like(cells), cells=cells, counts=counts[cells])
        lengths = np.zeros(self.max_length + 2)
        lengths[kept.cells + 1] = kept.values
        deviation = sqrt(2 * counts.size) / float(paths.epsilon)
        lengths[1:] = on_simplex(lengths[1:], max(0.0, believed(float(lengths.sum()), deviation)))
        return lengths

    def _explored(
        self, counter: GramCounts, answers: AnswersGrams, step: str, rule: GramRule, *, progress: Progress | None = None
    ) -> GramTree:
        return explore(counter, answers.paths(step, starts=rule.starts), rule, max_nodes=self.max_nodes, progress=progress)


def _stands_out(tree: GramTree) -> bool:
    """Whether the number of all symbols is too large to be noise alone."""
    single = tree.levels[0]
    return is_sure(float(single.counts.sum()), sqrt(2 * tree.symbols) * float(single.scales.max(initial=0.0)))


def _bits_past_four(symbols: int) -> int:
    """From 1 for a few symbols to 4 for hundreds: the more symbols, the smaller their counts, and the more budget they need."""
    return min(4, max(1, symbols.bit_length() - 4))


def _leaps(max_gram: int, max_length: int) -> tuple[int, ...]:
    """The lengths past the longest grams that are asked about: 8 for grams of 5."""
    lengths: list[int] = []
    longest = max_gram
    while len(lengths) < LEAPS and round(LEAP * longest + 0.5) <= max_length:
        longest = max(longest + 1, round(LEAP * longest))
        lengths.append(longest)
    return tuple(lengths)


# The method: public parameters and the verb.


STARTS_SHARE, LENGTHS_SHARE = Fraction(1, 20), Fraction(1, 50)
"""The shares of epsilon for beginnings and lengths; a record has one of each, so a little goes a long way."""

LONGEST_GRAM = 50


@dataclass(frozen=True, kw_only=True)
class NGram(PrivateMethod[CountedSequences, PublishedSequences]):
    """Publish sequences by counting their grams with noise, and writing new sequences that have these counts.

    Needs: sequences over a public universe, without times; max_length, max_gram and every other parameter fixed without looking
    at the data.
    Guarantees: epsilon-differential privacy for the whole release, manifest and grams included.
    Neighbours: adding or removing one sequence, however long; `records.unit` says whose it is.
    Budget: 1/50 of epsilon for lengths and 1/20 for beginnings, the rest for grams, after what a private length costs; grams
    that start at one position of a record share it along their path, and the noise covers max_length such positions.
    Not covered: how long a run takes and how much memory it needs; several sequences of one person, who is then protected at that
    many times epsilon, as the guarantee says and the ledger charges.
    Reference: Chen, PhD thesis, Concordia University 2012, Algorithm 6.3; departs from it as described above.

    >>> from tacita.privacy.budget import PureDP
    >>> print(NGram(max_length=3, max_gram=2).explain(PureDP("1")))
    n-grams, epsilon = 1
    n-grams: epsilon 1, the sum of
    ├─ lengths: epsilon 0.02 (how many sequences have each length, disjoint)
    ├─ starts: epsilon 0.05 (how sequences begin, one path per record)
    └─ grams: epsilon 0.93 (grams up to length 2 from each of 3 places of a record, shared along each path)
    <BLANKLINE>
    - sequences are cut after 3 symbols
    - with fewer than about 707 records, noise hides their number, and at most 100,000 are written
    """

    name: ClassVar[str] = "ngram"
    takes: ClassVar[type] = CountedSequences

    max_length: int | PrivateLength = 20
    max_gram: int = 5
    allocation: Chosen[Allocation] = Chosen(Allocation, Allocation.ADAPTIVE)
    missing: Chosen[Missing] = Chosen(Missing, Missing.MARKOV)
    threshold: Chosen[Threshold] = Chosen(Threshold, Threshold.DEFAULT)
    synthesis: Chosen[Synthesis] = Chosen(Synthesis, Synthesis.GENERATED)
    with_grams: bool = False
    max_nodes: int = 20_000_000

    def __post_init__(self) -> None:
        """Check the public parameters."""
        if not isinstance(self.max_length, PrivateLength):
            whole_number(self.max_length, name="max_length", least=1, most=MOST_LEVELS)
        whole_number(self.max_gram, name="max_gram", least=1, most=LONGEST_GRAM)
        whole_number(self.max_nodes, name="max_nodes", least=1)

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes: lengths, beginnings and grams, and first, if it is private, the longest length."""
        require_pure(budget, public, method="the n-gram method proves")
        if public.grid is not None:
            message = "n-grams are published without times; read the sequences without a time grid, or choose prefix-tree"
            raise ParameterError(message)
        symbols = 1 if public.size is None else public.size
        if symbols > self.max_nodes:
            message = f"max_nodes must be at least the number of labels, {symbols:,}, got {self.max_nodes:,}"
            raise ParameterError(message)
        if not isinstance(self.max_length, PrivateLength):
            return self._plan(budget.epsilon, self.max_length, symbols)
        for_length = budget.epsilon * self.max_length.share
        self._plan(budget.epsilon - for_length, self.max_length.longest, symbols)
        share = decimal_text(self.max_length.quantile)
        note = f"a length from 1 to {self.max_length.longest} that {share} of the sequences do not exceed"
        rest = Step(name="questions", epsilon=budget.epsilon - for_length, note="lengths, beginnings and grams")
        return Sequential(name="n-grams", parts=(Step(name="max length", epsilon=for_length, note=note), rest))

    def _plan(self, epsilon: Fraction, max_length: int, symbols: int) -> Plan:
        """The plan for sequences that are cut after `max_length` symbols."""
        pipeline = self.pipeline(max_length, symbols=symbols)
        rule = pipeline.grams
        for_grams = Step(
            name="grams",
            epsilon=epsilon if self.synthesis is Synthesis.JOINED else epsilon * (1 - STARTS_SHARE - LENGTHS_SHARE),
            note=f"grams up to length {rule.max_gram} from each of {max_length} places of a record, shared along each path",
        )
        require_rate(rule.terms(for_grams.epsilon, rule.levels, length=1).epsilon / rule.starts / 2**rule.levels)
        if self.synthesis is Synthesis.JOINED:
            return for_grams
        note = "how many sequences have each length, disjoint"
        for_lengths = Step(name="lengths", epsilon=epsilon * LENGTHS_SHARE, note=note)
        for_starts = Step(name="starts", epsilon=epsilon * STARTS_SHARE, note="how sequences begin, one path per record")
        return Sequential(name="n-grams", parts=(for_lengths, for_starts, for_grams))

    def pipeline(self, max_length: int, *, symbols: int) -> GramPipeline:
        """The questions and the synthesis for sequences that are cut after `max_length` symbols, over a universe of this size."""
        return GramPipeline(
            symbols=symbols,
            max_length=max_length,
            max_gram=self.max_gram,
            allocation=self.allocation,
            missing=self.missing,
            threshold=self.threshold,
            synthesis=self.synthesis,
            max_nodes=self.max_nodes,
        )

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far one sequence changes what a step asks, by a gram at each of its places; None for a step that there is not."""
        if step == "max length":
            return Change(law=Law.CHOICE)
        bought = isinstance(self.max_length, PrivateLength)
        starts = 1 if isinstance(self.max_length, PrivateLength) else self.max_length
        known = {"lengths": Change(in_rounds=True), "starts": Change(in_rounds=True)}
        return {**known, "grams": Change(least=starts, is_chosen=bought, in_rounds=True)}.get(step)

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Explain where the budget goes and, given the universe, which grams are kept. Spends nothing."""
        plan, universe = self.plan(budget, public), public.universe
        title = f"n-grams, {budget}"
        if isinstance(self.max_length, PrivateLength):
            return Explanation(
                title=title,
                plan=plan,
                facts=("sequences are truncated at a length that is chosen privately, for a share of epsilon",),
            )
        facts = [f"sequences are cut after {self.max_length} symbols"]
        if self.synthesis is Synthesis.GENERATED:
            least = round(SURE * sqrt(2 * (self.max_length + 1)) / float(budget.epsilon * LENGTHS_SHARE))
            facts.append(
                f"with fewer than about {least:,} records, noise hides their number, and at most {MOST_UNSURE:,} are written"
            )
        if universe is not None:
            facts.append(f"the universe has {len(universe):,} labels, from {universe.labels[0]!r} to {universe.labels[-1]!r}")
            grams = next(step for step in plan.steps() if step.name == "grams")
            if self.synthesis is Synthesis.JOINED:
                rule = self.pipeline(self.max_length, symbols=len(universe)).grams
                noise = rule.starts / float(rule.terms(grams.epsilon, rule.levels, length=1).epsilon)
                least = round(SURE * sqrt(2 * len(universe)) * noise)
                facts.append(
                    f"with fewer than about {least:,} labels in all records, noise hides their number, and at most "
                    f"{MOST_UNSURE:,} sequences are written"
                )
            facts.extend(_facts(self.pipeline(self.max_length, symbols=len(universe)).grams, grams.epsilon))
        return Explanation(title=title, plan=plan, facts=tuple(facts))

    def _made(
        self, records: CountedSequences, account: Account, budget: Budget, progress: Progress | None
    ) -> Made[PublishedSequences]:
        """Ask, and build the data from the answers; `progress` is called after each length of grams."""
        counts, universe = records.counts(), records.universe
        max_length = self._length(counts, account, budget, symbols=len(universe))
        sequences, tree = self.pipeline(max_length, symbols=len(universe)).run(counts, account, progress=progress)
        grams, numbers = tree.grams()
        released = PublishedGrams(grams=grams, counts=numbers, universe=universe) if self.with_grams else None
        return Made(
            data=records.published(sequences, grams=released),
            bought={"max_length": max_length},
            rules=self._rules(max_length, written=len(sequences)),
        )

    def _length(self, counts: SequenceCounts, account: Account, budget: Budget, *, symbols: int) -> int:
        """The longest length; a private one is determined first, with its share of the budget."""
        if not isinstance(self.max_length, PrivateLength):
            return self.max_length
        lengths = counts.lengths(longest=self.max_length.longest)
        scores = quantile_scores(lengths, quantile=self.max_length.quantile)
        found = 1 + select(account, "max length", scores=scores, sensitivity=self.max_length.sensitivity)
        left = budget.epsilon * (1 - self.max_length.share)
        account.unfold("questions", self._plan(left, found, symbols))
        return found

    def _rules(self, max_length: int, *, written: int) -> tuple[str, ...]:
        rules = [f"sequences were cut after {max_length} symbols"]
        if isinstance(self.max_length, PrivateLength):
            rules.append(f"that length was chosen privately: {self.max_length}")
        rules.append("grams with a noisy count below their threshold were dropped, empty ones included")
        if self.synthesis is Synthesis.GENERATED:
            rules.append("sequences were written so that their grams, beginnings and lengths agree with the noisy counts")
        else:
            rules.append("sequences were joined from grams with consistent counts, the longest first")
        return tuple(rules) + unsure_rules(written)


def _facts(rule: GramRule, epsilon: Fraction) -> list[str]:
    """What is kept of the first level, and how many false grams there may be."""
    first = rule.terms(epsilon, rule.levels, length=1)
    facts = [f"single labels are counted with noise of scale {rule.starts / float(first.epsilon):,.1f}"]
    if rule.max_gram > 1:
        second = rule.terms(epsilon - first.epsilon, rule.levels - 1, length=2)
        least = rule.least(second.epsilon)
        false = rule.bins * passing_probability(second.epsilon / rule.starts, least)
        facts.append(
            f"pairs of labels are counted with noise of a scale of at most {rule.starts / float(second.epsilon):,.1f}, and "
            f"followed if their noisy count reaches a threshold of at most {least:,}"
        )
        facts.append(f"thresholds: {rule.threshold}; on average {false:.2g} false grams follow a kept one")
    if rule.leaps:
        lengths = " and ".join(str(leap) for leap in rule.leaps)
        facts.append(f"repeats of one label are also counted where it comes {lengths} times in a row")
    return facts
