"""Sequences as lookalikes that are raked to all noisy answers at once.

Lengths, single symbols, steps from symbol to symbol, first and last symbols, one number about the shape of each sequence and one
about which of a few symbols it has are asked once, each with noise. Walks of the noisy chain, given their lengths, are drawn as
lookalikes; weights are found with which they agree with all answers as far as the noise of each allows; lookalikes of the kinds
that carry the weight are drawn and weighed again, and sequences are written by their weights. With times, hours, hours of places,
first times and gaps are asked as well, and sequences get times that agree with them.

No published algorithm. Raking weighs a sample to known margins (Deming and Stephan 1940); margins with noise and a weak prior are
a generalised form of it (`tacita.synthesis.raking`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import ClassVar

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.errors import BudgetError, ParameterError
from tacita.io import NoisyCounts
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Plan, PureDP, Sequential
from tacita.privacy.concentrated import rounded_up
from tacita.privacy.funds import Funds, in_both
from tacita.privacy.laws import Change
from tacita.privacy.limits import MOST_UNSURE, SURE, refuse_flood, unsure_rules
from tacita.privacy.publishing import Made, PrivateMethod, Progress
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import instance_of, whole_number
from tacita.public.steps import ROOT_UNIT, UNIT, length_edges
from tacita.public.time_grid import TimeGrid, day_lengths
from tacita.public.universe import Universe
from tacita.sequences.length import PrivateLength
from tacita.sequences.published import PublishedSequences, raked_counts, single_counts
from tacita.sequences.raked.questions import REPEATS, SHARES, SINGLE_SHARES, Asked, Shares, StepQuestions, with_repeats
from tacita.sequences.raked.synthesis import Lengths, NoisyTimes, repeated_singly, single_lengths, timed
from tacita.sequences.raked.times import (
    LEAST,
    TIME_REPEATS,
    TimeQuestions,
    single_timed_shares,
    timed_shares,
)
from tacita.sequences.records import CountedSequences

__all__ = ["Raked"]

BEFORE = ("people", "lengths")
"""What is asked before anything else."""

REST = "places and times"
"""All that is asked after it, if there are times."""

SINGLE_PEOPLE = (Fraction(4, 100), "how many sequences there are")
"""What that costs if sequences have one visit with a time."""

MOST_INTERVALS = 2_000
"""Steps from interval to interval are tables with this many rows and columns."""

TIME_RULES = (
    "where noisy lengths said that nearly all sequences have one visit, they were cut after it",
    "times were given to sequences so that hours, hours of places and gaps agree with the noisy counts",
)
"""What was also done if there are times."""

FEW_STEPS, MANY_STEPS = 6, 32
"""For how many different steps in a sequence `explain` compares the noise of both currencies."""

MOST_STEPS = 10_000
"""Up to how many it looks for the number from which a delta pays."""

LONGEST = 1_000
"""The longest `max_length`: walks are drawn symbol by symbol."""

MOST_LABELS = 20_000_000
"""At most how many labels: every one of them has a noisy count."""


@dataclass(frozen=True, kw_only=True)
class Raked(PrivateMethod[CountedSequences, PublishedSequences]):
    """Publish sequences as lookalikes raked to noisy lengths, symbols, steps, ends and shapes, with times if they have any.

    Needs: sequences over a public universe, with times on a public grid if there are any; max_length fixed without a look at the
    data.
    Guarantees: for an epsilon, that much differential privacy for the whole release, manifest included; for an epsilon with a
    delta, that, by zero-concentrated privacy.
    Neighbours: adding or removing one sequence, however long; `records.unit` says whose it is.
    Budget: 2 % of epsilon for the number of sequences, 8 % for lengths, 74/13 % for a glance at single symbols, 810/13 % for
    steps, 11 % for first and last symbols, 5 % for shapes, 6 % for company. With times, 90 % for all but people and lengths, in
    parts that noisy lengths decide (see `times`).
    Not covered: how long a run takes and how much memory it needs; several sequences of one person, who then has as many times
    epsilon, as the guarantee says and the ledger charges.
    Reference: none; see the module for what it grew from, and `questions` for the proof of each sensitivity.

    >>> from tacita.privacy.budget import PureDP
    >>> print(Raked().explain(PureDP("1")))  # doctest: +ELLIPSIS
    raked sequences, epsilon = 1
    raked sequences: epsilon 1, the sum of
    ├─ people: epsilon 0.02 (how many sequences there are)
    ├─ lengths: epsilon 0.08 (how many have each length, disjoint)
    ├─ glance: epsilon 0.05692 (single symbols, so that the rest is asked where it can be seen)
    ├─ ends: epsilon 0.11 (first and last symbols, together or apart)
    ├─ steps: epsilon 0.6231 (what follows what, ...)
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
            message = "max_length of raked must be a number; a private length is for ngram (--method)"
            raise ParameterError(message)
        whole_number(self.max_length, name="max_length", least=1, most=LONGEST)

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""
        instance_of(public, PublicInputs, name="what is public")
        funds = Funds.of(budget)
        if funds.in_rho and self.with_counts:
            message = "error bars of released counts follow from Laplace noise; leave out with_counts, or the delta"
            raise BudgetError(message)
        if public.size is not None and public.size > MOST_LABELS:
            message = f"raked takes at most {MOST_LABELS:,} labels, got {public.size:,}; choose a coarser universe"
            raise ParameterError(message)
        shares = self._shares(funds) if public.grid is None else self._timed_plan(funds, public.grid)
        for name in shares.keys() & {"glance", "steps"}:
            self._require(funds, shares[name][0])
        steps = (funds.step(name, share, note=note) for name, (share, note) in shares.items())
        return Sequential(name="raked sequences", parts=tuple(steps))

    def _shares(self, funds: Funds) -> Shares:
        """The shares without times."""
        if self.max_length == 1:
            return SINGLE_SHARES
        return with_repeats(SHARES, REPEATS) if funds.in_rho else SHARES

    def _require(self, funds: Funds, share: Fraction) -> None:
        """Refuse a budget if noise for this share could not be drawn, whatever cap noisy lengths choose."""
        most = self.max_length + 2
        funds.require_share(share / ((ROOT_UNIT * most) ** 2 if funds.in_rho else UNIT * most))

    def _timed_plan(self, funds: Funds, grid: TimeGrid) -> Shares:
        """How many there are and how long they are, and the rest, whose parts depend on that."""
        if grid.intervals > MOST_INTERVALS:
            message = (
                f"raked takes at most {MOST_INTERVALS:,} intervals, got {grid.intervals:,}; choose a coarser grid, or prefix-tree"
            )
            raise ParameterError(message)
        if self.with_counts:
            message = "noisy counts are published without times only; leave out with_counts, or the time grid"
            raise ParameterError(message)
        shares = dict.fromkeys(["people"], SINGLE_PEOPLE) if self.max_length == 1 else {name: SHARES[name] for name in BEFORE}
        left = 1 - sum((share for share, _ in shares.values()), Fraction(0))
        self._require(funds, left * (LEAST / 2 if funds.in_rho else LEAST))  # of a rho, repeats have a small part
        return shares | {REST: (left, "divided by what noisy lengths say: places, steps, times, and when places are visited")}

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the rest says enough
        """How far one sequence changes what a step asks; None for a step that there is not.

        Noisy lengths choose the cap, from 2 on; symbols weigh one less than steps. Ends are asked together, or apart.
        """
        if step in {"glance", "steps", "times", "times by place", "gaps"}:
            return Change(least=UNIT, squares=ROOT_UNIT**2, is_chosen=True)
        in_rho_alone = {**dict.fromkeys(REPEATS, 2), **dict.fromkeys(TIME_REPEATS, 1)}
        if step in in_rho_alone and Funds.of(budget).in_rho:
            return Change(least=in_rho_alone[step] * ROOT_UNIT, squares=in_rho_alone[step] * ROOT_UNIT**2)
        return Change(is_chosen=step == "ends") if step in {**SHARES, **SINGLE_SHARES, "first times": 0} else None

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Tell where the budget goes and from how many records on there is something to see. Spends nothing."""
        plan = self.plan(budget, public)
        facts = [
            f"sequences are cut after {self.max_length} symbols",
            f"below about {self._least_records(budget):,} records, noise hides their number; at most {MOST_UNSURE:,} are written",
            "long sequences are down-weighted; the cap is chosen from noisy lengths",
            "steps from symbol to symbol are asked for if the noise leaves most of them visible, single symbols otherwise",
            "kept: lengths, symbols, what follows what, first and last symbols, round trips, numbers of different symbols",
            "no times are published, unless a time grid is given" if public.grid is None else self._about_times,
        ]
        if public.universe is not None:
            labels = public.universe.labels
            facts.append(f"the universe has {len(labels):,} labels, from {labels[0]!r} to {labels[-1]!r}")
        return Explanation(title=f"raked sequences, {budget}", plan=plan, facts=tuple(facts))

    def compared(self, budget: Budget, public: PublicInputs, *, records: int | None = None) -> tuple[str, ...]:  # noqa: ARG002
        """Both currencies, of which long sequences of different steps gain by a delta."""
        _, _, delta = in_both(budget)
        out, said = "leave out the delta", f"with a delta of {rounded_up(delta)}, noise is about"
        if self.max_length == 1:
            return (f"{said} {self.noise_in_rho(budget):.2f} times as large, because a sequence changes one count: {out}",)
        few, many = (min(steps, self.max_length + 1) for steps in (FEW_STEPS, MANY_STEPS))
        told = f"{said} {self.noise_in_rho(budget, steps=few):.2f} times as large if sequences have {few} different steps"
        if many > few:
            told += f", and {self.noise_in_rho(budget, steps=many):.2f} times if they have {many}"
        least = next((steps for steps in range(1, MOST_STEPS) if self.noise_in_rho(budget, steps=steps) < 1), MOST_STEPS)
        if least > self.max_length + 1:
            return (told, f"it pays from about {least} different steps on, and sequences are cut before that: {out}")
        verdict = "add the delta" if isinstance(budget, PureDP) else "the delta pays"
        return (told, f"if sequences mostly have about {least} different steps or more, {verdict}; otherwise leave it out")

    def noise_in_rho(self, budget: Budget, *, steps: int = 1) -> float:
        """The factor by which Gaussian noise exceeds Laplace noise for sequences with this number of different steps.

        Where shares are best, a question with a share s brings about s of all error; so noise is compared question by question
        and weighed by shares.
        """
        by_epsilon, by_rho, _ = in_both(budget)
        shares, in_squares = self._shares(by_epsilon), self._shares(by_rho)
        ratio = 0.0
        for name, (share, _) in shares.items():
            cells = steps if name in {"glance", "steps"} else 1
            beside = by_rho.part(by_rho.amount * in_squares[name][0]).noise_of(cells)
            ratio += float(share) * beside / by_epsilon.part(by_epsilon.amount * share).noise_of(cells)
        return ratio

    @property
    def _about_times(self) -> str:
        times = "places, times, and times of places that are visited often"
        if self.max_length == 1:
            return f"{REST} is divided among {times}, if there are enough sequences; independent of each other otherwise"
        return (
            f"{REST} is divided among all that is asked without times, {times}, first times and gaps; if nearly all "
            "sequences have one visit, among places and times alone, and they are cut after it"
        )

    def _least_records(self, budget: Budget) -> int:
        """How many records there must be for their number to stand out of its noise."""
        funds = Funds.of(budget)
        if self.max_length == 1:
            return round(SURE * sqrt(2) / self._rate(funds, "people"))
        rates = self._rate(funds, "people"), self._rate(funds, "lengths")
        return round(SURE / sqrt(rates[0] ** 2 / 2 + rates[1] ** 2 / (2 * length_edges(self.max_length).size)))

    def _rate(self, funds: Funds, step: str) -> float:
        """What the share of a step is worth, if a record changes one count of it by 1."""
        return funds.part(funds.amount * self._shares(funds)[step][0]).worth()

    def _made(
        self,
        records: CountedSequences,
        account: Account,
        budget: Budget,
        progress: Progress | None,  # noqa: ARG002 - each question is asked at once
    ) -> Made[PublishedSequences]:
        """Ask, and build the data from the answers."""
        labels = len(records.universe)
        questions = StepQuestions(labels=labels, max_length=self.max_length)
        counted = records.counts()
        counts = counted if records.grid is None else counted.untimed(labels=labels)
        if self.max_length == 1:
            people = questions.people(counts, account)
            lengths = single_lengths(float(people.counts[0]), people.scale)
        else:
            people, lengths = questions.lengths(counts, account)
        times = None if records.grid is None else self._unfolded(account, budget, labels, records.grid, lengths)
        if self.max_length == 1 or (times is not None and times.max_length == 1):
            symbols, noisy = questions.singles(counts, account), None
            if times is not None:
                noisy = times.asked(counted.times(labels=labels, max_length=1), account, glance=symbols)
            number = replace(people, counts=np.array([lengths.people]), scale=lengths.deviation / sqrt(2))
            drawn = (people.counts, people.scale), (symbols.counts, symbols.scale)
            return self._published(
                records,
                repeated_singly(people if self.max_length == 1 else number, symbols, noisy),
                noisy,
                counts=single_counts(*drawn, universe=records.universe) if self.with_counts else None,
            )
        asked = questions.asked_further(counts, account, people, lengths)
        pool, answers, noisy = asked.pool, asked.answers, None
        if times is not None:
            counter = counted.times(labels=labels, max_length=self.max_length)
            times = replace(times, lengths=asked.pool.lengths)
            noisy = times.asked(counter, account, glance=answers.symbols)
            answers = replace(answers, visits=times.weighed(noisy))
        second, weights = pool.second(answers)
        refuse_flood(float(second.lengths.published) * lengths.mean, in_parts=noisy is None)
        steps = "steps" if answers.steps is not None else "symbols"
        return self._published(
            records,
            second.written(weights, second.lengths.published),
            noisy,
            _weighed(asked.pool.lengths),
            *self._coding_rules(pool.codes.rare, labels),
            f"most of the budget was spent on counts of {steps}; noisy lengths and symbols decided that",
            "sequences were drawn from a model and chosen so that lengths, symbols, ends and shapes agree with noisy counts",
            counts=self._counts(asked, lengths, records.universe) if self.with_counts else None,
        )

    def _published(
        self, records: CountedSequences, sequences: Ragged, times: NoisyTimes | None, *rules: str, counts: NoisyCounts | None
    ) -> Made[PublishedSequences]:
        """The release, with times if they were asked."""
        cut = f"sequences were cut after {self.max_length} symbols"
        return Made(
            data=records.published(sequences if times is None else timed(sequences, times), counts=counts),
            rules=(cut, *unsure_rules(len(sequences)), *rules, *TIME_RULES[: 0 if times is None else None]),
        )

    @staticmethod
    def _counts(asked: Asked, lengths: Lengths, universe: Universe) -> NoisyCounts:
        """The noisy counts that mean something by themselves."""
        ends, shapes = asked.answers.ends, asked.answers.shapes
        return raked_counts(
            universe=universe,
            edges=lengths.edges,
            people=(asked.people.counts, asked.people.scale),
            lengths=(lengths.drawn, lengths.scale),
            ends=(ends.counts, ends.scale),
            kept=np.arange(len(universe)),
            together=ends.together,
            shapes=(shapes.counts, shapes.scale),
        )

    def _unfolded(self, account: Account, budget: Budget, labels: int, grid: TimeGrid, lengths: Lengths) -> TimeQuestions:
        """Divide what lengths leave by what they say; and what is then asked about times."""
        funds, left = Funds.of(budget), Funds.of_step(account.planned(REST))
        if self.max_length == 1 or lengths.are_single:
            longest = 1
            shares = single_timed_shares(people=lengths.people, symbols=labels, intervals=grid.intervals, funds=funds)
        else:
            longest = self.max_length
            others = {name: share for name, share in SHARES.items() if name not in BEFORE}
            shares = timed_shares(others, lengths=lengths, symbols=labels, intervals=grid.intervals, funds=funds)
        parts = tuple(left.step(name, share, note=note) for name, (share, note) in shares.items())
        account.unfold(REST, Sequential(name="raked sequences with times", parts=parts))
        return TimeQuestions(
            symbols=labels,
            intervals=grid.intervals,
            max_length=longest,
            days=day_lengths(grid),
            lengths=lengths,
            by_place="times by place" in shares,
        )

    @staticmethod
    def _coding_rules(kept: int, labels: int) -> tuple[str, ...]:
        if kept == labels:
            return ()
        return (f"{kept:,} labels stood out of the noise; all others were pooled, and released at random among each other",)


def _weighed(lengths: Lengths) -> str:
    cap = lengths.step_cap
    if not cap.squared:
        return f"long sequences were down-weighted: each weighs at most {cap.most} steps, chosen from noisy lengths"
    return (
        f"long sequences were down-weighted: the squares of what one weighs in each step add up to at most {cap.most}, "
        "chosen from noisy lengths and repeats"
    )
