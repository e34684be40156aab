"""Factors on letters and ends, so that walkers choose letters as often as the template says, and end with the right shapes.

Walkers in one state of the template choose each letter, all together, as often as the template says: factors[a, t] are found by
proportional fitting. Factors on the odds of the end see to it that as many sequences as the noisy lengths say end at each place,
and that they have the noisy shapes, as far as these are above their noise. A pilot finds the factors, the others use them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.sequences.itineraries.synthesis.noisy import NoisyItineraries
from tacita.sequences.itineraries.synthesis.walkers import Walkers
from tacita.sequences.ngrams.synthesis.fit import Fitted

__all__ = ["Steering", "Template", "steered", "steering_for"]


TURNS = 3
"""How often the factors of letters are corrected at each place."""

LARGEST_CORRECTION = 10.0
SHAPE_DOUBT = 0.5
"""How far off, in relation to itself, the number of ends of one shape is taken to be without having asked."""

NEWTON, FURTHEST, SHAPE_FURTHEST = 8, 14.0, 5.0
"""How often the logarithm of a factor on odds is corrected, and how large it may become, for everybody and for one shape."""

CLOSE = 1e-9
"""How near to what is wanted, in relation to it, a number of ends is right."""

_TINY = 1e-300


@dataclass(frozen=True, kw_only=True, eq=False)
class Steering:
    """The factors at one place of all sequences: for each state of the template that occurs, and for ends of each shape."""

    states: Integers
    factors: Reals
    ends: Reals


@dataclass(frozen=True, kw_only=True, eq=False)
class Template:
    """What the template says, with a correction `after[a, b]` of the letter b after a; see `fit`."""

    noisy: NoisyItineraries
    machine: Fitted
    after: Reals

    def wanted(self, states: Integers, place: int) -> Reals:
        """The chances of each letter and, last, of the end, in some of the template's states."""
        contexts = self.machine.contexts
        shares: Reals = (contexts.shares[states] * self.after[contexts.lasts[states]]).T
        shares[-1] *= self.machine.ends[place]
        return _normalised(shares)

    def ending(self, walkers: float, place: int) -> float:
        """How many of that many sequences end after this many symbols."""
        return float(self.noisy.lengths[place]) * walkers / max(float(self.noisy.lengths.sum()), _TINY)


def steering_for(template: Template, walkers: Walkers, masses: Reals, place: int, all_walkers: float) -> tuple[Reals, Steering]:
    """Chances of each letter with factors that are found for them."""
    states, numbers = np.unique(walkers.template, return_inverse=True)
    wanted, size = template.wanted(states, place), np.bincount(numbers, weights=walkers.sizes, minlength=states.size)
    factors = wanted / np.maximum(_sums(masses * walkers.sizes, numbers, states.size) / size, 1e-9)
    chances = _normalised(masses * factors[:, numbers])
    for _ in range(TURNS - 1):
        mean = _sums(chances * walkers.sizes, numbers, states.size) / size
        ratio = np.clip(wanted / np.maximum(mean, 1e-12), 1 / LARGEST_CORRECTION, LARGEST_CORRECTION)
        factors *= np.where(mean > 0, ratio, 1.0)
        chances = _normalised(masses * factors[:, numbers])
    ends = _end_factors(template, walkers, chances[-1], place, all_walkers)
    chances[-1] *= ends[walkers.shapes]
    return _normalised(chances), Steering(states=states, factors=factors, ends=ends)


def steered(template: Template, walkers: Walkers, masses: Reals, place: int, found: Steering | None, all_walkers: float) -> Reals:
    """Weights of each letter with the factors of a pilot; the number that ends here is met again."""
    factors = np.zeros((masses.shape[0], len(template.machine.contexts)))
    present = np.flatnonzero(np.bincount(walkers.template, minlength=factors.shape[1]))
    factors[:, present] = template.wanted(present, place)
    if found is not None:
        factors[:, found.states] = found.factors
    weights: Reals = factors.take(walkers.template, axis=1, mode="clip")
    weights *= masses
    others = weights[:-1].sum(axis=0)
    if found is not None:
        weights[-1] *= found.ends[walkers.shapes]
    ends = weights[-1] / np.maximum(weights[-1] + others, _TINY)
    weights[-1] *= _odds_factor(ends, walkers.sizes.astype(np.float64), template.ending(all_walkers * walkers.share, place))
    return weights


