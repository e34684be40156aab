"""How near released people are to the private ones: the table, the events, and how the two depend on each other.

Each figure is a total variation, from 0 (the same) to 1. Beside it stands what remains if the private table and the private
events are both released exactly, but joined at random: what a release of the two apart could reach at best. For the owner only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.ragged import Ragged, chosen
from tacita.errors import ParameterError
from tacita.people.published import PublishedPeople
from tacita.people.records import PeopleRecords
from tacita.pictures import Bars, Picture, bar_plot
from tacita.seeded import public_generator
from tacita.tables.columns import Categorical
from tacita.utility.marginals import BINS
from tacita.utility.rendering import OWNER_ONLY
from tacita.utility.tables import TableUtility
from tacita.utility.tables import judged as judge_table
from tacita.utility.tables import pictures as table_pictures
from tacita.utility.tables import report as report_table
from tacita.utility.verdict import Judged, Judgement

__all__ = ["PeopleUtility", "judged", "pictures", "report", "sections"]

LONGEST = 20
"""Numbers of events from here on are one class."""


@dataclass(frozen=True, kw_only=True)
class PeopleUtility:
    """How useful released events are, alone and by column. For the owner only."""

    labels: float
    numbers: float
    steps: float | None
    """None for events without an order."""
    columns: Mapping[str, tuple[float, float]]
    """For each column, the distance of (value, label that a person has) from the truth, and that of a random join."""

    def __str__(self) -> str:
        """Render for a terminal."""
        lines = [
            OWNER_ONLY,
            f"{'distance of events':<40}{'released':>10}{'apart':>10}  (0: the same, 1: nothing in common)",
            f"{'labels':<40}{self.labels:>10.4f}",
            f"{'numbers of events':<40}{self.numbers:>10.4f}",
            *([] if self.steps is None else [f"{'steps from label to label':<40}{self.steps:>10.4f}"]),
            *(f"{name + ' x label':<40.40}{own:>10.4f}{apart:>10.4f}" for name, (own, apart) in self.columns.items()),
        ]
        return "\n".join(lines)

    def as_json(self) -> dict[str, object]:
        """The report for scripts, with the same warning."""
        return {
            "warning": OWNER_ONLY,
            "labels": self.labels,
            "numbers": self.numbers,
            "steps": self.steps,
            "columns": {name: {"released": own, "apart": apart} for name, (own, apart) in self.columns.items()},
        }


def report(records: PeopleRecords, published: PublishedPeople) -> PeopleUtility:
    """Compare released events, and their columns, with the private ones."""
    if not len(records):
        message = "a report needs at least one raw person, got none: there is nothing to compare with"
        raise ParameterError(message)
    labels, table = len(records.universe), published.table
    raw, made = records.events, published.events
    mixed = chosen(raw, public_generator(0).permutation(len(raw)))
    columns = {}
    for place, column in enumerate(records.table.schema.quasi):
        size = column.size if isinstance(column, Categorical) or column.count <= BINS else BINS + 1

        def coded(places: Integers, size: int = size, count: int = column.count) -> Integers:
            return places if size <= BINS or size == count else np.where(places >= count, BINS, places * BINS // count)

        truth, ours = coded(records.table.quasi[place]), coded(table.lows[table.groups, place])
        both = [_labelled(values, lists, labels, size) for values, lists in ((truth, raw), (ours, made), (truth, mixed))]
        columns[column.name] = (_distance(both[0], both[1]), _distance(both[0], both[2]))
    sides = (raw, made)
    return PeopleUtility(
        labels=_distance(*(_shares(_different(lists, labels)[1], labels) for lists in sides)),
        numbers=_distance(*(_shares(np.minimum(lists.lengths, LONGEST), LONGEST + 1) for lists in sides)),
        steps=_distance(*(_shares(_steps(lists, labels), labels**2) for lists in sides)) if records.has_order else None,
        columns=columns,
    )


def _different(lists: Ragged, labels: int) -> tuple[Integers, Integers]:
    """Every label that a person has, once: whose it is, and the label."""
    owners = np.repeat(np.arange(len(lists)), lists.lengths)
    keys = np.unique(owners * labels + lists.codes)
    return keys // labels, keys % labels


def _labelled(values: Integers, lists: Ragged, labels: int, size: int) -> Reals:
    owners, codes = _different(lists, labels)
    return _shares(values[owners] * labels + codes, size * labels)


def _steps(lists: Ragged, labels: int) -> Integers:
    owners = np.repeat(np.arange(len(lists)), lists.lengths)
    inside = owners[1:] == owners[:-1]
    codes = lists.codes.astype(np.int64)
    return np.asarray(codes[:-1][inside] * labels + codes[1:][inside], dtype=np.int64)


def _shares(cells: Integers, size: int) -> Reals:
    different, counts = np.unique(cells, return_counts=True) if size > cells.size else (None, np.bincount(cells, minlength=size))
    if different is None:
        return np.asarray(counts / max(cells.size, 1), dtype=np.float64)
    found = np.zeros(size)
    found[different] = counts / max(cells.size, 1)
    return found


def _distance(one: Reals, other: Reals) -> float:
    return float(np.abs(one - other).sum()) / 2


def sections(records: PeopleRecords, published: PublishedPeople) -> dict[str, TableUtility | PeopleUtility]:
    """What `tacita evaluate` compares: the table, and the events with it."""
    return {"tables": report_table(records.table, published.table), "events": report(records, published)}


def judged(records: PeopleRecords, published: PublishedPeople, manifest: Mapping[str, Any]) -> Judgement:
    """What a report says: the table, the events, and how the two depend on each other, beside the floors.

    The simplest release of both is the table and the events apart, even exact ones, joined at random.
    """
    table = judge_table(records.table, published.table, manifest)
    found = report(records, published)
    size = len(records.universe)
    mean = float(np.mean([own for own, _ in found.columns.values()])) if found.columns else 0.0
    alone = float(np.mean([apart for _, apart in found.columns.values()])) if found.columns else 1.0
    use, short = "Events by a column of the table", "events by column"
    measures = [*table.measures, Judged(use=use, short=short, measure="distribution", off=mean, nothing=1.0, simplest=alone)]
    flat = _distance(_shares(_different(records.events, size)[1], size), np.full(size, 1 / size))
    shapes = [
        ("People per label", "people per label", found.labels, flat),
        ("Events per person", "numbers of events", found.numbers, 1.0),
    ]
    if found.steps is not None:
        shapes.append(("Steps from label to label", "steps", found.steps, 1.0))
    measures += [
        Judged(use=use, short=short, measure="distribution", off=off, nothing=1.0, simplest=simplest)
        for use, short, off, simplest in shapes
    ]
    return replace(
        table,
        measures=measures,
        pieces="synthetic people",
        figures={**table.figures, "events": found.as_json()},
        seen={**table.seen, "events": found},
    )


def pictures(records: PeopleRecords, published: PublishedPeople, *, found: Judgement) -> list[Picture]:
    """The table, and how each column depends on events."""
    events: Any = found.seen["events"]
    names = list(events.columns)
    series = [
        Bars(name="released", values=[events.columns[name][0] for name in names]),
        Bars(name="released apart, exactly", values=[events.columns[name][1] for name in names]),
    ]
    better = sum(own < apart for own, apart in events.columns.values())
    title = f"Events by column: nearer than a random join for {better} of {len(names)} columns"
    about = "How far the labels of people with each value of a column are from the truth; 0 is the same."
    linked = bar_plot(title, names, series, unit="total variation", about=about)
    return [*table_pictures(records.table, published.table, found=found), linked]
