"""Pictures of tables: every column as a small histogram, how many rows look alike, and how widely columns are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.pictures import Bars, Picture, bar_plot
from tacita.pictures.picture import percent
from tacita.pictures.ranked import Multiple, multiples
from tacita.tables.columns import Categorical, Column
from tacita.tables.schema import Schema, Sensitive

__all__ = ["Parts", "columns_picture", "crowd_picture", "parts_of", "widths_picture"]


CROWDS = (1, 2, 5, 10, 50, 200)


def crowd_picture(sizes: Mapping[str, Integers]) -> Picture:
    """The share of rows by how many rows look the same in all quasi-identifiers; `sizes` are those of the groups."""
    names = [_between(low, high) for low, high in zip(CROWDS, (*CROWDS[1:], None), strict=True)]
    series = []
    for side, groups in sizes.items():
        classes = np.searchsorted(CROWDS, groups, side="right") - 1
        rows = np.bincount(classes[groups > 0], weights=groups[groups > 0], minlength=len(CROWDS))
        series.append(Bars(name=side, values=(rows / max(rows.sum(), 1)).tolist()))
    least = {side: int(groups[groups > 0].min(initial=10**9)) for side, groups in sizes.items() if (groups > 0).any()}
    released = least.get("released")
    title = "The release has no rows" if released is None else f"Every row looks like at least {released - 1:,} others"
    if released == 1:
        title = "Some rows look like no other"
    if "raw" in least and released is not None:
        title += f"; in the raw data, {percent(float(series[0].values[0] or 0))} are alone"
    about = "How many rows look the same to somebody who knows all quasi-identifiers."
    return bar_plot(title, names, series, unit="share of rows", about=about, percent=True)


def widths_picture(schema: Schema, widths: Sequence[Integers], sizes: Integers) -> Picture:
    """How many values a row shows of each column, as a share of all of them, on average; `widths` are those of the groups."""
    rows = max(int(sizes.sum()), 1)
    shares = []
    for size, shown in zip(schema.sizes, widths, strict=True):
        wide = (shown - 1) / max(size - 1, 1)
        shares.append(float((wide * sizes).sum() / rows))
    names = [column.name for column in schema.quasi]
    widest = int(np.argmax(shares))
    title = f"{names[widest][:30]} is coarsest: a row shows {percent(shares[widest])} of its values on average"
    about = "How widely each column is shown: 0 % is a single value, 100 % says nothing."
    return bar_plot(title, names, [Bars(name="released", values=shares)], unit="mean width", about=about, percent=True)


MOST_BARS = 12


@dataclass(frozen=True, kw_only=True, eq=False)
class Parts:
    """How a column is drawn and compared: in so many parts, which have names."""

    name: str
    edges: Integers = field(repr=False)
    """Where parts begin, as places of the column, and the end."""
    names: Sequence[str]
    order: Integers | None = None
    """The part of each place, where parts are not ranges."""

    def shares(self, places: Integers) -> Reals:
        """The share of rows in each part, from the place of each row."""
        if self.order is not None:
            counts = np.bincount(self.order[places], minlength=len(self.names))
        else:
            counts = np.histogram(places, bins=self.edges)[0]
        return np.asarray(counts / max(places.size, 1), dtype=np.float64)


def parts_of(column: Column | Sensitive) -> Parts:
    """All values if they are few; equal parts of a range; of many categories, in equal parts of their public order."""
    size = column.size
    if isinstance(column, Categorical | Sensitive) or column.count <= MOST_BARS:
        if size <= MOST_BARS:
            names = ["missing" if text is None else str(text) for text in column.texts(np.arange(size)).to_list()]
            return Parts(name=column.name, edges=np.arange(size + 1), names=names)
        begins = np.unique(np.arange(MOST_BARS) * size // MOST_BARS)
        texts = column.texts(begins).to_list()
        return Parts(name=column.name, edges=np.append(begins, size), names=[f"from {text}" for text in texts])
    begins = np.arange(MOST_BARS) * column.count // MOST_BARS
    names = [f"from {text}" for text in column.texts(begins).to_list()] + (["missing"] if column.missing else [])
    edges = np.append(begins, [column.count, column.count + 1] if column.missing else [column.count])
    return Parts(name=column.name, edges=edges, names=names)


def columns_picture(
    parts: Sequence[Parts],
    sides: Mapping[str, Sequence[Reals]],
    *,
    grades: Mapping[str, tuple[str, float]] | None = None,
    note: str = "",
) -> Picture:
    """A small histogram of each column; with grades (what was judged, and how far off it is), beside its name."""
    columns = []
    for place, each in enumerate(parts):
        grade, off = (grades or {}).get(each.name, ("", 0.0))
        first, last = each.names[0].removeprefix("from "), each.names[-1].removeprefix("from ")
        columns.append(
            Multiple(
                name=each.name,
                names=each.names,
                sides={side: shares[place].tolist() for side, shares in sides.items()},
                ends=(first, last if len(each.names) <= MOST_BARS else "missing"),
                grade=grade,
                words=percent(off) if grade else "",
            )
        )
    title = f"{len(columns)} columns, each with how often its values occur"
    if grades:
        good = sum(grade == "good" for grade, _ in grades.values())
        worst = max(grades, key=lambda name: grades[name][1])
        title = f"{good} of {len(columns)} columns keep their shape; {worst[:24]} is farthest, {percent(grades[worst][1])} off"
    about = (
        "Bars: released" + (". Lines: raw. The figure is the share of rows that would have to change." if grades else ".") + note
    )
    return multiples(title, columns, about=about)


def _between(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} rows or more"
    return f"{low} to {high - 1} rows" if high - 1 > low else ("only itself" if low == 1 else f"{low} rows")
