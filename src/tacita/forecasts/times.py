"""Forecasts of what a release of sequences with times will keep, before any budget is spent.

Lookalikes are those of sequences without times; their visits are given times on the public grid. People begin at an hour that may
depend on where they begin, and go on after gaps. How much hours prevail over others, and depend on places, is not known, and
varies from world to world. Nothing private is looked at and no ledger is charged: every number here is about simulated data.

Lookalikes are smaller than the data, and epsilon larger by the same factor. Few visits in many cells differ from sample to
sample, even without noise, so that cells come out farther off than in larger data: their interval is wider below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.forecasts import Request
from tacita.forecasts.trials import (
    LONGEST_QUERY,
    QUERIES,
    SANITY_SHARE,
    WIDER_COUNT,
    Measure,
    Outcome,
    TrialForecast,
    least_records,
    one_of_each,
    people_for,
    run_trials,
    scaled_budget,
)
from tacita.kinds.sequences import USUAL_HEIGHT
from tacita.privacy.budget import Budget, PureDP
from tacita.privacy.ledger import Ledger
from tacita.privacy.publishing import Mechanism
from tacita.public.time_grid import TimeGrid, day_lengths
from tacita.public.universe import Universe
from tacita.seeded import public_generator
from tacita.sequences import PrefixTree, PrivateLength, Raked, SequenceRecords
from tacita.simulate import Behaviour, Lookalike, lookalikes
from tacita.utility import QueryWorkload, count_location_sets, location_sets, relative_errors
from tacita.utility.distributions import total_variation
from tacita.utility.sequences import independent_visits

__all__ = ["forecast_times", "with_times"]

PEAKED = (0.3, 0.9, 0.6)
"""The share of visits at the usual hours, in the first world, the second, and so on."""

BY_PLACE = (0.8, 0.0, 0.4)
"""The share of those whose usual hours are those of the place where they begin, in turn."""

KINDS, WIDTH, GAP = 3, 0.08, 0.1
"""How many kinds of places there are, and parts of a day: how wide peaks are, and how long gaps are on average."""

MEASURES = (
    Measure(key="symbols_kept", title="visits kept", best=1.0, wider=1.25, room=0.0, is_share=True),
    Measure(key="records_ratio", title="released sequences per true one", best=1.0, wider=WIDER_COUNT, room=0.0, shown=".2f"),
    Measure(key="query_error", title=f"error of counting who visited up to {LONGEST_QUERY} labels", guards=0.1),
    Measure(key="cells", title="distance of places and hours together", wider_below=3.0, most=1.0, shown=".2f", decides=True),
)


def forecast_times(request: Request, grid: TimeGrid, behaviours: Sequence[Behaviour]) -> TrialForecast:
    """The forecast for a publisher of sequences with times, from public facts alone."""
    facts, budget, method = request.facts, request.required_budget, request.method
    if facts.records < 1:
        message = f"a forecast needs a number of records of at least 1, got {facts.records}"
        raise ParameterError(message)
    others = {} if request.alone else _others(request.name, method, budget)
    possible = one_of_each([world for world in lookalikes(facts) if world.behaviour in set(behaviours)])
    if not possible:
        message = "no simulated world agrees with these facts and behaviours; leave the mean length or the behaviours out"
        raise ParameterError(message)
    people = people_for(facts.records, runs=len(possible) * (1 + len(others)), is_tree=isinstance(method, PrefixTree))
    smaller = replace(facts, records=min(facts.records, max(people, least_records(facts, budget))))
    fewer = Fraction(facts.records, smaller.records)
    scaled = scaled_budget(budget, fewer, in_rho=True)
    worlds = [replace(world, facts=smaller) for world in possible]
    told, floors = run_trials(
        (_Trial.of(world, grid, place, scaled, epsilon=float(budget.epsilon * fewer)) for place, world in enumerate(worlds)),
        {name: _contestant(each) for name, each in {request.name: method, **others}.items()},
        measures=MEASURES,
        floors={"independent": _independent, "nothing": lambda trial: trial.outcome(Ragged.from_lists([]))},
        progress=request.progress,
        number=len(worlds),
    )
    return TrialForecast(
        kind="sequences",
        subject=(
            f"{facts.records:,} sequences over {facts.labels:,} labels and {grid.intervals:,} intervals, "
            f"from {len(worlds)} simulated worlds that could resemble them"
        ),
        facts={"records": facts.records, "labels": facts.labels, "intervals": grid.intervals},
        worlds=tuple(world.name for world in worlds),
        measures=MEASURES,
        chosen=told[0],
        others=tuple(told[1:]),
        floors=tuple(floors),
        hints=() if facts.mean_length is not None else ("a public mean length (--mean-length) would narrow this",),
        more="more records, fewer labels or intervals, or a larger epsilon",
    )


def with_times(sequences: Ragged, grid: TimeGrid, *, labels: int, peaked: float, by_place: float, seed: int = 0) -> Ragged:
    """The same sequences with an interval for each visit, as `interval * labels + label`; nobody goes back in time."""
    generator = public_generator(seed)
    intervals, lengths = grid.intervals, sequences.lengths
    day = max(day_lengths(grid), default=intervals)
    kinds = generator.integers(0, KINDS, labels)
    first = sequences.codes[sequences.offsets[:-1][lengths > 0]]
    people = first.size
    kind = np.where(generator.random(people) < by_place, kinds[first], KINDS)
    peaks = generator.random((KINDS + 1, 2))[kind, generator.integers(0, 2, people)]
    usual = np.floor((peaks + WIDTH * generator.standard_normal(people)) % 1.0 * day)
    hour = np.where(generator.random(people) < peaked, usual, generator.integers(0, day, people))
    start = np.minimum(generator.integers(0, -(-intervals // day), people) * day + hour, intervals - 1)
    gaps = generator.geometric(1 / (1 + GAP * day), sequences.codes.size) - 1
    begins = sequences.offsets[:-1][lengths > 0]
    gaps[begins] = 0
    passed = np.cumsum(gaps)
    kept = lengths[lengths > 0]
    when = np.minimum(np.repeat(start, kept) + passed - np.repeat(passed[begins], kept), intervals - 1)
    return Ragged((when.astype(np.int64) * labels + sequences.codes).astype(np.int32), sequences.offsets)


@dataclass(frozen=True)
class _Trial:
    """A world with times, the budget for its size, and count queries with their true answers."""

    raw: Ragged
    labels: int
    grid: TimeGrid
    budget: Budget
    epsilon: float
    queries: Ragged
    answers: Integers

    @classmethod
    def of(cls, world: Lookalike, grid: TimeGrid, place: int, budget: Budget, *, epsilon: float) -> _Trial:
        """Make a world; its place decides what its hours are like."""
        labels, untimed = world.facts.labels, world.sequences()
        workload = QueryWorkload(longest=LONGEST_QUERY, subsets=1, queries_each=QUERIES, seed=world.seed)
        (queries,) = location_sets(workload, symbols=labels)
        raw = with_times(
            untimed, grid, labels=labels, peaked=PEAKED[place % len(PEAKED)], by_place=BY_PLACE[place % len(BY_PLACE)]
        )
        answers = count_location_sets(untimed, queries, symbols=labels)
        return cls(raw, labels, grid, budget, epsilon, queries, answers)

    def outcome(self, released: Ragged) -> Outcome:
        """What a release kept."""
        untimed = Ragged(released.codes % self.labels, released.offsets)
        answers = count_location_sets(untimed, self.queries, symbols=self.labels)
        errors = relative_errors(self.answers, answers, sanity_bound=SANITY_SHARE * len(self.raw))
        return {
            "symbols_kept": released.codes.size / max(self.raw.codes.size, 1),
            "records_ratio": len(released) / max(len(self.raw), 1),
            "query_error": float(errors.mean()),
            "cells": total_variation(self.raw.codes.astype(np.int64), released.codes.astype(np.int64)),
        }


def _others(name: str, method: Mechanism, budget: Budget) -> dict[str, Mechanism]:
    """The other publisher of sequences with times; none, if there is a delta that it does not take."""
    if not isinstance(budget, PureDP):
        return {}
    if isinstance(method, PrefixTree):
        return {"raked": Raked(max_length=_longest(method))} if name != "raked" else {}
    return {"prefix-tree": PrefixTree(height=min(method.max_length, USUAL_HEIGHT))} if isinstance(method, Raked) else {}


def _longest(tree: PrefixTree) -> int:
    return tree.height.longest if isinstance(tree.height, PrivateLength) else tree.height


def _contestant(method: Mechanism) -> Callable[[_Trial], Outcome]:
    """Publish a world and compare; it is made up, so nothing is charged."""

    def publish(trial: _Trial) -> Outcome:
        taxonomy = getattr(method, "taxonomy", None)
        universe = taxonomy.universe if taxonomy is not None else Universe(map(str, range(trial.labels)))
        records = SequenceRecords(sequences=trial.raw, universe=universe, grid=trial.grid, name="simulated")
        released: Ragged = method.publish(records, budget=trial.budget, ledger=Ledger()).data.sequences  # type: ignore[attr-defined] # a release of sequences
        return trial.outcome(released)

    return publish


def _independent(trial: _Trial) -> Outcome:
    made = independent_visits(trial.raw, labels=trial.labels, intervals=trial.grid.intervals, epsilon=trial.epsilon)
    return trial.outcome(made)
