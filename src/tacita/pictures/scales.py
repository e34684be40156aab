"""From numbers to places in a drawing, on a linear or a logarithmic scale, with round ticks."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10

__all__ = ["Scale", "nice_top"]


@dataclass(frozen=True, kw_only=True)
class Scale:
    """An axis from `low` to `high`, drawn from `start` to `end`.

    >>> Scale(low=0, high=10, start=100, end=0).at(2.5)
    75.0
    >>> Scale(low=1, high=1000, start=0, end=3, logarithmic=True).ticks()
    [1.0, 10.0, 100.0, 1000.0]
    >>> Scale(low=3, high=3, start=0, end=9).ticks()
    [3]
    """

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Where a value is drawn; one outside is drawn at the edge."""
        low, high, seen = (_seen(each, logarithmic=self.logarithmic) for each in (self.low, self.high, value))
        share = (min(max(seen, low), high) - low) / (high - low) if high > low else 0.0
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round numbers on the axis; of an axis for a single value, that."""
        if self.high <= self.low:
            return [self.low]
        if self.logarithmic:
            low, high = floor(log10(self.low) + 1e-9), ceil(log10(self.high) - 1e-9)
            tens = [10.0**power for power in range(low, high + 1, max(1, ceil((high - low) / 6)))]
            return [ten for ten in tens if self.low * 0.999 <= ten <= self.high * 1.001]
        step = _step((self.high - self.low) / 4)
        return [step * place for place in range(ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9) + 1)]


def nice_top(value: float) -> float:
    """The next round number, so that an axis ends at one.

    >>> nice_top(7.3), nice_top(0.031), nice_top(0)
    (8.0, 0.04, 1.0)
    """
    if value <= 0:
        return 1.0
    step = _step(value / 4)
    return round(step * ceil(value / step - 1e-9), 12)


def _step(least: float) -> float:
    """The next of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** floor(log10(least))
    return next(size * power for size in (1, 2, 5, 10) if size * power >= least * 0.9999999)


def _seen(value: float, *, logarithmic: bool) -> float:
    return log10(max(value, 1e-300)) if logarithmic else value
