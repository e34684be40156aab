"""Count queries, frequent itemsets and run times of sets: chapter 4 of the thesis.

*Basic* is noise on all possible baskets, keeping every positive one; *histogram* the same with a threshold; *DiffPart* the
corrected one, *equal shares* the allocation that the thesis tries first; *itemset-counts* is the method that the product
recommends. Basic has more cells than any memory for the 1,012 items of STM.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from tacita.arrays.ragged import Ragged, chosen, distinct, offsets_of
from tacita.errors import MissingDataError
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.universe import Universe
from tacita.sets import BasketRecords, DiffPart, FlatHistogram, ItemsetCounts
from tacita.utility import PatternKind, QueryWorkload, count_location_sets, itemsets, measure_patterns, relative_errors
from tacita_papers.reproduce.data.movements import movements
from tacita_papers.reproduce.experiment import Line, Row, Scale
from tacita_papers.reproduce.runners.versions import NOISELESS, Versions, best_of

__all__ = [
    "errors_by_epsilon",
    "errors_by_fan_out",
    "errors_by_records",
    "errors_by_universe",
    "seconds_by_records",
    "seconds_by_universe",
    "utility_by_count",
]

SANITY_SHARE = 0.001
MOST_ITEMS = 61
METHODS: dict[str, Callable[[int], Any]] = {
    "DiffPart": lambda fan_out: DiffPart(fan_out=fan_out),
    "equal shares": lambda fan_out: DiffPart(fan_out=fan_out, allocation="equal"),
    "Basic": lambda _: FlatHistogram(threshold="none"),
    "histogram": lambda _: FlatHistogram(),
    "itemset-counts": lambda _: ItemsetCounts(),
}
MOST_PRINTED = 2_000_000
PRINTED: dict[str, Callable[[int], Any]] = {
    "DiffPart": lambda fan_out: DiffPart(fan_out=fan_out, threshold="authors", max_partitions=MOST_PRINTED),
    "equal shares": lambda fan_out: DiffPart(
        fan_out=fan_out, allocation="equal", threshold="authors", max_partitions=MOST_PRINTED
    ),
}
"""With the constants of the authors' program; those of the thesis let partitions multiply without end."""


@lru_cache(maxsize=2)
def baskets(name: str, scale: Scale) -> BasketRecords:
    """The labels of each sequence as a set."""
    records = movements(name, scale).records
    return BasketRecords(baskets=distinct(records.sequences, symbols=len(records.universe)), universe=records.universe)


def _available(names: Sequence[str], scale: Scale) -> Iterator[tuple[str, BasketRecords]]:
    for name in names:
        try:
            yield name, baskets(name, scale)
        except MissingDataError:
            continue


def _released(records: BasketRecords, series: str, epsilon: str, fan_out: int = 10, line: Line = Line.OURS) -> Ragged:
    """One release by a version of a method; DiffPart without noise follows every basket, so they are its release."""
    if line is Line.NOISELESS and series in PRINTED:
        return records.baskets
    method = (PRINTED if line is Line.PRINTED else METHODS)[series](fan_out)
    budget = PureDP(NOISELESS if line is Line.NOISELESS else epsilon)
    made: Ragged = method.publish(records, budget=budget, ledger=Ledger()).data.baskets
    return made


def _can_be_run(records: BasketRecords, series: str) -> bool:
    """A histogram of all baskets needs a small universe."""
    return series not in {"Basic", "histogram"} or len(records.universe) <= MOST_ITEMS


class Queries:
    """Count queries on itemsets, with their true answers."""

    def __init__(self, records: BasketRecords, longest: Sequence[int], each: int) -> None:
        """Draw and answer them."""
        self._symbols = len(records.universe)
        self._subsets = [
            itemsets(QueryWorkload(longest=length, subsets=1, queries_each=each), symbols=self._symbols)[0] for length in longest
        ]
        self._bound = SANITY_SHARE * len(records.baskets)
        self._true = [count_location_sets(records.baskets, subset, symbols=self._symbols) for subset in self._subsets]

    def errors(self, made: Ragged) -> list[float]:
        """The average relative error of each subset."""
        return [
            float(
                relative_errors(true, count_location_sets(made, subset, symbols=self._symbols), sanity_bound=self._bound).mean()
            )
            for subset, true in zip(self._subsets, self._true, strict=True)
        ]


def _each(scale: Scale) -> int:
    return 2_000 if scale.quick else 10_000


def _errors(records: BasketRecords, queries: Queries, label: str, line: Line, x: str) -> list[float]:
    return queries.errors(_released(records, label, x, line=line))


def _of_part(
    parts: dict[str, tuple[BasketRecords, int]], asked: dict[str, Queries], epsilon: str, line: Line, x: str
) -> list[float]:
    part, fan_out = parts[x]
    return asked[x].errors(_released(part, "DiffPart", epsilon, fan_out, line))


