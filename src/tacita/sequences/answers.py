"""Counts of sequences with error bars, from a release that holds noisy counts as they were drawn.

Synthetic sequences have no law that is known; the noisy counts behind them do. `ngram` with `with_grams` holds grams: single
places (all of them), and pairs and longer runs of successive places that reached a threshold. `prefix-tree` with `with_counts`
holds beginnings, `raked` with `with_counts` the number of sequences, cells of lengths, first and last places, and round trips.
All of them count what sequences were cut to, at `max_length` or `height`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from tacita.errors import ParameterError
from tacita.io import Counted, Drawn
from tacita.privacy.estimates import LEVEL, Estimate, NoiseLaw, WeighedNoise, around, dropped, laws_of, no_error_bars
from tacita.sequences.published import (
    CELLS,
    ENDS,
    PEOPLE,
    ROUND_OR_DIFFERENT,
    SYMBOLS,
    PublishedSequences,
    level_step,
)

__all__ = ["SequenceAnswers"]

GRAMS = "grams, round "
SYNTHETIC = (
    "its sequences are synthetic; the owner may publish noisy counts too, with_grams for ngram, with_counts for prefix-tree "
    "and raked"
)


@dataclass(frozen=True)
class SequenceAnswers:
    """Answers from the noisy counts of a release; what it does not hold is refused with a sentence."""

    published: PublishedSequences
    manifest: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse a release without noisy counts."""
        if self.published.grams is None and self.published.counts is None:
            raise no_error_bars(self.manifest, SYNTHETIC)

    def people(self, *, level: float = LEVEL) -> Estimate:
        """How many sequences there are, from `raked`."""
        return self._sum(self._step(PEOPLE, "it holds no noisy number of sequences; raked does").values(), level)

    def of_length(self, length: int, *, level: float = LEVEL) -> Estimate:
        """How many sequences have this many symbols, from `raked`.

        Sequences that were cut count with the longest, and long lengths were counted together.
        """
        cells = self._step(CELLS, "it holds no noisy lengths; raked does")
        cell = next((cell for cell in cells if cell[0] <= length <= cell[1]), None)  # type: ignore[operator] # numbers
        if cell is None:
            message = f"a length must be from 1 to the longest that is published, got {length}"
            raise ParameterError(message)
        if cell[0] != cell[1]:
            message = f"lengths from {cell[0]} to {cell[1]} were counted together, so that {length} alone is not known"
            raise ParameterError(message)
        return self._sum([cells[cell]], level)

    def shape(self, *, places: int | None = None, is_round: bool | None = None, level: float = LEVEL) -> Estimate:
        """How many sequences have this many different places, and end where they began or not, from `raked`.

        What is not named may be anything.
        """
        shapes = self._step(ROUND_OR_DIFFERENT, "it holds no noisy shapes; raked does")
        chosen = [
            drawn
            for (least, last, was_round, _), drawn in shapes.items()
            if (places is None or least == last == places) and (is_round is None or is_round == was_round)
        ]
        if not chosen:
            message = f"sequences of {places} places were counted together with others, or there are none"
            raise ParameterError(message)
        return self._sum(chosen, level)

    def starts(self, places: Sequence[Any], *, level: float = LEVEL) -> Estimate:
        """How many sequences begin with these places, from `prefix-tree`, or with this one, from `raked`.

        With times, a place is a pair: its label, and the number of its interval from 0.
        """
        key = self._named(places)
        if {ENDS, SYMBOLS} & self._drawn.keys() and len(key) == 1:
            return self._first(key, level)
        self._step(level_step(1), "it holds no noisy beginnings; prefix-tree does, and raked those of one place")
        tests = [self._tests(length) for length in range(1, len(key) + 1)]
        for length, ways in enumerate(tests, start=1):  # where something is lost, all that goes on from there is less
            if key[:length] not in self._drawn.get(level_step(length), {}):
                return dropped(ways, level=level)
        return self._sum([self._drawn[level_step(len(key))][key]], level)

    def _first(self, key: Counted, level: float) -> Estimate:
        """How many sequences begin with a place, from `raked`."""
        if SYMBOLS in self._drawn:
            return self._sum([self._drawn[SYMBOLS][key]], level)
        ends = self._drawn[ENDS]
        apart = ends.get((key[0], None))
        chosen = [apart] if apart is not None else [drawn for pair, drawn in ends.items() if pair[0] == key[0]]
        are_all = apart is not None or len({pair[0] for pair in ends}) == len(self.published.universe)
        if not chosen or not are_all:
            raise no_error_bars(self.manifest, f"{key[0]!r} or other places were too rare to be asked for by themselves")
        return self._sum(chosen, level)

    def visits(self, place: str, *, level: float = LEVEL) -> Estimate:
        """How many visits there are to a place."""
        return self.pattern([place], level=level)

    def flow(self, origin: str, destination: str, *, level: float = LEVEL) -> Estimate:
        """How many times a visit to one place is followed by one to another."""
        return self.pattern([origin, destination], level=level)

    def pattern(self, places: Sequence[str], *, level: float = LEVEL) -> Estimate:
        """How many times these places follow each other; for a pattern of three or more, its parts must have been kept too."""
        key = self._named(places)
        runs = self._runs(len(key))
        found = runs.get(key)
        if found is not None:
            return self._sum([found], level)
        if len(key) > 1 and key[:-1] not in self._runs(len(key) - 1):
            raise no_error_bars(self.manifest, f"what follows {list(key[:-1])} was not asked, because that was too rare")
        lost = self.law(len(key)).estimate(None, level=level)
        if len(key) == 1 or any(each[:-1] == key[:-1] for each in (*runs, *self._ended(len(key)))):
            return lost
        shorter = self.pattern(places[:-1], level=level)  # what follows was perhaps not asked, but cannot be more
        return replace(lost, high=max(lost.high, shorter.high))

    def law(self, length: int) -> NoiseLaw:
        """The noise on runs of this length: the largest, where it differs."""
        found = self._laws.get(f"{GRAMS}{length}")
        if found is None:
            raise no_error_bars(self.manifest, f"no gram of length {length} was asked for")
        return found

    def table(self, length: int = 2, *, level: float = LEVEL) -> pl.DataFrame:
        """Every published run of places, or beginning, of a length with its interval, largest first; runs of 2 are flows."""
        if level_step(1) in self._drawn and self._tests(length):
            rows = self._drawn.get(level_step(length), {})
        else:
            rows = self._runs(length)
        ordered = sorted(
            ((key, drawn) for key, drawn in rows.items() if None not in key), key=lambda row: (-row[1].count, str(row[0]))
        )
        estimates = [self._sum([drawn], level) for _, drawn in ordered]
        return pl.DataFrame(
            {
                "gram": [[each if isinstance(each, str) else f"{each[0]} at {each[1]}" for each in key] for key, _ in ordered],  # type: ignore[index]
                "count": [each.value for each in estimates],
                "low": [each.low for each in estimates],
                "high": [each.high for each in estimates],
            },
            schema={"gram": pl.List(pl.String), "count": pl.Float64, "low": pl.Float64, "high": pl.Float64},
        )

    @cached_property
    def _laws(self) -> dict[str, NoiseLaw]:
        return laws_of(self.manifest)

    @cached_property
    def _drawn(self) -> Mapping[str, Mapping[Counted, Drawn]]:
        """The noisy counts by step; grams have the largest scale of their length."""
        grams, counts = self.published.grams, self.published.counts
        found: dict[str, dict[Counted, Drawn]] = {} if counts is None else dict(counts.drawn)
        if grams is not None:
            labels, size = self.published.universe.labels, len(self.published.universe)
            for row, count in zip(grams.grams.to_lists(), grams.counts.tolist(), strict=True):
                step = f"{GRAMS}{len(row)}"
                if step in self._laws and all(code < size for code in row):  # a gram that does not say where a sequence ended
                    drawn = Drawn(count=count, scale=float(self._laws[step].scale))
                    found.setdefault(step, {})[tuple(labels[code] for code in row)] = drawn
        return found

    def _runs(self, length: int) -> Mapping[Counted, Drawn]:
        step = f"{GRAMS}{length}"
        if length > 1 and f"{GRAMS}1" in self._drawn and step in self._laws:
            return self._drawn.get(step, {})
        why = (
            "long sequences were counted for less, so that visits and flows are not known"
            if CELLS in self._drawn
            else f"no gram of length {length} was asked for"
        )
        return self._step(step, why)

    def _ended(self, length: int) -> list[Counted]:
        """Runs of this length that say where a sequence ended or was cut, from grams."""
        grams, size = self.published.grams, len(self.published.universe)
        labels = self.published.universe.labels
        rows = [] if grams is None else [row for row in grams.grams.to_lists() if len(row) == length and row[-1] >= size]
        return [(*(labels[code] for code in row[:-1]), None) for row in rows]

    def _step(self, step: str, why_not: str) -> Mapping[Counted, Drawn]:
        if step not in self._drawn:
            raise no_error_bars(self.manifest, why_not)
        return self._drawn[step]

    def _tests(self, length: int) -> list[NoiseLaw]:
        """The tests on the way to the last symbol of beginnings of this length."""
        step = level_step(length)
        steps = [name for name in self._laws if name == step or (name.startswith(f"{step}, ") and not name.endswith(", ends"))]
        if not steps:
            raise no_error_bars(self.manifest, f"no beginning of {length} places was asked for")
        return [self._laws[name] for name in steps]

    def _named(self, places: Sequence[Any]) -> Counted:
        """The places as counts name them."""
        grid, universe = self.published.grid, self.published.universe
        intervals = 1 if grid is None else grid.intervals
        pairs = [(place, 0) if grid is None else tuple(place) for place in places]
        if not pairs or any(len(pair) != 2 or pair[0] not in universe or not 0 <= pair[1] < intervals for pair in pairs):
            times = "" if grid is None else f", each with the number of its interval from 0 to {intervals - 1}"
            message = f"a pattern must be places of the universe, one at least{times}, got {list(places)}"
            raise ParameterError(message)
        return tuple(places) if grid is None else tuple(pairs)

    @staticmethod
    def _sum(drawn: Iterable[Drawn], level: float) -> Estimate:
        drawn = list(drawn)
        return around(sum(each.count for each in drawn), Counter(WeighedNoise(scale=each.scale) for each in drawn), level=level)
