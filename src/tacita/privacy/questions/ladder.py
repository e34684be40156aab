"""A count whose local sensitivity is small, by the ladder mechanism.

Some counts, such as the triangles of a graph, can change by much for one record, but seldom do. A ladder is a family of bounds
I_0 <= I_1 <= ... of a data set with two properties: one record changes the count by at most I_0, and I_t of a data set is at most
I_{t+1} of each neighbour. Rung 0 is the count itself; rung r >= 1 has the I_{r-1} values next to rung r - 1 on either side. An
answer on rung r has a probability in proportion to exp(-epsilon r / 2): the exponential mechanism with the rung as its score,
which one record changes by one at the most.

Here I_t = min(most, spread + t), where the spread bounds the change of the count for one record, and itself changes by at most
one. The draw is exact: rung 0, or 1 + G, or 2 + G + G' with geometric G and G', which has weights spread + r - 1 in place of
min(most, spread + r - 1), and is accepted in proportion.

Reference: Zhang, Cormode, Procopiuc, Srivastava and Xiao, Private release of graph statistics using ladder functions, SIGMOD
2015.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, isqrt, log1p, sqrt
from typing import Any

from tacita.errors import ParameterError
from tacita.privacy import noise
from tacita.privacy.budget import decimal_text
from tacita.privacy.enclosure import exp_minus, one_minus
from tacita.privacy.noise import Bounds, weighted_index
from tacita.privacy.questions.question import Asks, Choice, Outcomes
from tacita.privacy.randomness import Source, uniform_below
from tacita.public.parameters import whole_number

__all__ = ["LadderCount", "Spread", "ladder_count"]


@dataclass(frozen=True, kw_only=True)
class Spread:
    """A count, and a bound of its change for one record that one record changes by at most one."""

    count: int
    spread: int


@dataclass(frozen=True, kw_only=True)
class LadderCount:
    """The question how large a count is; no record ever changes it by more than `most`.

    Groups of up to `group` records are protected at epsilon, so a single one at a share of it.
    """

    step: str
    epsilon: Fraction
    most: int
    group: int = 1

    def __post_init__(self) -> None:
        """Refuse what would make the law another one."""
        whole_number(self.most, name="the largest change of a count", least=0)
        whole_number(self.group, name="the size of a group", least=1)
        noise.require_rate(self.rate)

    @property
    def delta(self) -> Fraction:
        """The ladder is pure."""
        return Fraction(0)

    @property
    def rate(self) -> Fraction:
        """By how much the logarithm of the probability falls from rung to rung."""
        return self.epsilon / self.group / 2

    @property
    def noise(self) -> str:
        """The noise in words."""
        return f"ladder, rungs at a scale of {decimal_text(1 / self.rate)}"

    def check(self, truth: Spread, /) -> None:
        """A spread is a whole number within its bounds."""
        if not 0 <= truth.spread <= self.most:
            message = "the spread of a count must be at least 0 and at most its largest change"
            raise ParameterError(message)

    def draw(self, truth: Spread, source: Source, /) -> int:
        """Draw a rung, then a side and a value on it."""
        rung = self._rung(truth.spread, source)
        if rung == 0:
            return truth.count
        offset = self._before(truth.spread, rung) + 1 + uniform_below(self._width(truth.spread, rung), source)
        return truth.count + (offset if uniform_below(2, source) else -offset)

    def _rung(self, spread: int, source: Source) -> int:
        if self.most == 0:  # no rung but the first has a value
            return 0
        ratio = exp_minus(self.rate)
        rest = one_minus(ratio)

        def weights(bits: int) -> Bounds:  # 1, 2 s a / (1 - a) and 2 a^2 / (1 - a)^2, each times (1 - a)^2
            (low, high), (low_rest, high_rest) = ratio(bits), rest(bits)
            return Bounds(
                [low_rest * low_rest, 2 * spread * low * low_rest, 2 * low * low],
                [high_rest * high_rest, 2 * spread * high * high_rest, 2 * high * high],
            )

        while True:
            steps = weighted_index(weights, source)
            rung = steps + int(noise.geometric(steps, rate=self.rate, source=source).sum())
            if rung == 0 or uniform_below(spread + rung - 1, source) < self._width(spread, rung):
                return rung

    def _width(self, spread: int, rung: int) -> int:
        """How many values rung r >= 1 has on either side."""
        return min(self.most, spread + rung - 1)

    def _before(self, spread: int, rung: int) -> int:
        """How many values the rungs from 1 to r - 1 have on either side."""
        rungs = rung - 1
        growing = min(rungs, self.most - spread)  # the rungs 1 to this one have widths s, s + 1, ...
        return growing * spread + growing * (growing - 1) // 2 + (rungs - growing) * self.most

    def rung_of(self, answer: int, truth: Spread) -> int | None:
        """The rung of an answer; None if no rung has it."""
        distance = abs(answer - truth.count)
        if distance == 0 or self.most == 0:
            return None if distance else 0
        spread, growing = truth.spread, self.most - truth.spread
        if distance > self._before(spread, growing + 1):
            return growing + 1 + -(-(distance - self._before(spread, growing + 1)) // self.most) - 1
        b = 2 * spread - 1  # the least r with r s + r (r - 1) / 2 >= distance
        rung = max(1, (isqrt(b * b + 8 * distance) - b) // 2)
        while self._before(spread, rung + 1) < distance:
            rung += 1
        while rung > 1 and self._before(spread, rung) >= distance:
            rung -= 1
        return rung

    def log_probability(self, answer: int, truth: Spread) -> float:
        """The logarithm of the probability of an answer."""
        rung = self.rung_of(answer, truth)
        return float("-inf") if rung is None else -float(self.rate) * rung - self._log_total(truth.spread)

    def _log_total(self, spread: int) -> float:
        rate = float(self.rate)
        ratio, rest = exp(-rate), -expm1(-rate)
        grown = -expm1(-rate * (self.most - spread))
        return log1p(2 * (spread * ratio / rest + (ratio / rest) ** 2 * grown))

    def log_ratio(self, answer: int, first: Spread, second: Spread, /) -> float:
        """Compare the probabilities of this answer."""
        logs = [self.log_probability(answer, truth) for truth in (first, second)]
        return 0.0 if logs[0] == logs[1] else logs[0] - logs[1]

    def largest_loss(self, first: Spread, second: Spread, /) -> Fraction:
        """The most that any answer can lose between two truths that one record tells apart; what no ladder allows is an error."""
        if abs(first.count - second.count) > min(first.spread, second.spread) or abs(first.spread - second.spread) > 1:
            message = "between neighbours a count must change by at most its spread, and the spread by at most one"
            raise ParameterError(message)
        return Fraction(0) if first == second else 2 * self.rate

    def outcomes(self, truth: Spread, /, *, span: int) -> Outcomes[int]:
        """Each value up to the span on either side of nothing."""
        values = range(-span, span + 1)
        return Outcomes([Choice(values, [exp(self.log_probability(value, truth)) for value in values])], _only)

    def covers(self, answer: int, /, *, span: int) -> bool:
        """Whether the value is not beyond the span."""
        return abs(answer) <= span

    def nothing(self) -> int:
        """None."""
        return 0

    def deviation(self, spread: int) -> float:
        """The standard deviation of the noise, given a spread, up to rounding; for planning and post-processing only.

        Rung r has a weight of (s + r) e^(-r / R) and lies about s r + r^2 / 2 away: the second moment is an integral over r.
        Where all rungs have the largest width, the noise is that width times discrete Laplace noise of scale R.
        """
        s, scale = float(spread), 1 / float(self.rate)
        moment = (2 * s**3 * scale + 12 * s**2 * scale**2 + 30 * s * scale**3 + 30 * scale**4) * scale / (s + scale)
        return min(sqrt(moment), self.most * scale * sqrt(2))


def ladder_count(account: Asks, step: str, truth: Spread, *, most: int, group: int = 1) -> int:
    """Ask for a count by the ladder."""
    return account.ask(LadderCount(step=step, epsilon=account.planned(step).epsilon, most=most, group=group), truth)


def _only(values: Sequence[Any]) -> int:
    return int(values[0])