def _end_factors(template: Template, walkers: Walkers, chances: Reals, place: int, all_walkers: float) -> Reals:
    """Factors on the odds of the end for each shape: first so that the length comes out, then so that shapes do."""
    noisy, shapes, sizes = template.noisy, walkers.shapes, walkers.sizes.astype(np.float64)
    wanted, width = template.ending(all_walkers, place), noisy.shapes.shape[1]
    if wanted <= 0:
        return np.zeros(width)
    common = _odds_factor(chances, sizes, wanted)
    ends = _ends_with(chances, common)
    guess = np.bincount(shapes, weights=ends * sizes, minlength=width)
    there = np.bincount(shapes, weights=sizes, minlength=width)
    scale = all_walkers / max(float(noisy.lengths.sum()), _TINY)
    doubt, noise = (SHAPE_DOUBT * guess) ** 2, (noisy.shape_deviation * scale) ** 2
    asked = guess + doubt / np.maximum(doubt + noise, _TINY) * (noisy.shapes[place] * scale - guess)
    asked = np.clip(asked, 0.0, there)
    for _ in range(6):
        asked = np.minimum(asked * (wanted / max(float(asked.sum()), _TINY)), there)
    return common * _odds_factors(ends, sizes, shapes, asked, furthest=SHAPE_FURTHEST)


def _odds_factor(ends: Reals, sizes: Reals, wanted: float) -> float:
    """The factor on the odds of everybody under which as many as wanted end: `_odds_factors` for a single group."""
    there = max(float(sizes.sum()), _TINY)
    aim = wanted / there
    low, high, now = -FURTHEST, FURTHEST, 0.0
    for _ in range(NEWTON):
        chances = _ends_with(ends, exp(now))
        mean = float(np.einsum("i,i", chances, sizes)) / there
        if abs(mean - aim) <= CLOSE * aim:
            break
        chances *= 1 - chances
        slope = float(np.einsum("i,i", chances, sizes)) / there
        low, high = (now, high) if mean < aim else (low, now)
        step = now + float(_log_odds(np.array(aim)) - _log_odds(np.array(mean))) * mean * (1 - mean) / max(slope, _TINY)
        now = step if low <= step <= high else (low + high) / 2
    return exp(now) if wanted > 0 else 0.0


def _odds_factors(ends: Reals, sizes: Reals, groups: Integers, wanted: Reals, *, furthest: float) -> Reals:
    """For each group the factor on the odds under which as many as wanted end.

    Newton's method on the odds of the mean as a function of the factor, in logarithms, where it is nearly a straight line;
    halves of an interval where it would leave it.
    """
    low, high, now = np.full(wanted.size, -furthest), np.full(wanted.size, furthest), np.zeros(wanted.size)
    there = np.maximum(np.bincount(groups, weights=sizes, minlength=wanted.size), _TINY)
    aim = _log_odds(wanted / there)
    for _ in range(NEWTON):
        chances = _ends_with(ends, np.exp(now)[groups])
        ending = chances * sizes
        mean = np.bincount(groups, weights=ending, minlength=wanted.size) / there
        slope = np.bincount(groups, weights=ending * (1 - chances), minlength=wanted.size) / there
        low, high = np.where(mean < wanted / there, now, low), np.where(mean < wanted / there, high, now)
        step = now + (aim - _log_odds(mean)) * mean * (1 - mean) / np.maximum(slope, _TINY)
        now = np.where((low <= step) & (step <= high), step, (low + high) / 2)
    return np.where(wanted > 0, np.exp(now), 0.0)


def _log_odds(shares: Reals) -> Reals:
    inside = np.clip(shares, 1e-12, 1 - 1e-12)
    return np.asarray(np.log(inside / (1 - inside)), dtype=np.float64)


def _ends_with(ends: Reals, factor: float | Reals) -> Reals:
    """Probabilities whose odds are multiplied."""
    odds: Reals = factor * ends
    others = 1 - ends
    others += odds
    np.maximum(others, _TINY, out=others)
    odds /= others
    return odds


def _normalised(weights: Reals) -> Reals:
    """Every column as shares of its sum."""
    return np.asarray(weights / np.maximum(weights.sum(axis=0), _TINY), dtype=np.float64)


def _sums(table: Reals, groups: Integers, size: int) -> Reals:
    """The sums of the columns of each group."""
    return np.stack([np.bincount(groups, weights=row, minlength=size) for row in table])
