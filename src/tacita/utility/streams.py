"""How far a released stream is from the true one, timestamp by timestamp, and how all methods compare on it.

The mean absolute error is that of Definition 2.4 of Li, Quan and Yu: over all timestamps and cells. Relative errors divide by the
true count or, where that is smaller, by a bound of `SANITY_SHARE` of the mean number of people, as the papers on w-event privacy
do. A stream of zeros stands beside both: what is worse than that says less than nothing. Computed from raw data without noise, so
it is for the owner's eyes only.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.errors import ParameterError
from tacita.kinds import kind_of, methods
from tacita.pictures import Picture
from tacita.pictures.bars import largest_places
from tacita.privacy.account import StandIn
from tacita.privacy.answers import Drawing
from tacita.privacy.budget import Budget, PureDP
from tacita.privacy.guarantee import OWNER_ONLY
from tacita.privacy.randomness import SecureSource
from tacita.privacy.release import Release
from tacita.seeded import public_generator
from tacita.streams import Pace, Presence, PublishedStream, Republish, Sample, Strategy, StreamRecords, Uniform
from tacita.streams.published import SIXTEENTHS
from tacita.utility.floors import epsilon_of
from tacita.utility.rendering import floor_pictures, shapes_picture
from tacita.utility.verdict import Judged, Judgement

__all__ = ["Comparison", "StreamUtility", "compare", "errors_of", "even_spread", "judged", "measure", "pictures", "sections"]

SANITY_SHARE = 0.001


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamUtility:
    """Errors of a released stream. For the owner's eyes only."""

    mean_absolute_error: float
    mean_relative_error: float
    publication_rate: float
    absolute_error_of_zero: float
    relative_error_of_zero: float
    absolute_error_of_even_spread: float
    relative_error_of_even_spread: float
    error_of_running_totals: float
    absolute_errors: Reals = field(repr=False)
    """One per timestamp, over all cells."""

    @property
    def is_better_than_nothing(self) -> bool:
        """Whether the release is nearer to the truth than zeros are."""
        return self.mean_absolute_error < self.absolute_error_of_zero

    @property
    def is_better_than_an_even_spread(self) -> bool:
        """Whether the release is nearer to the truth than the number of people of each timestamp, spread over all cells."""
        return self.mean_absolute_error < self.absolute_error_of_even_spread

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        return {
            "warning": OWNER_ONLY,
            "mean_absolute_error": self.mean_absolute_error,
            "mean_relative_error": self.mean_relative_error,
            "publication_rate": self.publication_rate,
            "absolute_error_of_zero": self.absolute_error_of_zero,
            "relative_error_of_zero": self.relative_error_of_zero,
            "absolute_error_of_even_spread": self.absolute_error_of_even_spread,
            "relative_error_of_even_spread": self.relative_error_of_even_spread,
            "error_of_running_totals": self.error_of_running_totals,
            "absolute_errors": self.absolute_errors.tolist(),
        }

    def __str__(self) -> str:
        """The figures for people."""
        verdict, other = (
            "better" if is_better else "NO BETTER"
            for is_better in (self.is_better_than_nothing, self.is_better_than_an_even_spread)
        )
        return "\n".join(
            (
                OWNER_ONLY,
                f"mean absolute error   {self.mean_absolute_error:.4g} people per timestamp and cell",
                f"  of zeros            {self.absolute_error_of_zero:.4g}: this release is {verdict} than nothing",
                f"  of an even spread   {self.absolute_error_of_even_spread:.4g}: this release is {other} than that",
                f"mean relative error   {self.mean_relative_error:.4g}, of zeros {self.relative_error_of_zero:.4g}",
                f"  of an even spread   {self.relative_error_of_even_spread:.4g}",
                f"running totals        {self.error_of_running_totals:.4g} people off per timestamp and cell",
                f"measured timestamps   {self.publication_rate:.1%}",
            )
        )


def measure(records: StreamRecords | Integers, release: Release[PublishedStream] | PublishedStream) -> StreamUtility:
    """Compare a release with the stream that it was made from."""
    published = release.data if isinstance(release, Release) else release
    truth = records.histograms() if isinstance(records, StreamRecords) else records
    if truth.shape != published.histograms.shape:
        message = "both streams must have the same timestamps and cells"
        raise ParameterError(message)
    errors = np.abs(truth - published.histograms)
    absolute, relative = errors_of(truth, published.histograms)
    zero, even = (errors_of(truth, guess) for guess in (np.zeros(truth.shape), even_spread(truth)))
    return StreamUtility(
        mean_absolute_error=absolute,
        mean_relative_error=relative,
        publication_rate=float(published.measured.mean()),
        absolute_error_of_zero=zero[0],
        relative_error_of_zero=zero[1],
        absolute_error_of_even_spread=even[0],
        relative_error_of_even_spread=even[1],
        error_of_running_totals=float(np.abs(np.cumsum(truth - published.histograms, axis=0)).mean()),
        absolute_errors=errors.mean(axis=1),
    )


def errors_of(truth: Integers, released: Reals) -> tuple[float, float]:
    """The mean absolute and relative error of released counts."""
    errors = np.abs(truth - released)
    bound = np.maximum(truth, max(SANITY_SHARE * float(truth.sum(axis=1).mean()), 1.0))
    return float(errors.mean()), float((errors / bound).mean())


