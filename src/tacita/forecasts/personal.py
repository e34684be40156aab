"""Forecasts of what hiding patterns costs, from public facts: labels, taxonomy, patterns, and how long sequences are.

How often a pattern occurs is not known, and decides most: simulated people go back and forth between a few places of their own
and run into the patterns rarely, now and then, or often. Nobody's sequence depends on another one's, so a few people are enough,
and of long sequences a part: at most `LONGEST` places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tacita.arrays import Numbers
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import InfeasibleError, ParameterError
from tacita.forecasts import Request
from tacita.forecasts.trials import Measure, Outcome, TrialForecast, forecast_alone
from tacita.personal import CostKind, PersonalRecords
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator, public_generator
from tacita.utility.personal import report

__all__ = ["forecast_request", "lookalike"]

PEOPLE, LONGEST, USUAL_LENGTH, OWN_PLACES = 3, 600, 400, 12
WORLDS = ((0.002, 1.3), (0.01, 1.0), (0.05, 0.7))
"""Which share of all places begins a sensitive pattern, and the exponent of the popularity of a person's own places."""

LINEAR = str(CostKind.LINEAR)

MEASURES = (
    Measure(key="loss", title="loss per symbol", wider=1.5, room=0.1, most=1.0, shown=".2f", decides=True),
    Measure(key="shown", title="symbols shown as they are", best=1.0, wider=1.5, room=0.1, most=1.0),
)


def forecast_request(request: Request) -> TrialForecast:
    """The forecast for a method of personal sequences, from public facts alone."""
    if request.like is not None:
        message = "--like says how many people go from one label to the next; one person's patterns decide here, so leave it out"
        raise ParameterError(message)
    universe = request.public.universe
    if universe is None:
        message = "a forecast needs the labels: name the public --universe"
        raise ParameterError(message)
    length = round(min(request.mean_length or USUAL_LENGTH, LONGEST))
    return forecast_alone(
        request,
        _worlds(request.method, universe, length),
        _contestant(request.method),
        kind="personal",
        subject=(
            f"sequences over {len(universe):,} labels, each on its own, from {PEOPLE} simulated people of {length:,} places "
            f"in {len(WORLDS)} worlds"
        ),
        described=tuple(f"patterns at {often:g} of all places, exponent {exponent:g}" for often, exponent in WORLDS),
        measures=MEASURES,
        nothing={"loss": 1.0, "shown": 0.0},
        hint="a public mean length (--mean-length) would narrow this",
        more="a weaker bound, fewer patterns or a finer taxonomy",
    )


def lookalike(universe: Universe, patterns: list[list[int]], *, length: int, often: float, exponent: float) -> PersonalRecords:
    """People who go between a few places of their own, and into the patterns that often."""
    generator = public_generator(0)
    rows = [_walk(generator, len(universe), patterns, length=length, often=often, exponent=exponent) for _ in range(PEOPLE)]
    return PersonalRecords(
        sequences=Ragged(np.concatenate(rows), offsets_of([row.size for row in rows])), universe=universe, name="simulated"
    )


def _walk(
    generator: PublicGenerator, labels: int, patterns: list[list[int]], *, length: int, often: float, exponent: float
) -> Numbers:
    """Places drawn by their popularity for one person, with patterns written over some of them."""
    own = generator.permutation(labels)[: min(OWN_PLACES, labels)]
    weights = np.arange(1, own.size + 1) ** -exponent
    row = own[generator.choice(own.size, size=length, p=weights / weights.sum())].astype(np.int32)
    for start in np.flatnonzero(generator.random(length) < often).tolist():
        pattern = patterns[int(generator.integers(len(patterns)))][: length - start]
        row[start : start + len(pattern)] = pattern
    return row


def _worlds(method: Any, universe: Universe, length: int) -> Iterator[PersonalRecords]:  # noqa: ANN401 - either method
    patterns = [[universe.code(label) for label in pattern] for pattern in method.patterns.labels]
    for often, exponent in WORLDS:
        yield lookalike(universe, patterns, length=length, often=often, exponent=exponent)


def _contestant(method: Any) -> Callable[[PersonalRecords], Outcome]:  # noqa: ANN401 - either method
    """Hide the patterns and compare; a bound that cannot be kept loses everything."""

    def publish(records: PersonalRecords) -> Outcome:
        try:
            published = method.publish(records).data
        except InfeasibleError:
            return {"loss": 1.0, "shown": 0.0}
        found = report(records, published)
        return {"loss": found.losses[LINEAR], "shown": found.shown_as_they_are}

    return publish
