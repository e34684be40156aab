"""Coloured squares: maps of cells, hours of the week, from where to where, and which columns go together.

An amount is the darker the larger it is; an empty square has an edge only. A difference is orange where there is less in the
release, and blue where there is more. Each side is a pane of its own, so that all of it fits a phone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import cos, radians

from tacita.pictures import svg
from tacita.pictures.picture import NARROW, Cell, Pane, Picture, Table, shown, side_by_side
from tacita.pictures.svg import DIFFERENCES, SHADES

__all__ = ["Box", "Matrix", "cell_maps", "flow_maps", "pair_maps", "week_maps"]

Matrix = Sequence[Sequence[float]]

MOST_ROWS = 48
"""A map has at most this many rows and columns; those of a finer grid are joined."""

STEPS = (0.05, 0.2, 0.5)
"""Where the colours of differences change, as shares of what is raw."""

KM_PER_DEGREE, ROUND_KM = 111.2, (1, 2, 5, 10, 20, 50, 100, 200, 500)
LEFT, NAME = 44, 78


@dataclass(frozen=True, kw_only=True)
class Box:
    """Where a map lies, in degrees, and lines of longitudes and latitudes that are drawn over it, such as a coast."""

    south: float
    west: float
    north: float
    east: float
    outline: Sequence[Sequence[tuple[float, float]]] = ()

    @property
    def kilometres_wide(self) -> float:
        """How wide it is in its middle."""
        return (self.east - self.west) * KM_PER_DEGREE * cos(radians((self.north + self.south) / 2))


def cell_maps(
    title: str, sides: Mapping[str, Matrix], *, about: str, unit: str, box: Box | None = None, table: Table | None = None
) -> Picture:
    """A map of cells for each side, rows from south to north; with two sides also one of how they differ."""
    joined = {name: _joined(matrix) for name, matrix in sides.items()}
    most = max((value for matrix in joined.values() for row in matrix for value in row), default=0.0)
    panes = [_map(name, _levels(matrix, most), "h", box) for name, matrix in joined.items()]
    key = _amounts(most, unit)
    if len(joined) == 2:
        raw, released = joined.values()
        panes.append(_map("difference", _shares(raw, released), "v", box))
        key += _differences("\N{MINUS SIGN}50 % or less", "+50 % or more")
    tables = [_listed(title, sides)] if table is None else [table]
    return side_by_side(title, panes, tables, about=about, key=_key(key))


def week_maps(title: str, sides: Mapping[str, Matrix], *, rows: Sequence[str], about: str, unit: str) -> Picture:
    """The hours of some days for each side; with two sides also the difference, in shares of the busiest hour."""
    most = max((value for matrix in sides.values() for row in matrix for value in row), default=0.0)
    panes = [_week(name, _levels(matrix, most), "h", rows) for name, matrix in sides.items()]
    key = _amounts(most, unit)
    if len(sides) == 2:
        raw, released = sides.values()
        part = max(most, 1e-9)
        signed = [
            [_signed((b - a) / part, (0.01, 0.03, 0.05)) for a, b in zip(*pair, strict=True)]
            for pair in zip(raw, released, strict=True)
        ]
        panes.append(_week("difference", signed, "v", rows))
        key += _differences("\N{MINUS SIGN}5 % of the busiest hour", "+5 %")
    tables = [
        Table(
            caption=f"{title}, {name}",
            columns=("hour", *rows),
            rows=tuple((f"{hour:02d}:00", *(_plain(row[hour]) for row in matrix)) for hour in range(24)),
        )
        for name, matrix in sides.items()
    ]
    return side_by_side(title, panes, tables, about=about, key=_key(key))


@dataclass(frozen=True, kw_only=True)
class Flows:
    """From where to where among some named places, and how many lead from each to all others, and from all others to each."""

    inner: Matrix
    to_others: Sequence[float]
    from_others: Sequence[float]


def flow_maps(title: str, sides: Mapping[str, Flows], *, names: Sequence[str], others: int, about: str) -> Picture:
    """Where records begin (rows) and end (columns): the busiest places in order; all others stand apart, as numbers."""
    most = max((value for flows in sides.values() for row in flows.inner for value in row), default=0.0)
    panes = [_flow(name, flows, names, others, most) for name, flows in sides.items()]
    rest = f"{others} other"
    tables = [
        Table(
            caption=f"{title}, {name}",
            columns=("from \\ to", *names, *([rest] if others else [])),
            rows=tuple(
                (place, *map(_plain, row), *([_plain(flows.to_others[number])] if others else []))
                for number, (place, row) in enumerate(zip(names, flows.inner, strict=True))
            )
            + (((rest, *map(_plain, flows.from_others), None),) if others else ()),
        )
        for name, flows in sides.items()
    ]
    key = _amounts(most, "", logarithmic=True) + '<span><i class="swatch lit"></i>ends where it began</span>'
    cell = next((name for name in names if svg.short_cells(name) != name), None)
    key += "" if cell is None else f"<span>{escape(svg.short_cells(cell))} is {escape(cell)}</span>"
    return side_by_side(title, panes, tables, about=about, key=_key(key))


def pair_maps(  # noqa: PLR0913 - the parts of a picture
    title: str,
    sides: Mapping[str, Matrix],
    *,
    names: Sequence[str],
    about: str,
    most: float,
    least: float,
    lit: float | None = None,
) -> Picture:
    """Squares for pairs of the same names; what is below `least` is blank, and from `lit` on in the first side it is framed."""
    levels = {
        name: [
            [-1 if value < least else min(int((value - least) / max(most - least, 1e-9) * SHADES), SHADES - 1) for value in row]
            for row in matrix
        ]
        for name, matrix in sides.items()
    }
    first = next(iter(sides.values()), ())
    framed = [(r, c) for r, row in enumerate(first) for c, value in enumerate(row) if lit is not None and value >= lit]
    panes = [_square(name, level, names, framed) for name, level in levels.items()]
    tables = [
        Table(
            caption=f"{title}, {name}",
            columns=("", *names),
            rows=tuple((names[place], *map(_plain, row)) for place, row in enumerate(matrix)),
        )
        for name, matrix in sides.items()
    ]
    key = f"<span>below {shown(float(least))}: blank</span>" if least > 0 else ""
    key += _ramp(shown(float(least)) if least else "0", f"{shown(float(most))} or more", "h")
    if framed:
        key += f'<span><i class="swatch lit"></i>{escape(shown(float(lit or 0)))} or more in the raw data</span>'
    return side_by_side(title, panes, tables, about=about, key=_key(key))


# Levels: which colour a square has; -1 is empty.


def _levels(matrix: Matrix, most: float, *, logarithmic: bool = False) -> list[list[int]]:
    from math import log10  # noqa: PLC0415 - for one scale

    def level(value: float) -> int:
        if value <= 0 or most <= 0:
            return -1
        share = 1 + log10(value / most) / 2 if logarithmic else value / most
        return min(max(int(share * SHADES), 0), SHADES - 1)

    return [[level(float(value)) for value in row] for row in matrix]


def _shares(raw: Matrix, released: Matrix) -> list[list[int]]:
    """The colours of differences, in shares of what is raw; what has nothing on both sides is empty."""

    def level(before: float, after: float) -> int:
        if not before and not after:
            return -1
        return _signed((after - before) / before, STEPS) if before else len(DIFFERENCES) - 1

    return [[level(a, b) for a, b in zip(*rows, strict=True)] for rows in zip(raw, released, strict=True)]


def _signed(share: float, steps: tuple[float, float, float]) -> int:
    """The place of a colour of `DIFFERENCES`."""
    size = sum(abs(share) > step for step in steps)
    return 3 + size if share > 0 else 3 - size


def _joined(matrix: Matrix) -> list[list[float]]:
    """Blocks of cells, where there are more than a map can show."""
    rows, columns = len(matrix), len(matrix[0]) if len(matrix) else 0
    by = max(1, -(-max(rows, columns) // MOST_ROWS))
    return [
        [float(sum(sum(row[c : c + by]) for row in matrix[r : r + by])) for c in range(0, columns, by)]
        for r in range(0, rows, by)
    ]


# Panes.


def _squares(levels: Sequence[Sequence[int]], kind: str, place: tuple[float, float], size: tuple[float, float]) -> str:
    """One path per colour, because a square of its own would take ten times the space; rows run downward."""
    (x, y), (wide, tall), gap = place, size, 1.0 if min(size) > 8 else 0.0
    steps: dict[int, list[str]] = {}
    for row, values in enumerate(levels):
        for column, level in enumerate(values):
            steps.setdefault(level, []).append(
                f"M{x + column * wide:.1f} {y + row * tall:.1f}h{wide - gap:.1f}v{tall - gap:.1f}h-{wide - gap:.1f}z"
            )
    return "".join(
        svg.path("".join(each), class_="empty" if level < 0 else f"{kind}{level}") for level, each in sorted(steps.items())
    )


def _map(name: str, levels: Sequence[Sequence[int]], kind: str, box: Box | None) -> Pane:
    """A map with degrees and a scale if it is known where it lies, else with the numbers of rows and columns."""
    rows, columns = len(levels), max(len(levels[0]) if levels else 1, 1)
    wide = NARROW - LEFT - 6
    ratio = 1.0
    if box is not None:
        ratio = ((box.north - box.south) * KM_PER_DEGREE) / max(box.kilometres_wide, 1e-9) * columns / max(rows, 1)
    cell = wide / columns
    tall = min(cell * ratio, 420 / max(rows, 1))
    height = tall * rows
    parts = [_squares(list(reversed(levels)), kind, (LEFT, 4), (cell, tall))]
    if box is None:
        parts += [
            svg.text(LEFT - 6, 4 + tall / 2 + 4, f"row {rows}", anchor="end", class_="t"),
            svg.text(LEFT - 6, height - tall / 2 + 8, "row 1", anchor="end", class_="t"),
            svg.text(LEFT, height + 20, "column 1", class_="t"),
            svg.text(LEFT + wide, height + 20, f"column {columns}", anchor="end", class_="t"),
        ]
        return Pane(name=name, drawing="".join(parts), height=height + 28)
    parts += [_line_on(line, box, (wide, height)) for line in box.outline]
    for share in (0.0, 0.5, 1.0):
        north, east = box.south + share * (box.north - box.south), box.west + share * (box.east - box.west)
        parts.append(
            svg.text(LEFT - 6, 4 + height * (1 - share) + 4 + (6 if share == 1 else 0), f"{north:.2f}°", anchor="end", class_="t")
        )
        anchor = ("start", "middle", "end")[int(2 * share)]
        parts.append(svg.text(LEFT + wide * share, height + 20, f"{east:.2f}°", anchor=anchor, class_="t"))
    km = next((each for each in reversed(ROUND_KM) if each <= box.kilometres_wide / 3), 1)
    long = wide * km / max(box.kilometres_wide, 1e-9)
    parts.append(svg.path(f"M{LEFT} {height + 30}v8m0 -4h{long:.1f}m0 -4v8", class_="error"))
    parts.append(svg.text(LEFT + long + 6, height + 38, f"{km} km", class_="t"))
    return Pane(name=name, drawing="".join(parts), height=height + 46)


def _line_on(line: Sequence[tuple[float, float]], box: Box, size: tuple[float, float]) -> str:
    """A line of degrees on a map of this size."""
    across, up = size[0] / (box.east - box.west), size[1] / (box.north - box.south)
    places = (f"{LEFT + (east - box.west) * across:.1f} {4 + (box.north - north) * up:.1f}" for east, north in line)
    return svg.path("M" + "L".join(places), class_="coast")


def _week(name: str, levels: Sequence[Sequence[int]], kind: str, rows: Sequence[str]) -> Pane:
    wide, tall = (NARROW - LEFT + 6) / 24, 18.0
    parts = [_squares(levels, kind, (LEFT - 8, 4), (wide, tall))]
    parts += [
        svg.text(LEFT - 14, 4 + tall * row + 13, svg.clipped(words, 6), anchor="end", class_="t")
        for row, words in enumerate(rows)
    ]
    foot = 4 + tall * len(rows) + 14
    parts += [svg.text(LEFT - 8 + wide * hour, foot, f"{hour:02d}", class_="t") for hour in (0, 6, 12, 18)]
    return Pane(name=name, drawing="".join(parts), height=foot + 6)


def _flow(name: str, flows: Flows, names: Sequence[str], others: int, most: float) -> Pane:
    cell, top = 20.0, 76.0
    size = len(names)
    right = NAME + cell * size
    parts = [_squares(_levels(flows.inner, most, logarithmic=True), "h", (NAME, top), (cell, cell))]
    for place, words in enumerate(names):
        middle = top + cell * place
        parts.append(svg.text(NAME - 6, middle + 14, svg.clipped(words, 11), anchor="end", class_="t"))
        slanted = f"translate({NAME + cell * place + 13:.0f} {top - 6:.0f}) rotate(-60)"
        parts.append(svg.element("text", escape(svg.clipped(words, 11)), transform=slanted, class_="t"))
        parts.append(svg.element("rect", class_="lit", x=NAME + cell * place, y=middle, width=cell - 1, height=cell - 1))
        if others:
            parts.append(svg.text(right + 6, middle + 14, _short(flows.to_others[place]), class_="t"))
    if others:
        slanted = f"translate({right + 16:.0f} {top - 6:.0f}) rotate(-60)"
        parts.append(svg.element("text", f"{others} other", transform=slanted, class_="t"))
        parts.append(svg.text(NAME - 6, top + cell * size + 15, f"{others} other", anchor="end", class_="t"))
        for place, value in enumerate(flows.from_others):
            parts.append(
                svg.text(
                    NAME + cell * place + 9,
                    top + cell * size + 14 + 10 * (place % 2),
                    _short(value),
                    anchor="middle",
                    class_="tiny",
                )
            )
    return Pane(name=name, drawing="".join(parts), height=top + cell * size + (30 if others else 6), width=right + 46)


def _square(name: str, levels: Sequence[Sequence[int]], names: Sequence[str], framed: Sequence[tuple[int, int]]) -> Pane:
    size = max(len(names), 1)
    left, top, width = 90.0, 76.0, 420.0
    cell = min((width - left - 20) / size, 26.0)
    parts = [_squares(levels, "h", (left, top), (cell, cell))]
    for place, words in enumerate(names if cell >= 9 else ()):
        parts.append(svg.text(left - 6, top + cell * (place + 0.5) + 4, svg.clipped(words, 13), anchor="end", class_="t"))
        slanted = f"translate({left + cell * (place + 0.5) + 4:.0f} {top - 6:.0f}) rotate(-60)"
        parts.append(svg.element("text", escape(svg.clipped(words, 11)), transform=slanted, class_="t"))
    parts += [
        svg.element("rect", class_="lit", x=left + cell * column, y=top + cell * row, width=cell - 1, height=cell - 1)
        for row, column in framed
    ]
    return Pane(name=name, drawing="".join(parts), height=top + cell * size + 8, width=width)


# Keys and tables.


def _key(parts: str) -> str:
    return f'<div class="key">{parts}</div>'


def _ramp(low: str, high: str, kind: str) -> str:
    squares = "".join(f'<i class="{kind}{level}"></i>' for level in range(SHADES))
    return f'<span>{escape(low)}<span class="ramp">{squares}</span>{escape(high)}</span>'


def _amounts(most: float, unit: str, *, logarithmic: bool = False) -> str:
    low = f"{_short(most / 100)} or less" if logarithmic else "0"
    return _ramp(low, f"{_short(most)} {unit}".strip(), "h")


def _differences(low: str, high: str) -> str:
    return _ramp(low, high, "v")


def _listed(title: str, sides: Mapping[str, Matrix]) -> Table:
    """One row per cell that has something on any side."""
    matrices = list(sides.values())
    cells = [
        (row, column)
        for row, values in enumerate(matrices[0])
        for column in range(len(values))
        if any(m[row][column] for m in matrices)
    ]
    rows = tuple((f"row {row + 1} column {column + 1}", *(_plain(m[row][column]) for m in matrices)) for row, column in cells)
    return Table(caption=title, columns=("cell", *sides), rows=rows)


def _plain(value: float) -> Cell:
    return int(value) if float(value).is_integer() else round(float(value), 4)


def _short(value: float) -> str:
    """A number in as few signs as a square has room for.

    >>> [_short(each) for each in (0, 7, 940, 4310, 23_400, 1_200_000)]
    ['0', '7', '940', '4.3k', '23k', '1.2M']
    """
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.1f}{letter}" if value < 10 * size else f"{value / size:.0f}{letter}"
    return f"{value:.0f}" if value >= 1 or value == 0 else f"{value:.2g}"
