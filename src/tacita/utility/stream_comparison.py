"""All methods of streams on one stream, with zeros and equal shares of the people as floors. For the owner's eyes only.

Each method runs as it would, with fresh noise, and nothing of what it releases is kept. The errors are those of raw data: whoever
chooses a method by them has used the data, which no ledger knows of. On a public, an old or a simulated stream of the same
kind this costs nobody anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from tacita.arrays import Integers
from tacita.errors import ParameterError
from tacita.kinds import kind_of, methods
from tacita.privacy.answers import Drawing
from tacita.privacy.budget import Budget
from tacita.privacy.guarantee import OWNER_ONLY
from tacita.privacy.randomness import SecureSource
from tacita.privacy.stand_ins import StandIn
from tacita.streams import (
    Pace,
    Presence,
    PublishedStream,
    Republish,
    Sample,
    Strategy,
    StreamRecords,
    Uniform,
)
from tacita.streams.published import SIXTEENTHS
from tacita.utility.streams import StreamUtility, measure

__all__ = ["Comparison", "compare"]

STREAM = "stream"

FLOORS = ("zeros", "flat")
"""What costs nothing: to say nothing, and where presence is public, that everybody is anywhere with the same chance."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The figures of one method: means over runs."""

    name: str
    mean_absolute_error: float
    mean_relative_error: float
    publication_rate: float
    error_of_running_totals: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All methods, best first."""

    methods: tuple[Compared, ...]
    runs: int

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        rows = [{part.name: getattr(method, part.name) for part in fields(method)} for method in self.methods]
        return {"warning": OWNER_ONLY, "runs": self.runs, "methods": rows}

    def __str__(self) -> str:
        """A table for people."""
        head = f"{'method':<12}{'absolute error':>16}{'relative error':>16}{'measured':>10}{'running totals':>16}"
        lines = [
            f"{each.name:<12}{each.mean_absolute_error:>16.4g}{each.mean_relative_error:>16.4g}"
            f"{each.publication_rate:>10.1%}{each.error_of_running_totals:>16.4g}"
            for each in self.methods
        ]
        names = [each.name for each in self.methods]
        floors = [name for name in names if name in FLOORS]
        better = len([name for name in names[: names.index(floors[0])] if name not in FLOORS])
        verdict = f"{better} of {len(names) - len(floors)} methods are better than {floors[0]}, by the mean over {self.runs} runs"
        warning = "choosing by these figures uses the data, and no ledger knows of it; do it on public or simulated streams"
        return "\n".join([OWNER_ONLY, head, *lines, verdict, warning])


def compare(records: StreamRecords, *, method: Any, budget: Budget, runs: int) -> Comparison:  # noqa: ANN401 - any of them
    """Run every method with the contexts and the presence of this one."""
    if runs < 1:
        message = f"runs must be 1 or more, got {runs}"
        raise ParameterError(message)
    named = {"contexts": method.contexts, "presence": method.presence}
    rivals: dict[str, Any] = {
        "pace": Pace(**named),
        "UNIFORM": Uniform(**named),
        "Sample": Sample(**named),
        "Adj": Republish(**named),
        "MMD": Republish(**named, strategy=Strategy.SIMILAR),
        "MA(3)": Republish(**named, strategy=Strategy.AVERAGE, past=3),
        "MA(20)": Republish(**named, strategy=Strategy.AVERAGE, past=20),
        **_of_other_packages(named),
    }
    if isinstance(method, Pace):
        rivals["pace"] = method
    truth = records.histograms()
    found = [_compared(name, [_run(records, rival, budget) for _ in range(runs)]) for name, rival in rivals.items()]
    found += [
        _compared(name, [measure(truth, free)]) for name, free in _floors(records, rivals["UNIFORM"], budget, truth).items()
    ]
    return Comparison(methods=tuple(sorted(found, key=lambda each: each.mean_absolute_error)), runs=runs)


def _of_other_packages(named: Mapping[str, Any]) -> dict[str, Any]:
    """The methods of streams that other packages register, but for those that refuse these contexts or this presence."""
    found = {}
    for registered in methods().values():
        if registered.kind == STREAM and registered not in kind_of(registered).methods:
            with suppress(ParameterError):
                found[registered.name] = registered.load()(**named)
    return found


def _run(records: StreamRecords, method: Any, budget: Budget) -> StreamUtility:  # noqa: ANN401 - any method of streams
    return measure(records, method.publish(records, budget=budget, ledger=StandIn(Drawing(SecureSource()))))


def _floors(
    records: StreamRecords,
    method: Uniform,
    budget: Budget,
    truth: Integers,
) -> dict[str, PublishedStream]:
    """Streams that cost nothing: zeros, and equal shares of the people where their number is public."""
    made = method.publish(records, budget=budget, ledger=StandIn(Drawing(SecureSource()))).data
    nothing = replace(made, sixteenths=np.zeros_like(made.sixteenths), measured=np.zeros_like(made.measured))
    if method.presence is not Presence.PUBLIC:
        return {"zeros": nothing}
    shares = np.rint(SIXTEENTHS * truth.mean(axis=1, keepdims=True)).astype(np.int64)
    return {"zeros": nothing, "flat": replace(nothing, sixteenths=np.broadcast_to(shares, truth.shape).copy())}


def _compared(name: str, found: list[StreamUtility]) -> Compared:
    def mean(what: str) -> float:
        return float(np.mean([getattr(each, what) for each in found]))

    return Compared(
        name=name,
        mean_absolute_error=mean("mean_absolute_error"),
        mean_relative_error=mean("mean_relative_error"),
        publication_rate=mean("publication_rate"),
        error_of_running_totals=mean("error_of_running_totals"),
    )
