"""Errors, patterns and run times of prefix trees: the experiments of Chen et al., KDD 2012, and of the paper on trajectories.

*Simple* and *Hybrid* are the papers' trees with their two-phase inference, *Basic* and *Full* a simple tree without and with it;
*exact* is our default inference on a simple tree, *raked* the method that the product chooses for movements. All have our
default threshold. *As printed* is the same tree with the printed threshold and share of a group; it is private as well, but where
a node has more than one false child the tree grows until memory ends, so it may have at most `MOST_PRINTED` nodes. *raked* has no
version without noise: with a large budget it asks so much that it no longer converges, which says nothing of its model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from math import exp, sqrt
from typing import Any

import numpy as np

from tacita.arrays.ragged import Ragged, chosen, offsets_of
from tacita.errors import MissingDataError
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree, Raked, SequenceRecords
from tacita.utility import (
    PatternKind,
    QueryWorkload,
    count_location_sets,
    location_sets,
    measure_patterns,
    relative_errors,
)
from tacita_papers.reproduce.data.movements import Movements, movements
from tacita_papers.reproduce.experiment import Line, Row, Scale
from tacita_papers.reproduce.runners.versions import NOISELESS, Versions, best_of

__all__ = [
    "available",
    "errors_by_epsilon",
    "errors_by_height",
    "length_histogram",
    "patterns_by_count",
    "patterns_by_epsilon",
    "patterns_by_height",
    "seconds_by_labels",
    "seconds_by_records",
]

SANITY_SHARE = 0.001
QUERIES_WHEN_QUICK = 2_000
METHODS: dict[str, Callable[[Movements, int], Any]] = {
    "Simple": lambda _, height: PrefixTree(height=height, inference="two-phase"),
    "Hybrid": lambda data, height: PrefixTree(height=height, inference="two-phase", taxonomy=data.taxonomy),
    "Basic": lambda _, height: PrefixTree(height=height, inference="none"),
    "Full": lambda _, height: PrefixTree(height=height, inference="two-phase"),
    "exact": lambda _, height: PrefixTree(height=height, inference="exact"),
    "raked": lambda _, height: Raked(max_length=height),
}
PRINTED = {"Simple": "two-phase", "Hybrid": "two-phase", "Basic": "none", "Full": "two-phase"}
"""The inference of the trees that the papers print."""

MOST_PRINTED = 2_000_000


def available(names: Sequence[str], scale: Scale) -> Iterator[tuple[str, Movements]]:
    """The collections that are there."""
    for name in names:
        try:
            yield name, movements(name, scale)
        except MissingDataError:
            continue


def released(data: Movements, series: str, height: int, epsilon: str, line: Line = Line.OURS) -> Ragged:
    """One release by a version of a method that is named after a series, with its own noise."""
    height = min(height, data.height) if data.height < 12 else height
    method = METHODS[series](data, height) if line is not Line.PRINTED else printed_tree(data, series, height)
    budget = PureDP(NOISELESS if line is Line.NOISELESS else epsilon)
    sequences: Ragged = method.publish(data.records, budget=budget, ledger=Ledger()).data.sequences
    return data.places(sequences)


def printed_tree(data: Movements, series: str, height: int) -> PrefixTree:
    """A tree as printed."""
    taxonomy = data.taxonomy if series == "Hybrid" else None
    return PrefixTree(height=height, inference=PRINTED[series], taxonomy=taxonomy, threshold="published", max_nodes=MOST_PRINTED)


def flood(labels: int) -> str:
    """Why a printed tree cannot be had."""
    false = labels * exp(-2 * sqrt(2)) / 2
    return f"{false:.1f} false children a node on {labels:,} places: more than {MOST_PRINTED:,} nodes"


class Queries:
    """Count queries on sets of places with their true answers."""

    def __init__(self, data: Movements, workload: QueryWorkload) -> None:
        """Draw and answer them."""
        self._symbols = len(data.records.universe)
        self.max_lengths = workload.max_lengths
        self._subsets = location_sets(workload, symbols=self._symbols)
        self._bound = SANITY_SHARE * len(data.records.sequences)
        self._true = self._answers(data.records.sequences)

    def _answers(self, sequences: Ragged) -> list[Any]:
        ends = np.cumsum([len(subset) for subset in self._subsets])[:-1]
        codes = np.concatenate([subset.codes for subset in self._subsets])
        every = Ragged(codes, offsets_of(np.concatenate([subset.lengths for subset in self._subsets])))
        return list(np.split(count_location_sets(sequences, every, symbols=self._symbols), ends))

    def errors(self, sequences: Ragged) -> list[float]:
        """The average relative error of each subset."""
        return [
            float(relative_errors(true, answers, sanity_bound=self._bound).mean())
            for true, answers in zip(self._true, self._answers(sequences), strict=True)
        ]


@lru_cache(maxsize=4)
def _queries(name: str, scale: Scale, longest: int, subsets: int) -> Queries:
    data = movements(name, scale)
    if data.longest_query < longest:
        longest, subsets = data.longest_query, data.subsets
    each = QUERIES_WHEN_QUICK if scale.quick else 10_000
    return Queries(data, QueryWorkload(longest=longest, subsets=subsets, queries_each=each))


def _by_epsilon(found: Movements, queries: Queries, label: str, height: int, line: Line, x: str) -> list[float]:
    return queries.errors(released(found, label, height, x, line))


def _by_height(found: Movements, queries: Queries, label: str, epsilon: str, line: Line, x: str) -> list[float]:
    return queries.errors(released(found, label, int(x), epsilon, line))[-1:]


def _found(  # noqa: PLR0913, PLR0917 - what a table holds fixed
    found: Movements,
    label: str,
    counts: tuple[int, ...],
    least: int,
    settings: dict[str, tuple[int, str]],
    line: Line,
    x: str,
) -> list[float]:
    return _tops(found, released(found, label, *settings[x], line), counts, least)


def errors_by_epsilon(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], height: int = 12, epsilons: Sequence[str], runs: int = 3
) -> Iterator[Row]:
    """The average relative error against epsilon, one panel per largest query."""
    for name, found in available(data, scale):
        queries = _queries(name, scale, 12, 4)
        panels = [f"max |Q| = {longest}" for longest in queries.max_lengths]
        for label in series:
            versions = _versions(name, label, epsilons, runs, found, panels=panels, is_constant=True)
            yield from versions.rows(
                scale,
                partial(_by_epsilon, found, queries, label, height),
            )
        yield from _of_nothing(name, queries, scale.few(epsilons))


def _versions(  # noqa: PLR0913 - what the versions of a tree share
    name: str,
    label: str,
    xs: Sequence[str],
    runs: int,
    found: Movements,
    *,
    panels: Sequence[str] = ("",),
    is_constant: bool = False,
) -> Versions:
    return Versions(
        data=name,
        series=label,
        xs=xs,
        runs=runs,
        panels=panels,
        printed=label in PRINTED,
        noiseless=label != "raked",
        is_constant=is_constant,
        flood=flood(len(found.records.universe)),
    )


def _of_nothing(name: str, queries: Queries, xs: Sequence[str]) -> Iterator[Row]:
    for longest, error in zip(queries.max_lengths, queries.errors(Ragged.from_lists([])), strict=True):
        for x in xs:
            yield Row(data=name, series="no release", x=x, value=error, panel=f"max |Q| = {longest}")


def errors_by_height(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], heights: Sequence[str], epsilons: Sequence[str], runs: int = 3
) -> Iterator[Row]:
    """The average relative error of queries of up to 6 places against the height, one panel per epsilon."""
    for name, found in available(data, scale):
        queries = _queries(name, scale, 6, 1)
        for label in series:
            for epsilon in scale.few(epsilons):
                versions = _versions(name, label, heights, runs, found, panels=[f"epsilon {epsilon}"])
                yield from versions.rows(
                    scale,
                    partial(_by_height, found, queries, label, epsilon),
                )


def _tops(data: Movements, sequences: Ragged, counts: tuple[int, ...], least: int) -> list[float]:
    found = measure_patterns(
        data.records.sequences,
        sequences,
        symbols=len(data.records.universe),
        kind=PatternKind.GAPPED,
        counts=counts,
        min_length=least,
    )
    measured = {top.count: top.true_positives for top in found.tops}
    return [float(measured.get(count, 0)) for count in counts]


def patterns_by_count(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], counts: Sequence[str], least: int = 2, runs: int = 3
) -> Iterator[Row]:
    """True positives among the most frequent gapped patterns at epsilon 1 and height 12."""
    numbers = tuple(map(int, counts))
    for name, found in available(data, scale):
        for label in series:
            versions = _versions(name, label, ["1"], runs, found, panels=counts)
            rows = versions.rows(scale, partial(_found, found, label, numbers, least, {"1": (12, "1")}))
            yield from (replace(row, x=row.panel, panel="") for row in rows)


def _by(  # noqa: PLR0913, PLR0917 - what a table varies, and what it holds fixed
    scale: Scale,
    data: Sequence[str],
    series: Sequence[str],
    settings: dict[str, tuple[int, str]],
    count: int,
    least: int,
    runs: int,
) -> Iterator[Row]:
    is_constant = len({height for height, _ in settings.values()}) == 1
    for name, found in available(data, scale):
        for label in series:
            versions = _versions(name, label, list(settings), runs, found, is_constant=is_constant)
            yield from versions.rows(
                scale,
                partial(_found, found, label, (count,), least, settings),
            )


def patterns_by_epsilon(  # noqa: PLR0913 - what a table varies, and what it holds fixed
    scale: Scale,
    /,
    *,
    data: Sequence[str],
    series: Sequence[str],
    epsilons: Sequence[str],
    count: int,
    least: int = 2,
    runs: int = 3,
) -> Iterator[Row]:
    """True positives at height 12 against epsilon."""
    return _by(scale, data, series, {epsilon: (12, epsilon) for epsilon in epsilons}, count, least, runs)


def patterns_by_height(  # noqa: PLR0913 - what a table varies, and what it holds fixed
    scale: Scale,
    /,
    *,
    data: Sequence[str],
    series: Sequence[str],
    heights: Sequence[str],
    count: int,
    least: int = 2,
    runs: int = 3,
) -> Iterator[Row]:
    """True positives at epsilon 1 against the height."""
    return _by(scale, data, series, {height: (int(height), "1") for height in heights}, count, least, runs)


def _seconds(data: Movements, series: Sequence[str], height: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for label in series:
        times = []
        for _ in range(3):
            start = time.process_time()
            released(data, label, height, "1")
            times.append(time.process_time() - start)
        found[label] = times
    return found


def _part(data: Movements, *, records: int, labels: int | None = None) -> Movements:
    """The first records, without the labels past a number of them, which are removed from the records."""
    sequences = chosen(data.records.sequences, np.arange(min(records, len(data.records.sequences))))
    universe, taxonomy = data.records.universe, data.taxonomy
    if labels is not None and labels < len(universe):
        inside = sequences.codes < labels
        offsets = offsets_of(inside.astype(np.int64))[sequences.offsets]
        lengths = np.diff(offsets)
        sequences = Ragged(sequences.codes[inside], offsets_of(lengths[lengths > 0]))
        pairs = [(label, taxonomy.name(taxonomy.parents[code])) for code, label in enumerate(universe.labels[:labels])]
        universe = Universe(universe.labels[:labels])
        taxonomy = type(taxonomy).from_edges(pairs, universe=universe)
    return Movements(records=SequenceRecords(sequences=sequences, universe=universe), taxonomy=taxonomy)


def seconds_by_records(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], records: Sequence[str], height: int = 20
) -> Iterator[Row]:
    """Processor seconds of a publication in memory, best of three, against the number of records."""
    for name, found in available(data, scale):
        for number in scale.few(records):
            part = _part(found, records=scale.records(int(number), least=10_000))
            for label, seconds in _seconds(part, series, height).items():
                yield best_of(seconds, data=name, series=label, x=number)


def seconds_by_labels(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], labels: Sequence[str], records: int, height: int = 20
) -> Iterator[Row]:
    """The same against the number of labels."""
    for name, found in available(data, scale):
        for number in scale.few(labels):
            part = _part(found, records=scale.records(records), labels=int(number))
            for label, seconds in _seconds(part, series, height).items():
                yield best_of(seconds, data=name, series=label, x=number)


def length_histogram(scale: Scale, /, *, data: Sequence[str], longest: int = 30) -> Iterator[Row]:
    """How many records have each length, as a share, and the statistics that the text names; always at full size."""
    for name, found in available(data, replace(scale, quick=False)):
        lengths = found.records.sequences.lengths
        for length in range(1, longest + 1):
            yield Row(data=name, series="records", x=str(length), value=float((lengths == length).mean()))
        figures = {"records": len(lengths), "labels": len(found.records.universe), "max": lengths.max(), "mean": lengths.mean()}
        for figure, value in figures.items():
            yield Row(data=name, series=figure, x=figure, value=float(value), panel="statistics")
        yield Row(
            data=name, series="max over mean", x="max over mean", value=float(lengths.max() / lengths.mean()), panel="statistics"
        )
