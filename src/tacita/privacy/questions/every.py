"""The counts of all cells of a small domain, each with noise, none left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tacita.arrays import AnyIntegers, Integers
from tacita.errors import ParameterError
from tacita.privacy import noise
from tacita.privacy.budget import decimal_text
from tacita.privacy.questions.cells import open_choice
from tacita.privacy.questions.question import Asks, Outcomes
from tacita.privacy.randomness import Source
from tacita.public.parameters import whole_number

__all__ = ["EveryCount", "every_count"]


@dataclass(frozen=True, kw_only=True)
class EveryCount:
    """The question how many there are in each of `cells` cells; one record changes the counts by `sensitivity` in sum."""

    step: str
    epsilon: Fraction
    sensitivity: int
    cells: int

    def __post_init__(self) -> None:
        """Refuse what would make the law another one."""
        whole_number(self.sensitivity, name="the sensitivity of counts", least=1)
        whole_number(self.cells, name="the number of cells", least=0)
        noise.require_rate(self.rate)

    @property
    def delta(self) -> Fraction:
        """Counts over public cells need no delta."""
        return Fraction(0)

    @property
    def rate(self) -> Fraction:
        """The inverse of the noise scale."""
        return self.epsilon / self.sensitivity

    @property
    def noise(self) -> str:
        """The noise in words."""
        return f"discrete Laplace, scale {decimal_text(1 / self.rate)}, all kept"

    def check(self, truth: Integers, /) -> None:
        """There must be a count for each cell."""
        if truth.dtype != np.int64 or truth.shape != (self.cells,):
            message = f"there must be {self.cells} counts, as 64-bit integers"
            raise ParameterError(message)

    def draw(self, truth: Integers, source: Source, /) -> Integers:
        """Add noise to every count."""
        noisy = noise.add_noise(truth, rate=self.rate, source=source)
        noisy.setflags(write=False)
        return noisy

    def log_ratio(self, answer: Integers, first: Integers, second: Integers, /) -> float:
        """Sum over the cells."""
        distance = np.abs(answer - second).astype(np.float64) - np.abs(answer - first)
        return float(self.rate) * float(distance.sum())

    def largest_loss(self, first: Integers, second: Integers, /) -> Fraction:
        """The most that any answer can lose between two truths."""
        return self.rate * int(np.abs(first - second).sum())

    def outcomes(self, truth: Integers, /, *, span: int) -> Outcomes[Integers]:
        """Each value up to the span on either side of nothing, for each cell."""
        return Outcomes([open_choice(self.rate, count, span) for count in truth.tolist()], _joined)

    def covers(self, answer: Integers, /, *, span: int) -> bool:
        """Whether no value is beyond the span."""
        return bool(np.all(np.abs(answer) <= span))

    def nothing(self) -> Integers:
        """Nobody anywhere."""
        return np.zeros(self.cells, dtype=np.int64)


def every_count(account: Asks, step: str, counts: AnyIntegers, *, sensitivity: int = 1) -> Integers:
    """Ask for all counts with noise; one record changes them by `sensitivity` in sum."""
    truth = np.ascontiguousarray(counts, dtype=np.int64)
    question = EveryCount(step=step, epsilon=account.planned(step).epsilon, sensitivity=sensitivity, cells=int(truth.size))
    return account.ask(question, truth)


def _joined(values: Sequence[Any]) -> Integers:
    return np.array(values, dtype=np.int64)
