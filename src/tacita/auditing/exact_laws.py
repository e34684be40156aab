"""Exact laws: the distribution of releases, the most that a run can lose, and how far apart two distributions are.

`exact_law` is for data so small that every answer can be tried. A mechanism learns nothing but answers, and every question
knows the probabilities of its answers. So the mechanism is run once for each combination of answers, and the probabilities of
the combinations that lead to the same release are added up. Values are tried up to `span` from where they start; runs with a
value beyond that are the rest, whose probability is also known.

`exact_cost` is for records of any size: it bounds the loss of one run, whatever the answers were. `exact_excess` and
`certain_excess` compare two distributions, from exact laws and from frequencies: what a delta must cover.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, prod
from typing import Any, Protocol, TypeVar, runtime_checkable

from tacita.auditing.cases.case import AuditCase
from tacita.auditing.verdict import clopper_pearson
from tacita.errors import ReplayError
from tacita.privacy.account import StandIn
from tacita.privacy.answers import Trace, Transcript
from tacita.privacy.concentrated import rho_of_pure
from tacita.privacy.questions import AnyQuestion, Outcomes, Question, rho_of

__all__ = [
    "BoundsLoss",
    "BoundsRho",
    "Law",
    "certain_excess",
    "exact_cost",
    "exact_costs",
    "exact_excess",
    "exact_law",
    "exact_rho",
    "is_within_span",
]

TruthT = TypeVar("TruthT")
AnswerT = TypeVar("AnswerT")


def exact_law(case: AuditCase, records: Any, *, span: int) -> dict[Hashable, float]:  # noqa: ANN401
    """The joint probability of each release and "no value was beyond the span"; 1 minus their sum is the rest."""
    law: defaultdict[Hashable, float] = defaultdict(float)
    path: list[_Tried] = []
    while True:
        answers = _Enumerating(path, span)
        release = case.mechanism.publish(records, budget=case.budget, ledger=StandIn(answers))
        law[case.outcome(release)] += prod(tried.chance for tried in path)
        while path and not path[-1].advance():
            path.pop()
        if not path:
            return dict(law)


def is_within_span(transcript: Transcript, *, span: int) -> bool:
    """Whether an actual run is among those that the enumeration tries."""
    return all(question.covers(answer, span=span) for question, answer in transcript.entries)


@dataclass
class _Tried:
    """One question with all its outcomes, and the value of each choice that is taken in this run."""

    outcomes: Outcomes[Any]
    taken: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.taken = [0] * len(self.outcomes.choices)

    @property
    def chance(self) -> float:
        return prod(choice.chances[place] for choice, place in zip(self.outcomes.choices, self.taken, strict=True))

    def answer(self) -> Any:  # noqa: ANN401 - the answer of any question
        return self.outcomes.join([choice.values[place] for choice, place in zip(self.outcomes.choices, self.taken, strict=True)])

    def advance(self) -> bool:
        """Move to the next combination of values, changing the last choice first; False if there is none."""
        while self.taken:
            place = len(self.taken) - 1
            while place >= 0 and self.taken[place] == len(self.outcomes.choices[place].values) - 1:
                self.taken[place] = 0
                place -= 1
            if place < 0:
                return False
            self.taken[place] += 1
            return True
        return False


@dataclass
class _Enumerating:
    """Gives the answers along a path of tried questions, and extends the path where it ends."""

    path: list[_Tried]
    span: int
    position: int = 0

    def answer(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """The outcome to try next."""
        if self.position == len(self.path):
            self.path.append(_Tried(question.outcomes(truth, span=self.span)))
        tried = self.path[self.position]
        self.position += 1
        answer: AnswerT = tried.answer()
        return answer


# What a difference between two data sets can cost in one run, exactly and whatever the answers were.
#
# A replay computes the loss of the answers that came. `exact_cost` sums, over all questions of a run, the most that any answer
# could lose: for counts with noise of rate r, r times the sum of all changes in the counts. Rates and counts are fractions and
# integers, so nothing is rounded, and records may be of any size.


@runtime_checkable
class BoundsLoss(Protocol):
    """A question that says what a change of its truth can cost."""

    def largest_loss(self, first: Any, second: Any, /) -> Fraction:  # noqa: ANN401 - the truth of the question
        """The most that any answer can lose between two truths."""
        ...


@runtime_checkable
class BoundsRho(Protocol):
    """A question that is priced in rho, and says what a change of its truth costs."""

    def largest_rho(self, first: Any, second: Any, /) -> Fraction:  # noqa: ANN401 - the truth of the question
        """The rho that its noise loses between two truths."""
        ...


def exact_cost(transcript: Transcript, first: Trace, second: Trace) -> Fraction:
    """The most that answers to this transcript's questions can lose between two data sets on which it was replayed."""
    return sum(exact_costs(transcript, first, second).values(), Fraction(0))


