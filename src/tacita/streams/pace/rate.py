"""How often to measure: the number of measurements in a window whose error, as the filters predict it, is least.

With k measurements in a window of m contexts, each has epsilon / k, so its noise has the variance v = 2 (sensitivity k /
epsilon)^2, and the next is s = m / k timestamps away. A filter with drift Q and white part G a timestamp settles at a posterior
variance P with P^2 + A P - A (v + G) = 0, A = s Q. The error of a count is 0.8 of its standard deviation, never more than the
count itself. Errors are averaged over cells, over the timestamps of an interval and, by their weights, over the filters. All of
this sees releases only.
"""

from __future__ import annotations

import numpy as np

from tacita.arrays import Reals

__all__ = ["Rates", "candidates"]


_ALL = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100, 128, 160, 200, 256)
_NEARLY = (
    1.07  # where a fifth of all contexts or more are measured, more measurements are taken at up to this much predicted error
)
_BELIEVED = 1e-4


def candidates(contexts: int) -> tuple[int, ...]:
    """The numbers of measurements that are tried for a window.

    >>> candidates(7)
    (1, 2, 3, 4, 5, 6, 7)
    """
    return (*(number for number in _ALL if number < contexts), contexts)


class Rates:
    """The choice for windows of one length; `epsilon` is that of a window."""

    def __init__(self, *, contexts: int, epsilon: float, sensitivity: int) -> None:
        """Work out what does not depend on the stream."""
        self.contexts = contexts
        self.numbers = candidates(contexts)
        numbers = np.array(self.numbers, dtype=np.float64)
        self._steps = np.ceil(contexts / numbers)
        self._noise = 2 * (sensitivity * numbers / epsilon) ** 2

    def best(self, counts: Reals, *, growth: float, drifts: Reals, weights: Reals) -> int:
        """How many measurements a window should have, given what was released; `growth` is the people now against their mean."""
        errors = self._errors(counts, growth, drifts, weights)
        best = self.numbers[int(np.argmin(errors))]
        if 5 * best >= self.contexts:
            return max(number for number, error in zip(self.numbers, errors, strict=True) if error <= _NEARLY * errors.min())
        return best

    def _errors(self, counts: Reals, growth: float, drifts: Reals, weights: Reals) -> Reals:
        """One predicted error for each number of measurements."""
        most = counts + 0.1 * counts.mean() + 1e-9
        scaled = most * growth
        steps, noise = self._steps[:, None], self._noise[:, None]
        errors = np.zeros(len(self.numbers))
        for (drift, white, _), weight in zip(drifts, weights, strict=True):
            if weight < _BELIEVED:
                continue
            each, around = drift * scaled, white * scaled
            apart = steps * each
            settled = (-apart + np.sqrt(apart * apart + 4 * apart * (noise + around))) / 2
            before = settled + apart + around
            measured = np.minimum(0.8 * np.sqrt(before * noise / (before + noise)), most).mean(axis=1)
            between = np.minimum(0.8 * np.sqrt(settled + each * steps / 2 + around), most).mean(axis=1)
            errors += weight * (measured + (self._steps - 1) * between) / self._steps
        return errors
