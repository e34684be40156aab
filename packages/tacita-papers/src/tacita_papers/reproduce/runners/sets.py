"""Count queries, frequent itemsets and run times of sets: chapter 4 of the thesis.

*Basic* is noise on all possible baskets, keeping every positive one; *histogram* the same with a threshold; *DiffPart* the
corrected one, *equal shares* the allocation that the thesis tries first; *itemset-counts* is the method that the product
recommends. Basic has more cells than any memory for the 1,012 items of STM.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tacita.arrays.ragged import Ragged, chosen, distinct, offsets_of
from tacita.errors import MissingDataError, TacitaError
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.public.universe import Universe
from tacita.sets import BasketRecords, DiffPart, FlatHistogram, ItemsetCounts
from tacita.utility import PatternKind, QueryWorkload, count_location_sets, itemsets, measure_patterns, relative_errors
from tacita_papers.reproduce.data.movements import movements
from tacita_papers.reproduce.experiment import Row, Scale

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


def _released(records: BasketRecords, series: str, epsilon: str, fan_out: int = 10) -> Ragged | None:
    """One release, or nothing where the method refuses: Basic on a large universe."""
    if series in {"Basic", "histogram"} and len(records.universe) > MOST_ITEMS:
        return None
    try:
        made: Ragged = METHODS[series](fan_out).publish(records, budget=PureDP(epsilon), ledger=Ledger()).data.baskets
    except TacitaError:
        return None
    return made


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


def errors_by_epsilon(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], epsilons: Sequence[str], runs: int = 2
) -> Iterator[Row]:
    """The error of queries of up to i fifths of the largest basket against their length, one panel per epsilon."""
    for name, records in _available(data, scale):
        largest = int(records.baskets.lengths.max())
        queries = Queries(records, [max(1, largest * number // 5) for number in range(1, 6)], _each(scale))
        for epsilon in scale.few(epsilons):
            for label in series:
                made = [_released(records, label, epsilon) for _ in range(scale.runs(runs))]
                errors = [queries.errors(each) for each in made if each is not None]
                if errors:
                    yield from (
                        Row(
                            data=name,
                            series=label,
                            x=str(20 * (place + 1)),
                            value=value,
                            panel=f"epsilon {epsilon}",
                            runs=len(made),
                        )
                        for place, value in enumerate(np.mean(errors, axis=0).tolist())
                    )


def _one(  # noqa: PLR0913 - what a figure varies, and what it holds fixed
    scale: Scale,
    name: str,
    x: str,
    records: BasketRecords,
    epsilons: Sequence[str],
    longest: int,
    *,
    fan_out: int = 10,
    runs: int = 1,
) -> Iterator[Row]:
    """The error of DiffPart at one x, one panel per epsilon."""
    queries = Queries(records, [longest], _each(scale))
    for epsilon in scale.few(epsilons):
        made = [_released(records, "DiffPart", epsilon, fan_out) for _ in range(scale.runs(runs))]
        errors = [queries.errors(each)[0] for each in made if each is not None]
        if errors:
            yield Row(data=name, series="DiffPart", x=x, value=float(np.mean(errors)), panel=f"epsilon {epsilon}", runs=len(made))


def errors_by_fan_out(scale: Scale, /, *, data: Sequence[str], fan_outs: Sequence[str], epsilons: Sequence[str]) -> Iterator[Row]:
    """The error of queries of up to 60 % of the largest basket against the fan-out."""
    for name, records in _available(data, scale):
        longest = max(1, int(records.baskets.lengths.max()) * 3 // 5)
        for fan_out in scale.few(fan_outs):
            yield from _one(scale, name, fan_out, records, epsilons, longest, fan_out=int(fan_out))


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
        for number in scale.few(items):
            yield from _one(scale, name, number, _narrowed(part, int(number)), epsilons, 10)


def errors_by_records(scale: Scale, /, *, data: Sequence[str], shares: Sequence[str], epsilons: Sequence[str]) -> Iterator[Row]:
    """The error of queries of up to 60 % of the largest basket against the share of the records in percent."""
    for name, found in _available(data, scale):
        for share in scale.few(shares):
            part = _first(found, len(found.baskets) * int(share) // 100)
            yield from _one(scale, name, share, part, epsilons, max(1, int(found.baskets.lengths.max()) * 3 // 5))


def utility_by_count(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], counts: Sequence[str], epsilons: Sequence[str], runs: int = 2
) -> Iterator[Row]:
    """The utility of the most frequent itemsets, 1 minus the mean relative error of their support; one panel per epsilon."""
    numbers = tuple(map(int, counts))
    for name, records in _available(data, scale):
        for epsilon in scale.few(epsilons):
            for label in series:
                found: dict[int, list[float]] = {}
                for _ in range(scale.runs(runs)):
                    made = _released(records, label, epsilon)
                    if made is None:
                        break
                    kept = measure_patterns(
                        records.baskets,
                        made,
                        symbols=len(records.universe),
                        kind=PatternKind.ITEMSET,
                        counts=numbers,
                        min_length=1,
                    )
                    for top in kept.tops:
                        found.setdefault(top.count, []).append(top.utility)
                for count, values in found.items():
                    value = float(np.mean(values))
                    yield Row(data=name, series=label, x=str(count), value=value, panel=f"epsilon {epsilon}", runs=len(values))


def _seconds(records: BasketRecords, series: str) -> float:
    times = []
    for _ in range(2):
        start = time.process_time()
        _released(records, series, "1")
        times.append(time.process_time() - start)
    return min(times)


def seconds_by_records(scale: Scale, /, *, data: Sequence[str], series: Sequence[str], shares: Sequence[str]) -> Iterator[Row]:
    """Processor seconds of a publication in memory, best of two, against the share of the records in percent."""
    for name, found in _available(data, scale):
        for share in scale.few(shares):
            part = _first(found, len(found.baskets) * int(share) // 100)
            for label in series:
                yield Row(data=name, series=label, x=share, value=_seconds(part, label), runs=2)


def seconds_by_universe(scale: Scale, /, *, data: Sequence[str], series: Sequence[str], items: Sequence[str]) -> Iterator[Row]:
    """The same against the size of the universe."""
    for name, found in _available(data, scale):
        for number in scale.few(items):
            part = _narrowed(found, int(number)) if int(number) < len(found.universe) else found
            for label in series:
                yield Row(data=name, series=label, x=number, value=_seconds(part, label), runs=2)
