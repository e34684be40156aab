"""Sequences as lookalikes that are raked to all noisy answers at once.

Lengths, single symbols, steps from symbol to symbol, first and last symbols, one number about the shape of each sequence and one
about which of a few symbols it has are asked once, each with noise. Walks of the noisy chain, given their lengths, are drawn as
lookalikes; weights are found with which they agree with all answers as far as the noise of each allows; lookalikes of the kinds
that carry the weight are drawn and weighed again, and sequences are written by their weights.

No published algorithm. Raking weighs a sample to known margins (Deming and Stephan 1940); margins with noise and a weak prior are
a generalised form of it (`tacita.synthesis.raking`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from tacita.errors import ParameterError
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Plan, Sequential, Step
from tacita.privacy.laws import Change
from tacita.privacy.noise import require_rate
from tacita.privacy.publishing import MOST_UNSURE, SURE, UNSURE_RULE, Made, PrivateMethod, Progress, refuse_flood, require_pure
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import whole_number
from tacita.public.steps import UNIT, length_edges
from tacita.sequences.length import PrivateLength
from tacita.sequences.published import PublishedSequences, raked_counts, single_counts
from tacita.sequences.raked.questions import SHARES, SINGLE_SHARES, StepQuestions
from tacita.sequences.raked.synthesis import repeated_singly
from tacita.sequences.records import CountedSequences

__all__ = ["Raked"]

LONGEST = 1_000
"""The longest `max_length`: walks are drawn symbol by symbol."""

MOST_LABELS = 20_000_000
"""At most how many labels: every one of them has a noisy count."""


@dataclass(frozen=True, kw_only=True)
class Raked(PrivateMethod[CountedSequences, PublishedSequences]):
    """Publish sequences as lookalikes raked to noisy lengths, symbols, steps, ends and shapes.

    Needs: sequences over a public universe, without times; max_length fixed without a look at the data.
    Guarantees: epsilon-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing one sequence, however long; `records.unit` says whose it is.
    Budget: 2 % of epsilon for the number of sequences, 8 % for lengths, 74/13 % for a glance at single symbols, 810/13 % for
    steps, 11 % for first and last symbols, 5 % for shapes, 6 % for company.
    Not covered: how long a run takes and how much memory it needs; several sequences of one person, who then has as many times
    epsilon, as the guarantee says and the ledger charges.
    Reference: none; see the module for what it grew from, and `questions` for the proof of each sensitivity.

    >>> from tacita.privacy.budget import PureDP
    >>> print(Raked().explain(PureDP("1")))  # doctest: +ELLIPSIS
    raked sequences, epsilon = 1
    raked sequences: epsilon 1, the sum of
    ├─ people: epsilon 0.02 (how many sequences there are)
    ├─ lengths: epsilon 0.08 (how many have each length, disjoint)
    ├─ glance: epsilon 37/650 (single symbols, so that the rest is asked where it can be seen)
    ├─ ends: epsilon 0.11 (first and last symbols, together or apart)
    ├─ steps: epsilon 81/130 (what follows what, ...)
    ├─ shapes: epsilon 0.05 (how many have which number of different symbols, are round trips, ...)
    └─ company: epsilon 0.06 (how many have exactly which of a few symbols, disjoint)
    <BLANKLINE>
    - sequences are cut after 400 symbols
    - ...
    """

    name: ClassVar[str] = "raked"
    takes: ClassVar[type] = CountedSequences

    max_length: int = 400
    with_counts: bool = False

    def __post_init__(self) -> None:
        """Check the public parameters."""
        if isinstance(self.max_length, PrivateLength):
            message = "max_length of raked must be a number; a private length is for ngram and itinerary (--method)"
            raise ParameterError(message)
        whole_number(self.max_length, name="max_length", least=1, most=LONGEST)

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""
        require_pure(budget, public, method="raked sequences prove")
        if public.grid is not None:
            message = "raked publishes sequences without times; leave out the time grid, or choose itinerary"
            raise ParameterError(message)
        if public.size is not None and public.size > MOST_LABELS:
            message = f"raked takes at most {MOST_LABELS:,} labels, got {public.size:,}; choose a coarser universe"
            raise ParameterError(message)
        shares = SINGLE_SHARES if self.max_length == 1 else SHARES
        for name in shares.keys() & {"glance", "steps"}:
            require_rate(budget.epsilon * shares[name][0] / (UNIT * (self.max_length + 2)))
        steps = (Step(name=name, epsilon=budget.epsilon * share, note=note) for name, (share, note) in shares.items())
        return Sequential(name="raked sequences", parts=tuple(steps))

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far one sequence changes what a step asks; None for a step that there is not.

        Noisy lengths choose the cap, from 2 on; symbols weigh one less than steps. Ends are asked together, or apart.
        """
        if step in {"glance", "steps"}:
            return Change(least=UNIT, is_chosen=True)
        return Change(is_chosen=step == "ends") if step in {**SHARES, **SINGLE_SHARES} else None

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Tell where the budget goes and from how many records on there is something to see. Spends nothing."""
        plan = self.plan(budget, public)
        facts = [
            f"sequences are cut after {self.max_length} symbols",
            f"below about {self._least_records(budget):,} records, noise hides their number; at most {MOST_UNSURE:,} are written",
            "long sequences are down-weighted; the cap is chosen from noisy lengths",
            "steps from symbol to symbol are asked for if the noise leaves most of them visible, single symbols otherwise",
            "kept: lengths, symbols, what follows what, first and last symbols, round trips, numbers of different symbols",
            "no times are published",
        ]
        if public.universe is not None:
            labels = public.universe.labels
            facts.append(f"the universe has {len(labels):,} labels, from {labels[0]!r} to {labels[-1]!r}")
        return Explanation(title=f"raked sequences, {budget}", plan=plan, facts=tuple(facts))

    def _least_records(self, budget: Budget) -> int:
        """How many records there must be for their number to stand out of its noise."""
        if self.max_length == 1:
            return round(SURE * sqrt(2) / float(budget.epsilon * SINGLE_SHARES["people"][0]))
        rates = float(budget.epsilon * SHARES["people"][0]), float(budget.epsilon * SHARES["lengths"][0])
        return round(SURE / sqrt(rates[0] ** 2 / 2 + rates[1] ** 2 / (2 * length_edges(self.max_length).size)))

    def _made(
        self,
        records: CountedSequences,
        account: Account,
        budget: Budget,  # noqa: ARG002 - the plan says what each question costs
        progress: Progress | None,  # noqa: ARG002 - each question is asked at once
    ) -> Made[PublishedSequences]:
        """Ask, and build the data from the answers."""
        questions = StepQuestions(labels=len(records.universe), max_length=self.max_length)
        cut = f"sequences were cut after {self.max_length} symbols"
        if self.max_length == 1:
            people, symbols = questions.asked_singly(records.counts(), account)
            drawn = (people.counts, people.scale), (symbols.counts, symbols.scale)
            counts = single_counts(*drawn, universe=records.universe) if self.with_counts else None
            data = records.published(repeated_singly(people, symbols), counts=counts)
            return Made(data=data, rules=(cut, UNSURE_RULE))
        asked = questions.asked(records.counts(), account)
        pool, lengths = asked.pool, asked.pool.lengths
        second, weights = pool.second(asked.answers)
        refuse_flood(float(second.lengths.published) * lengths.mean, in_parts=True)
        sequences = second.written(weights, second.lengths.published)
        counts = None
        if self.with_counts:
            counts = raked_counts(
                universe=records.universe,
                edges=lengths.edges,
                people=(asked.people.counts, asked.people.scale),
                lengths=(lengths.drawn, lengths.scale),
                ends=(asked.answers.ends.counts, asked.answers.ends.scale),
                kept=np.arange(len(records.universe)),
                together=asked.answers.ends.together,
                shapes=(asked.answers.shapes.counts, asked.answers.shapes.scale),
            )
        steps = "steps" if asked.answers.steps is not None else "symbols"
        return Made(
            data=records.published(sequences, counts=counts),
            rules=(
                cut,
                UNSURE_RULE,
                f"long sequences were down-weighted: each weighs at most {lengths.cap} steps, chosen from noisy lengths",
                *self._coding_rules(pool.codes.rare, len(records.universe)),
                f"noisy lengths and symbols decided that {steps} were asked for with most of the budget",
                "sequences were drawn from a model and chosen so that lengths, symbols, ends and shapes agree with noisy counts",
            ),
        )

    @staticmethod
    def _coding_rules(kept: int, labels: int) -> tuple[str, ...]:
        if kept == labels:
            return ()
        return (f"{kept:,} labels stood out of the noise; all others were pooled, and released at random among each other",)
