"""Sequences by variable-length n-grams.

Algorithm 6.3 of Chen's thesis (section 6.4; Chen, Acs and Castelluccia, CCS 2012): a tree of grams is explored level by level,
and each path divides the budget by how long its counts suggest it will be. Departures that the guarantee needs: the universe is
public, the end is never a gram of its own, heights are rounded up, and thresholds come from the epsilon of the counts they are
compared with. A departure that large universes need: the last level has a threshold too. Not in the thesis: beginnings and
lengths, which cost little because a record has one of each; a cut that does not count as an end; a question about long repeats
of one symbol, past the longest grams; and a generator that is fitted to all of these. The published rules can be chosen by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from tacita.counting import SequenceCounts
from tacita.errors import ParameterError
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Plan, Sequential, Step, decimal_text
from tacita.privacy.explanation import Explanation
from tacita.privacy.flood import MOST_UNSURE, SURE, UNSURE_RULE
from tacita.privacy.ledger import OpensAccounts
from tacita.privacy.neighbours import Neighbours
from tacita.privacy.noise import passing_probability, require_rate
from tacita.privacy.publishing import Progress, charged, parameters_of, private_release, require_pure, require_records_of
from tacita.privacy.questions import select
from tacita.privacy.release import Release
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import Chosen, whole_number
from tacita.sequences.length import MOST_LEVELS, PrivateLength, quantile_scores
from tacita.sequences.ngrams.pipeline import GramPipeline, Missing, Synthesis
from tacita.sequences.ngrams.rules import Allocation, GramRule
from tacita.sequences.prefix_trees.schedule import Threshold
from tacita.sequences.published import PublishedSequences
from tacita.sequences.published_grams import PublishedGrams
from tacita.sequences.records import CountedSequences

__all__ = ["NGram"]

STARTS_SHARE, LENGTHS_SHARE = Fraction(1, 20), Fraction(1, 50)
"""The shares of epsilon for beginnings and lengths; a record has one of each, so a little goes a long way."""

LONGEST_GRAM = 50


@dataclass(frozen=True, kw_only=True)
class NGram:
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
    - below about 707 records, noise covers how many there are; then at most 100,000 are written
    """

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
        note = f"a length from 1 to {self.max_length.longest} that {share} of the sequences do not pass"
        rest = Step(name="what is asked of them", epsilon=budget.epsilon - for_length, note="lengths, beginnings and grams")
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

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Explain where the budget goes and, given the universe, which grams are kept. Spends nothing."""
        plan, universe = self.plan(budget, public), public.universe
        title = f"n-grams, {budget}"
        if isinstance(self.max_length, PrivateLength):
            return Explanation(title=title, plan=plan, facts=("sequences are cut at a private length, bought from the budget",))
        facts = [f"sequences are cut after {self.max_length} symbols"]
        if self.synthesis is Synthesis.GENERATED:
            least = round(SURE * sqrt(2 * (self.max_length + 1)) / float(budget.epsilon * LENGTHS_SHARE))
            facts.append(
                f"below about {least:,} records, noise covers how many there are; then at most {MOST_UNSURE:,} are written"
            )
        if universe is not None:
            facts.append(f"the universe has {len(universe):,} labels, from {universe.labels[0]!r} to {universe.labels[-1]!r}")
            grams = next(step for step in plan.steps() if step.name == "grams")
            if self.synthesis is Synthesis.JOINED:
                rule = self.pipeline(self.max_length, symbols=len(universe)).grams
                noise = rule.starts / float(rule.terms(grams.epsilon, rule.levels, length=1).epsilon)
                least = round(SURE * sqrt(2 * len(universe)) * noise)
                facts.append(
                    f"below about {least:,} labels in all records, noise covers how many there are; then at most "
                    f"{MOST_UNSURE:,} sequences are written"
                )
            facts.extend(_facts(self.pipeline(self.max_length, symbols=len(universe)).grams, grams.epsilon))
        return Explanation(title=title, plan=plan, facts=tuple(facts))

    def publish(
        self,
        records: CountedSequences,
        *,
        budget: Budget,
        ledger: OpensAccounts | None = None,
        neighbours: Neighbours | None = None,
        progress: Progress | None = None,
    ) -> Release[PublishedSequences]:
        """Publish the records, spending the whole budget; `progress` is called after each length of grams."""
        require_records_of(records, CountedSequences, method="ngram")
        plan, counts, universe = self.plan(budget, records.public), records.counts(), records.universe
        with charged(records, "ngram", plan, ledger=ledger, neighbours=neighbours) as account:
            max_length = self._length(counts, account, budget, symbols=len(universe))
            sequences, tree = self.pipeline(max_length, symbols=len(universe)).run(counts, account, progress=progress)
            grams, numbers = tree.grams()
            released = PublishedGrams(grams=grams, counts=numbers, universe=universe) if self.with_grams else None
            return private_release(
                records,
                records.published(sequences, grams=released),
                account,
                budget=budget,
                parameters=parameters_of(self, max_length=max_length),
                rules=self._rules(max_length),
            )

    def _length(self, counts: SequenceCounts, account: Account, budget: Budget, *, symbols: int) -> int:
        """The longest length; a private one is determined first, with its share of the budget."""
        if not isinstance(self.max_length, PrivateLength):
            return self.max_length
        lengths = counts.lengths(longest=self.max_length.longest)
        scores = quantile_scores(lengths, quantile=self.max_length.quantile)
        found = 1 + select(account, "max length", scores=scores, sensitivity=self.max_length.sensitivity)
        left = budget.epsilon * (1 - self.max_length.share)
        account.unfold("what is asked of them", self._plan(left, found, symbols))
        return found

    def _rules(self, max_length: int) -> tuple[str, ...]:
        rules = [f"sequences were cut after {max_length} symbols"]
        if isinstance(self.max_length, PrivateLength):
            rules.append(f"that length was bought from the budget: {self.max_length}")
        rules.append("grams with a noisy count below their threshold were dropped, empty ones included")
        if self.synthesis is Synthesis.GENERATED:
            rules.append("sequences were written so that their grams, beginnings and lengths agree with the noisy counts")
            rules.append(UNSURE_RULE)
        else:
            rules.append("sequences were joined from grams with consistent counts, the longest first")
            rules.append(f"at most {MOST_UNSURE:,} sequences were written if noise could explain how many labels there are")
        return tuple(rules)


def _facts(rule: GramRule, epsilon: Fraction) -> list[str]:
    """What is kept of the first level, and how many false grams there may be."""
    first = rule.terms(epsilon, rule.levels, length=1)
    facts = [f"single labels are counted with noise of scale {rule.starts / float(first.epsilon):,.1f}"]
    if rule.max_gram > 1:
        second = rule.terms(epsilon - first.epsilon, rule.levels - 1, length=2)
        least = rule.least(second.epsilon)
        false = rule.bins * passing_probability(second.epsilon / rule.starts, least)
        facts.append(
            f"pairs of labels are counted with noise of scale {rule.starts / float(second.epsilon):,.1f} at most, and "
            f"followed if their noisy count is at least {least:,}, or less"
        )
        facts.append(f"thresholds: {rule.threshold}; what comes after a gram has {false:.2g} false grams on average")
    if rule.leaps:
        lengths = " and ".join(str(leap) for leap in rule.leaps)
        facts.append(f"repeats of one label are also counted where it comes {lengths} times in a row")
    return facts
