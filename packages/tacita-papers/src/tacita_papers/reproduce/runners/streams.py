"""Utility and run time of streams: the figures of Li, Quan and Yu.

Real GeoLife, every 15 minutes of a day; T-Drive beside it. Adj, MMD and MA(k) are the corrected ones; *pace* is the product's
method. Errors are means over all timestamps and cells; nothing else of these data is shown. Without noise a method publishes
every timestamp as it is, so there is no such version.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from tacita.errors import MissingDataError
from tacita.simulate.streams import StreamWorld
from tacita.streams import Presence
from tacita_papers.printed.streams import PAST, printed_stream
from tacita_papers.reproduce.data.streams import WORLDS, World
from tacita_papers.reproduce.experiment import Line, Row, Scale
from tacita_papers.reproduce.runners.stream_runs import errors, methods, released
from tacita_papers.reproduce.runners.versions import Versions, best_of

__all__ = ["errors_by_contexts", "errors_by_epsilon", "seconds", "sizes"]


def _available(names: Sequence[str]) -> Iterator[tuple[str, World]]:
    for name in names:
        try:
            yield name, WORLDS[name]()
        except MissingDataError:
            continue


def sizes(_: Scale, /) -> Iterator[Row]:
    """Timestamps, points and users of the simulated streams."""
    for name, world in {"Geolife": StreamWorld.geolife(), "T-Drive": StreamWorld.taxis()}.items():
        found = world.statistics()
        for figure, told in {"timestamps": "time steps", "points": "points", "users": "records"}.items():
            yield Row(data=name, series=figure, x=figure, value=float(found[told]), panel="statistics")


def _errors(
    scale: Scale, name: str, world: World, series: Sequence[str], settings: dict[str, tuple[int, str]], runs: int
) -> Iterator[Row]:
    """The mean absolute error of each series at contexts and a budget that x names."""
    numbers = count()
    for label in series:

        def figure(line: Line, x: str, label: str = label) -> list[float]:
            contexts, epsilon = settings[x]
            if line is Line.PRINTED:
                made = printed_stream(label, contexts, float(epsilon), world, next(numbers))
            else:
                made = released(methods(contexts, Presence.PUBLIC, world)[label], epsilon, world)
            return [float(errors(world, made)[0])]

        versions = Versions(data=name, series=label, xs=list(settings), runs=runs, printed=label in PAST, noiseless=False)
        yield from versions.rows(scale, figure)


def errors_by_contexts(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], contexts: Sequence[str], runs: int = 6
) -> Iterator[Row]:
    """The mean absolute error at epsilon 1 against the number of protected contexts m."""
    for name, world in _available(data):
        yield from _errors(scale, name, world, series, {number: (int(number), "1") for number in contexts}, runs)
        yield from _zeros(name, world, scale.few(contexts))


def _zeros(name: str, world: World, xs: Sequence[str]) -> Iterator[Row]:
    value = float(errors(world, np.zeros(world.truth.shape))[0])
    yield from (Row(data=name, series="zeros", x=x, value=value) for x in xs)


def errors_by_epsilon(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], epsilons: Sequence[str], contexts: int = 40, runs: int = 6
) -> Iterator[Row]:
    """The mean absolute error at 40 contexts against epsilon."""
    for name, world in _available(data):
        yield from _errors(scale, name, world, series, {epsilon: (contexts, epsilon) for epsilon in epsilons}, runs)
        yield from _zeros(name, world, scale.few(epsilons))


def seconds(scale: Scale, /, *, series: Sequence[str], lengths: Sequence[str]) -> Iterator[Row]:
    """Processor seconds over the requests per minute of WorldCup98, against the number of timestamps."""
    for name, world in _available(["WorldCup98"]):
        for length in scale.few(lengths):
            part = replace(world, truth=world.truth[: int(length)])
            for label in series:
                method = methods(40, Presence.ADDED, part)[label]
                times = []
                for _ in range(2):
                    start = time.process_time()
                    released(method, "1", part)
                    times.append(time.process_time() - start)
                yield best_of(times, data=name, series=label, x=length)
