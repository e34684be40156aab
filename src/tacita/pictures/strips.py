"""Strips: one column per place, one row per side, for what happened place by place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tacita.pictures import svg
from tacita.pictures.picture import WIDTH, Picture
from tacita.pictures.style import SERIES
from tacita.pictures.tables import Cell, Table

__all__ = ["Block", "strip_plot"]

NAMES, ROW, FULL = 62, 48, 38.0


@dataclass(frozen=True, kw_only=True)
class Block:
    """What stands at one place: a name, and how much of it is seen; what is not `whole` is a grey stump of this height."""

    name: str
    whole: bool = True
    height: float = 1.0


def strip_plot(title: str, rows: Mapping[str, Sequence[Block | None]], *, about: str = "", first: int = 1) -> Picture:
    """A picture of some rows of blocks; None leaves a gap, `first` is the number of the first place."""
    size = max((len(row) for row in rows.values()), default=1)
    wide = (WIDTH - NAMES - 4) / max(size, 1)
    order = dict.fromkeys(block.name for row in rows.values() for block in row if block is not None and block.whole)
    series = {name: place % SERIES for place, name in enumerate(order)}
    parts = []
    for number, (side, row) in enumerate(rows.items()):
        bottom = 8 + ROW * number + FULL
        parts.append(svg.text(0, bottom - FULL / 2 + 4, side))
        for place, block in enumerate(row):
            if block is not None:
                tall = FULL * block.height
                fill = f"f{series[block.name]}" if block.whole else "group"
                parts.append(svg.rect(NAMES + place * wide, bottom - tall, max(wide * 0.9, 0.5), tall, class_=fill))
    bottom = 8 + ROW * len(rows)
    ends = ((NAMES, first, "start"), (WIDTH - 4, first + size - 1, "end"))
    parts += [svg.text(x, bottom + 10, f"place {place:,}", anchor=anchor, class_="tick") for x, place, anchor in ends]
    names: list[tuple[Cell, ...]] = [(first + place, *(_name(row, place) for row in rows.values())) for place in range(size)]
    return Picture(
        title=title,
        about=about or "One column per place, coloured by symbol; a group is a grey stump, the shorter the more it hides.",
        drawing="".join(parts),
        height=bottom + 16,
        tables=(Table(caption=title, columns=("place", *rows), rows=tuple(names)),),
    )


def _name(row: Sequence[Block | None], place: int) -> str:
    block = row[place] if place < len(row) else None
    return "(nothing)" if block is None else block.name
