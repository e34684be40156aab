"""Errors, patterns and run times of prefix trees: the experiments of Chen et al., KDD 2012, and of the paper on trajectories.

*Simple* and *Hybrid* are the papers' trees with their two-phase inference, *Basic* and *Full* a simple tree without and with it;
*exact* is our default inference on a simple tree, *raked* the method that the product chooses for movements. All have our
default threshold: with the printed one a simple tree of 1,012 locations does not fit any memory.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
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
from tacita_papers.reproduce.experiment import Row, Scale

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
SLOW = ("raked",)


def available(names: Sequence[str], scale: Scale) -> Iterator[tuple[str, Movements]]:
    """The collections that are there."""
    for name in names:
        try:
            yield name, movements(name, scale)
        except MissingDataError:
            continue


def released(data: Movements, series: str, height: int, epsilon: str) -> Ragged:
    """One release by a method that is named after a series, with its own noise."""
    method = METHODS[series](data, min(height, data.height) if data.height < 12 else height)
    sequences: Ragged = method.publish(data.records, budget=PureDP(epsilon), ledger=Ledger()).data.sequences
    return data.places(sequences)


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


def errors_by_epsilon(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], height: int = 12, epsilons: Sequence[str], runs: int = 3
) -> Iterator[Row]:
    """The average relative error against epsilon, one panel per largest query."""
    for name, found in available(data, scale):
        queries = _queries(name, scale, 12, 4)
        for epsilon in scale.few(epsilons):
            for label in series:
                turns = scale.runs(1 if label in SLOW else runs)
                errors = np.mean([queries.errors(released(found, label, height, epsilon)) for _ in range(turns)], axis=0)
                for longest, error in zip(queries.max_lengths, errors.tolist(), strict=True):
                    panel = f"max |Q| = {longest}"
                    yield Row(data=name, series=label, x=epsilon, value=error, panel=panel, runs=turns)
        yield from _of_nothing(name, queries, scale.few(epsilons))


def _of_nothing(name: str, queries: Queries, xs: Sequence[str]) -> Iterator[Row]:
    for longest, error in zip(queries.max_lengths, queries.errors(Ragged.from_lists([])), strict=True):
        for x in xs:
            yield Row(data=name, series="no release", x=x, value=error, panel=f"max |Q| = {longest}")


def errors_by_height(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], heights: Sequence[str], epsilons: Sequence[str], runs: int = 1
) -> Iterator[Row]:
    """The average relative error of queries of up to 6 places against the height, one panel per epsilon."""
    for name, found in available(data, scale):
        queries = _queries(name, scale, 6, 1)
        for epsilon in scale.few(epsilons):
            for height in scale.few(heights):
                for label in series:
                    turns = scale.runs(runs)
                    errors = [queries.errors(released(found, label, int(height), epsilon))[-1] for _ in range(turns)]
                    value = float(np.mean(errors))
                    yield Row(data=name, series=label, x=height, value=value, panel=f"epsilon {epsilon}", runs=turns)


def _tops(data: Movements, sequences: Ragged, counts: tuple[int, ...], least: int) -> list[int]:
    found = measure_patterns(
        data.records.sequences,
        sequences,
        symbols=len(data.records.universe),
        kind=PatternKind.GAPPED,
        counts=counts,
        min_length=least,
    )
    measured = {top.count: top.true_positives for top in found.tops}
    return [measured.get(count, 0) for count in counts]


def patterns_by_count(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], counts: Sequence[str], least: int = 2, runs: int = 3
) -> Iterator[Row]:
    """True positives among the most frequent gapped patterns at epsilon 1 and height 12."""
    numbers = tuple(map(int, counts))
    for name, found in available(data, scale):
        for label in series:
            turns = scale.runs(1 if label in SLOW else runs)
            tops = np.mean([_tops(found, released(found, label, 12, "1"), numbers, least) for _ in range(turns)], axis=0)
            for count, value in zip(counts, tops.tolist(), strict=True):
                yield Row(data=name, series=label, x=count, value=value, runs=turns)


def _by(  # noqa: PLR0913, PLR0917 - what a table varies, and what it holds fixed
    scale: Scale,
    data: Sequence[str],
    series: Sequence[str],
    pairs: Sequence[tuple[str, int, str]],
    count: int,
    least: int,
    runs: int,
) -> Iterator[Row]:
    for name, found in available(data, scale):
        for x, height, epsilon in pairs:
            for label in series:
                turns = scale.runs(runs)
                tops = [_tops(found, released(found, label, height, epsilon), (count,), least)[0] for _ in range(turns)]
                yield Row(data=name, series=label, x=x, value=float(np.mean(tops)), runs=turns)


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
    return _by(scale, data, series, [(epsilon, 12, epsilon) for epsilon in scale.few(epsilons)], count, least, runs)


def patterns_by_height(  # noqa: PLR0913 - what a table varies, and what it holds fixed
    scale: Scale,
    /,
    *,
    data: Sequence[str],
    series: Sequence[str],
    heights: Sequence[str],
    count: int,
    least: int = 2,
    runs: int = 2,
) -> Iterator[Row]:
    """True positives at epsilon 1 against the height."""
    return _by(scale, data, series, [(height, int(height), "1") for height in scale.few(heights)], count, least, runs)


def _seconds(data: Movements, series: Sequence[str], height: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for label in series:
        times = []
        for _ in range(3):
            start = time.process_time()
            released(data, label, height, "1")
            times.append(time.process_time() - start)
        found[label] = min(times)
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
                yield Row(data=name, series=label, x=number, value=seconds, runs=3)


def seconds_by_labels(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], labels: Sequence[str], records: int, height: int = 20
) -> Iterator[Row]:
    """The same against the number of labels."""
    for name, found in available(data, scale):
        for number in scale.few(labels):
            part = _part(found, records=scale.records(records), labels=int(number))
            for label, seconds in _seconds(part, series, height).items():
                yield Row(data=name, series=label, x=number, value=seconds, runs=3)


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
