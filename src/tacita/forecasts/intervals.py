"""What all forecasts share: intervals over simulated worlds, and the sizes of these worlds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median

from tacita.errors import ParameterError
from tacita.forecasts import ForecastFigure
from tacita.privacy.budget import ApproxDP, Budget, PureDP
from tacita.simulate import Lookalike, PublicFacts

__all__ = [
    "ALIKE",
    "CLEARLY",
    "EMPTY",
    "FEW",
    "LONGEST_QUERY",
    "QUERIES",
    "SANITY_SHARE",
    "USUAL_EXPONENT",
    "WIDER",
    "WIDER_COUNT",
    "Interval",
    "least_records",
    "one_of_each",
    "people_for",
    "scaled_budget",
]

LARGEST_EPSILON = 1_000
MOST_TRIED = 2_000_000
FEW = 100_000
"""A publication of fewer people is quick, and so must be its forecast."""

FOR_TREES, FOR_FEW_IN_TREES, FOR_WALKS = (40_000, 100_000), (10_000, 100_000), (3_000, 10_000)
"""How many people lookalikes have at least and at the most: for trees, for trees of few people, and for methods that fit a
generator, which is slow."""

QUERIES = 2_000
LONGEST_QUERY = 3
SANITY_SHARE = 0.001
WIDER, WIDER_COUNT = 1.5, 1.25
"""The factors by which stated intervals are wider than what was seen; the number of records hardly depends on behaviour."""

CLEARLY = 0.8
"""A variant is suggested if its median error over the lookalikes is below this share of the chosen method's."""

ALIKE = 0.05
"""Shares that differ by less are alike; a release that keeps less than this is next to empty."""

EMPTY = 0.01
"""A release that keeps less than this on every lookalike is refused before anything is spent, if the owner says how many records
there are."""

USUAL_EXPONENT = 0.8
"""Variants are compared on the lookalikes with this usual popularity of labels."""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """The smallest, median and largest value seen, widened because the data may be unlike all lookalikes."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float], *, wider: float = WIDER) -> Interval:
        """The range of the values, widened on both sides by the factor."""
        return cls(low=min(values) / wider, middle=median(values), high=max(values) * wider)

    def within(self, least: float, most: float) -> Interval:
        """The same without impossible values; what was seen stays."""
        low, high = max(self.low, min(least, self.middle)), min(self.high, max(most, self.middle))
        return Interval(low=low, middle=self.middle, high=high)

    def text(self, show: Callable[[float], str]) -> str:
        """From low to high, with the median."""
        return f"{show(self.low)} to {show(self.high)}, in the middle {show(self.middle)}"

    def figure(self, name: str, *, best: float, method: str | None = None) -> ForecastFigure:
        """The interval as a figure with a name."""
        return ForecastFigure(name=name, low=self.low, middle=self.middle, high=self.high, best=best, method=method)

    def as_json(self) -> dict[str, float]:
        """For scripts."""
        return {"low": self.low, "middle": self.middle, "high": self.high}


def least_records(facts: PublicFacts, budget: Budget) -> int:
    """The fewest records to try: epsilon grows as they shrink, and noise can be drawn only up to a largest epsilon."""
    least = int(facts.records * budget.epsilon / LARGEST_EPSILON) + 1
    if least > MOST_TRIED:
        message = (
            f"a forecast needs a number of records times epsilon of at most {MOST_TRIED * LARGEST_EPSILON:,}, "
            f"got {float(facts.records * budget.epsilon):.1e}; with that many records noise hardly matters"
        )
        raise ParameterError(message)
    return least


def people_for(records: int, *, runs: int, is_tree: bool) -> int:
    """How many people a lookalike has: in all runs together about a third of all, within bounds."""
    for_trees = FOR_FEW_IN_TREES if records < FEW else FOR_TREES
    fewest, most = for_trees if is_tree else FOR_WALKS
    return min(max(records // (3 * runs), fewest), most)


def one_of_each(worlds: Sequence[Lookalike]) -> list[Lookalike]:
    """One lookalike of each behaviour, with exponents in turn; all of them if there is one behaviour."""
    behaviours = list(dict.fromkeys(world.behaviour for world in worlds))
    if len(behaviours) == 1:
        return list(worlds)
    own = ([world for world in worlds if world.behaviour is behaviour] for behaviour in behaviours)
    return [found[place % len(found)] for place, found in enumerate(own)]


def scaled_budget(budget: Budget, factor: Fraction) -> Budget:
    """The budget that does for fewer records, by this factor, what the given one does for all; a delta stays as it is."""
    epsilon = budget.epsilon * factor
    return PureDP(epsilon) if isinstance(budget, PureDP) else ApproxDP(epsilon, budget.delta)
