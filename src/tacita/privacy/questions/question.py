"""The interface of every question that may be asked of private data.

A question is public: the step of the plan that pays for it, its cost, and whatever describes it (a domain, a threshold,
candidates). It owns its law, the distribution of its answers. How an answer is drawn, how likely an answer is under two different
truths, which answers are possible on tiny data, and what an answer about no records looks like are methods of one class, so that
drawing, replaying, enumerating and rehearsing never disagree. A new kind of question is one class; nothing else has to change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from tacita.privacy.budget import Step
from tacita.privacy.randomness import Source

__all__ = ["AnyQuestion", "Asks", "Choice", "Outcomes", "Question", "rho_of"]

TruthT = TypeVar("TruthT")
TruthT_contra = TypeVar("TruthT_contra", contravariant=True)
AnswerT = TypeVar("AnswerT")
AnswerT_co = TypeVar("AnswerT_co", covariant=True)


@dataclass(frozen=True)
class Choice:
    """Something that is drawn independently of everything else: its possible values, and the probability of each."""

    values: Sequence[Any]
    chances: Sequence[float]


@dataclass(frozen=True)
class Outcomes(Generic[AnswerT_co]):
    """The enumerated answers: one value of each choice, joined. The probability that they leave to 1 is all other answers."""

    choices: Sequence[Choice]
    join: Callable[[Sequence[Any]], AnswerT_co]


class Question(Protocol[TruthT_contra, AnswerT]):
    """A question about private data; a frozen dataclass that equals another one if it asks the same.

    The truth is what the data would answer without noise: counts, or scores. It leaves this class only through `draw`.
    """

    @property
    def step(self) -> str:
        """The step of the plan that pays for it."""
        ...

    @property
    def epsilon(self) -> Fraction:
        """What it costs."""
        ...

    @property
    def delta(self) -> Fraction:
        """The probability with which it may cost more."""
        ...

    @property
    def noise(self) -> str:
        """The noise in words, for the account of a release: public facts only."""
        ...

    def check(self, truth: TruthT_contra, /) -> None:
        """Refuse a truth for which the law would be wrong; a mechanism with such a mistake must stop, not leak."""
        ...

    def draw(self, truth: TruthT_contra, source: Source, /) -> AnswerT:
        """Answer with fresh noise; arrays in the answer are read-only."""
        ...

    def log_ratio(self, answer: AnswerT, first: TruthT_contra, second: TruthT_contra, /) -> float:
        """Compute log P[answer | first] - log P[answer | second]; infinite if one of them cannot give that answer."""
        ...

    def outcomes(self, truth: TruthT_contra, /, *, span: int) -> Outcomes[AnswerT]:
        """The answers about tiny data with their probabilities; unbounded values are listed up to `span` away."""
        ...

    def covers(self, answer: AnswerT, /, *, span: int) -> bool:
        """Whether an actual answer is among the outcomes."""
        ...

    def nothing(self) -> AnswerT:
        """The answer for no records and no noise, for a rehearsal."""
        ...


AnyQuestion = Question[Any, Any]


def rho_of(question: AnyQuestion) -> Fraction:
    """What a question costs in rho: nothing, unless its noise is priced so."""
    cost: Fraction = getattr(question, "rho", Fraction(0))
    return cost


class Asks(Protocol):
    """Something that answers planned questions, such as an account."""

    def planned(self, step: str, /) -> Step:
        """The step of the plan that would pay for a question."""
        ...

    def ask(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Answer one question, once, at the planned cost."""
        ...
