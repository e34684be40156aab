"""Blocks for the vertices of a network, chosen in one pass: each vertex sees its edges to those placed before it.

The order of the vertices is public. A vertex v takes block b with a probability in proportion to

    r ** c(v, b) * u(v, b),

where c(v, b) is the number of its edges to members of b that were placed before it, r is a rational number just below
exp(epsilon / group), and u(v, b) is any positive weight that the order, public degrees and the blocks chosen so far decide. An
edge is seen by the later of its two ends only, and there it changes one count by one, so the whole pass costs epsilon (decision
0020). The weights are whole numbers, so the draw is exact.

With d the public degrees, D(b) their sum over the members of b so far and W that over all vertices, u is about
exp(-log r d(v) D(b) / W): a block has to offer more edges than degrees alone lead to expect.

Where all vertices are in public blocks at the start and only change them, each end of an edge sees it, so r is exp of half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import floor, log
from typing import Any

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import offsets_of
from tacita.errors import ParameterError
from tacita.privacy import noise
from tacita.privacy.budget import decimal_text
from tacita.privacy.enclosure import exp_minus
from tacita.privacy.questions.question import Asks, Choice, Outcomes
from tacita.privacy.randomness import Source, uniform_below
from tacita.public.parameters import whole_number

__all__ = ["PlacementQuestion", "in_one_pass", "placed_in_blocks"]


MOST_BLOCKS = 512

_PLACES, _FINE = 24, 30
"""Binary places of the ratio r, and of the public weights."""

_MOST_RATE = 16
"""An edge multiplies a weight by exp(16) at the most, so that whole numbers stay short; less than paid for is always allowed."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PlacementQuestion:
    """The question which of some blocks each vertex belongs to, asked in a public order and with public degrees.

    The answer has the block of each vertex. Groups of up to `group` edges are protected at epsilon, so a single one at a share.
    """

    step: str
    epsilon: Fraction
    order: Integers
    degrees: Integers
    blocks: int
    group: int = 1
    start: Integers | None = None
    """Blocks that the vertices are in before the pass; None if they are placed one after the other."""

    def __post_init__(self) -> None:
        """Refuse what is no order of all vertices."""
        whole_number(self.group, name="the size of a group", least=1)
        whole_number(self.blocks, name="the number of blocks", least=1, most=MOST_BLOCKS)
        noise.require_rate(self.rate)
        vertices = self.order.size
        if self.degrees.shape != (vertices,) or np.any(np.sort(self.order) != np.arange(vertices)) or np.any(self.degrees < 0):
            message = "every vertex must be in the order once and have a degree of at least 0"
            raise ParameterError(message)
        start = self.start
        if start is not None and (start.shape != (vertices,) or np.any((start < 0) | (start >= self.blocks))):
            message = "every vertex must be in one of the blocks at the start"
            raise ParameterError(message)

    @property
    def delta(self) -> Fraction:
        """The pass is pure."""
        return Fraction(0)

    @property
    def rate(self) -> Fraction:
        """By how much one more edge to a block may raise the logarithm of its weight."""
        return self.epsilon / self.group / (1 if self.start is None else 2)

    @property
    def noise(self) -> str:
        """The noise in words."""
        return f"one pass over the vertices, weights of at most exp({decimal_text(self.rate)}) for each edge to a block"

    def __eq__(self, other: object) -> bool:
        """Two questions are the same if all their parts are."""
        if not isinstance(other, PlacementQuestion):
            return NotImplemented
        same = (self.step, self.epsilon, self.blocks, self.group) == (other.step, other.epsilon, other.blocks, other.group)
        pairs = [(self.order, other.order), (self.degrees, other.degrees)]
        if self.start is not None and other.start is not None:
            pairs.append((self.start, other.start))
        starts = (self.start is None) == (other.start is None)
        return same and starts and all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    def __hash__(self) -> int:
        """Questions of one step are distinguished by comparing them."""
        return hash((self.step, self.epsilon))

    def check(self, truth: Integers, /) -> None:
        """The edges must be numbers i * n + j with i < j, each once, in order."""
        vertices = self.order.size
        if truth.dtype != np.int64 or truth.ndim != 1 or np.any(truth[1:] <= truth[:-1]):
            message = "edges must be a flat array of 64-bit integers that strictly increase"
            raise ParameterError(message)
        if truth.size and (truth[0] < 0 or truth[-1] >= vertices**2 or np.any(truth // vertices >= truth % vertices)):
            message = "every edge must lead from a vertex to a later one"
            raise ParameterError(message)

    def draw(self, truth: Integers, source: Source, /) -> Integers:
        """Place vertex after vertex, each by an exact draw."""

        def chosen(counts: list[int], loads: list[float]) -> int:
            weights = self._weights(counts, loads)
            word = uniform_below(sum(weights), source)
            for block, weight in enumerate(weights):
                word -= weight
                if word < 0:
                    return block
            message = "a word below the sum of all weights falls on one of them"  # pragma: no cover
            raise AssertionError(message)  # pragma: no cover

        answer = self._passed(truth, chosen)
        answer.setflags(write=False)
        return answer

    def _passed(self, truth: Integers, chosen: Callable[[list[int], list[float]], int]) -> Integers:
        return in_one_pass(truth, self.order, self.degrees, self.blocks, chosen, start=self.start)

    def _weights(self, counts: Sequence[int], loads: Sequence[float]) -> list[int]:
        """The weights of all blocks, as whole numbers with a common factor; of at most 2^-30 exactly where they are public."""
        ratio, least, most = _ratio(self.rate), min(counts), max(counts)
        falls = [float(load) * log(ratio / (1 << _PLACES)) / log(2) for load in loads]  # of the public weights, in powers of 2
        wholes = [floor(fall) for fall in falls]
        last = max(wholes)
        return [
            (round(2 ** (_FINE - (fall - whole))) * ratio ** (count - least)) << (_PLACES * (most - count) + last - whole)
            for count, fall, whole in zip(counts, falls, wholes, strict=True)
        ]

    def log_probability(self, answer: Integers, truth: Integers) -> float:
        """The logarithm of the probability of an answer."""
        total, place = 0.0, 0
        wanted = answer[self.order].tolist()

        def chosen(counts: list[int], loads: list[float]) -> int:
            nonlocal total, place
            weights, block = self._weights(counts, loads), int(wanted[place])
            total += _log(Fraction(weights[block], sum(weights)))
            place += 1
            return block

        self._passed(truth, chosen)
        return total

    def log_ratio(self, answer: Integers, first: Integers, second: Integers, /) -> float:
        """Compare the probabilities of this answer."""
        if np.array_equal(first, second):
            return 0.0
        return self.log_probability(answer, first) - self.log_probability(answer, second)

    def largest_loss(self, first: Integers, second: Integers, /) -> Fraction:
        """The most that any answer can lose: each edge is seen by one of its ends, or by both at half of the rate."""
        return self.epsilon / self.group * int(np.setxor1d(first, second).size)

    def outcomes(self, truth: Integers, /, *, span: int) -> Outcomes[Integers]:  # noqa: ARG002 - they are few on tiny data
        """All ways to place the vertices, as one choice: a vertex depends on those before it."""
        ways = [np.array(way, dtype=np.int64) for way in product(range(self.blocks), repeat=self.order.size)]
        chances = [float(np.exp(self.log_probability(way, truth))) for way in ways]
        return Outcomes([Choice(ways, chances)], _only)

    def covers(self, answer: Integers, /, *, span: int) -> bool:  # noqa: ARG002 - they are few on tiny data
        """Whether every vertex is in one of the blocks."""
        return bool(np.all((answer >= 0) & (answer < self.blocks)))

    def nothing(self) -> Integers:
        """All vertices in the first block."""
        return np.zeros(self.order.size, dtype=np.int64)


def placed_in_blocks(account: Asks, step: str, truth: Integers, *, degrees: Integers, blocks: int, group: int = 1) -> Integers:
    """Ask for the block of each vertex, in the order of these public degrees, largest first; the truth is the keys of edges."""
    order = np.argsort(-degrees, kind="stable").astype(np.int64)
    epsilon = account.planned(step).epsilon
    question = PlacementQuestion(step=step, epsilon=epsilon, order=order, degrees=degrees, blocks=blocks, group=group)
    return account.ask(question, truth)


def in_one_pass(
    keys: Integers,
    order: Integers,
    degrees: Integers,
    blocks: int,
    chosen: Callable[[list[int], list[float]], int],
    *,
    start: Integers | None = None,
) -> Integers:
    """The block of each vertex, if `chosen` says which, given edges to members placed before and how many degrees predict.

    The edges are numbers i * n + j; the order, the degrees and all earlier choices are public. With a start, all vertices are
    placed before, and each sees all of its edges.
    """
    vertices = order.size
    rank = np.empty(vertices, dtype=np.int64)
    rank[order] = np.arange(vertices)
    ends = rank[keys // max(vertices, 1)], rank[keys % max(vertices, 1)]
    later, earlier = np.maximum(*ends), np.minimum(*ends)
    if start is not None:
        later, earlier = np.concatenate([later, earlier]), np.concatenate([earlier, later])
    seen = earlier[np.argsort(later, kind="stable")]
    offsets = offsets_of(np.bincount(later, minlength=vertices)).tolist()
    whole = max(int(degrees.sum()), 1)
    shares = (degrees[order] / whole).tolist()
    sizes = degrees[order].tolist()
    labels = np.zeros(vertices, dtype=np.int64) if start is None else start[order]
    members = [0] * blocks if start is None else np.bincount(start, weights=degrees, minlength=blocks).astype(np.int64).tolist()
    nothing = [0] * blocks
    for place in range(vertices):
        begin, end = offsets[place], offsets[place + 1]
        counts = np.bincount(labels[seen[begin:end]], minlength=blocks).tolist() if end > begin else nothing
        share = shares[place]
        if start is not None:
            members[labels[place]] -= sizes[place]
        block = chosen(counts, [share * held for held in members])
        labels[place] = block
        members[block] += sizes[place]
    found = np.empty(vertices, dtype=np.int64)
    found[order] = labels
    return found


@lru_cache(maxsize=64)
def _ratio(rate: Fraction) -> int:
    """2^24 times a number that is at most exp(rate) and at least 1."""
    rate = min(rate, Fraction(_MOST_RATE))
    bits = 2 * _PLACES + 2 * _MOST_RATE
    return max((1 << (bits + _PLACES)) // exp_minus(rate)(bits)[1], 1 << _PLACES)


def _log(share: Fraction) -> float:
    """The logarithm of a fraction whose parts no machine number holds."""
    return log(share.numerator) - log(share.denominator)


def _only(values: Sequence[Any]) -> Integers:
    return np.asarray(values[0], dtype=np.int64)
