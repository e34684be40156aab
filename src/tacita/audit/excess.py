"""How far two laws are apart beyond e^epsilon: what a delta must cover.

For one direction it is the sum of P(o) - e^epsilon P'(o) over all outcomes o where that is positive. A mechanism is
(epsilon, delta)-differentially private if and only if this is at most delta, for all neighbours and in both directions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from math import exp

from tacita.audit.statistics import clopper_pearson

__all__ = ["Law", "certain_excess", "exact_excess"]

Law = Mapping[Hashable, float]
"""The probability of each outcome; what they leave to 1 is the rest."""


def exact_excess(first: Law, second: Law, *, epsilon: float) -> tuple[float, float]:
    """Bounds on the excess of two laws, of the worse direction, which are the same if the laws are whole.

    What the probabilities of a law leave to 1 is its rest. The rest is one event at least, which the lower bound takes, and its
    excess is at most its probability, which the upper bound takes.
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
    """The excess that frequencies prove, and how; it is more than the true one with a chance of at most `risk`.

    The outcomes that are too likely on one side are learnt on some runs; on the others, which had no part in that, the
    probabilities of having one of them are bounded on both sides.
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
