"""What a glance at single symbols decides: whether steps are worth asking for, and which symbols have rows of their own."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.scatter import on_simplex
from tacita.public.steps import StepCodes
from tacita.sequences.raked.synthesis.lengths import Lengths
from tacita.synthesis import posterior_means, standing_out

__all__ = ["MOST_ROWS", "Noisy", "Symbols", "asks_steps", "symbols_of"]


MOST_ROWS = 1_500
"""At most how many symbols have rows of their own: tables of steps are as large as the square."""

ROWS_SEEN, ORDERED, SURE = 7.5, 0.5, 2.0
"""How often the mean row must count what can be seen before steps are asked for; which distance of ends tells of an order, and
how many standard deviations of the noise are taken off that."""

NEW_RARE = 0.8
"""How many of the rare symbols are taken as new ones before steps are asked for."""


LEAST_RARE = 0.01
"""Rare symbols have at least this share: they may be there."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Noisy:
    """Noisy counts in people or steps, whatever they were counted in, and the scale of their noise.

    Gaussian noise is taken for Laplace noise of its variance: knowing its law made estimates no nearer.
    """

    counts: Reals
    scale: float

    @property
    def variance(self) -> float:
        """The variance of each count."""
        return 2 * self.scale**2

    def with_(self, other: Noisy) -> Noisy:
        """Two answers about the same, each believed by its noise."""
        inverse = 1 / self.variance + 1 / other.variance
        counts = (self.counts / self.variance + other.counts / other.variance) / inverse
        return Noisy(counts=counts, scale=sqrt(1 / inverse / 2))


@dataclass(frozen=True, kw_only=True, eq=False)
class Ends(Noisy):
    """Noisy counts of first and last symbols: of all pairs, or of all first ones and then of all last ones."""

    labels: int
    together: bool

    def parts(self, codes: StepCodes) -> list[tuple[Reals, Reals]]:
        """The counts and variances of codes, all rare symbols in one: of pairs of them, or of the first and of the last."""
        number = codes.rare + codes.has_rare
        code_of = np.full(self.labels, codes.rare, dtype=np.int64)
        code_of[codes.kept] = np.arange(codes.rare)
        if self.together:
            cells = (code_of[:, np.newaxis] * number + code_of).ravel()
            return [self._summed(self.counts, cells, number**2)]
        return [self._summed(counts, code_of, number) for counts in (self.counts[: self.labels], self.counts[self.labels :])]

    def _summed(self, counts: Reals, cells: Integers, size: int) -> tuple[Reals, Reals]:
        variances = self.variance * np.bincount(cells, minlength=size)
        return np.bincount(cells, weights=counts, minlength=size).astype(np.float64), variances.astype(np.float64)

    def differ(self, shares: Reals, people: float) -> float:
        """How far first or last symbols are distributed otherwise than all symbols are: a distance from 0 to about 1.

        What noise explains is taken off: the mean of its squares, and `SURE` standard deviations of them. The square of a sum of
        n Laplace variables of variance v each has the mean n v and the variance (2 + 3 / n) (n v)^2.
        """
        tables = [self.counts.reshape(self.labels, self.labels).sum(axis=axis) for axis in (1, 0)] if self.together else None
        sides = tables or [self.counts[: self.labels], self.counts[self.labels :]]
        summed = self.labels if self.together else 1
        noise = summed * self.variance * (self.labels + SURE * sqrt((2 + 3 / summed) * self.labels))
        return max(sqrt(max(float(((side - people * shares) ** 2).sum()) - noise, 0.0)) for side in sides) / people


@dataclass(frozen=True, kw_only=True, eq=False)
class Symbols:
    """The symbols with codes of their own, and how often each code occurs; `glance` is what was measured of each symbol."""

    codes: StepCodes
    counts: Reals
    glance: Noisy


def asks_steps(shares: Reals, ends: Ends, lengths: Lengths, *, scale: float) -> bool:
    """Whether what follows a symbol could be seen, if steps had noise of this scale.

    The mean row of steps, by how often symbols with these shares occur, must count several times what one cell must count to
    be seen; once suffices where first and last symbols tell that sequences have an order.
    """
    seen = scale * 2 * log(min(shares.size, MOST_ROWS) + 1)
    going = lengths.mass(np.maximum(lengths.middles - 1, 0.0), lengths.middles + 1, lengths.step_cap)
    has_order = ends.differ(shares, lengths.people) > ORDERED
    return going * float(shares @ shares) > seen * (1 if has_order else ROWS_SEEN)


def symbols_of(glance: Noisy, *, mass: float, step_scale: float, has_steps: bool) -> Symbols:
    """Which symbols have codes of their own: all of them if their rows of steps can be seen, else those that stand out."""
    labels = glance.counts.size
    estimates = posterior_means(glance.counts, glance.scale, mass)
    kept: Integers = np.arange(labels, dtype=np.int64)
    clear = int(standing_out(glance.counts, glance.scale).sum())
    if not has_steps or mass / labels < sqrt(labels + 1) * step_scale or labels > MOST_ROWS:
        kept = np.sort(np.argsort(-estimates, kind="stable")[: min(MOST_ROWS, max(1, clear))]).astype(np.int64)
    codes = StepCodes(symbols=labels, kept=kept)
    counts = np.zeros(codes.size)
    counts[: kept.size] = estimates[kept]
    if codes.has_rare:
        counts[: kept.size] = np.maximum(glance.counts[kept], estimates[kept])
        if float(counts.sum()) > mass:
            counts[: kept.size] = on_simplex(glance.counts[kept], mass)
        rest = max(mass - float(counts.sum()), LEAST_RARE * mass)
        counts[codes.rare] = rest * (NEW_RARE if has_steps else 1.0)
        counts[codes.back] = rest - counts[codes.rare]
    return Symbols(codes=codes, counts=counts * (mass / float(counts.sum())), glance=glance)
