"""Forecasts of what a released stream will keep, from public facts, before any budget is spent.

The number of events, the cells and the time grid say how many people there are at a timestamp on average; how unequal cells are,
how people move, and how their number changes over the day are not known, so simulated streams differ in these. At most
`MOST_STEPS` timestamps are tried, or two windows of protected contexts. Where there are many people, there are fewer in the
simulated streams, and epsilon is larger by the same factor: what counts is how many people stand against the noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tacita.errors import ParameterError
from tacita.forecasts import Request
from tacita.forecasts.trials import Measure, Outcome, TrialForecast, run_trials, scaled_budget
from tacita.privacy.budget import Budget
from tacita.privacy.ledger import Ledger
from tacita.public.time_grid import TimeGrid
from tacita.simulate import StreamWorld
from tacita.streams import Pace, Sample, StreamRecords, Uniform
from tacita.streams.protection import contexts_in
from tacita.streams.records import with_other
from tacita.utility.streams import errors_of, even_spread, measure

__all__ = ["forecast_request"]

FEWEST_STEPS, MOST_STEPS, WINDOWS, MOST_EVENTS = 40, 120, 2, 60_000
WORLDS = ((0.9, 0.2, 0.3), (0.5, 0.6, 0.8), (0.2, 0.9, 1.3))
"""How often people report, how much that changes over the day, and the exponent of the popularity of cells."""

MEASURES = (
    Measure(key="share_of_zeros", title="error as a share of that of zeros", wider=2.0, room=0.02, decides=True),
    Measure(key="relative_error", title="mean relative error", wider=2.5, room=0.05),
)


def forecast_request(request: Request) -> TrialForecast:
    """The forecast for a method of streams, from public facts alone."""
    if request.like is not None or request.mean_length is not None or request.longest is not None:
        message = "a forecast for streams needs --records, the number of events, --universe and the time grid; leave out the rest"
        raise ParameterError(message)
    universe, grid = request.public.universe, request.public.grid
    if universe is None or grid is None:
        message = "a forecast for streams needs the public --universe of cells and the time grid"
        raise ParameterError(message)
    contexts = contexts_in(request.method.contexts, grid)
    steps = min(grid.intervals, max(FEWEST_STEPS, WINDOWS * contexts, min(grid.intervals // 6, MOST_STEPS)))
    people = request.records / grid.intervals
    fewer = max(1, int(people * steps / MOST_EVENTS))
    budget = scaled_budget(request.required_budget, Fraction(fewer))
    method = replace(request.method, contexts=min(contexts, steps))
    tried = {request.name: method, **({} if request.alone else _others(request.name, method))}
    told, floors = run_trials(
        (_Trial.of(world, cells=len(universe), steps=steps, people=people / fewer, budget=budget) for world in WORLDS),
        {name: _contestant(each) for name, each in tried.items()},
        measures=MEASURES,
        floors={"independent": _even, "nothing": lambda _: {"share_of_zeros": 1.0, "relative_error": 1.0}},
        progress=request.progress,
        number=len(WORLDS),
    )
    return TrialForecast(
        kind="streams",
        subject=(
            f"{request.records:,} events in {len(universe):,} cells at {grid.intervals:,} timestamps, "
            f"from {len(WORLDS)} simulated streams of {steps:,} timestamps"
        ),
        facts={"records": request.records, "labels": len(universe)},
        worlds=tuple(f"activity {often:g}, rhythm {rhythm:g}, exponent {exponent:g}" for often, rhythm, exponent in WORLDS),
        measures=MEASURES,
        chosen=told[0],
        others=tuple(told[1:]),
        floors=tuple(floors),
        hints=("the simplest release (independent) spreads the people of a timestamp evenly over all cells",),
        more="more people, fewer cells, fewer protected contexts or a larger epsilon",
    )


@dataclass(frozen=True)
class _Trial:
    """A simulated stream with the budget for it."""

    records: StreamRecords
    budget: Budget

    @classmethod
    def of(cls, world: tuple[float, float, float], *, cells: int, steps: int, people: float, budget: Budget) -> _Trial:
        """A stream in which this many people report per timestamp on average."""
        activity, rhythm, exponent = world
        made = StreamWorld(
            users=max(1, round(people / activity)), cells=cells, steps=steps, activity=activity, rhythm=rhythm, exponent=exponent
        )
        columns = made.columns()
        records = StreamRecords(
            starts=np.searchsorted(columns.time, np.arange(steps + 1)).astype(np.intp),
            users=columns.user.astype(np.intp),
            places=columns.cell.astype(np.intp),
            cells=with_other(made.universe),
            grid=TimeGrid(start=0, interval=1, intervals=steps),
            name="simulated",
        )
        return cls(records, budget)


def _others(name: str, method: Any) -> dict[str, Any]:  # noqa: ANN401 - any method of streams
    """What to compare with: the method that is usually best, and the simplest ones."""
    named = {"contexts": method.contexts, "presence": method.presence}
    found = {"pace": Pace(**named), "uniform": Uniform(**named), "sample": Sample(**named)}
    return {title: other for title, other in found.items() if title != name}


def _contestant(method: Any) -> Callable[[_Trial], Outcome]:  # noqa: ANN401 - any method of streams
    """Publish a stream and compare; it is made up, so nothing is charged."""

    def publish(trial: _Trial) -> Outcome:
        found = measure(trial.records, method.publish(trial.records, budget=trial.budget, ledger=Ledger()))
        return {
            "share_of_zeros": found.mean_absolute_error / max(found.absolute_error_of_zero, 1e-9),
            "relative_error": found.mean_relative_error,
        }

    return publish


def _even(trial: _Trial) -> Outcome:
    truth = trial.records.histograms()
    absolute, relative = errors_of(truth, even_spread(truth))
    return {"share_of_zeros": absolute / max(float(truth.mean()), 1e-9), "relative_error": relative}
