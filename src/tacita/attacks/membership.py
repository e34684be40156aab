"""Membership linkage against a differentially private release of any kind: telling whether a person's record was in the data.

The game: a coin decides whether the target is in the data; the data are published; the attacker looks at one number of the
release (how often the target's record, or something close to it, occurs) and guesses. On half of the runs the attacker learns
which side of which threshold points to the target; on the other half, which had no part in that, the guesses are counted. The
advantage is the share of true alarms minus the share of false ones. Whatever the attacker does, epsilon-differential privacy
bounds it by (e^eps - 1) / (e^eps + 1), and every true-alarm share by e^eps times the false-alarm share (plus delta). An advantage
above the bound, beyond its interval, would prove the guarantee false; one below it proves nothing: this is a simple attack, and
better ones may exist.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp
from typing import Generic, TypeVar

import numpy as np

from tacita.arrays import Reals
from tacita.attacks.intervals import clopper_pearson
from tacita.attacks.result import Assessment, Figure
from tacita.errors import ParameterError
from tacita.privacy.budget import Budget
from tacita.public.parameters import whole_number

__all__ = ["Game", "Membership", "best_threshold"]

Records = TypeVar("Records")
Released = TypeVar("Released")


@dataclass(frozen=True, kw_only=True)
class Game(Generic[Records, Released]):
    """The data with and without the target, how they are published, and the number that the attacker looks at."""

    without: Records
    within: Records
    publish: Callable[[Records], Released]
    statistic: Callable[[Released], float]


@dataclass(frozen=True, kw_only=True)
class Membership:
    """An attacker who knows everything except whether the target is there."""

    runs: int = 1000
    confidence: float = 0.95

    def __post_init__(self) -> None:
        """Check the numbers."""
        whole_number(self.runs, name="runs", least=10)
        if not 0 < self.confidence < 1:
            message = f"confidence must be between 0 and 1, got {self.confidence}"
            raise ParameterError(message)

    def assess(self, game: Game[Records, Released], *, budget: Budget) -> Assessment:
        """Play the game `runs` times on each side; every run publishes afresh."""
        absent, present = (
            np.array([game.statistic(game.publish(side)) for _ in range(self.runs)], dtype=np.float64)
            for side in (game.without, game.within)
        )
        learnt = self.runs // 2
        threshold, above = best_threshold(absent[:learnt], present[:learnt])
        false, true = (int(np.count_nonzero((side[learnt:] >= threshold) == above)) for side in (absent, present))
        tested = self.runs - learnt
        risk = (1 - self.confidence) / 4  # two intervals, two sides each
        false_low, false_high = clopper_pearson(false, tested, risk=risk)
        true_low, true_high = clopper_pearson(true, tested, risk=risk)
        epsilon, delta = float(budget.epsilon), float(budget.delta)
        most = (exp(epsilon) - 1 + 2 * delta) / (exp(epsilon) + 1) if epsilon < 700 else 1.0
        return Assessment(
            attack="membership",
            against=f"a release with {budget}",
            assumptions=("the attacker knows every other record, the target's record and the method",),
            figures=(
                Figure(name="runs that were judged, each side", value=float(tested), is_share=False),
                Figure(name="true alarms", value=true / tested, low=true_low, high=true_high),
                Figure(name="false alarms", value=false / tested, low=false_low, high=false_high),
                Figure(
                    name="advantage",
                    value=(true - false) / tested,
                    low=true_low - false_high,
                    high=true_high - false_low,
                    bound=most,
                ),
            ),
        )


def best_threshold(absent: Reals, present: Reals) -> tuple[float, bool]:
    """The threshold with the largest advantage on these runs, and whether to guess at or above it, or below it."""
    cuts = np.unique(np.concatenate([absent, present]))
    ordered_absent, ordered_present = np.sort(absent), np.sort(present)
    below_absent = np.searchsorted(ordered_absent, cuts) / absent.size
    below_present = np.searchsorted(ordered_present, cuts) / present.size
    gain = below_absent - below_present
    best = int(np.argmax(np.abs(gain)))
    return float(cuts[best]), bool(gain[best] >= 0)
