"""How far apart two distributions are beyond e^epsilon: what a delta must cover.

In one direction, the excess is the sum of P(o) - e^epsilon P'(o) over all outcomes o where that is positive. A mechanism is
(epsilon, delta)-differentially private if and only if the excess is at most delta, for all neighbours and in both directions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from math import exp

from tacita.audit.statistics import clopper_pearson

__all__ = ["Law", "certain_excess", "exact_excess"]

Law = Mapping[Hashable, float]
"""The probability of each outcome; 1 minus their sum is the rest."""


def exact_excess(first: Law, second: Law, *, epsilon: float) -> tuple[float, float]:
    """Lower and upper bound on the excess of two distributions in the worse direction; equal if neither has a rest.

    The rest is 1 minus the sum of the probabilities. The lower bound treats it as a single event; the upper bound counts all of
    its probability as excess.
    """
    bounds = [_one_direction(mine, other, exp(epsilon)) for mine, other in ((first, second), (second, first))]
    return max(low for low, _ in bounds), max(high for _, high in bounds)


def _one_direction(mine: Law, other: Law, factor: float) -> tuple[float, float]:
    named = sum(max(0.0, chance - factor * other.get(outcome, 0.0)) for outcome, chance in mine.items())
    rests = [max(0.0, 1 - sum(law.values())) for law in (mine, other)]
    return named + max(0.0, rests[0] - factor * rests[1]), named + rests[0]


def certain_excess(
    learnt: tuple[Counter[Hashable], Counter[Hashable]],
    tested: tuple[Counter[Hashable], Counter[Hashable]],
    *,
    epsilon: float,
    risk: float,
) -> tuple[float, str]:
    """The excess that frequencies prove, and how; it exceeds the true one with probability at most `risk`.

    Some runs are used to learn which outcomes are too likely on one side; the other runs, which had no part in that, bound the
    probability of these outcomes on both sides.
    """
    worst, shown = 0.0, "none"
    for mine, other in ((0, 1), (1, 0)):
        event = [outcome for outcome, times in learnt[mine].items() if times > exp(epsilon) * learnt[other][outcome]]
        hits = [sum(side[outcome] for outcome in event) for side in (tested[mine], tested[other])]
        low = clopper_pearson(hits[0], tested[mine].total(), risk=risk / 4)[0]
        high = clopper_pearson(hits[1], tested[other].total(), risk=risk / 4)[1]
        if low - exp(epsilon) * high > worst:
            worst, shown = low - exp(epsilon) * high, f"one of {len(event)} releases came {hits[0]} against {hits[1]} times"
    return worst, shown
