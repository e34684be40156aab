"""How many triangles a noisy number of them speaks for.

Two explanations are weighed. Either the network has the triangles that its degrees and classes give by chance, and all else is
noise; or it has some other number t, and before the answer every t is equally likely: half of the prior lies between 0 and the
number by chance, half between that and the largest number that the degrees allow. With f(y | t) the law of the ladder, the
second explanation is believed if

    mean of f(y | t) over that prior  >=  FOLLOWED * f(y | by chance),

and then the median of t given the answer y is the goal. The tails of the ladder are long, so that most answers are much nearer
than their standard deviation; its law knows that, and a rule by standard deviations does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.graphs import Graph
from tacita.privacy.questions import LadderCount, Spread

__all__ = ["NoisyTriangles", "believed_triangles", "most_triangles"]


FOLLOWED = 6.0
"""How much better than chance another number must explain the answer to be followed."""

FINENESS = 1.05
"""By which factor the distances from the answer grow at which its law is looked at."""


@dataclass(frozen=True, kw_only=True)
class NoisyTriangles:
    """A noisy number of triangles, the question that it answers, and the spread that is assumed for the law of its noise."""

    number: int
    question: LadderCount
    spread: int

    def log_likelihoods(self, triangles: Integers) -> Reals:
        """The logarithm of the probability of this answer for each number of triangles."""
        return np.array(
            [self.question.log_probability(self.number, Spread(count=count, spread=self.spread)) for count in triangles.tolist()]
        )


def most_triangles(graph: Graph) -> int:
    """A bound of the triangles of any network in which vertices of such degrees meet: an edge is in at most min(d, d') - 1."""
    degrees = graph.degrees
    return int((np.minimum(degrees[graph.sources], degrees[graph.targets]) - 1).sum()) // 3


def believed_triangles(noisy: NoisyTriangles, *, by_chance: int, most: int) -> int | None:
    """The number of triangles to bring about; None if chance explains the answer well enough."""
    most = max(most, by_chance)
    numbers = _numbers(noisy.number, by_chance, most)
    logs = noisy.log_likelihoods(numbers)
    top = float(logs.max(initial=-np.inf))
    if numbers.size < 2 or not np.isfinite(top):
        return None
    likelihoods = np.exp(logs - top)
    middles = (likelihoods[1:] + likelihoods[:-1]) / 2
    below = numbers[1:] <= by_chance
    widths = np.diff(numbers) / np.where(below, max(by_chance, 1), max(most - by_chance, 1))
    masses = middles * widths / 2
    if masses.sum() < FOLLOWED * likelihoods[np.searchsorted(numbers, by_chance)]:
        return None
    shares = np.cumsum(masses) / masses.sum()
    return round(float(np.interp(0.5, np.concatenate([[0.0], shares]), numbers)))


def _numbers(answer: int, by_chance: int, most: int) -> Integers:
    """Numbers from 0 to the most, close to each other near the answer and near chance."""
    steps = np.arange(np.ceil(np.log(most + abs(answer) + 2) / np.log(FINENESS)) + 1)
    distances = np.unique(np.floor(FINENESS**steps)).astype(np.int64)
    around = [centre + sign * distances for centre in (answer, by_chance) for sign in (-1, 1)]
    numbers = np.unique(np.concatenate([*around, [0, answer, by_chance, most]]))
    return np.asarray(numbers[(numbers >= 0) & (numbers <= most)], dtype=np.int64)
