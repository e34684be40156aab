"""What a mechanism may ask about the people of a timestamp, each question with its law, and the wall that limits the asking.

- `HistogramQuestion`: the noisy counts of all cells.
- `ClosestQuestion`: which of several public histograms is closest to the true one.
- `NearnessQuestion`: one bit, whether a public histogram is near enough to the true one to be published in its place; of the
  noisy distance nothing but this bit is kept.

`Sliding` answers these questions for a stream that goes on, and lets nobody lose more than epsilon, or rho, in a window.

What a context changes. A status that becomes another one moves a person from one cell to another: two counts change by 1, so the
sum of changes and the sum of their squares are 2. A person who is added or removed changes one count: both are 1. So is the
number of people. Of a block of b timestamps a person has j <= b contexts. Under Laplace noise for a price e each, they lose at
most j e together. Squares do not add up like that: j contexts may change the same count by j, so the squares of changes are up to
d j^2, with d = 1 or 2. With the variance d b / (2 q) for a price of q each, they lose d j^2 / (2 variance) = j^2 q / b <= j q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, log, log1p, sqrt
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from tacita.arrays import Booleans, Integers
from tacita.errors import ParameterError, UnplannedDrawError
from tacita.privacy.budget import Cost, Plan, decimal_text
from tacita.privacy.estimates import Interval, counted_interval, gaussian_interval
from tacita.privacy.funds import Funds
from tacita.privacy.noise import add_noise, discrete_gaussian, discrete_laplace, require_rate, require_rho
from tacita.privacy.questions import Choice, Outcomes, Question, rho_of
from tacita.privacy.questions.cells import gaussian_choice, gaussian_log_ratio, gaussian_rho
from tacita.privacy.questions.selecting import permute_and_flip, selection_log_probabilities, selection_probabilities
from tacita.privacy.randomness import Source
from tacita.privacy.windows import QUANTA, Windows, price
from tacita.streams.records import Moment

__all__ = ["SIXTEENTHS", "ClosestQuestion", "HistogramQuestion", "NearnessQuestion", "Sliding", "Wall"]

SIXTEENTHS = 16
"""Published histograms are kept in sixteenths, so that means of them are whole numbers too."""


@dataclass(frozen=True, kw_only=True)
class HistogramQuestion:
    """The question how many people are in each of `cells` cells, for an epsilon or a rho; see the module for its sensitivity.

    A context changes as many counts as `sensitivity` says, by 1 each. If the counts are sums over a `block` of timestamps, each
    context in it has paid the price.
    """

    step: str
    epsilon: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    sensitivity: int
    cells: int
    block: int = 1

    delta: ClassVar[Fraction] = Fraction(0)

    @property
    def rate(self) -> Fraction:
        """The inverse of the scale of Laplace noise."""
        return self.epsilon / self.sensitivity

    @property
    def variance(self) -> Fraction:
        """The parameter of Gaussian noise, which is nearly its variance."""
        return Fraction(self.sensitivity * self.block) / (2 * self.rho)

    @property
    def spread(self) -> float:
        """The scale of the noise, or that of Laplace noise with the same variance."""
        return sqrt(float(self.variance) / 2) if self.rho else 1 / float(self.rate)

    def interval(self, noisy: Integers, *, left_out: int = 0, people: int | None = None) -> Interval:
        """Where the true counts lie, given noisy ones of everybody but `left_out` people."""
        if self.rho:
            return gaussian_interval(noisy, deviation=sqrt(self.variance), left_out=left_out, people=people)
        return counted_interval(noisy, scale=1 / self.rate, left_out=left_out, people=people)

    @property
    def noise(self) -> str:
        """The law in words."""
        if self.rho:
            return f"discrete Gaussian, variance {decimal_text(self.variance)}, in all {self.cells} cells"
        return f"discrete Laplace, scale {decimal_text(1 / self.rate)}, in all {self.cells} cells"

    def check(self, truth: Integers, /) -> None:
        """There must be a whole count for each cell."""
        if self.rho:
            require_rho(self.rho / (self.sensitivity * self.block))
        else:
            require_rate(self.rate)
        if truth.dtype != np.int64 or truth.shape != (self.cells,):
            message = f"a histogram of {self.cells} cells needs as many counts, as 64-bit integers"
            raise ParameterError(message)

    def draw(self, truth: Integers, source: Source, /) -> Integers:
        """Noise every count."""
        if self.rho:
            noisy = truth + discrete_gaussian(self.cells, variance=self.variance, source=source)
        else:
            noisy = add_noise(truth, rate=self.rate, source=source)
        noisy.setflags(write=False)
        return noisy

    def outcomes(self, truth: Integers, /, *, span: int) -> Outcomes[Integers]:
        """Each cell is drawn by itself; values are listed up to `span` away from 0."""
        if self.rho:
            return Outcomes([gaussian_choice(self.variance, count, span) for count in truth.tolist()], _joined)
        values = np.arange(-span, span + 1)
        ratio = exp(-float(self.rate))
        weights = [(1 - ratio) / (1 + ratio) * ratio ** np.abs(values - count) for count in truth.tolist()]
        return Outcomes([Choice(values.tolist(), chances.tolist()) for chances in weights], _joined)

    def covers(self, answer: Integers, /, *, span: int) -> bool:
        """Whether no value is beyond the span."""
        return bool(np.all(np.abs(answer) <= span))

    def log_ratio(self, answer: Integers, first: Integers, second: Integers, /) -> float:
        """How much likelier the answer is from the first counts than from the second, as a logarithm."""
        if self.rho:
            return gaussian_log_ratio(answer, first, second, variance=self.variance)
        return float(self.rate) * float(np.abs(answer - second).sum() - np.abs(answer - first).sum())

    def largest_rho(self, first: Integers, second: Integers, /) -> Fraction:
        """The rho that Gaussian noise loses between two truths."""
        return gaussian_rho(first, second, variance=self.variance)

    def nothing(self) -> Integers:
        """An answer for a rehearsal."""
        return np.zeros(self.cells, dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class ClosestQuestion:
    """The question which of some public histograms is close to the true one; distances are told in sixteenths."""

    step: str
    epsilon: Fraction
    sensitivity: int
    candidates: int

    delta: ClassVar[Fraction] = Fraction(0)

    @property
    def noise(self) -> str:
        """The law in words."""
        return f"permute-and-flip over {self.candidates} candidates"

    def check(self, truth: Integers, /) -> None:
        """There must be a distance for each candidate."""
        if len(truth) != self.candidates:
            message = f"a choice among {self.candidates} histograms needs as many distances, got {len(truth)}"
            raise ParameterError(message)

    def draw(self, truth: Integers, source: Source, /) -> int:
        """Choose the index of a small distance."""
        return permute_and_flip(self._scores(truth), epsilon=self.epsilon, sensitivity=self._units, source=source)

    def outcomes(self, truth: Integers, /, *, span: int) -> Outcomes[int]:  # noqa: ARG002 - candidates are few
        """Each candidate."""
        chances = selection_probabilities(self._scores(truth), epsilon=self.epsilon, sensitivity=self._units)
        return Outcomes([Choice(range(self.candidates), chances.tolist())], _first)

    def covers(self, answer: int, /, *, span: int) -> bool:  # noqa: ARG002 - candidates are few
        """Every candidate is among the outcomes."""
        return 0 <= answer < self.candidates

    def log_ratio(self, answer: int, first: Integers, second: Integers, /) -> float:
        """How much likelier the answer is from the first distances than from the second, as a logarithm."""
        laws = [
            selection_log_probabilities(self._scores(truth), epsilon=self.epsilon, sensitivity=self._units)
            for truth in (first, second)
        ]
        return float(laws[0][answer] - laws[1][answer])

    def nothing(self) -> int:
        """An answer for a rehearsal."""
        return 0

    @property
    def _units(self) -> Fraction:
        return Fraction(SIXTEENTHS * self.sensitivity)

    @staticmethod
    def _scores(distances: Integers) -> list[int]:
        return [-int(distance) for distance in distances]


@dataclass(frozen=True, kw_only=True)
class NearnessQuestion:
    """The question whether a public histogram is within `bound` of the true one, in sixteenths of the sum of differences.

    Answered yes if integer noise X is at most floor(bound - distance). A context changes the distance by `sensitivity` at the
    most, so the floors differ by that at the most, whatever the denominators are.
    """

    step: str
    epsilon: Fraction
    sensitivity: int
    bound: int

    delta: ClassVar[Fraction] = Fraction(0)

    @property
    def rate(self) -> Fraction:
        """The inverse of the noise scale."""
        return self.epsilon / self.sensitivity

    @property
    def noise(self) -> str:
        """The law in words."""
        return f"one bit, by discrete Laplace of scale {decimal_text(1 / self.rate)} on the distance"

    def check(self, truth: int, /) -> None:  # noqa: ARG002 - any distance
        """The noise must fit the machine."""
        require_rate(self.rate)

    def draw(self, truth: int, source: Source, /) -> bool:
        """Compare the noisy distance; the noise is forgotten."""
        return int(discrete_laplace(1, rate=self.rate, source=source)[0]) <= self.slack(truth)

    def slack(self, truth: int) -> int:
        """By how many whole people the distance (in sixteenths) may still be enlarged."""
        return (self.bound - int(truth)) // SIXTEENTHS

    def outcomes(self, truth: int, /, *, span: int) -> Outcomes[bool]:  # noqa: ARG002 - a bit
        """Both answers."""
        chances = [exp(self.log_probability(answer, truth)) for answer in (True, False)]
        return Outcomes([Choice((True, False), chances)], _first)

    def covers(self, answer: bool, /, *, span: int) -> bool:  # noqa: ARG002, FBT001 - a bit
        """Both answers are among the outcomes."""
        return answer in {True, False}

    def log_ratio(self, answer: bool, first: int, second: int, /) -> float:  # noqa: FBT001 - the answer is a bit
        """How much likelier the answer is at the first distance than at the second, as a logarithm."""
        return self.log_probability(answer, first) - self.log_probability(answer, second)

    def log_probability(self, answer: bool, truth: int) -> float:  # noqa: FBT001 - the answer is a bit
        """The logarithm of the probability of a bit; each tail is computed by itself, as a difference would cancel."""
        slack = self.slack(truth)
        return _log_tail(-slack if answer else slack + 1, float(self.rate))

    def nothing(self) -> bool:
        """An answer for a rehearsal: nothing is near."""
        return False


def _joined(values: Sequence[Any]) -> Integers:
    return np.array(values, dtype=np.int64)


def _first(values: Sequence[Any]) -> Any:  # noqa: ANN401 - an index or a bit
    return values[0]


def _log_tail(least: int, rate: float) -> float:
    """The logarithm of P[X >= least] for the discrete Laplace law."""
    if least >= 1:
        return -rate * least - log1p(exp(-rate))
    return log(-expm1(-rate * (1 - least) - log1p(exp(-rate))))


# The wall of a stream: a step of the plan that answers questions for months, and lets nobody lose more than epsilon in a
# window.
#
# A mechanism says how many quanta a question costs and whom it counts; the windows are charged first, and only a question at no
# more than that price is answered. Every timestamp is reported to the account too: it holds common windows a second time, by
# fractions of its own. A block sum is paid context by context: `set_aside` charges those who are added now, and the sum is
# asked when the block is full. One person may then be in it several times, and has paid each time.

TruthT = TypeVar("TruthT")
AnswerT = TypeVar("AnswerT")


class Wall(Protocol):
    """An account, or what stands in for one."""

    def slide(self, step: str, *, tick: int, plan: Plan) -> None:
        """Pay for a timestamp of a part that slides."""
        ...

    def ask(self, question: Question[TruthT, AnswerT], truth: TruthT, /) -> AnswerT:
        """Answer a question of that timestamp."""
        ...


class Sliding:
    """One part that slides: at most `funds` in any window of anybody, and one question per timestamp."""

    def __init__(self, *, step: str, funds: Funds, windows: Windows, wall: Wall) -> None:
        """`step` is the name of the part in the plan; its questions have the name `asks`."""
        self.step = step
        self.funds = funds
        self.windows = windows
        self._wall = wall
        self._tick = 0
        self._each: int | None = None

    @property
    def asks(self) -> str:
        """The step that pays for the question of one timestamp."""
        return f"{self.step} of a timestamp"

    def begin(self, moment: Moment) -> None:
        """Open a timestamp."""
        self._tick = moment.place
        self.windows.begin(moment.users)

    def end(self) -> None:
        """Close a timestamp."""
        self.windows.end()

    def share(self, parts: int) -> int:
        """The quanta of one of `parts` equal parts, rounded down."""
        return QUANTA // parts

    def price(self, quanta: int) -> Fraction:
        """What quanta cost, in the currency of the funds."""
        return price(quanta, self.funds.amount)

    def question(self, quanta: int, *, sensitivity: int, cells: int, block: int = 1) -> HistogramQuestion:
        """The question for counts that costs so many quanta."""
        cost = self.price(quanta)
        named: dict[str, Fraction] = {"rho": cost} if self.funds.in_rho else {"epsilon": cost}
        return HistogramQuestion(step=self.asks, sensitivity=sensitivity, cells=cells, block=block, **named)

    def ask(
        self, question: Question[TruthT, AnswerT], truth: TruthT, *, quanta: int, included: Booleans | None = None
    ) -> AnswerT:
        """Charge those who are counted, then have the question answered."""
        self._require(question, quanta)
        self._pay(quanta, included)
        return self._wall.ask(question, truth)

    def set_aside(self, quanta: int, included: Booleans | None = None) -> None:
        """Charge those who are added to a block; every context of one block pays the same."""
        if self._each not in {None, quanta}:
            message = f"all contexts of a block must pay the same, got {quanta} after {self._each} quanta"
            raise UnplannedDrawError(message)
        self._pay(quanta, included)
        self._each = quanta

    def ask_block(self, question: Question[TruthT, AnswerT], truth: TruthT) -> AnswerT:
        """Have a question about a whole block answered, which its contexts have paid for."""
        if self._each is None:
            message = f"a block must be paid for before it is asked, step {self.step!r} has set nothing aside"
            raise UnplannedDrawError(message)
        self._require(question, self._each)
        self._each = None
        return self._wall.ask(question, truth)

    def abandon_block(self) -> None:
        """Begin a new block; what the open one has cost is spent."""
        self._each = None

    def _pay(self, quanta: int, included: Booleans | None) -> None:
        self.windows.charge(quanta, included)
        self._wall.slide(self.step, tick=self._tick, plan=self.funds.step_of(self.asks, self.price(quanta)))

    def _require(self, question: Question[TruthT, AnswerT], quanta: int) -> None:
        planned = self.funds.step_of(self.asks, self.price(quanta)).cost
        if question.step != self.asks or Cost(question.epsilon, question.delta, rho_of(question)) != planned:
            message = f"a question of step {self.step!r} must cost what is charged for it"
            raise UnplannedDrawError(message)
