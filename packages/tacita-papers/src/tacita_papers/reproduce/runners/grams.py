"""Count queries and frequent patterns of n-grams: section 6.4 of the thesis.

*Prefix* is a simple prefix tree of height 20, *FFS* the frequent strings of McSherry and Mahajan, with the best of the
lengths 2 to 5: the thesis, too, reports "the best results we have obtained" for both. *Baseline* is the same synthesis from
grams without any noise. Patterns are contiguous and have two symbols or more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.privacy.budget import PureDP
from tacita.privacy.ledger import Ledger
from tacita.sequences import NGram, PrefixTree
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
from tacita_papers.reproduce.experiment import Row, Scale
from tacita_papers.reproduce.runners.sequences import available

__all__ = ["errors_by_gram", "errors_by_length", "errors_by_size", "loss_by_gram", "loss_by_length", "tops"]

LONGEST, SANITY_SHARE = 20, 0.001
STRINGS = (2, 3, 4, 5)
METHODS: dict[str, Callable[[int, int], Any]] = {
    "N-gram": lambda length, gram: NGram(max_length=length, max_gram=gram),
    "N-gram-Uniform": lambda length, gram: NGram(max_length=length, max_gram=gram, allocation="uniform"),
    "N-gram-Level-wise": lambda length, gram: NGram(max_length=length, max_gram=gram, allocation="level-wise"),
    "No-Approx": lambda length, gram: NGram(max_length=length, max_gram=gram, missing="zero"),
    "Prefix": lambda length, _: PrefixTree(height=length),
}


def released(data: Movements, series: str, epsilon: str, *, length: int = LONGEST, gram: int = 5) -> Ragged:
    """One release by a method that is named after a series; *Baseline* draws no noise and is not private."""
    if series == "Baseline":
        return noiseless_sequences(data.records, NGram(max_length=length, max_gram=gram))
    method = METHODS[series](length, gram)
    sequences: Ragged = method.publish(data.records, budget=PureDP(epsilon), ledger=Ledger()).data.sequences
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


def errors_by_size(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], epsilons: Sequence[str], sizes: Sequence[str], runs: int = 2
) -> Iterator[Row]:
    """The average relative error of count queries against their largest size, one panel per epsilon."""
    numbers = tuple(map(int, sizes))
    for name, found in available(data, scale):
        queries = _queries(name, scale, numbers)
        for label in series:
            without_noise = queries.errors(released(found, label, "1")) if label == "Baseline" else None
            for epsilon in epsilons:
                turns = 1 if without_noise else scale.runs(runs)
                measured = [without_noise or queries.errors(released(found, label, epsilon)) for _ in range(turns)]
                for size, value in zip(sizes, np.mean(measured, axis=0).tolist(), strict=True):
                    yield Row(data=name, series=label, x=size, value=value, panel=f"epsilon {epsilon}", runs=turns)


def errors_by_length(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], lengths: Sequence[str], runs: int = 1
) -> Iterator[Row]:
    """The error of queries of up to 8 symbols at epsilon 1 against the longest length."""
    for name, found in available(data, scale):
        queries = _queries(name, scale, (8,))
        for length in scale.few(lengths):
            for label in series:
                turns = scale.runs(runs)
                errors = [queries.errors(released(found, label, "1", length=int(length)))[0] for _ in range(turns)]
                yield Row(data=name, series=label, x=length, value=float(np.mean(errors)), runs=turns)


def errors_by_gram(
    scale: Scale, /, *, data: Sequence[str], series: Sequence[str], grams: Sequence[str], runs: int = 1
) -> Iterator[Row]:
    """The same against the longest gram."""
    for name, found in available(data, scale):
        queries = _queries(name, scale, (8,))
        for gram in scale.few(grams):
            for label in series:
                turns = scale.runs(runs)
                errors = [queries.errors(released(found, label, "1", gram=int(gram)))[0] for _ in range(turns)]
                yield Row(data=name, series=label, x=gram, value=float(np.mean(errors)), runs=turns)


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
        for label in series:
            for epsilon in epsilons:
                turns = scale.runs(runs)
                if label == "FFS":
                    values = _best_strings(found, raw, epsilon, numbers, loss=loss)
                else:
                    measured = [_tops(raw, released(found, label, epsilon), symbols, numbers) for _ in range(turns)]
                    values = np.mean(measured, axis=0)[:, int(loss)].tolist()
                for count, value in zip(counts, values, strict=True):
                    yield Row(data=name, series=label, x=count, value=value, panel=f"epsilon {epsilon}", runs=turns)


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
    scale: Scale, /, *, data: Sequence[str], lengths: Sequence[str], count: int = 100, runs: int = 1
) -> Iterator[Row]:
    """The loss of support of the top 100 at epsilon 1 against the longest length."""
    return _loss(scale, data, [(length, int(length), 5) for length in scale.few(lengths)], count, runs)


def loss_by_gram(scale: Scale, /, *, data: Sequence[str], grams: Sequence[str], count: int = 100, runs: int = 1) -> Iterator[Row]:
    """The same against the longest gram."""
    return _loss(scale, data, [(gram, LONGEST, int(gram)) for gram in scale.few(grams)], count, runs)


def _loss(scale: Scale, data: Sequence[str], settings: list[tuple[str, int, int]], count: int, runs: int) -> Iterator[Row]:
    for name, found in available(data, scale):
        raw, symbols = cut(found.records.sequences, LONGEST), len(found.records.universe)
        for x, length, gram in settings:
            turns = scale.runs(runs)
            losses = [
                _tops(raw, released(found, "N-gram", "1", length=length, gram=gram), symbols, (count,))[0][1]
                for _ in range(turns)
            ]
            yield Row(data=name, series="N-gram", x=x, value=float(np.mean(losses)), runs=turns)
