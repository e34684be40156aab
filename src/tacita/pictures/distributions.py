"""Pictures that several kinds share: how often each size occurs, and the labels that occur most.

Both take counts by side (`raw`, `released`). What is chosen to be shown is chosen by the last side, the release, so that a page
without raw figures and one with them show the same things.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacita.pictures.bars import Bars, bar_plot
from tacita.pictures.lines import Axis, Line, line_plot
from tacita.pictures.picture import Picture

__all__ = ["largest_places", "most_frequent", "shares_by_size"]

MOST_SIZES, TOP = 40, 20


def shares_by_size(title: str, counts: Mapping[str, Sequence[int]], *, x_label: str, y_label: str, first: int = 0) -> Picture:
    """The share of each size, by side; `counts[side][n]` is how many have size n, and very large sizes are one."""
    longest = max((len(each) for each in counts.values()), default=1)
    most = min(longest - 1, MOST_SIZES)
    names = [str(size) for size in range(first, most)] + [str(most) if most == longest - 1 else f"{most} or more"]
    lines = []
    for side, each in counts.items():
        whole = max(sum(each), 1)
        sizes = [each[size] if size < len(each) else 0 for size in range(first, most)] + [sum(each[most:])]
        lines.append(Line(name=side, values=[size / whole for size in sizes]))
    return line_plot(title, lines, x=Axis(label=x_label, names=names), y=Axis(label=y_label, percent=True))


def most_frequent(
    title: str,
    labels: Sequence[str],
    counts: Mapping[str, Sequence[float]],
    *,
    unit: str,
    as_line: bool = False,
    top: int | None = TOP,
) -> Picture:
    """The labels with the largest counts of the last side, or all of them in their order, as stops of a line."""
    chosen = range(len(labels)) if as_line or top is None else largest_places(list(counts.values())[-1], top)
    series = [Bars(name=side, values=[each[place] for place in chosen]) for side, each in counts.items()]
    return bar_plot(title, [labels[place] for place in chosen], series, unit=unit, as_line=as_line)


def largest_places(values: Sequence[float], most: int) -> list[int]:
    """The places of the largest values, largest first; of equal ones the first.

    >>> largest_places([3, 9, 3, 7], 3)
    [1, 3, 0]
    """
    return sorted(range(len(values)), key=lambda place: (-values[place], place))[:most]