def errors_by_epsilon(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], epsilons: Sequence[str], runs: int = 3
) -> Iterator[Row]:
    """The error of queries of up to i fifths of the largest basket against their length, one panel per epsilon."""
    shares = tuple(str(20 * number) for number in range(1, 6))
    for name, records in _available(data, scale):
        largest = int(records.baskets.lengths.max())
        queries = Queries(records, [max(1, largest * int(share) // 100) for share in shares], _each(scale))
        for label in series:
            if not _can_be_run(records, label):
                continue
            versions = _versions(name, label, epsilons, runs, panels=shares, is_constant=True)
            rows = versions.rows(
                scale,
                partial(_errors, records, queries, label),
            )
            yield from (replace(row, x=row.panel, panel=f"epsilon {row.x}") for row in rows)


def _versions(
    name: str, label: str, xs: Sequence[str], runs: int, *, panels: Sequence[str] = ("",), is_constant: bool
) -> Versions:
    return Versions(data=name, series=label, xs=xs, runs=runs, panels=panels, printed=label in PRINTED, is_constant=is_constant)


def _of_diffpart(
    scale: Scale,
    name: str,
    parts: dict[str, tuple[BasketRecords, int]],
    epsilons: Sequence[str],
    longest: int,
    *,
    runs: int = 3,
) -> Iterator[Row]:
    """The error of DiffPart on some parts of the data, each with a fan-out, one panel per epsilon."""
    asked = {x: Queries(part, [longest], _each(scale)) for x, (part, _) in parts.items()}
    for epsilon in scale.few(epsilons):
        versions = _versions(name, "DiffPart", list(parts), runs, panels=[f"epsilon {epsilon}"], is_constant=False)
        yield from versions.rows(
            scale,
            partial(_of_part, parts, asked, epsilon),
        )


def errors_by_fan_out(scale: Scale, /, *, data: Sequence[str], fan_outs: Sequence[str], epsilons: Sequence[str]) -> Iterator[Row]:
    """The error of queries of up to 60 % of the largest basket against the fan-out."""
    for name, records in _available(data, scale):
        longest = max(1, int(records.baskets.lengths.max()) * 3 // 5)
        parts = {fan_out: (records, int(fan_out)) for fan_out in scale.few(fan_outs)}
        yield from _of_diffpart(scale, name, parts, epsilons, longest)


def _narrowed(records: BasketRecords, items: int) -> BasketRecords:
    """The same baskets with only the first items of the universe; empty ones are dropped."""
    kept = records.baskets.codes < items
    before = offsets_of(kept.astype(np.int64))[records.baskets.offsets]
    lengths = np.diff(before)
    sets = Ragged(records.baskets.codes[kept], offsets_of(lengths[lengths > 0]))
    return BasketRecords(baskets=sets, universe=Universe(records.universe.labels[:items]))


def _first(records: BasketRecords, number: int) -> BasketRecords:
    return BasketRecords(baskets=chosen(records.baskets, np.arange(min(number, len(records.baskets)))), universe=records.universe)


def errors_by_universe(
    scale: Scale, /, *, data: Sequence[str], items: Sequence[str], epsilons: Sequence[str], records: int
) -> Iterator[Row]:
    """The error of queries of up to 10 items against the size of the universe."""
    for name, found in _available(data, scale):
        part = _first(found, scale.records(records))
        parts = {number: (_narrowed(part, int(number)), 10) for number in scale.few(items)}
        yield from _of_diffpart(scale, name, parts, epsilons, 10)


def errors_by_records(scale: Scale, /, *, data: Sequence[str], shares: Sequence[str], epsilons: Sequence[str]) -> Iterator[Row]:
    """The error of queries of up to 60 % of the largest basket against the share of the records in percent."""
    for name, found in _available(data, scale):
        longest = max(1, int(found.baskets.lengths.max()) * 3 // 5)
        parts = {share: (_first(found, len(found.baskets) * int(share) // 100), 10) for share in scale.few(shares)}
        yield from _of_diffpart(scale, name, parts, epsilons, longest)


def utility_by_count(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], counts: Sequence[str], epsilons: Sequence[str], runs: int = 3
) -> Iterator[Row]:
    """The utility of the most frequent itemsets, 1 minus the mean relative error of their support; one panel per epsilon."""
    for name, records in _available(data, scale):
        for label in series:
            versions = _versions(name, label, epsilons, runs, panels=counts, is_constant=True)
            rows = versions.rows(
                scale,
                partial(_utility, records, label, tuple(map(int, counts))),
            )
            yield from (replace(row, x=row.panel, panel=f"epsilon {row.x}") for row in rows)


def _utility(records: BasketRecords, label: str, counts: tuple[int, ...], line: Line, x: str) -> list[float]:
    made = _released(records, label, x, line=line)
    kept = measure_patterns(
        records.baskets, made, symbols=len(records.universe), kind=PatternKind.ITEMSET, counts=counts, min_length=1
    )
    found = {top.count: top.utility for top in kept.tops}
    return [found[count] for count in counts]


def _seconds(records: BasketRecords, series: str) -> list[float]:
    times = []
    for _ in range(2):
        start = time.process_time()
        _released(records, series, "1")
        times.append(time.process_time() - start)
    return times


def seconds_by_records(scale: Scale, /, *, data: Sequence[str], series: Sequence[str], shares: Sequence[str]) -> Iterator[Row]:
    """Processor seconds of a publication in memory, best of two, against the share of the records in percent."""
    for name, found in _available(data, scale):
        for share in scale.few(shares):
            part = _first(found, len(found.baskets) * int(share) // 100)
            for label in series:
                yield best_of(_seconds(part, label), data=name, series=label, x=share)


def seconds_by_universe(scale: Scale, /, *, data: Sequence[str], series: Sequence[str], items: Sequence[str]) -> Iterator[Row]:
    """The same against the size of the universe."""
    for name, found in _available(data, scale):
        for number in scale.few(items):
            part = _narrowed(found, int(number)) if int(number) < len(found.universe) else found
            for label in series:
                yield best_of(_seconds(part, label), data=name, series=label, x=number)
