"""Forecasts by trial: a method, its rivals and the simplest releases on the same simulated data, side by side.

A kind says which lookalikes there are, how each contestant does on one of them, and what is measured; what is stated of that and
which method is recommended is decided here, in the same way for all kinds. Every number is about simulated data. First come the
intervals that are stated and the sizes of simulated worlds, then the trials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from statistics import median
from typing import TypeVar

from tacita.errors import ParameterError
from tacita.forecasts import ForecastFigure, Request
from tacita.privacy.budget import ApproxDP, Budget, PureDP, ZeroConcentrated
from tacita.privacy.funds import Funds
from tacita.privacy.publishing import Progress
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
    "Measure",
    "MethodForecast",
    "Outcome",
    "TrialForecast",
    "forecast_alone",
    "least_records",
    "one_of_each",
    "people_for",
    "run_trials",
    "scaled_budget",
]


# Intervals over simulated worlds, and how many people these worlds have.


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


def scaled_budget(budget: Budget, factor: Fraction, *, in_rho: bool = False) -> Budget:
    """The budget that does for fewer records, by this factor, what the given one does for all; a delta stays as it is.

    If a budget with a delta is spent `in_rho`, noise that is smaller by this factor costs its square.
    """
    if in_rho and not isinstance(budget, PureDP):
        return ZeroConcentrated(Funds.of(budget).amount * factor**2, budget.delta)
    epsilon = budget.epsilon * factor
    return PureDP(epsilon) if isinstance(budget, PureDP) else ApproxDP(epsilon, budget.delta)


# The trials.


World = TypeVar("World")
Outcome = Mapping[str, float]
"""What one release kept of one world, by the key of the measure."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What is measured, and how much wider than what was seen it is stated, by a factor and a difference."""

    key: str
    title: str
    best: float = 0.0
    wider: float = 1.5
    wider_below: float | None = None
    """The factor on the lower side, if it is another one: lookalikes may be smaller than the data, on which less is lost."""
    room: float = 0.05
    most: float = inf
    shown: str = ".0%"
    decides: bool = False
    """Whether the recommended method is the one with the least of it; the sum counts if there are several."""
    guards: float | None = None
    """A method with more of it than this above the chosen one is not recommended in its place."""
    is_share: bool = False
    """Whether it is the share that is left: next to none is an empty release."""

    def stated(self, values: list[float]) -> Interval:
        """The interval of what was seen, widened: data may be unlike all lookalikes."""
        seen = Interval.of(values, wider=self.wider)
        low = min(values) / (self.wider_below or self.wider)
        wide = Interval(low=max(low - self.room, 0.0), middle=seen.middle, high=seen.high + self.room)
        return wide.within(0.0, self.most)

    def text(self, interval: Interval) -> str:
        """For people."""
        low, middle, high = (format(value, self.shown) for value in (interval.low, interval.middle, interval.high))
        return f"{self.title} {low} to {high} ({middle})"


@dataclass(frozen=True, kw_only=True)
class MethodForecast:
    """What one method, or a floor, keeps of all worlds: an interval for each measure, by its key."""

    method: str
    intervals: Mapping[str, Interval]

    def middle(self, measures: Iterable[Measure]) -> float:
        """The sum of the medians of some measures."""
        return sum(self.intervals[measure.key].middle for measure in measures)


