"""What the columns of a table are: categories, numbers, dates and times, declared in advance.

All of it is public knowledge: the labels and the tree of a categorical column, the bounds and steps of numbers and dates.
Inside, every column holds places from 0 on: a label's place in a walk through its taxonomy, the number of steps from the lower
bound; having no value, where that is a value of its own, is the last place. Every value that a release can show is a place or a
range of places, and its name follows from the public declaration (`values`, `trees`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import cached_property

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.errors import ParameterError
from tacita.io.values import exact_text
from tacita.public.parameters import Chosen, instance_of, whole_number
from tacita.public.taxonomy import ROOT, Taxonomy
from tacita.tables.trees import BinaryTree, binary_tree, node_ranges
from tacita.tables.values import (
    DAY,
    LARGEST,
    Otherwise,
    are_missing,
    decimals_of,
    declared_moment,
    exact_number,
    micros_of,
    number_text,
    placed,
    ticks_of,
    units_of,
)

__all__ = ["LARGEST_DOMAIN", "Categorical", "Column", "Moment", "Numeric", "Otherwise", "Written"]


Level = tuple[Integers, Integers]
"""For each place, the range that it is generalized to: the first place and the one after the last."""

LARGEST_DOMAIN = 2**31 - 1


class Written(StrEnum):
    """What the values of a categorical column are where a file or a frame has types."""

    TEXT = "text"
    WHOLE = "whole"
    BOOLEAN = "boolean"


@dataclass(frozen=True, kw_only=True)
class Categorical:
    """A quasi-identifier whose labels are the leaves of a public taxonomy.

    If `missing`, having no value is a value of its own, with the last place; otherwise rows without a value are left out.

    >>> job = Categorical(name="job", taxonomy=Taxonomy.from_edges([("lawyer", "professional"), ("engineer", "professional")]))
    >>> job.size, job.range_name(0, 2)
    (2, 'professional')
    """

    name: str
    taxonomy: Taxonomy
    written: Chosen[Written] = Chosen(Written, Written.TEXT)
    missing: bool = False
    otherwise: Chosen[Otherwise] = Chosen(Otherwise, Otherwise.DROP)

    def __post_init__(self) -> None:
        """Check the rule for misfits."""
        if self.otherwise is Otherwise.BOUND:
            message = f"the category {self.name!r} has no bounds; a value that is not listed can be dropped or taken for missing"
            raise ParameterError(message)
        _require_missing(self)

    @cached_property
    def tree(self) -> BinaryTree:
        """The taxonomy as ranges of places."""
        return binary_tree(self.taxonomy)

    @property
    def count(self) -> int:
        """The number of values."""
        return len(self.taxonomy.universe)

    @property
    def size(self) -> int:
        """The number of places."""
        return self.count + self.missing

    def encoded(self, values: pl.Series) -> Integers:
        """The place of each value, -1 where its row is to be left out."""
        labels = pl.Series(self.taxonomy.universe.labels)
        text = exact_text(values)
        codes = text.replace_strict(labels, pl.Series(self.tree.place_of), default=-1, return_dtype=pl.Int64)
        places = np.array(codes.fill_null(-1).to_numpy(), dtype=np.int64)
        unknown = places < 0
        if self.otherwise is Otherwise.MISSING:
            places[unknown] = self.count
        if self.missing:
            places[unknown & are_missing(values)] = self.count
        return places

    def texts(self, places: Integers) -> pl.Series:
        """The label at each place, null where it is missing."""
        labels = [self.taxonomy.universe.labels[label] for label in self.tree.label_at.tolist()]
        return pl.Series(self.name, [*labels, None], dtype=pl.String).gather(places)

    def decoded(self, places: Integers) -> pl.Series:
        """The same in the type that was declared."""
        texts = self.texts(places)
        if self.written is Written.WHOLE:
            return texts.cast(pl.Int64)
        return texts == self.taxonomy.universe.labels[1] if self.written is Written.BOOLEAN else texts

    def range_name(self, low: int, high: int) -> str:
        """What a range of places is called in a release."""
        return self.tree.name(range(low, high))

    def spanned(self, first: Integers, last: Integers) -> tuple[Integers, Integers]:
        """The smallest ranges that have names and hold the places from `first` to `last`."""
        return self.tree.spanned(first, last)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """All labels one step up together, from nothing done to everything hidden (full-domain generalization).

        A label that lies less deep than others stays itself until the others have come up to it.
        """
        tree, taxonomy = self.tree, self.taxonomy
        begin, end = node_ranges(taxonomy, tree.place_of)
        depth = taxonomy.tree.depths
        found: list[Level] = []
        for most in range(taxonomy.height, -1, -1):
            low, high = np.zeros((2, self.count), dtype=np.int64)
            for label in range(self.count):
                node = label
                while depth[node] > most:
                    node = taxonomy.parents[node]
                low[tree.place_of[label]], high[tree.place_of[label]] = begin[node], end[node]
            found.append((low, high))
        return tuple(found)

    def digest(self) -> str:
        """A hash of all that is public about the column; in which order inner nodes are numbered does not matter."""
        tree = self.taxonomy
        edges = [f"{tree.name(node)}\t{tree.name(above)}" for node, above in enumerate(tree.parents) if above >= 0]
        lines = [*tree.universe.labels, "", *sorted(edges), *_other(self, written=Written.TEXT, otherwise=Otherwise.DROP)]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Numeric:
    """A quasi-identifier that is a number between public bounds, both included, in steps from the lower bound.

    A number between two steps is moved down to the lower one; a number outside the bounds is moved to the bound, unless
    `otherwise` says something else. `widths` are the lengths of the intervals, in steps, that full-domain generalization may use,
    each a multiple of the one before; intervals begin at the lower bound.

    >>> Numeric(name="age", low=0, high=99, widths=(5, 10)).range_name(35, 40)
    '[35-40)'
    >>> Numeric(name="dose", low=0, high="2.50", step="0.25").texts(np.array([1, 10])).to_list()
    ['0.25', '2.50']
    """

    name: str
    low: int | Decimal
    high: int | Decimal
    widths: tuple[int, ...] = ()
    step: int | Decimal = 1
    decimal: str = "."
    missing: bool = False
    otherwise: Chosen[Otherwise] = Chosen(Otherwise, Otherwise.BOUND)

    def __post_init__(self) -> None:
        """Check the bounds and that intervals nest."""
        for part in ("low", "high", "step"):
            number = exact_number(getattr(self, part), name=f"{part} of {self.name}")
            object.__setattr__(self, part, number if decimals_of(number) else int(number))
        if self.low > self.high or self.step <= 0 or (self.high - self.low) % self.step:
            message = (
                f"{self.name} must have bounds, the lower one first, a whole number of steps apart, "
                f"got {self.low} and {self.high} in steps of {self.step}"
            )
            raise ParameterError(message)
        if any(abs(bound) * 10**self.scale >= LARGEST for bound in (self.low, self.high)):
            message = f"the bounds of {self.name} have too many digits, got {self.low} and {self.high}"
            raise ParameterError(message)
        if self.decimal not in {".", ","}:
            message = f"the decimal sign of {self.name} must be '.' or ',', got {self.decimal!r}"
            raise ParameterError(message)
        _require_missing(self)
        whole_number(self.count, name=f"the number of values of {self.name}", least=1, most=LARGEST_DOMAIN)
        instance_of(self.widths, tuple, list, name=f"the widths of {self.name}")
        object.__setattr__(self, "widths", tuple(self.widths))
        for before, width in zip((1, *self.widths), self.widths, strict=False):
            if not isinstance(width, int) or width <= before or width % before:
                message = f"the widths of {self.name} must grow, each a multiple of the one before, got {self.widths}"
                raise ParameterError(message)

    @cached_property
    def scale(self) -> int:
        """How many decimals the values have."""
        return max(decimals_of(Decimal(part)) for part in (self.low, self.high, self.step))

    @cached_property
    def _units(self) -> tuple[int, int]:
        """The lower bound and the step in units of the last decimal."""
        return int(self.low * 10**self.scale), int(self.step * 10**self.scale)

    @property
    def count(self) -> int:
        """The number of values."""
        return int((self.high - self.low) / self.step) + 1

    @property
    def size(self) -> int:
        """The number of places."""
        return self.count + self.missing

    def encoded(self, values: pl.Series) -> Integers:
        """The place of each number, -1 where its row is to be left out."""
        units, (first, step) = units_of(values, scale=self.scale, decimal=self.decimal), self._units
        return placed(
            units,
            are_missing(values),
            first=first,
            step=step,
            count=self.count,
            missing=self.missing,
            otherwise=self.otherwise,
        )

    def texts(self, places: Integers) -> pl.Series:
        """The number at each place as text, with the decimals that were declared; null where it is missing."""
        first, step = self._units
        return _each(
            self.name, places, self.count, lambda place: number_text(first + place * step, self.scale).replace(".", self.decimal)
        )

    def decoded(self, places: Integers) -> pl.Series:
        """The number at each place: whole numbers, or floats if there are decimals."""
        first, step = self._units
        units = first + places * step
        numbers = pl.Series(self.name, units / 10**self.scale if self.scale else units)  # NumPy rounds a quotient correctly
        return numbers.set(pl.Series(places == self.count), None) if self.missing else numbers

    def place_named(self, text: str) -> int:
        """The place of a number as `range_name` writes it, which may be the one after the last."""
        first, step = self._units
        place, rest = divmod(int(Decimal(text) * 10**self.scale) - first, step)
        if rest or not 0 <= place <= self.count:
            raise KeyError
        return place

    def range_name(self, low: int, high: int) -> str:
        """What a range of places is called in a release: a number, or an interval without its end."""
        if (low, high) == (0, self.count) and self.count > 1:
            return ROOT
        first, step = self._units
        begin, end = (number_text(first + place * step, self.scale) for place in (low, high))
        return begin if high == low + 1 else f"[{begin}-{end})"

    def spanned(self, first: Integers, last: Integers) -> tuple[Integers, Integers]:
        """Any range has a name."""
        return first.astype(np.int64), last.astype(np.int64) + 1

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """Intervals of each width, from single numbers to everything hidden."""
        return _levels(self.count, self.widths)

    def digest(self) -> str:
        """A hash of all that is public about the column."""
        other = _other(self, step=1, decimal=".", otherwise=Otherwise.BOUND)
        return hashlib.sha256("\n".join([f"{self.low} {self.high} {self.widths}", *other]).encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A quasi-identifier that is a date, or a date with a time, between public bounds, both included, in steps.

    Bounds that are dates make a column of dates. A moment between two steps is moved down to the earlier one, as a number is.
    Texts are ISO unless `pattern` says how they are written, in the letters of strptime.

    >>> visit = Moment(name="visit", first="2024-05-01", last="2024-05-31", pattern="%d.%m.%Y")
    >>> visit.count, visit.texts(np.array([0, 30])).to_list()
    (31, ['01.05.2024', '31.05.2024'])
    """

    name: str
    first: date | datetime
    last: date | datetime
    step: timedelta | None = None
    pattern: str | None = None
    missing: bool = False
    otherwise: Chosen[Otherwise] = Chosen(Otherwise, Otherwise.BOUND)

    def __post_init__(self) -> None:
        """Check the bounds and the step; texts are read as ISO."""
        for part in ("first", "last"):
            object.__setattr__(self, part, declared_moment(getattr(self, part), name=f"{part} of {self.name}"))
        if self.is_day != (not isinstance(self.last, datetime)):
            message = f"{self.name} must have two dates as bounds, or two dates with times, got {self.first} and {self.last}"
            raise ParameterError(message)
        if self.step is None:
            object.__setattr__(self, "step", DAY if self.is_day else timedelta(seconds=1))
        instance_of(self.step, timedelta, name=f"the step of {self.name}")
        whole_days = not self.is_day or not self._ticks[1] % (DAY // timedelta(microseconds=1))
        if self._ticks[1] <= 0 or not whole_days or ticks_of(self.last) < self._ticks[0]:
            message = (
                f"{self.name} must have bounds, the earlier one first, and a step above 0 (of whole days between dates), "
                f"got {self.first} to {self.last} in steps of {self.step}"
            )
            raise ParameterError(message)
        _require_missing(self)
        whole_number(self.count, name=f"the number of values of {self.name}", least=1, most=LARGEST_DOMAIN)

    @property
    def is_day(self) -> bool:
        """Whether values are dates without a time."""
        return not isinstance(self.first, datetime)

    @cached_property
    def _ticks(self) -> tuple[int, int]:
        """The earlier bound and the step in microseconds."""
        return ticks_of(self.first), (self.step or DAY) // timedelta(microseconds=1)

    @property
    def count(self) -> int:
        """The number of values."""
        first, step = self._ticks
        return (ticks_of(self.last) - first) // step + 1

    @property
    def size(self) -> int:
        """The number of places."""
        return self.count + self.missing

    def encoded(self, values: pl.Series) -> Integers:
        """The place of each moment, -1 where its row is to be left out."""
        ticks, (first, step) = micros_of(values, self.pattern), self._ticks
        return placed(
            ticks,
            are_missing(values),
            first=first,
            step=step,
            count=self.count,
            missing=self.missing,
            otherwise=self.otherwise,
        )

    def decoded(self, places: Integers) -> pl.Series:
        """The date, or the date with its time, at each place."""
        first, step = self._ticks
        moments = pl.Series(self.name, first + places * step).cast(pl.Datetime("us"))
        found = moments.cast(pl.Date) if self.is_day else moments
        return found.set(pl.Series(places == self.count), None) if self.missing else found

    def texts(self, places: Integers) -> pl.Series:
        """The same as text, written as the column is."""
        return self.decoded(places).dt.to_string(self.pattern or self._iso)

    @property
    def _iso(self) -> str:
        if self.is_day:
            return "%Y-%m-%d"
        return "%Y-%m-%dT%H:%M:%S%.6f" if any(tick % 10**6 for tick in self._ticks) else "%Y-%m-%dT%H:%M:%S"

    def place_named(self, text: str) -> int:
        """The place of a moment as `range_name` writes it, which may be the one after the last."""
        first, step = self._ticks
        found = micros_of(pl.Series([text]), self.pattern)[0]
        place, rest = divmod((first - 1 if found is None else int(found)) - first, step)
        if rest or not 0 <= place <= self.count:
            raise KeyError
        return place

    def range_name(self, low: int, high: int) -> str:
        """What a range of places is called in a release: a moment, or an interval without its end."""
        if (low, high) == (0, self.count) and self.count > 1:
            return ROOT
        first, step = self._ticks
        ends = pl.Series([first + low * step, first + high * step]).cast(pl.Datetime("us"))
        begin, end = ends.dt.to_string(self.pattern or self._iso).to_list()
        return str(begin) if high == low + 1 else f"[{begin} to {end})"

    def spanned(self, first: Integers, last: Integers) -> tuple[Integers, Integers]:
        """Any range has a name."""
        return first.astype(np.int64), last.astype(np.int64) + 1

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """Single moments, or everything hidden."""
        return _levels(self.count, ())

    def digest(self) -> str:
        """A hash of all that is public about the column."""
        other = _other(self, pattern=None, otherwise=Otherwise.BOUND)
        lines = [f"{self.first.isoformat()} {self.last.isoformat()} {self._ticks[1]}", *other]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _require_missing(column: Categorical | Numeric | Moment) -> None:
    if column.otherwise is Otherwise.MISSING and not column.missing:
        message = f"{column.name!r} takes misfits for missing, so missing values must be allowed: missing = true"
        raise ParameterError(message)


def _each(name: str, places: Integers, missing: int, text: Callable[[int], str]) -> pl.Series:
    """The text of each place; each different place is written once."""
    different, inverse = np.unique(places, return_inverse=True)
    names = [None if place == missing else text(place) for place in different.tolist()]
    return pl.Series(name, names, dtype=pl.String).gather(inverse.reshape(-1))


def _levels(count: int, widths: tuple[int, ...]) -> tuple[Level, ...]:
    places = np.arange(count, dtype=np.int64)
    found: list[Level] = []
    for width in (1, *widths):
        low = places // width * width
        found.append((low, np.minimum(low + width, count)))
    if count > 1:
        found.append((np.zeros_like(places), np.full_like(places, count)))
    return tuple(found)


def _other(column: Categorical | Numeric | Moment, **usual: object) -> list[str]:
    """What is declared beside the values, where it is not as usual."""
    said = {name: getattr(column, name) for name in usual if getattr(column, name) != usual[name]}
    return [f"{name} {value}" for name, value in sorted((said | ({"missing": True} if column.missing else {})).items())]


Column = Categorical | Numeric | Moment
