"""Utility and run time of streams: the figures of Li, Quan and Yu.

Real GeoLife, every 15 minutes of a day; T-Drive beside it. Adj, MMD and MA(k) are the corrected ones; *pace* is the product's
method. Errors are means over all timestamps and cells; nothing else of these data is shown.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tacita.errors import MissingDataError
from tacita.simulate.streams import StreamWorld
from tacita.streams import Presence
from tacita_papers.reproduce.data.streams import WORLDS, World
from tacita_papers.reproduce.experiment import Row, Scale
from tacita_papers.reproduce.runners.stream_runs import errors, methods, released

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


def _error(world: World, series: str, contexts: int, epsilon: str, runs: int) -> float:
    method = methods(contexts, Presence.PUBLIC, world)[series]
    return float(np.mean([errors(world, released(method, epsilon, world))[0] for _ in range(runs)]))


def errors_by_contexts(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], contexts: Sequence[str], runs: int = 3
) -> Iterator[Row]:
    """The mean absolute error at epsilon 1 against the number of protected contexts m."""
    for name, world in _available(data):
        for number in scale.few(contexts):
            for label in series:
                value = _error(world, label, int(number), "1", scale.runs(runs))
                yield Row(data=name, series=label, x=number, value=value, runs=scale.runs(runs))
        yield from _zeros(name, world, scale.few(contexts))


def _zeros(name: str, world: World, xs: Sequence[str]) -> Iterator[Row]:
    value = float(errors(world, np.zeros(world.truth.shape))[0])
    yield from (Row(data=name, series="zeros", x=x, value=value) for x in xs)


def errors_by_epsilon(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], epsilons: Sequence[str], contexts: int = 40, runs: int = 3
) -> Iterator[Row]:
    """The mean absolute error at 40 contexts against epsilon."""
    for name, world in _available(data):
        for epsilon in scale.few(epsilons):
            for label in series:
                value = _error(world, label, contexts, epsilon, scale.runs(runs))
                yield Row(data=name, series=label, x=epsilon, value=value, runs=scale.runs(runs))
        yield from _zeros(name, world, scale.few(epsilons))


def seconds(scale: Scale, /, *, series: Sequence[str], lengths: Sequence[str]) -> Iterator[Row]:
    """Processor seconds over the requests per minute of WorldCup98, against the number of timestamps."""
    for name, world in _available(["WorldCup98"]):
        for length in scale.few(lengths):
            part = replace(world, truth=world.truth[: int(length)])
            for label in series:
                method = methods(40, Presence.ADDED, part)[label]
                start = time.process_time()
                released(method, "1", part)
                yield Row(data=name, series=label, x=length, value=time.process_time() - start)
