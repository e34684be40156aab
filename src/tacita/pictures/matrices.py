"""Matrices as squares, the darker the more they hold (on a log scale), one or several side by side on the same scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10

from tacita.pictures import svg
from tacita.pictures.picture import WIDTH, Cell, Picture, Table, shown
from tacita.pictures.svg import SHADES

__all__ = ["matrix_plot"]

Matrix = Sequence[Sequence[float]]

GAP, TOP, MOST_NAMES, LONGEST_NAME = 24, 26, 26, 16
SMALL = 14
"""Names of rows that are less tall than this are written smaller."""
SHADING = "The stronger its colour, the more a square holds, on a log scale; empty ones hold nothing."
DECADES = 3.0
"""How far down shades tell values apart: the lightest stands for everything below a thousandth of the largest."""


def matrix_plot(
    title: str, sides: Mapping[str, Matrix], *, names: Sequence[str], axes: tuple[str, str], about: str = "", numbers: bool = True
) -> Picture:
    """A picture of square matrices over the same `names`; `axes` say what rows and columns are.

    Without `numbers`, the tables behind it hold the largest squares only.
    """
    size = len(names)
    named, longest = size <= MOST_NAMES, LONGEST_NAME if len(sides) == 1 else LONGEST_NAME - 4
    left = 16 + (10 + svg.CHARACTER * min(max((len(name) for name in names), default=1), longest) if named else 0)
    wide = min((WIDTH - left - 8 - GAP * (len(sides) - 1)) / max(len(sides), 1), 440.0)
    most = max((max(map(float, row), default=0.0) for matrix in sides.values() for row in matrix), default=0.0)
    parts = [svg.text(10, TOP + wide / 2, axes[0], anchor="middle", turned=True)]
    for place, (name, matrix) in enumerate(sides.items()):
        start = left + place * (wide + GAP)
        parts.append(svg.text(start, TOP - 8, f"{name}: {axes[1]} →"))
        parts.append(_squares(matrix, most, start, wide / max(size, 1)))
        parts.append(svg.rect(start, TOP, wide, wide, class_="frame"))
    if named:
        cell = wide / max(size, 1)
        parts += [
            svg.text(
                left - 5,
                TOP + cell * (row + 0.5) + 4,
                svg.clipped(name, longest),
                anchor="end",
                class_="tick" if cell > SMALL else "tick small",
            )
            for row, name in enumerate(names)
        ]
    return Picture(
        title=title,
        about=about or f"Rows: {axes[0]}. Columns, in the same order: {axes[1]}. {SHADING}",
        drawing="".join([*parts, _key(most, (left, TOP + wide + 12), are_counts=_are_counts(sides))]),
        height=TOP + wide + 46,
        tables=tuple(_table(title, name, matrix, names, axes, numbers=numbers) for name, matrix in sides.items()),
    )


def _shade(value: float, most: float) -> int:
    share = 1 + log10(value / most) / DECADES
    return min(max(int(share * SHADES), 0), SHADES - 1)


def _squares(matrix: Matrix, most: float, start: float, cell: float) -> str:
    """One path per shade, because a square of its own would take ten times the space; equal neighbours in a row are one."""
    steps: dict[int, list[str]] = {}
    for row, values in enumerate(matrix):
        shades = [_shade(float(value), most) if value > 0 else -1 for value in values]
        begin = 0
        while begin < len(shades):
            end = begin + 1
            while end < len(shades) and shades[end] == shades[begin]:
                end += 1
            if shades[begin] >= 0:
                wide = cell * (end - begin)
                steps.setdefault(shades[begin], []).append(
                    f"M{start + begin * cell:.1f} {TOP + row * cell:.1f}h{wide:.1f}v{cell:.1f}h-{wide:.1f}z"
                )
            begin = end
    return "".join(svg.path("".join(each), class_=f"h{shade}") for shade, each in sorted(steps.items()))


def _are_counts(sides: Mapping[str, Matrix]) -> bool:
    return all(float(value).is_integer() for matrix in sides.values() for row in matrix for value in row)


def _key(most: float, place: tuple[float, float], *, are_counts: bool) -> str:
    """The shades, and what they stand for."""
    x, y = place
    parts = [svg.rect(x + 26 * shade, y, 26, 12, class_=f"h{shade}") for shade in range(SHADES)]
    least = most * 10**-DECADES
    words = shown(max(1, round(least))) if are_counts else f"{least:.2g}"
    parts.append(svg.text(x, y + 27, f"{words} or less", class_="tick"))
    largest = shown(float(most)) if are_counts else f"{most:.2g}"
    parts.append(svg.text(x + 26 * SHADES, y + 27, largest, anchor="end", class_="tick"))
    return "".join(parts)


def _table(title: str, name: str, matrix: Matrix, names: Sequence[str], axes: tuple[str, str], *, numbers: bool) -> Table:
    if numbers:
        rows: list[tuple[Cell, ...]] = [(names[row], *(_number(value) for value in values)) for row, values in enumerate(matrix)]
        return Table(caption=f"{title}, {name}", columns=(f"{axes[0]} \\ {axes[1]}", *names), rows=tuple(rows))
    cells = [(float(value), row, column) for row, values in enumerate(matrix) for column, value in enumerate(values) if value > 0]
    largest = sorted(cells, key=lambda cell: (-cell[0], cell[1], cell[2]))[:100]
    found = tuple((names[row], names[column], _number(value)) for value, row, column in largest)
    return Table(caption=f"{title}, {name}: the {len(found)} largest squares", columns=(axes[0], axes[1], "value"), rows=found)


def _number(value: float) -> Cell:
    return int(value) if float(value).is_integer() else float(value)
