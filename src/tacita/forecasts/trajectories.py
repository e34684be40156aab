"""Forecasts of what suppression leaves of trajectories, from public facts: places, time grid, how many records and how long.

How people are spread over places and times and how they move is not known; simulated cities differ in these. Large data are made
smaller, with the crowd smaller by the same factor, down to `SMALLEST_CROWD`: what is lost depends on how many people share a pair
of a place and a time, as a share of the crowd. Sensitive values are drawn evenly, as often as a group's confidence allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl

from tacita.arrays.ragged import Ragged, distinct, offsets_of
from tacita.errors import ParameterError
from tacita.forecasts import Request
from tacita.forecasts.trials import Measure, Outcome, TrialForecast, forecast_alone
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator, public_generator
from tacita.simulate.draws import Popularity, heavy_lengths
from tacita.trajectories import Suppression, TrajectoryRecords
from tacita.utility.trajectories import report

__all__ = ["forecast_request", "lookalike"]

FEWEST_RECORDS, MOST_RECORDS, SMALLEST_CROWD = 1_500, 8_000, 4
WORLDS = ((0.3, 0.2), (0.9, 0.5), (1.4, 0.8))
"""The exponent of the popularity of places and hours, and how often people stay where they are."""

USUAL_LENGTH = 6.0
RARELY = 0.1

MEASURES = (
    Measure(key="instances_kept", title="pairs kept", best=1.0, wider=1.6, room=0.1, most=1.0, is_share=True),
    Measure(key="instance_loss", title="pairs lost", wider=1.6, room=0.1, most=1.0, decides=True),
    Measure(key="frequent_loss", title="maximal frequent sequences lost", wider=2.0, room=0.15, most=1.0),
)


def forecast_request(request: Request) -> TrialForecast:
    """The forecast for suppression, from public facts alone."""
    method: Suppression = request.method
    universe, grid = request.public.universe, request.public.grid
    if request.like is not None:
        message = "--like says how people go from one label to the next without times; leave it out"
        raise ParameterError(message)
    if universe is None or grid is None or request.records < 1:
        message = "a forecast for trajectories needs the public --universe (or cells), the time grid, and at least one record"
        raise ParameterError(message)
    number = _few_enough(method, request.records)
    mean = request.mean_length or USUAL_LENGTH
    smaller = replace(method, crowd=max(min(method.crowd, 2), round(method.crowd * Fraction(number, request.records))))
    return forecast_alone(
        request,
        _worlds(method, universe, grid, number=number, mean=mean, longest=request.longest),
        _contestant(smaller),
        kind="trajectories",
        subject=(
            f"{request.records:,} trajectories over {len(universe):,} places and {grid.intervals:,} intervals, "
            f"from {len(WORLDS)} simulated cities of {number:,} people"
        ),
        described=tuple(f"exponent {exponent:g}, staying {stay:g}" for exponent, stay in WORLDS),
        measures=MEASURES,
        nothing={"instances_kept": 0.0, "instance_loss": 1.0, "frequent_loss": 1.0},
        hint=f"a public mean length (--mean-length) would narrow this; {USUAL_LENGTH:g} pairs are assumed",
        more="more people, coarser places or times, a smaller crowd or fewer known pairs",
    )


def lookalike(  # noqa: PLR0913 - what is known, and what is assumed
    universe: Universe, grid: TimeGrid, *, people: int, mean: float, longest: int | None, exponent: float, stay: float
) -> TrajectoryRecords:
    """People who are seen in some different hours, and stay or go to a popular place in between."""
    generator = public_generator(0)
    most = min(grid.intervals, longest or grid.intervals)
    lengths = heavy_lengths(generator, people, mean=min(mean, float(most)), longest=most, spread=0.7)
    hours = _hours(generator, lengths, grid.intervals, exponent=exponent / 2)
    popularity = Popularity.zipf(len(universe), exponent=exponent, generator=generator)
    offsets = offsets_of(lengths)
    anew = generator.random(int(offsets[-1])) >= stay
    anew[offsets[:-1]] = True
    places = popularity.draw(generator, int(np.count_nonzero(anew)))[np.cumsum(anew) - 1]
    who = np.repeat(np.arange(people), lengths)
    codes = hours * len(universe) + places
    order = np.lexsort((codes, who))
    whole = distinct(Ragged(codes[order].astype(np.int32), offsets), symbols=len(universe) * grid.intervals)
    return TrajectoryRecords(trajectories=whole, universe=universe, grid=grid, name="simulated")


def _hours(generator: PublicGenerator, lengths: np.ndarray, intervals: int, *, exponent: float) -> np.ndarray:
    """Different hours of each person in increasing order, hours being unequally busy."""
    weights = np.sort(generator.random(intervals)) ** -exponent
    drawn = generator.random((lengths.size, intervals)) ** (1 / np.maximum(weights, 1e-9))
    first = np.argsort(-drawn, axis=1)
    inside = np.arange(intervals) < lengths[:, np.newaxis]
    return np.concatenate([np.sort(row[own]) for row, own in zip(first, inside, strict=True)])


def _worlds(
    method: Suppression, universe: Universe, grid: TimeGrid, *, number: int, mean: float, longest: int | None
) -> Iterator[TrajectoryRecords]:
    for exponent, stay in WORLDS:
        made = lookalike(universe, grid, people=number, mean=mean, longest=longest, exponent=exponent, stay=stay)
        yield replace(made, attributes=_attributes(method, number)) if method.sensitive else made


def _attributes(method: Suppression, people: int) -> pl.DataFrame:
    """A table in which the values of sensitive groups are rare, and everybody else has another value."""
    generator = public_generator(1)
    columns: dict[str, np.ndarray] = {}
    for group in method.sensitive:
        values = columns.setdefault(group.attribute, np.full(people, "another value", dtype=object))
        rare = generator.random(people) < RARELY * float(group.confidence)
        values[rare] = generator.choice(np.array(sorted(group.values), dtype=object), int(rare.sum()))
    return pl.DataFrame({name: values.tolist() for name, values in columns.items()})


def _few_enough(method: Suppression, records: int) -> int:
    """How many people are tried: so few that the crowd, which is made smaller with them, is not too small."""
    fewest = max(FEWEST_RECORDS, records * SMALLEST_CROWD // max(method.crowd, 1))
    return max(1, min(records, MOST_RECORDS, max(fewest, records // 9)))


def _contestant(method: Suppression) -> Callable[[TrajectoryRecords], Outcome]:
    """Publish and compare; nobody was there, so nothing is promised to anybody."""

    def publish(records: TrajectoryRecords) -> Outcome:
        published = method.publish(records).data
        found = report(records, published)
        return {
            "instances_kept": 1 - found.instance_loss,
            "instance_loss": found.instance_loss,
            "frequent_loss": found.frequent_loss,
        }

    return publish
