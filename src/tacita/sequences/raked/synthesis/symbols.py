"""What a glance at single symbols decides: whether steps are worth asking for, and which symbols have rows of their own."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.public.steps import StepCodes
from tacita.sequences.raked.synthesis.lengths import Lengths
from tacita.synthesis import shrunk_to_each_other, standing_out

__all__ = ["MOST_ROWS", "Noisy", "Symbols", "asks_steps", "symbols_of"]


MOST_ROWS = 1_500
"""At most how many symbols have rows of their own: tables of steps are as large as the square."""

NEW_RARE = 0.8
"""How many of the rare symbols are taken as new ones before steps are asked for."""


LEAST_RARE = 0.01
"""Rare symbols have at least this share: they may be there."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Noisy:
    """Noisy counts in people or steps, whatever they were counted in, and the scale of their noise."""

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
class Symbols:
    """The symbols with codes of their own, and how often each code occurs; `glance` is what was measured of each symbol."""

    codes: StepCodes
    counts: Reals
    glance: Noisy


def asks_steps(glance: Noisy, lengths: Lengths, *, scale: float, mass: float) -> bool:
    """Whether most symbols could be seen to be followed by something, if steps had noise of this scale."""
    labels = glance.counts.size
    rows = min(labels, MOST_ROWS) + 1
    seen = scale * 2 * log(rows)  # what a cell must count to be seen among all of them
    false = labels * 0.5 * exp(-seen / glance.scale)
    going = lengths.mass(np.maximum(lengths.middles - 1, 0.0), lengths.middles + 1, lengths.cap) / max(mass, 1e-9)
    clear = float(glance.counts[glance.counts * going > seen].sum())
    clear -= false * (seen + glance.scale) + sqrt(false * ((seen + glance.scale) ** 2 + glance.scale**2))
    return clear >= mass / 2 or mass * going / labels > seen


def symbols_of(glance: Noisy, *, mass: float, step_scale: float, has_steps: bool) -> Symbols:
    """Which symbols have codes of their own: all of them if their rows of steps can be seen, else those that stand out."""
    labels = glance.counts.size
    estimates = shrunk_to_each_other(glance.counts, glance.scale, mass)
    kept: Integers = np.arange(labels, dtype=np.int64)
    clear = int(standing_out(glance.counts, glance.scale).sum())
    if mass / labels < sqrt(labels + 1) * step_scale or labels > MOST_ROWS:
        kept = np.sort(np.argsort(-estimates, kind="stable")[: min(MOST_ROWS, max(1, clear))]).astype(np.int64)
    codes = StepCodes(symbols=labels, kept=kept)
    counts = np.zeros(codes.size)
    counts[: kept.size] = estimates[kept]
    if codes.has_rare:
        counts[: kept.size] = np.maximum(glance.counts[kept], estimates[kept])
        rest = max(mass - float(counts.sum()), LEAST_RARE * mass)
        counts[codes.rare] = rest * (NEW_RARE if has_steps else 1.0)
        counts[codes.back] = rest - counts[codes.rare]
    return Symbols(codes=codes, counts=counts * (mass / float(counts.sum())), glance=glance)
