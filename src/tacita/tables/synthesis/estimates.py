"""What noisy answers say together: counts of single columns, and marginals that agree with them.

Answers with the same truth are combined by their inverse variances. A noisy marginal departs from what the model expected only as
far as noise does not explain the difference. What single columns say is taken off that difference first, and with it a part
1 - f of the noise. If true cells depart from the expected number m with a variance s m, where s is as large as all cells say,

    cell = m + s m / (s m + f deviation ** 2) * away,    s = max(mean of away ** 2 - f deviation ** 2, 0) / mean of m
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod, sqrt

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.scatter import on_simplex
from tacita.tables.synthesis.views import Columns, grouped

__all__ = ["Measured", "combined", "freedom", "rows_of", "single_counts", "targets_of"]

_LEAST = 1e-3
"""No cell is expected to be emptier than this part of what the model says, or counts of single columns than this number."""


def combined(one: Reals, spread: Reals, other: Reals, other_spread: Reals) -> tuple[Reals, Reals]:
    """Two noisy answers to one question as one, with their variances."""
    whole = spread + other_spread
    return (one * other_spread + other * spread) / whole, spread * other_spread / whole


def rows_of(columns: Sequence[Reals], spreads: Sequence[Reals]) -> tuple[float, float]:
    """The number of rows, which every column adds up to, and the deviation of that number."""
    weights = np.array([1 / float(spread.sum()) for spread in spreads])
    sums = np.array([float(column.sum()) for column in columns])
    return max(float(sums @ weights / weights.sum()), 1.0), 1 / sqrt(float(weights.sum()))


@dataclass(frozen=True, kw_only=True, eq=False)
class Measured:
    """A noisy marginal by groups of codes, the variance of its cells, and what the model said of it before it was asked for."""

    columns: Columns
    groups: tuple[Integers, ...]
    noisy: Reals
    variance: float
    expected: Reals

    def again(self, noisy: Reals, variance: float) -> Measured:
        """With another answer to the same question."""
        whole = self.variance + variance
        both = (self.noisy * variance + noisy * self.variance) / whole
        return replace(self, noisy=both, variance=self.variance * variance / whole)


def single_counts(
    noisy: Sequence[Reals], variances: Sequence[Reals], measured: Iterable[Measured], *, rows: float
) -> list[Reals]:
    """The counts of single columns that all answers say together, above 0.

    An answer for a group of codes moves each of them by its part of the variance.
    """
    counts, spreads = [own.copy() for own in noisy], [own.copy() for own in variances]
    for each in measured:
        for axis, (column, group) in enumerate(zip(each.columns, each.groups, strict=True)):
            axes = tuple(other for other in range(each.noisy.ndim) if other != axis)
            spread = each.variance * prod(each.noisy.shape[other] for other in axes)
            known = np.bincount(group, weights=counts[column]), np.bincount(group, weights=spreads[column])
            part = spreads[column] / (known[1] + spread)[group]
            counts[column] += part * (each.noisy.sum(axis=axes) - known[0])[group]
            spreads[column] *= 1 - part
    found = []
    for own in counts:
        likely = np.maximum(on_simplex(own, rows), _LEAST)
        found.append(likely * (rows / likely.sum()))
    return found


def targets_of(measured: Iterable[Measured], ones: Sequence[Reals]) -> list[Reals]:
    """Likely marginals that agree with the counts of single columns, one after the other."""
    return [_likely(each, _ones_of(each, ones)) for each in measured]


def _ones_of(each: Measured, ones: Sequence[Reals]) -> list[Reals]:
    return [grouped(ones[column], [group]) for column, group in zip(each.columns, each.groups, strict=True)]


def _likely(measured: Measured, ones: Sequence[Reals]) -> Reals:
    model = _agreed(np.maximum(measured.expected, _LEAST**2), ones, rounds=3)
    away = _beyond_singles(measured.noisy - model)
    variance = max(measured.variance * freedom(measured.noisy.shape), _NOTHING)
    excess = max(float((away**2).mean()) - variance, 0.0)
    spread = excess * model / max(float(model.mean()), _LEAST**2)
    cells = np.maximum(model + spread / (spread + variance) * away, _LEAST * model + _LEAST**3)
    return _agreed(cells, ones, rounds=20)


def freedom(sizes: Sequence[float]) -> float:
    """The part of the variance of noisy cells that is left if the counts of single columns are known."""
    return max(1 - (1 + sum(size - 1 for size in sizes)) / prod(sizes), 0.0)


def _beyond_singles(away: Reals) -> Reals:
    """Differences of cells without what differences of single columns explain."""
    mean = away.mean()
    for axis in range(away.ndim):
        others = tuple(other for other in range(away.ndim) if other != axis)
        away = away - (away.mean(axis=others, keepdims=True) - mean)
    return np.asarray(away - mean, dtype=np.float64)


def _agreed(table: Reals, ones: Sequence[Reals], *, rounds: int) -> Reals:
    """The table, scaled along each axis in turn until it adds up to the counts of single columns."""
    for _ in range(rounds):
        for axis, counts in enumerate(ones):
            others = tuple(other for other in range(table.ndim) if other != axis)
            shape = [-1 if other == axis else 1 for other in range(table.ndim)]
            table = table * (counts / np.maximum(table.sum(axis=others), _NOTHING)).reshape(shape)
    return table


_NOTHING = 1e-12
