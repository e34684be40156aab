"""Where the ones of several disjoint sets of cells are, given a public number of ones for each set.

For a set of N cells of which c are ones, an arrangement of y ones is drawn by the exponential mechanism: its score is the number
of cells that agree with the truth, which one record changes by one, so an arrangement with w ones in the right place has a weight
of exp(epsilon w). All arrangements with the same w are alike. So w is drawn from

    P(w) in proportion to C(c, w) C(N - c, y - w) exp(epsilon w)

(Fisher's noncentral hypergeometric law), then which w ones stay and which y - w zeros become ones, uniformly. Weights are
enclosed by integers, outward from the mode, and refined until the draw is decided, so the law is exact, with exp(epsilon)
replaced by a rational number below it that is known to 96 bits.

Reference: Chen, PhD thesis, Concordia University 2012, section 7.4.2, which selects a group of arrangements by the same law but
then rejects some inside the group, which is not private. Cells that cannot be ones must not be in a set at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb, exp, lgamma, log
from typing import Any

import numpy as np

from tacita.arrays import Integers
from tacita.errors import ParameterError
from tacita.privacy import noise
from tacita.privacy.budget import decimal_text
from tacita.privacy.enclosure import exp_minus
from tacita.privacy.noise import Bounds, weighted_index
from tacita.privacy.questions.cells import skip_taken
from tacita.privacy.questions.question import Choice, Outcomes
from tacita.privacy.randomness import Source
from tacita.public.parameters import whole_number

__all__ = ["ArrangementQuestion", "right_places"]


_ODDS_BITS = 96


@dataclass(frozen=True, kw_only=True, eq=False)
class ArrangementQuestion:
    """The question where the ones are; set b has the cells from bases[b] on, sizes[b] of them, and gets ones[b] ones.

    Groups of up to `group` records are protected at epsilon, so a single one at a share of it.
    """

    step: str
    epsilon: Fraction
    sizes: Integers
    ones: Integers
    group: int = 1

    def __post_init__(self) -> None:
        """Refuse numbers of ones that do not fit."""
        whole_number(self.group, name="the size of a group", least=1)
        noise.require_rate(self.rate)
        if self.sizes.shape != self.ones.shape or np.any(self.ones < 0) or np.any(self.ones > self.sizes):
            message = "every set of cells must be given at least no ones, and no more than it has cells"
            raise ParameterError(message)

    @property
    def delta(self) -> Fraction:
        """The exponential mechanism is pure."""
        return Fraction(0)

    @property
    def rate(self) -> Fraction:
        """By how much one cell more in the right place raises the logarithm of the probability."""
        return self.epsilon / self.group

    @property
    def bases(self) -> Integers:
        """The first cell of each set and, last, the number of all cells."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.sizes)])

    @property
    def noise(self) -> str:
        """The noise in words; how many sets there are follows from noisy answers."""
        return f"exponential mechanism over arrangements, weights exp({decimal_text(self.rate)}) for each cell that agrees"

    def __eq__(self, other: object) -> bool:
        """Two questions are the same if all their parts are."""
        if not isinstance(other, ArrangementQuestion):
            return NotImplemented
        same = (self.step, self.epsilon, self.group) == (other.step, other.epsilon, other.group)
        return same and np.array_equal(self.sizes, other.sizes) and np.array_equal(self.ones, other.ones)

    def __hash__(self) -> int:
        """Questions of one step are distinguished by comparing them."""
        return hash((self.step, self.epsilon))

    def check(self, truth: Integers, /) -> None:
        """The ones must be cells of the sets, each once, in order."""
        if truth.dtype != np.int64 or truth.ndim != 1 or np.any(truth[1:] <= truth[:-1]):
            message = "ones must be a flat array of 64-bit integers that strictly increase"
            raise ParameterError(message)
        if truth.size and (truth[0] < 0 or truth[-1] >= int(self.sizes.sum())):
            message = "every one must be a cell of a set"
            raise ParameterError(message)

    def draw(self, truth: Integers, source: Source, /) -> Integers:
        """Arrange the ones of each set; they come in order."""
        bases = self.bases
        starts = np.searchsorted(truth, bases)
        found = [np.zeros(0, dtype=np.int64)]
        for place in np.flatnonzero(self.ones):
            size, ones, base = int(self.sizes[place]), int(self.ones[place]), int(bases[place])
            true = truth[starts[place] : starts[place + 1]] - base
            right = right_places(size, true.size, ones, self.rate, source)
            kept = true[_subset(true.size, right, source)]
            moved = skip_taken(_subset(size - true.size, ones - right, source), true)
            found.append(np.sort(np.concatenate([kept, moved])) + base)
        answer = np.concatenate(found)
        answer.setflags(write=False)
        return answer

    def log_ratio(self, answer: Integers, first: Integers, second: Integers, /) -> float:
        """Sum over the sets whose ones differ."""
        bases = self.bases
        changed = np.unique(np.searchsorted(bases, np.setxor1d(first, second), side="right") - 1)
        return sum(
            self._log_probability(place, answer, first) - self._log_probability(place, answer, second)
            for place in changed.tolist()
        )

    def largest_loss(self, first: Integers, second: Integers, /) -> Fraction:
        """The most that any answer can lose: a cell more that is a one changes the weights by the rate at most, all upwards."""
        return self.rate * int(np.setxor1d(first, second).size)

    def _log_probability(self, place: int, answer: Integers, truth: Integers) -> float:
        low, high = self.bases[place], self.bases[place + 1]
        true, drawn = (side[(side >= low) & (side < high)] for side in (truth, answer))
        epsilon = float(self.rate)
        right = np.intersect1d(true, drawn).size
        return epsilon * right - _log_total(int(self.sizes[place]), true.size, int(self.ones[place]), epsilon)

    def outcomes(self, truth: Integers, /, *, span: int) -> Outcomes[Integers]:  # noqa: ARG002 - they are few
        """All arrangements of each set."""
        choices = []
        bases = self.bases.tolist()
        for place, (size, ones) in enumerate(zip(self.sizes.tolist(), self.ones.tolist(), strict=True)):
            base = bases[place]
            values = [np.array(cells, dtype=np.int64) for cells in combinations(range(base, base + size), ones)]
            choices.append(Choice(values, [exp(self._log_probability(place, cells, truth)) for cells in values]))
        return Outcomes(choices, _joined)

    def covers(self, answer: Integers, /, *, span: int) -> bool:  # noqa: ARG002 - arrangements are few on tiny data
        """Whether each set has its number of ones."""
        return bool(np.array_equal(np.diff(np.searchsorted(answer, self.bases)), self.ones))

    def nothing(self) -> Integers:
        """The first cells of each set."""
        starts = np.repeat(self.bases[:-1] - np.cumsum(self.ones) + self.ones, self.ones)
        return np.asarray(starts + np.arange(int(self.ones.sum())), dtype=np.int64)