def exact_costs(transcript: Transcript, first: Trace, second: Trace) -> dict[str, Fraction]:
    """The same for each step of the plan; all rounds of a step count as one."""
    if not len(transcript.entries) == len(first.entries) == len(second.entries):
        message = "both traces must come from replays of this transcript"
        raise ReplayError(message)
    costs: dict[str, Fraction] = {}
    for mine, other in zip(first.entries, second.entries, strict=True):
        step = mine[0].step.split(", round ")[0]
        costs[step] = costs.get(step, Fraction(0)) + _largest_loss(mine[0], mine[1], other[1])
    return costs


def exact_rho(first: Trace, second: Trace) -> Fraction:
    """The rho that the noise of a run loses between two data sets on which it was replayed; what is pure loses half a square."""
    pairs = zip(first.entries, second.entries, strict=True)
    return sum((_lost_rho(question, mine, other) for (question, mine), (_, other) in pairs), Fraction(0))


def _lost_rho(question: AnyQuestion, first: Any, second: Any) -> Fraction:  # noqa: ANN401 - the truth of any question
    if rho_of(question) and isinstance(question, BoundsRho):
        return question.largest_rho(first, second)
    return rho_of_pure(_largest_loss(question, first, second))


def _largest_loss(question: AnyQuestion, first: Any, second: Any) -> Fraction:  # noqa: ANN401 - the truth of any question
    if isinstance(question, BoundsLoss):
        return question.largest_loss(first, second)
    message = f"{type(question).__name__} must say what a change of its truth can cost: give it a method largest_loss"
    raise ReplayError(message)


# How far apart two distributions are beyond e^epsilon: what a delta must cover.
#
# In one direction, the excess is the sum of P(o) - e^epsilon P'(o) over all outcomes o where that is positive. A mechanism is
# (epsilon, delta)-differentially private if and only if the excess is at most delta, for all neighbours and in both directions.

Law = Mapping[Hashable, float]
"""The probability of each outcome; 1 minus their sum is the rest."""


def exact_excess(first: Law, second: Law, *, epsilon: float) -> tuple[float, float]:
    """Lower and upper bound on the excess of two distributions in the worse direction; equal if neither has a rest.

    The rest is 1 minus the sum of the probabilities. The lower bound treats it as a single event; the upper bound counts all of
    its probability as excess.
    """
    bounds = [_one_direction(mine, other, exp(epsilon)) for mine, other in ((first, second), (second, first))]
    return max(low for low, _ in bounds), max(high for _, high in bounds)


def _one_direction(mine: Law, other: Law, factor: float) -> tuple[float, float]:
    named = sum(max(0.0, chance - factor * other.get(outcome, 0.0)) for outcome, chance in mine.items())
    rests = [max(0.0, 1 - sum(law.values())) for law in (mine, other)]
    return named + max(0.0, rests[0] - factor * rests[1]), named + rests[0]


def certain_excess(
    learnt: tuple[Counter[Hashable], Counter[Hashable]],
    tested: tuple[Counter[Hashable], Counter[Hashable]],
    *,
    epsilon: float,
    risk: float,
) -> tuple[float, str]:
    """The excess that frequencies prove, and how; it exceeds the true one with probability at most `risk`.

    Some runs are used to learn which outcomes are too likely on one side; the other runs, which had no part in that, bound the
    probability of these outcomes on both sides.
    """
    worst, shown = 0.0, "none"
    for mine, other in ((0, 1), (1, 0)):
        event = [outcome for outcome, times in learnt[mine].items() if times > exp(epsilon) * learnt[other][outcome]]
        hits = [sum(side[outcome] for outcome in event) for side in (tested[mine], tested[other])]
        low = clopper_pearson(hits[0], tested[mine].total(), risk=risk / 4)[0]
        high = clopper_pearson(hits[1], tested[other].total(), risk=risk / 4)[1]
        if low - exp(epsilon) * high > worst:
            worst, shown = low - exp(epsilon) * high, f"one of {len(event)} releases came {hits[0]} against {hits[1]} times"
    return worst, shown
