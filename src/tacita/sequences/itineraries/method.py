"""Sequences by what people do (go somewhere new, stay, go back) and by where they do it.

A release of n-grams keeps what follows what over a few symbols, and its people wander. Here each record is rewritten, symbol by
symbol, as a new place or as a way back to one that was visited (see `tacita.public.letters`); grams of these letters and
beginnings of letters tell how people return, shapes (length, number of places, round trip) are asked directly, and grams of
places tell where. One generator is fitted to all of it: how many walkers take a letter is decided by letters, which of
them do and where to, by places.

No published algorithm; it grew from the n-grams of Chen, Acs and Castelluccia (CCS 2012) and from the move-to-front rewriting of
Bentley, Sleator, Tarjan and Wei (CACM 1986).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import sqrt
from typing import ClassVar

from tacita.arrays.ragged import Ragged
from tacita.counting import SequenceCounts
from tacita.errors import ParameterError
from tacita.io import NoisyCounts
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Plan, Sequential, Step, decimal_text
from tacita.privacy.laws import Change, Law
from tacita.privacy.noise import require_rate
from tacita.privacy.publishing import (
    MOST_UNSURE,
    SURE,
    UNSURE_RULE,
    Made,
    PrivateMethod,
    Progress,
    require_pure,
)
from tacita.privacy.questions import select
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.letters import UNIT, Alphabet
from tacita.public.parameters import whole_number
from tacita.public.universe import Universe
from tacita.sequences.itineraries.questions import Questions
from tacita.sequences.itineraries.shares import BEGINNING, DEEPEST, LETTER_GRAM, SHARES, SINGLE_SHARES, least_shares
from tacita.sequences.itineraries.synthesis import itineraries, repeated_singly
from tacita.sequences.itineraries.timed import MOST_INTERVALS, TimedItineraries, plan_with_times
from tacita.sequences.length import PrivateLength, quantile_scores
from tacita.sequences.published import PublishedSequences, itinerary_counts
from tacita.sequences.records import CountedSequences

__all__ = ["Itineraries"]

LONGEST = 1000
"""Longer sequences would take tables of millions of shapes."""

REST = "what is asked of them"
"""The step in which everything is planned that comes after a private length."""

TIME_RULES = (
    "where noisy lengths said that nearly all sequences have one visit, they were cut after it",
    "times were given to sequences so that hours, hours of places and gaps agree with the noisy counts",
)
"""What was also done if there are times."""

UNPOPULAR = 4
"""Which places are popular is said to be lost where there are fewer than this many records for each place, divided by epsilon."""


@dataclass(frozen=True, kw_only=True)
class Itineraries(PrivateMethod[CountedSequences, PublishedSequences]):
    """Publish sequences that keep orders, returns and who was where, by counting letters and places with noise.

    Needs: sequences over a public universe, with times on a public grid if there are any; max_length and every other parameter
    fixed without a look at the data.
    Guarantees: epsilon-differential privacy for the whole release, manifest included.
    Neighbours: adding or removing one sequence, however long; `records.unit` says whose it is.
    Budget: 4 % of epsilon for lengths, 4 % for shapes, 8 % for how sequences begin as letters, 14 % for grams of letters, 3 % for
    first places, 67 % for grams of places; along each path of grams the share is divided again. With times, 10 % for lengths (4 %
    if max_length is 1), and the rest for all of these and for times, in parts that noisy lengths decide.
    Not covered: how long a run takes and how much memory it needs; several sequences of one person, who then has as many times
    epsilon, as the guarantee says and the ledger charges.
    Reference: none; see the module for what it grew from, and `questions` for the proof of each sensitivity.

    >>> from tacita.privacy.budget import PureDP
    >>> print(Itineraries(max_length=8).explain(PureDP("1")))  # doctest: +ELLIPSIS
    itineraries, epsilon = 1
    itineraries: epsilon 1, the sum of
    ├─ lengths: epsilon 0.04 (how many sequences have each length, disjoint)
    ├─ shapes: epsilon 0.04 (how many have which length, number of places, and end where they began, disjoint)
    ├─ beginnings: epsilon 0.08 (how sequences begin, as letters, one path a record)
    ├─ letters: epsilon 0.14 (grams of letters, shared along each path)
    ├─ first places: epsilon 0.03 (where sequences begin, disjoint)
    └─ places: epsilon 0.67 (grams of places, shared along each path)
    <BLANKLINE>
    - sequences are cut after 8 symbols
    - ...
    """

    name: ClassVar[str] = "itinerary"
    takes: ClassVar[type] = CountedSequences

    max_length: int | PrivateLength = 20
    max_gram: int = DEEPEST
    recent: int = 4
    with_counts: bool = False
    max_nodes: int = 20_000_000

    def __post_init__(self) -> None:
        """Check the public parameters."""
        longest = self.max_length.longest if isinstance(self.max_length, PrivateLength) else self.max_length
        whole_number(longest, name="max_length", least=1, most=LONGEST)
        whole_number(self.max_gram, name="max_gram", least=1, most=10)
        whole_number(self.recent, name="recent", least=1, most=50)
        whole_number(self.max_nodes, name="max_nodes", least=1)

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""
        require_pure(budget, public, method="itineraries prove")
        timed = public.grid is not None
        if public.grid is not None and public.grid.intervals > MOST_INTERVALS:
            message = (
                f"itineraries are published with at most {MOST_INTERVALS:,} intervals, got {public.grid.intervals:,}; "
                "choose a coarser grid, or prefix-tree"
            )
            raise ParameterError(message)
        if timed and self.with_counts:
            message = "noisy counts are published without times only; leave out with_counts, or the time grid"
            raise ParameterError(message)
        symbols = 1 if public.size is None else public.size
        if symbols > self.max_nodes:
            message = f"max_nodes must be at least the number of labels, {symbols:,}, got {self.max_nodes:,}"
            raise ParameterError(message)
        if not isinstance(self.max_length, PrivateLength):
            return self._plan(budget.epsilon, self.max_length, timed=timed)
        for_length = budget.epsilon * self.max_length.share
        self._plan(budget.epsilon - for_length, self.max_length.longest, timed=timed)
        share = decimal_text(self.max_length.quantile)
        note = f"a length from 1 to {self.max_length.longest} that {share} of the sequences do not pass"
        rest = Step(name=REST, epsilon=budget.epsilon - for_length, note="lengths, shapes, letters and places")
        return Sequential(name="itineraries", parts=(Step(name="max length", epsilon=for_length, note=note), rest))

    def _plan(self, epsilon: Fraction, max_length: int, *, timed: bool) -> Plan:
        """The plan for sequences that are cut after that many symbols."""
        shares = least_shares() if timed and max_length > 1 else _shares(max_length)
        steps = tuple(Step(name=name, epsilon=epsilon * share, note=note) for name, (share, note) in shares.items())
        for name, starts, levels in (
            ("beginnings", 1, BEGINNING + 10),  # the first letter costs a hundredth of what others do
            ("letters", UNIT * max_length, LETTER_GRAM),
            ("places", UNIT * max_length, self.max_gram + 2),
        ):
            if name in shares:
                require_rate(epsilon * shares[name][0] / starts / 2**levels)
        if timed:
            require_rate(epsilon * min(share for share, _ in least_shares().values()) / (UNIT * max_length) / 2)
            return plan_with_times(epsilon, max_length)
        return Sequential(name="itineraries", parts=steps)

    def questions(self, epsilons: Mapping[str, Fraction], max_length: int, *, symbols: int) -> Questions:
        """What is asked over a universe of this size, of sequences that are cut after that many symbols, and what each costs."""
        return Questions(
            symbols=symbols,
            max_length=max_length,
            max_gram=self.max_gram,
            alphabet=Alphabet(recent=self.recent),
            epsilons=epsilons,
            max_nodes=self.max_nodes,
        )

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far one sequence changes what a step asks; None for a step that there is not.

        How many symbols of a sequence count is decided by noisy lengths: all of them, each for 1, or fewer, in units.
        """
        if step == "max length":
            return Change(law=Law.CHOICE)
        longest = 1 if isinstance(self.max_length, PrivateLength) else self.max_length
        if step in {"letters", "places"}:
            return Change(least=min(UNIT, longest), is_chosen=True, in_rounds=True)
        if step in {"visits", "times", "gaps", "times by place"}:
            return Change(least=min(UNIT, max(1, longest - (step == "gaps"))), is_chosen=True)
        return {**dict.fromkeys(SHARES, Change(in_rounds=True)), "first times": Change()}.get(step)

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Tell where the budget goes and from how many records on there is something to see. Spends nothing."""
        plan = self.plan(budget, public)
        if isinstance(self.max_length, PrivateLength):
            facts = ["sequences are cut at a length that is bought from the budget"]
        else:
            for_lengths = next(step.epsilon for step in plan.steps() if step.name == "lengths")
            least = _least_records(for_lengths, self.max_length)
            facts = [
                f"sequences are cut after {self.max_length} symbols",
                f"below about {least:,} records, noise covers how many there are; then at most {MOST_UNSURE:,} are written",
            ]
        facts += [
            f"places up to {self.recent} different places ago are told apart; going further back is one letter",
            "a record counts for fewer grams the longer it is; for how many is decided by noisy lengths",
            "where noise covers counts, what is left are lengths, popular places and returns, independent of each other",
            "kept: orders, returns, round trips, how many places one visits and which together",
            "no times are published, unless a time grid is given" if public.grid is None else _about_times(self.max_length),
        ]
        if public.universe is not None:
            labels = public.universe.labels
            few = round(UNPOPULAR * len(labels) / float(budget.epsilon))
            facts.append(
                f"below about {few:,} records, noise covers which places are popular: then few sequences are written, which keep "
                "lengths and returns, and say hardly more of places than an empty release"
            )
            facts.append(f"the universe has {len(labels):,} labels, from {labels[0]!r} to {labels[-1]!r}")
        return Explanation(title=f"itineraries, {budget}", plan=plan, facts=tuple(facts))

    def _made(
        self, records: CountedSequences, account: Account, budget: Budget, progress: Progress | None
    ) -> Made[PublishedSequences]:
        """Ask, and build the data from the answers; `progress` is told of each length of grams that is done."""
        counts = records.counts()
        symbols = len(records.universe)
        epsilon, max_length = self._bought(counts, account, budget, timed=records.grid is not None)
        drawn: Callable[[], NoisyCounts] | None = None
        if records.grid is None:
            epsilons = {step.name: step.epsilon for step in self._plan(epsilon, max_length, timed=False).steps()}
            questions = self.questions(epsilons, max_length, symbols=symbols)
            sequences, drawn = _made(questions, counts, account, universe=records.universe, progress=progress)
        else:
            sequences = TimedItineraries(
                symbols=symbols,
                grid=records.grid,
                epsilon=epsilon,
                max_length=max_length,
                questions=partial(self.questions, symbols=symbols),
            ).sequences(counts, account, progress=progress)
        return Made(
            data=records.published(sequences, counts=drawn() if self.with_counts and drawn is not None else None),
            bought={"max_length": max_length},
            rules=(
                f"sequences were cut after {max_length} symbols",
                *self._length_rules,
                UNSURE_RULE,
                "long sequences were counted for less, by a factor that noisy lengths decided",
                "grams with a noisy count below their threshold were dropped, empty ones included",
                "where noise covered which places are popular, fewer sequences were written than there are",
                "sequences were written so that their letters, places, lengths and shapes agree with the noisy counts",
                *TIME_RULES[: 0 if records.grid is None else None],
            ),
        )

    def _bought(self, counts: SequenceCounts, account: Account, budget: Budget, *, timed: bool) -> tuple[Fraction, int]:
        """What is left of epsilon, and the longest length; a private one is bought first."""
        if not isinstance(self.max_length, PrivateLength):
            return budget.epsilon, self.max_length
        scores = quantile_scores(counts.lengths(longest=self.max_length.longest), quantile=self.max_length.quantile)
        found = 1 + select(account, "max length", scores=scores, sensitivity=self.max_length.sensitivity)
        left = budget.epsilon * (1 - self.max_length.share)
        account.unfold(REST, self._plan(left, found, timed=timed))
        return left, found

    @property
    def _length_rules(self) -> tuple[str, ...]:
        if isinstance(self.max_length, PrivateLength):
            return (f"that length was bought from the budget: {self.max_length}",)
        return ()


def _about_times(max_length: int | PrivateLength) -> str:
    times = "places, times, and times of places that are visited often"
    if max_length == 1:
        return f"places and times is divided among {times}, if there are enough sequences; independent of each other otherwise"
    return (
        f"places and times is divided among all that is asked without times, {times}, first times and gaps; if nearly all "
        "sequences have one visit, among places and times alone, and they are cut after it"
    )


def _made(
    questions: Questions, counts: SequenceCounts, account: Account, *, universe: Universe, progress: Progress | None
) -> tuple[Ragged, Callable[[], NoisyCounts]]:
    """Sequences, and the noisy counts that they were made from, for whoever wants them."""
    scale = 1 / float(questions.epsilons["lengths"])
    if questions.max_length == 1:
        lengths, number, first = questions.asked_singly(counts, account)
        return repeated_singly(number, first), partial(itinerary_counts, universe=universe, lengths=(lengths, scale), first=first)
    asked = questions.asked(counts, account, progress=progress)
    drawn = partial(
        itinerary_counts,
        universe=universe,
        lengths=(asked.drawn_lengths, scale),
        first=asked.first,
        shapes=(asked.shapes, 1 / float(questions.epsilons["shapes"])),
        runs=asked.places if asked.cap >= questions.max_length else None,
    )
    return itineraries(asked), drawn


def _shares(max_length: int) -> dict[str, tuple[Fraction, str]]:
    return SINGLE_SHARES if max_length == 1 else SHARES


def _least_records(epsilon: Fraction, max_length: int) -> int:
    """How many records there must be for their number to stand out of the noise of all lengths together."""
    return round(SURE * sqrt(2 * (max_length + 1)) / float(epsilon))