def right_places(size: int, true: int, ones: int, epsilon: Fraction, source: Source) -> int:
    """Draw how many of the ones are in the right place."""
    low, high = max(0, ones - (size - true)), min(true, ones)
    if low == high:
        return low
    numerator, denominator = _odds(epsilon)

    def ratio(right: int) -> tuple[int, int]:
        """The weight of one more in the right place, in proportion."""
        up = numerator * (true - right) * (ones - right)
        return up, denominator * (right + 1) * (size - true - ones + right + 1)

    mode = _mode(low, high, ratio)
    above, below = high - mode, mode - low

    def weights(bits: int) -> Bounds:
        """The mode, one above it, one below it, two above it, ... until both sides are negligible."""
        work = 2 * bits + 64  # each step of rounding costs a unit of the last place
        up, down = (1 << work, 1 << work), (1 << work, 1 << work)
        lows, highs = [1 << work], [1 << work]
        for step in range(max(above, below)):
            up = _times(up, ratio(mode + step)) if step < above else (0, 0)
            down = _times(down, ratio(mode - step - 1)[::-1]) if step < below else (0, 0)
            if step < above:
                lows.append(up[0])
                highs.append(up[1])
            if step < below:
                lows.append(down[0])
                highs.append(down[1])
            if (up[1] + down[1]) >> (work - bits - 16) == 0:  # weights fall ever faster from the mode on
                return Bounds(lows, highs, (up[1] + down[1]) * (above + below))
        return Bounds(lows, highs)

    return mode + _zigzag(weighted_index(weights, source), above, below)


def _zigzag(index: int, above: int, below: int) -> int:
    """0, 1, -1, 2, -2, ... as far as both sides go, then on along the longer one."""
    both = min(above, below)
    if index <= 2 * both:
        return (index + 1) // 2 if index % 2 else -(index // 2)
    return index - both if above > below else both - index


def _times(bounds: tuple[int, int], ratio: tuple[int, int]) -> tuple[int, int]:
    return bounds[0] * ratio[0] // ratio[1], -(-bounds[1] * ratio[0] // ratio[1])


def _mode(low: int, high: int, ratio: Callable[[int], tuple[int, int]]) -> int:
    """The first number of right places from which on weights fall, by halving: the ratio of neighbouring weights falls."""
    while low < high:
        middle = (low + high) // 2
        up, down = ratio(middle)
        if up >= down:
            low = middle + 1
        else:
            high = middle
    return low


@lru_cache(maxsize=1024)
def _odds(epsilon: Fraction) -> tuple[int, int]:
    """A rational number just below exp(epsilon), as numerator and denominator."""
    whole = -(-epsilon.numerator // epsilon.denominator)
    bits = _ODDS_BITS + 2 * whole
    return 1 << bits, exp_minus(epsilon)(bits)[1]


def _subset(size: int, chosen: int, source: Source) -> Integers:
    """Different numbers below `size` in increasing order, every set of them with the same probability."""
    if 2 * chosen > size:
        left_out = _subset(size, size - chosen, source)
        kept = np.ones(size, dtype=np.bool_)
        kept[left_out] = False
        return np.flatnonzero(kept).astype(np.int64)
    found = np.zeros(0, dtype=np.int64)
    while found.size < chosen:  # new ones are taken in the order in which they are drawn, so none is favoured
        drawn = _below(size, chosen - found.size, source)
        together = np.concatenate([found, drawn])
        found = together[np.sort(np.unique(together, return_index=True)[1])]
    return np.sort(found)


def _below(bound: int, number: int, source: Source) -> Integers:
    """At most that many numbers below the bound, each with the same probability exactly."""
    mask = np.uint64((1 << max(1, (bound - 1).bit_length())) - 1)
    words = np.frombuffer(source.take(8 * number), dtype="<u8") & mask
    return words[words < np.uint64(bound)].astype(np.int64)


def _log_total(size: int, true: int, ones: int, epsilon: float) -> float:
    """The logarithm of the sum of all weights of arrangements; for audits."""
    rights = range(max(0, ones - (size - true)), min(true, ones) + 1)
    logs = [_log_comb(true, right) + _log_comb(size - true, ones - right) + epsilon * right for right in rights]
    most = max(logs)
    return most + log(sum(exp(each - most) for each in logs))


def _log_comb(size: int, chosen: int) -> float:
    if size <= 1000:
        return log(comb(size, chosen))
    return lgamma(size + 1) - lgamma(chosen + 1) - lgamma(size - chosen + 1)


def _joined(values: Sequence[Any]) -> Integers:
    return np.concatenate([np.zeros(0, dtype=np.int64), *values])
