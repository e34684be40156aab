"""A release beside the simplest ones at the same epsilon: what thirty lines would keep, and what nothing would.

*nothing* is an empty release; *independent* depends on the kind. Floors are computed from raw data with seeded noise, for
comparison alone: nothing here is private, and nothing is published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.arrays.scatter import on_simplex
from tacita.public.parameters import Chosen
from tacita.seeded import PublicGenerator
from tacita.utility.count_queries import QueryKind, QueryWorkload, measure_queries
from tacita.utility.preservation import PatternKind, measure_patterns
from tacita.utility.rendering import OWNER_ONLY

__all__ = [
    "FOR_SIZES",
    "INDEPENDENT",
    "LONGEST",
    "NOTHING",
    "QUERIES",
    "RELEASE",
    "TOP",
    "Asked",
    "Column",
    "Standing",
    "chosen_codes",
    "cut",
    "epsilon_of",
    "kept_columns",
    "noisy_chances",
    "noisy_sizes",
]

RELEASE, INDEPENDENT, NOTHING = "release", "independent", "nothing"

FOR_SIZES = 0.1
"""The share of epsilon that floors spend on the sizes of records."""

MOST_FLOOR_CODES = 50_000_000
EXACT = 64


@dataclass(frozen=True, kw_only=True)
class Column:
    """One figure of every row: its key for scripts, its title and format for people, and whether more or less of it is better."""

    key: str
    title: str
    shown: str
    better: int = 0
    """1 if more is better, -1 if less is, 0 if it only describes."""

    def is_worse(self, one: float, other: float) -> bool:
        """Whether one value is worse than the other."""
        return (other - one) * self.better > 0


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A release beside its floors; the first column is the number of its records. For the owner's eyes only."""

    epsilon: float
    about: str
    columns: tuple[Column, ...]
    rows: Mapping[str, Mapping[str, float]]
    facts: Mapping[str, object] = field(default_factory=dict)

    @property
    def beaten_in(self) -> list[str]:
        """The figures in which the release is worse than one of its floors."""
        release = self.rows[RELEASE]
        floors = [row for name, row in self.rows.items() if name != RELEASE]
        return [
            column.title
            for column in self.columns
            if any(column.is_worse(release[column.key], row[column.key]) for row in floors)
        ]

    def __str__(self) -> str:
        """Render for a terminal."""
        widths = [max(len(column.title) + 2, 12) for column in self.columns]
        lines = [
            f"beside the simplest releases at the same epsilon, {self.epsilon:g} ({self.about})",
            f"{'':<14}" + "".join(f"{column.title:>{width}}" for column, width in zip(self.columns, widths, strict=True)),
        ]
        for name, row in self.rows.items():
            cells = (
                f"{format(row[column.key], column.shown):>{width}}" for column, width in zip(self.columns, widths, strict=True)
            )
            lines.append(f"  {name:<12}" + "".join(cells))
        if not self.rows[RELEASE][self.columns[0].key]:
            lines.append("THIS RELEASE IS EMPTY: it says nothing; raise epsilon, or ask for less")
        elif self.beaten_in:
            lines.append(
                f"one of the simplest releases is better in: {', '.join(self.beaten_in)}; another method or budget may help"
            )
        return "\n".join(lines)

    def as_json(self) -> dict[str, object]:
        """For scripts, with the same warning as all figures from raw data."""
        rows = {name: dict(row) for name, row in self.rows.items()}
        return {"warning": OWNER_ONLY, "epsilon": self.epsilon, **self.facts, "rows": rows}


def epsilon_of(manifest: Mapping[str, Any]) -> float | None:
    """The epsilon of a release, which its manifest says; None if it spent none."""
    spent = manifest.get("budget", {}).get("plan", {}).get("epsilon")
    return None if spent is None else float(Fraction(str(spent)))


