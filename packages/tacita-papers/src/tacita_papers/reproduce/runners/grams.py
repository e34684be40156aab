"""Count queries and frequent patterns of n-grams: section 6.4 of the thesis.

*Prefix* is a simple prefix tree of height 20, *FFS* the frequent strings of McSherry and Mahajan, with the best of the
lengths 2 to 5: the thesis, too, reports "the best results we have obtained" for both. *Baseline* is the same synthesis from
grams without any noise. Patterns are contiguous and have two symbols or more. *raked* is the product's default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.sequences import NGram, PrefixTree, Raked
from tacita.utility import (
    PatternKind,
    QueryWorkload,
    count_occurrences,
    location_sequences,
    measure_patterns,
    noiseless_sequences,
    relative_errors,
)
from tacita_papers.baselines.frequent_strings import FrequentStrings
from tacita_papers.reproduce.data.movements import Movements, cut, movements
from tacita_papers.reproduce.experiment import Line, Row, Scale
from tacita_papers.reproduce.runners.sequences import available
from tacita_papers.reproduce.runners.versions import NOISELESS, Versions

__all__ = ["errors_by_gram", "errors_by_length", "errors_by_size", "loss_by_gram", "loss_by_length", "tops"]

LONGEST, SANITY_SHARE = 20, 0.001
STRINGS = (2, 3, 4, 5)
METHODS: dict[str, Callable[[int, int], Any]] = {
    "N-gram": lambda length, gram: NGram(max_length=length, max_gram=gram),
    "N-gram-Uniform": lambda length, gram: NGram(max_length=length, max_gram=gram, allocation="uniform"),
    "N-gram-Level-wise": lambda length, gram: NGram(max_length=length, max_gram=gram, allocation="level-wise"),
    "No-Approx": lambda length, gram: NGram(max_length=length, max_gram=gram, missing="zero"),
    "Prefix": lambda length, _: PrefixTree(height=length),
    "raked": lambda length, _: Raked(max_length=length),
}
MOST_PRINTED = 3_000_000
PRINTED: dict[str, Callable[[int, int], Any]] = {
    "N-gram": lambda length, gram: NGram(max_length=length, max_gram=gram, threshold="published", max_nodes=MOST_PRINTED),
    "Prefix": lambda length, _: PrefixTree(height=length, inference="two-phase", threshold="published", max_nodes=MOST_PRINTED),
}
"""With the printed thresholds; heights are rounded up, as in the examples of the thesis, and the end is no gram of its own."""


def released(
    data: Movements, series: str, epsilon: str, *, length: int = LONGEST, gram: int = 5, line: Line = Line.OURS
) -> Ragged:
    """One release by a version of a method that is named after a series; *Baseline* draws no noise and is not private."""
    made = (PRINTED if line is Line.PRINTED else METHODS).get(series, METHODS["N-gram"])(length, gram)
    if isinstance(made, NGram) and (series == "Baseline" or line is Line.NOISELESS):
        return noiseless_sequences(data.records, made)
    budget = PureDP(NOISELESS if line is Line.NOISELESS else epsilon)
    sequences: Ragged = made.publish(data.records, budget=budget, ledger=Ledger()).data.sequences
    return sequences


class Queries:
    """Count queries by occurrence, with their true answers on sequences cut at 20 symbols."""

    def __init__(self, data: Movements, sizes: Sequence[int], each: int) -> None:
        """Draw and answer them."""
        self._symbols = len(data.records.universe)
        raw = cut(data.records.sequences, LONGEST)
        self._subsets = [
            location_sequences(QueryWorkload(longest=size, subsets=1, queries_each=each), symbols=self._symbols)[0]
            for size in sizes
        ]
        self._bound = SANITY_SHARE * len(raw)
        self._true = [count_occurrences(raw, subset, symbols=self._symbols) for subset in self._subsets]

    def errors(self, sequences: Ragged) -> list[float]:
        """The average relative error of each size."""
        return [
            float(
                relative_errors(
                    true, count_occurrences(sequences, subset, symbols=self._symbols), sanity_bound=self._bound
                ).mean()
            )
            for subset, true in zip(self._subsets, self._true, strict=True)
        ]


@lru_cache(maxsize=2)
def _queries(name: str, scale: Scale, sizes: tuple[int, ...]) -> Queries:
    return Queries(movements(name, scale), sizes, 2_000 if scale.quick else 10_000)


def _errors(found: Movements, queries: Queries, label: str, varied: str | None, line: Line, x: str) -> list[float]:
    """Errors with one parameter at x: the budget, the longest length or the longest gram."""
    if varied is None:
        return queries.errors(released(found, label, x, line=line))
    return queries.errors(released(found, label, "1", line=line, **{varied: int(x)}))


def errors_by_size(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], epsilons: Sequence[str], sizes: Sequence[str], runs: int = 3
) -> Iterator[Row]:
    """The average relative error of count queries against their largest size, one panel per epsilon."""
    numbers = tuple(map(int, sizes))
    for name, found in available(data, scale):
        queries = _queries(name, scale, numbers)
        for label in series:
            versions = _versions(name, label, epsilons, runs, sizes, is_constant=True)
            rows = versions.rows(
                scale,
                partial(_errors, found, queries, label, None),
            )
            yield from _turned(rows)


def _versions(
    name: str, label: str, xs: Sequence[str], runs: int, panels: Sequence[str] = ("",), *, is_constant: bool = False
) -> Versions:
    """*Baseline* draws nothing and has one version; its own release is what others are without noise."""
    return Versions(
        data=name,
        series=label,
        xs=xs,
        runs=1 if label == "Baseline" else runs,
        panels=panels,
        printed=label in PRINTED,
        noiseless=label not in {"Baseline", "raked"},
        is_constant=is_constant,
    )


def _turned(rows: Iterator[Row]) -> Iterator[Row]:
    """Rows with a budget as x and a size as panel, the other way round."""
    for row in rows:
        each = () if row.series == "Baseline" else row.each
        yield replace(row, x=row.panel, panel=f"epsilon {row.x}", each=each)


def errors_by_length(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], lengths: Sequence[str], runs: int = 3
) -> Iterator[Row]:
    """The error of queries of up to 8 symbols at epsilon 1 against the longest length."""
    for name, found in available(data, scale):
        queries = _queries(name, scale, (8,))
        for label in series:
            yield from _versions(name, label, lengths, runs).rows(
                scale,
                partial(_errors, found, queries, label, "length"),
            )


def errors_by_gram(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], grams: Sequence[str], runs: int = 3
) -> Iterator[Row]:
    """The same against the longest gram."""
    for name, found in available(data, scale):
        queries = _queries(name, scale, (8,))
        for label in series:
            yield from _versions(name, label, grams, runs).rows(
                scale,
                partial(_errors, found, queries, label, "gram"),
            )


def _tops(raw: Ragged, sequences: Ragged, symbols: int, counts: tuple[int, ...]) -> list[tuple[float, float]]:
    found = measure_patterns(raw, sequences, symbols=symbols, kind=PatternKind.CONTIGUOUS, counts=counts)
    return [(100 * top.true_positive_ratio, top.utility_loss) for top in found.tops]


def tops(  # noqa: PLR0913 - what a table varies
    scale: Scale,
    /,
    *,
    data: Sequence[str],
    series: Sequence[str],
    epsilons: Sequence[str],
    counts: Sequence[str],
    loss: bool = False,
    runs: int = 3,
) -> Iterator[Row]:
    """The true positive ratio in percent, or the loss of support, of the most frequent patterns; one panel per epsilon."""
    numbers = tuple(map(int, counts))
    for name, found in available(data, scale):
        raw, symbols = cut(found.records.sequences, LONGEST), len(found.records.universe)

        def figures(
            label: str, line: Line, x: str, found: Movements = found, raw: Ragged = raw, symbols: int = symbols
        ) -> list[float]:
            if label == "FFS":
                return _best_strings(found, raw, x, numbers, loss=loss)
            return [pair[int(loss)] for pair in _tops(raw, released(found, label, x, line=line), symbols, numbers)]

        for label in series:
            versions = _versions(name, label, epsilons, runs, counts, is_constant=True)
            versions = replace(versions, noiseless=label not in {"FFS", "raked"})
            yield from _turned(versions.rows(scale, partial(figures, label)))


def _best_strings(data: Movements, raw: Ragged, epsilon: str, counts: tuple[int, ...], *, loss: bool) -> list[float]:
    """The best of several lengths for every top, which is more than anybody could know without the data."""
    found = []
    for length in STRINGS:
        method = FrequentStrings(length=length)
        strings = method.publish(data.records, budget=PureDP(epsilon), ledger=Ledger()).data.sequences
        found.append([pair[int(loss)] for pair in _tops(raw, strings, len(data.records.universe), counts)])
    best: list[float] = (np.min(found, axis=0) if loss else np.max(found, axis=0)).tolist()
    return best


def loss_by_length(
    scale: Scale, /, *, data: Sequence[str], lengths: Sequence[str], count: int = 100, runs: int = 3
) -> Iterator[Row]:
    """The loss of support of the top 100 at epsilon 1 against the longest length."""
    return _loss(scale, data, {length: (int(length), 5) for length in lengths}, count, runs)


def loss_by_gram(scale: Scale, /, *, data: Sequence[str], grams: Sequence[str], count: int = 100, runs: int = 3) -> Iterator[Row]:
    """The same against the longest gram."""
    return _loss(scale, data, {gram: (LONGEST, int(gram)) for gram in grams}, count, runs)


def _loss(scale: Scale, data: Sequence[str], settings: dict[str, tuple[int, int]], count: int, runs: int) -> Iterator[Row]:
    for name, found in available(data, scale):
        raw, symbols = cut(found.records.sequences, LONGEST), len(found.records.universe)

        def losses(line: Line, x: str, found: Movements = found, raw: Ragged = raw, symbols: int = symbols) -> list[float]:
            length, gram = settings[x]
            made = released(found, "N-gram", "1", length=length, gram=gram, line=line)
            return [_tops(raw, made, symbols, (count,))[0][1]]

        yield from _versions(name, "N-gram", list(settings), runs).rows(scale, losses)