@dataclass(frozen=True, kw_only=True)
class TrialForecast:
    """What the chosen method and others will probably keep, beside the simplest releases, and which of them to use."""

    kind: str
    subject: str
    facts: Mapping[str, object]
    worlds: tuple[str, ...]
    measures: tuple[Measure, ...]
    chosen: MethodForecast
    others: tuple[MethodForecast, ...]
    floors: tuple[MethodForecast, ...]
    hints: tuple[str, ...] = ()
    more: str = "more records or a larger epsilon"
    """What it takes if nothing does well."""

    @property
    def better(self) -> str | None:
        """The other method that keeps clearly more in the median, without being worse where that is guarded against."""
        deciding, loss = self._deciding, self.chosen.middle(self._deciding)
        found = [
            other for other in self.others if other.middle(deciding) < CLEARLY * loss and not self._is_guarded_against(other)
        ]
        return min(found, key=lambda other: other.middle(deciding)).method if found else None

    @property
    def better_floor(self) -> str | None:
        """The simplest release that keeps more than the method that would be recommended; then none is."""
        recommended = next((other for other in self.others if other.method == self.better), self.chosen)
        loss = recommended.middle(self._deciding)
        found = [floor for floor in self.floors if floor.middle(self._deciding) < loss]
        return min(found, key=lambda floor: floor.middle(self._deciding)).method if found else None

    @property
    def is_empty(self) -> bool:
        """Whether the release would have next to nothing in it, on all worlds."""
        return any(self.chosen.intervals[measure.key].high < EMPTY for measure in self.measures if measure.is_share)

    def lines(self) -> list[str]:
        """The forecast for people."""
        found = [f"forecast for {self.subject}; no data was read:", self._line(self.chosen), *map(self._line, self.others)]
        if self.floors:
            found += ["what the simplest releases would keep, for comparison:", *map(self._line, self.floors)]
        return [*found, *(f"  {hint}" for hint in self.hints), *self._advice()]

    def figures(self) -> list[ForecastFigure]:
        """What pictures show, of all methods that were tried."""
        return [
            part.intervals[measure.key].figure(measure.title, best=measure.best, method=name)
            for name, part in ((None, self.chosen), *((other.method, other) for other in self.others))
            for measure in self.measures
        ]

    def as_json(self) -> dict[str, object]:
        """The forecast for scripts."""
        return {
            "kind": self.kind,
            **self.facts,
            "worlds": list(self.worlds),
            "floors": {floor.method: _as_json(floor) for floor in self.floors},
            "chosen": {"method": self.chosen.method, **_as_json(self.chosen)},
            "others": {other.method: _as_json(other) for other in self.others},
            "decides": [measure.key for measure in self._deciding],
            "better": self.better,
            "better_floor": self.better_floor,
            "is_empty": self.is_empty,
        }

    @property
    def _deciding(self) -> list[Measure]:
        return [measure for measure in self.measures if measure.decides]

    def _is_guarded_against(self, other: MethodForecast) -> bool:
        guards = ((measure.key, measure.guards) for measure in self.measures if measure.guards is not None)
        return any(other.intervals[key].middle > self.chosen.intervals[key].middle + room for key, room in guards)

    def _line(self, part: MethodForecast) -> str:
        return f"  {part.method}: " + "; ".join(measure.text(part.intervals[measure.key]) for measure in self.measures)

    def _advice(self) -> list[str]:
        """What to use; a method that is tried alone is only warned of."""
        name, floor = self.chosen.method, self.better_floor
        shares = [self.chosen.intervals[measure.key].middle for measure in self.measures if measure.is_share]
        if self.better is None and any(share < ALIKE for share in shares):
            return [f"a release by {name} would be next to empty: it takes {self.more}"]
        if floor is not None:
            what = "an empty release" if floor == "nothing" else f"the simplest release ({floor})"
            tried = "none of these keeps" if self.others else f"{name} does not keep"
            return [f"{tried} more of such data than {what}: it takes {self.more}"]
        if not self.others:
            return []
        if self.better is not None:
            return [f"use {self.better} instead of {name}: it keeps clearly more of such data"]
        return [f"use {name}: nothing here is clearly better"]


def run_trials(
    worlds: Iterable[World],
    contestants: Mapping[str, Callable[[World], Outcome]],
    *,
    measures: tuple[Measure, ...],
    floors: Mapping[str, Callable[[World], Outcome]],
    progress: Progress | None,
    number: int,
) -> tuple[list[MethodForecast], list[MethodForecast]]:
    """What all contestants and floors keep of the worlds, of which there are that number; each world is made once.

    Floors are given as they were seen: they are compared with, not promised.
    """
    seen: dict[str, list[Outcome]] = {name: [] for name in (*contestants, *floors)}
    done = 0
    for world in worlds:
        for name, contestant in {**contestants, **floors}.items():
            seen[name].append(contestant(world))
            done += name in contestants
            if progress is not None and name in contestants:
                progress(done, number * len(contestants))

    def summary(name: str, state: Callable[[Measure, list[float]], Interval]) -> MethodForecast:
        tried = seen[name]
        return MethodForecast(
            method=name,
            intervals={measure.key: state(measure, [outcome[measure.key] for outcome in tried]) for measure in measures},
        )

    return (
        [summary(name, Measure.stated) for name in contestants],
        [summary(name, lambda _, values: Interval.of(values, wider=1.0)) for name in floors],
    )


def _as_json(part: MethodForecast) -> dict[str, object]:
    return {key: interval.as_json() for key, interval in part.intervals.items()}


def forecast_alone(  # noqa: PLR0913 - what a forecast says
    request: Request,
    worlds: Iterable[World],
    contestant: Callable[[World], Outcome],
    *,
    kind: str,
    subject: str,
    described: tuple[str, ...],
    measures: tuple[Measure, ...],
    nothing: Outcome,
    hint: str,
    more: str,
) -> TrialForecast:
    """The forecast of the one method that a kind has, beside an empty release; `described` are the worlds in words."""
    told, floors = run_trials(
        worlds,
        {request.name: contestant},
        measures=measures,
        floors={"nothing": lambda _: nothing},
        progress=request.progress,
        number=len(described),
    )
    return TrialForecast(
        kind=kind,
        subject=subject,
        facts={"records": request.records, "labels": request.public.size},
        worlds=described,
        measures=measures,
        chosen=told[0],
        others=(),
        floors=tuple(floors),
        hints=(hint,) if request.mean_length is None else (),
        more=more,
    )
