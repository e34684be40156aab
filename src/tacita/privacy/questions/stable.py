"""Which lists held by enough people are released; lists that nobody has are never asked about.

Reference: Korolova et al. 2009; Bun, Nissim and Stemmer 2016.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged, all_different, chosen, lexicographic_order
from tacita.errors import ParameterError, UnplannedDrawError
from tacita.privacy import noise
from tacita.privacy.budget import decimal_text
from tacita.privacy.questions.cells import cell_choice, log_below
from tacita.privacy.questions.question import Asks, Outcomes
from tacita.privacy.randomness import Source

__all__ = ["Lists", "StableQuestion", "stable_lists"]


@dataclass(frozen=True, eq=False)
class Lists:
    """Different lists of codes, each with an integer."""

    lists: Ragged
    values: Integers

    def sealed(self) -> Lists:
        """The same, read-only."""
        self.values.setflags(write=False)
        return self

    def as_dict(self) -> dict[tuple[int, ...], int]:
        """Each list with its integer; for small audits."""
        return {tuple(row): int(value) for row, value in zip(self.lists.to_lists(), self.values, strict=True)}


@dataclass(frozen=True, kw_only=True)
class StableQuestion:
    """Asks which of the lists that somebody has reach the threshold.

    One record changes the count of one list by one. A list that only one person has passes with a probability of at most
    delta, which is all that distinguishes it from a list that nobody has.
    """

    step: str
    epsilon: Fraction
    delta: Fraction
    threshold: int

    @property
    def noise(self) -> str:
        """The noise in words."""
        return f"discrete Laplace, scale {decimal_text(1 / self.epsilon)}, kept if the noisy count is at least {self.threshold}"

    def check(self, truth: Lists, /) -> None:
        """Every list must occur once, with a count of at least 1."""
        counts, lists = truth.values, truth.lists
        if counts.dtype != np.int64 or counts.shape != (len(lists),) or (counts.size and counts.min() < 1):
            message = "every list must have a count of at least 1, as a 64-bit integer"
            raise ParameterError(message)
        if not all_different(lists):
            message = "a list must not be asked about twice, because one record would change both counts; merge equal lists"
            raise ParameterError(message)

    def draw(self, truth: Lists, source: Source, /) -> Lists:
        """Add noise to every count and keep those that reach the threshold, in the order of their lists."""
        noisy = noise.add_noise(truth.values, rate=self.epsilon, source=source)
        kept = np.flatnonzero(noisy >= self.threshold)
        order = kept[lexicographic_order(chosen(truth.lists, kept))]
        return Lists(chosen(truth.lists, order), noisy[order]).sealed()

    def log_ratio(self, answer: Lists, first: Lists, second: Lists, /) -> float:
        """As for cells; a released list that only one data set has cannot come from the other: that is what delta covers."""
        kept, mine, other = answer.as_dict(), first.as_dict(), second.as_dict()
        ratio = 0.0
        for row in mine.keys() | other.keys():
            counts = mine.get(row, 0), other.get(row, 0)
            if counts[0] == counts[1]:
                continue
            if row in kept and 0 in counts:
                return inf if counts[0] else -inf
            if row in kept:
                ratio += float(self.epsilon) * (abs(kept[row] - counts[1]) - abs(kept[row] - counts[0]))
            else:
                below = [self._log_dropped(count) for count in counts]
                ratio += below[0] - below[1]
        return ratio

    def _log_dropped(self, count: int) -> float:
        return float(log_below(np.array([self.threshold - count]), self.epsilon)[0]) if count else 0.0

    def largest_loss(self, first: Lists, second: Lists, /) -> Fraction:
        """The most that any answer can lose between two truths."""
        counts, others = first.as_dict(), second.as_dict()
        changed = sum(abs(counts.get(row, 0) - others.get(row, 0)) for row in counts.keys() | others.keys())
        return Fraction(self.epsilon * changed)

    def outcomes(self, truth: Lists, /, *, span: int) -> Outcomes[Lists]:
        """One value, or nothing, for each list that somebody has."""
        order = lexicographic_order(truth.lists)
        lists = chosen(truth.lists, order)
        choices = [cell_choice(self.epsilon, self.threshold, count, span) for count in truth.values[order].tolist()]

        def joined(values: Sequence[Any]) -> Lists:
            kept = np.flatnonzero([value is not None for value in values])
            return Lists(chosen(lists, kept), np.array([value for value in values if value is not None], dtype=np.int64))

        return Outcomes(choices, joined)

    def covers(self, answer: Lists, /, *, span: int) -> bool:
        """Whether no value is beyond the span."""
        return bool(np.all(answer.values <= self.threshold + span))

    def nothing(self) -> Lists:
        """No list is released."""
        return Lists(Ragged.from_lists([]), np.zeros(0, dtype=np.int64))


def stable_lists(account: Asks, step: str, *, lists: Ragged, counts: Integers) -> Lists:
    """Add noise to the number of people who have each list; return the lists that reach a threshold which hides any one person.

    Lists that nobody has are never asked about, so a delta must be planned: with at most that probability, a list that only one
    person has comes out. One record changes the count of one list by one.
    """
    planned = account.planned(step)
    if not planned.delta:
        message = f"step {step!r} asks about lists that somebody has, so its plan must have a delta"
        raise UnplannedDrawError(message)
    threshold = noise.stable_threshold(planned.epsilon, planned.delta)
    question = StableQuestion(step=step, epsilon=planned.epsilon, delta=planned.delta, threshold=threshold)
    return account.ask(question, Lists(lists, counts))
