"""One experiment of a paper as data: what is varied, what was printed, what is claimed, and which function measures it again.

An experiment measures *rows*. Everything that follows from them (verdict, picture, page) is computed from the rows, the published
points and the claims, so a changed figure changes its verdict without a new run.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tacita.public.parameters import Chosen

if TYPE_CHECKING:
    from tacita_papers.reproduce.claims import Claim

__all__ = ["Experiment", "Form", "Paper", "Point", "Row", "Scale", "read_rows", "rows_as_text"]


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


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measured figure: a series of a panel of a data set at some x, as the mean of some runs."""

    data: str
    series: str
    x: str
    value: float
    panel: str = ""
    runs: int = 1


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
        content = [self.measured_by, {name: repr(value) for name, value in self.options.items()}, asdict(scale)]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def rows_as_text(rows: Sequence[Row]) -> str:
    """Tidy CSV: one figure per line."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([each.name for each in fields(Row)])
    for row in rows:
        data, series, x, value, panel, runs = astuple(row)
        writer.writerow([data, series, x, f"{value:.6g}", panel, runs])
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
                runs=int(line["runs"]),
            )
            for line in csv.DictReader(file)
        ]