def noisy_sizes(generator: PublicGenerator, records: Ragged, epsilon: float) -> tuple[Integers, int]:
    """A size for each record of a floor, and the mean size, at which records are cut; large sizes are counted in groups."""
    largest = int(records.lengths.max(initial=1))
    edges = np.unique([*range(1, min(largest, EXACT) + 2), *np.geomspace(EXACT + 1, max(largest + 1, EXACT + 1), 24).astype(int)])
    numbers = np.histogram(records.lengths, bins=edges)[0]
    noisy = numbers + generator.laplace(0, 1 / (FOR_SIZES * epsilon), numbers.size)
    kept = np.rint(on_simplex(noisy, max(float(noisy.sum()), 1.0))).astype(np.int64)
    kept[0] += not kept.any()
    sizes = generator.integers(np.repeat(edges[:-1], kept), np.repeat(edges[1:], kept))
    return sizes[: int(MOST_FLOOR_CODES / sizes.mean())], max(round(float(sizes.mean())), 1)


def cut(generator: PublicGenerator, records: Ragged, most: int) -> Ragged:
    """Keep `most` codes of each record, whichever."""
    record = np.repeat(np.arange(len(records)), records.lengths)
    order = np.lexsort((generator.random(record.size), record))
    rank = np.arange(record.size) - records.offsets[:-1][record]
    kept = np.zeros(record.size, dtype=np.bool_)
    kept[order[rank < most]] = True
    return Ragged(records.codes[kept], offsets_of(np.minimum(records.lengths, most)))


def chosen_codes(generator: PublicGenerator, running: Reals, number: int) -> Integers:
    """That many codes, drawn independently by their running sums of chances."""
    places = np.searchsorted(running, generator.random(number) * running[-1], side="right")
    return np.asarray(np.minimum(places, running.size - 1), dtype=np.int64)


def noisy_chances(generator: PublicGenerator, records: Ragged, *, codes: int, most: int, epsilon: float) -> Reals:
    """How often each code occurs in records cut at `most`, with noise, as shares; all else is for sizes."""
    numbers = np.bincount(cut(generator, records, most).codes, minlength=codes)
    noisy = np.maximum(numbers + generator.laplace(0, most / ((1 - FOR_SIZES) * epsilon), codes), 0)
    return np.asarray(noisy / max(float(noisy.sum()), 1e-9), dtype=np.float64)


# What is compared for releases of lists: the same figures for sequences and for baskets.


TOP, LONGEST = 100, 3
"""How many of the most frequent patterns are compared, and the size of the largest pattern and query."""

QUERIES, SANITY_SHARE = 4000, 0.001


def kept_columns(records: str, size: str) -> tuple[Column, ...]:
    """The columns of a comparison: how many records there are, how large they are, and what is kept."""
    return (
        Column(key=records, title=records, shown=",.0f"),
        Column(key=size.replace(" ", "_"), title=size, shown=".2f"),
        Column(key="found", title=f"top {TOP} found", shown=".2f", better=1),
        Column(key="lost", title="support lost", shown=".2f", better=-1),
        Column(key="error", title="query error", shown=".4f", better=-1),
    )


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Which queries and patterns are compared."""

    query: Chosen[QueryKind] = Chosen(QueryKind)
    pattern: Chosen[PatternKind] = Chosen(PatternKind)
    shortest: int
    queries: int = QUERIES

    def kept(self, raw: Ragged, released: Ragged, *, symbols: int) -> dict[str, float]:
        """The share of the most frequent patterns found, how much of their support is lost, and the error of random queries."""
        workload = QueryWorkload(longest=LONGEST, subsets=1, queries_each=self.queries)
        (answers,) = measure_queries(
            raw, released, symbols=symbols, kind=self.query, workload=workload, sanity_share=SANITY_SHARE
        )
        tops = measure_patterns(
            raw, released, symbols=symbols, kind=self.pattern, counts=(TOP,), min_length=self.shortest, max_length=LONGEST
        ).tops
        return {
            "found": tops[0].true_positive_ratio if tops else 0.0,
            "lost": tops[0].utility_loss if tops else 1.0,
            "error": answers.average_relative_error,
        }