def even_spread(truth: Integers) -> Reals:
    """What somebody would publish who knows how many people there are at each timestamp, and nothing else."""
    return np.repeat(truth.mean(axis=1, keepdims=True), truth.shape[1], axis=1)


def sections(records: StreamRecords, published: PublishedStream) -> dict[str, StreamUtility]:
    """What `tacita evaluate` compares: the histograms of all timestamps."""
    return {"streams": measure(records, published)}


# All methods on one stream, with zeros and equal shares of the people as floors.
#
# Each method runs as it would, with fresh noise, and nothing of what it releases is kept. The errors are those of raw data:
# choosing a method by them uses the data, which no ledger knows of. On a public, an old or a simulated stream of the
# same kind this costs nobody anything.


STREAMS = "streams"

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
    """Run every method with the contexts and the presence of this one; those that take no delta run at epsilon alone."""
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
    pure = PureDP(budget.epsilon)
    budgets = {name: budget if getattr(rival, "takes_delta", False) else pure for name, rival in rivals.items()}
    found = [_compared(name, [_run(records, rival, budgets[name]) for _ in range(runs)]) for name, rival in rivals.items()]
    found += [_compared(name, [measure(truth, free)]) for name, free in _floors(records, rivals["UNIFORM"], pure, truth).items()]
    return Comparison(methods=tuple(sorted(found, key=lambda each: each.mean_absolute_error)), runs=runs)


def _of_other_packages(named: Mapping[str, Any]) -> dict[str, Any]:
    """The methods of streams that other packages register, but for those that refuse these contexts or this presence."""
    found = {}
    for registered in methods().values():
        if registered.kind == STREAMS and registered not in kind_of(registered).methods:
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


# What a release is good for, and pictures of it beside the true stream.


def judged(records: StreamRecords, published: PublishedStream, manifest: Mapping[str, Any]) -> Judgement:
    """What a report says: all cells together, single cells at one time, and each of the largest cells, beside the floors.

    The simplest release measures every timestamp with an equal share of the budget, as the method uniform does.
    """
    truth, released = records.histograms().astype(np.float64), published.histograms
    free = _simplest(truth, manifest)
    zeros = np.zeros(truth.shape)

    def off(guess: Reals, cells: Integers) -> float:
        some = truth[:, cells]
        return float(np.abs(some - guess[:, cells]).mean() / max(float(some.mean()), 1e-9))

    def together(guess: Reals) -> float:
        whole = truth.sum(axis=1)
        return float(np.abs(whole - guess.sum(axis=1)).mean() / max(float(whole.mean()), 1e-9))

    totals = published.means if np.isfinite(published.means).all() else released
    every = np.arange(truth.shape[1])
    sides = (released, zeros, free)
    ours, nothing, simplest = (off(side, every) for side in sides)
    shared: dict[str, Any] = {"measure": "area", "group": "cells"}
    measures = [
        Judged(
            use="Single cells at one time",
            short="single cells",
            measure="area",
            off=ours,
            nothing=nothing,
            simplest=simplest,
            is_main=True,
        ),
        Judged(
            use="All cells together over time",
            short="the total over time",
            measure="total",
            off=together(totals),
            nothing=together(zeros),
            simplest=together(free),
        ),
    ]
    for cell in largest_places(truth.sum(axis=0).tolist(), LARGEST_CELLS):
        ours, nothing, simplest = (off(side, np.array([cell])) for side in sides)
        name = published.cells.labels[cell]
        measures.append(Judged(use=name, short=name, off=ours, nothing=nothing, simplest=simplest, **shared))
    return Judgement(
        measures=measures,
        sizes=(int(truth.shape[0]), len(published)),
        pieces="timestamps",
        simplest="every timestamp measured alike, each with an equal share of the budget",
        figures={"errors": measure(records, published).as_json()},
        seen={"truth": truth},
    )


LARGEST_CELLS = 12


def _simplest(truth: Reals, manifest: Mapping[str, Any]) -> Reals:
    """The counts of every timestamp with seeded noise for an equal share of epsilon; for comparison alone."""
    neighbours = manifest["guarantee"]["neighbours"]
    contexts, presence = int(neighbours.get("contexts", 1)), neighbours.get("presence", "public")
    moved = 1 if presence == "added" else 2  # a changed status leaves one cell and enters another
    scale = moved * contexts / (epsilon_of(manifest) or 1.0)
    noise = public_generator(0).laplace(0, scale, truth.size).reshape(truth.shape)
    return np.asarray(np.maximum(np.rint(truth + noise), 0.0), dtype=np.float64)


def pictures(records: StreamRecords, published: PublishedStream, *, found: Judgement) -> list[Picture]:
    """The floors, people in all cells, and the largest cells with how far off each is."""
    sides = {"raw": records.histograms(), "released": published.histograms}
    grades = {each.use: (str(each.grade), each.off) for each in found.measures if each.group}
    return [*floor_pictures(found), *published.pictures_beside(sides, grades=grades), shapes_picture(found)]
