"""One experiment of a paper as data: what is varied, what was printed, what is claimed, and which function measures it again.

An experiment measures *rows*. Everything that follows from them (verdict, picture, page) is computed from the rows, the published
points and the claims, so a changed figure changes its verdict without a new run.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from importlib import import_module
from math import inf, nan, sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import TYPE_CHECKING, Protocol

from tacita.public.parameters import Chosen

if TYPE_CHECKING:
    from tacita_papers.reproduce.claims import Claim

__all__ = [
    "REAL",
    "Experiment",
    "Form",
    "Line",
    "Paper",
    "Point",
    "Row",
    "Scale",
    "read_rows",
    "rows_as_text",
    "stands_for",
]

REAL = frozenset(
    (
        "MSNBC",
        "Oyster",
        "Foursquare days",
        "ca-GrQc",
        "ca-HepTh",
        "wiki-Vote",
        "GeoLife by quarter of an hour",
        "T-Drive 10 x 10",
        "WorldCup98",
    )
)
"""Data sets that are real; every other one is a simulated stand-in for data that are private or lost."""


def stands_for(data: str) -> str:
    """The paper's data set that a stand-in replaces: further worlds have what differs in brackets.

    >>> stands_for("Metro (as skewed as Oyster)")
    'Metro'
    """
    return data.partition(" (")[0]


class Form(StrEnum):
    """How a paper shows an experiment."""

    LINES = "lines"
    BARS = "bars"
    TABLE = "table"


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper, and the machine that it was measured on."""

    title: str
    hardware: str


class Line(StrEnum):
    """Which version of a method a figure belongs to.

    *As printed* is the literal algorithm of the paper. It need not be private, and no command publishes with it. *Without noise*
    is our method with so large an epsilon that its noise is nothing, so what is lost is lost by its model.
    """

    OURS = "ours"
    PRINTED = "as printed"
    NOISELESS = "without noise"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measured figure: a series of a panel of a data set at some x.

    `each` holds the single runs, in the order in which other series were run beside them; it is empty where nothing was drawn.
    `why` says why there is no figure.
    """

    data: str
    series: str
    x: str
    value: float
    panel: str = ""
    line: Chosen[Line] = Chosen(Line, Line.OURS)
    each: tuple[float, ...] = ()
    why: str = ""

    @classmethod
    def of(cls, values: Iterable[float], *, data: str, series: str, x: str, panel: str = "", line: Line = Line.OURS) -> Row:
        """The mean of some runs."""
        each = tuple(map(float, values))
        return cls(data=data, series=series, x=x, value=mean(each), panel=panel, line=line, each=each)

    @classmethod
    def refused(cls, why: str, *, data: str, series: str, x: str, panel: str = "", line: Line = Line.PRINTED) -> Row:
        """A figure that cannot be had, and why not."""
        return cls(data=data, series=series, x=x, value=nan, panel=panel, line=line, why=why)

    @property
    def error(self) -> float:
        """The standard error of the value: 0 where nothing was drawn, infinite after a single run."""
        return _error(self.each) if self.each else 0.0

    def difference(self, other: Row, by: Callable[[float, float], float]) -> float:
        """The standard error of something computed from two rows whose runs are pairs."""
        if len(self.each) == len(other.each) and self.each:
            return _error([by(mine, theirs) for mine, theirs in zip(self.each, other.each, strict=True)])
        mine = _error([by(one, other.value) for one in self.each]) if self.each else 0.0
        theirs = _error([by(self.value, one) for one in other.each]) if other.each else 0.0
        return sqrt(mine**2 + theirs**2)


def _error(values: Sequence[float]) -> float:
    return stdev(values) / sqrt(len(values)) if len(values) > 1 else inf


@dataclass(frozen=True, kw_only=True)
class Point:
    """One printed figure."""

    data: str
    series: str
    x: str
    value: float
    panel: str = ""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How large a run is: as in the paper, or a small version of everything."""

    quick: bool = False

    def records(self, number: int, *, least: int = 20_000) -> int:
        """How many records of a collection are taken."""
        return max(least, number // 20) if self.quick and number > least else number

    def few(self, values: Sequence[str]) -> tuple[str, ...]:
        """The values of a parameter that is varied: all of them, or the ends and the middle."""
        if not self.quick or len(values) <= 3:
            return tuple(values)
        return (values[0], values[len(values) // 2], values[-1])

    def runs(self, number: int) -> int:
        """How often a measurement is repeated."""
        return 1 if self.quick else number


class Measures(Protocol):
    """The function behind an experiment."""

    def __call__(self, scale: Scale, /, **options: object) -> Iterable[Row]:
        """Measure all rows."""
        ...


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A table, a figure or a stated result."""

    id: str
    title: str
    paper: Paper
    data: str
    parameters: str
    measured_by: str
    options: Mapping[str, object] = field(default_factory=dict)
    form: Chosen[Form] = Chosen(Form, Form.LINES)
    x_label: str = ""
    y_label: str = ""
    log_y: bool = False
    published: tuple[Point, ...] = ()
    claims: tuple[Claim, ...] = ()
    note: str = ""
    also_known_as: str = ""

    def measure(self, scale: Scale) -> list[Row]:
        """Run it."""
        module, _, name = self.measured_by.partition(":")
        function: Measures = getattr(import_module(f"tacita_papers.reproduce.runners.{module}"), name)
        return list(function(scale, **self.options))

    def fingerprint(self, scale: Scale) -> str:
        """What a finished run is recognised by: nothing that only judges or shows its rows is part of it."""
        content = [self.measured_by, {name: repr(value) for name, value in self.options.items()}, asdict(scale), COLUMNS]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


COLUMNS = ("data", "series", "x", "value", "panel", "line", "each", "why")


def rows_as_text(rows: Sequence[Row]) -> str:
    """Tidy CSV: one figure per line, its single runs separated by spaces."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        each = " ".join(f"{value:.6g}" for value in row.each)
        writer.writerow([row.data, row.series, row.x, f"{row.value:.6g}", row.panel, row.line, each, row.why])
    return file.getvalue()


def read_rows(path: Path) -> list[Row]:
    """Read what `rows_as_text` made."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Row(
                data=line["data"],
                series=line["series"],
                x=line["x"],
                value=float(line["value"]),
                panel=line["panel"],
                line=Line(line["line"]),
                each=tuple(map(float, line["each"].split())),
                why=line["why"],
            )
            for line in csv.DictReader(file)
        ]
