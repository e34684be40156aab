"""The exact distribution of a mechanism's releases, on data so small that every answer can be tried.

A mechanism learns nothing but answers, and every question knows the probabilities of its answers. So the mechanism is run once
for each combination of answers, and the probabilities of the combinations that lead to the same release are added up. Values are
tried up to `span` from where they start; runs with a value beyond that are the rest, whose probability is also known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeVar

from tacita.audit.cases.case import AuditCase
from tacita.privacy.answers import Transcript
from tacita.privacy.questions import Outcomes, Question
from tacita.privacy.stand_ins import StandIn

__all__ = ["exact_law", "is_within_span"]

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
