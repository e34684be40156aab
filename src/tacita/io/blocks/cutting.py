"""What is done with rows on the way to blocks: cut into pieces, wherever they are read, and put together, wherever they meet.

`Cut` is all that whoever moves pieces knows of them; it is sent to the workers of a cluster, so everything in it is public.
`EventsCut` makes lists of codes from rows of events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import polars as pl

from tacita.io.blocks.pieces import Block, BlockRules, assembled, cut_into_pieces
from tacita.io.long_rows import EventColumns, event_columns, without_empty_rows
from tacita.io.misfits import Misfits
from tacita.io.options import ReadOptions
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["Cut", "EventsCut"]


class Cut(Protocol):
    """How rows become blocks."""

    @property
    def buckets(self) -> int:
        """The number of blocks, a power of two."""
        ...

    @property
    def symbols(self) -> int:
        """No code is larger."""
        ...

    def pieces(self, parts: Iterable[pl.DataFrame], misfits: Misfits) -> Iterator[tuple[int, bytes]]:
        """The rows that fit, as pieces, each with the number of its block."""
        ...

    def assembled(self, pieces: Iterable[bytes | memoryview], *, number: int) -> Block:
        """The block that these pieces make up; a row that belongs elsewhere is refused."""
        ...


@dataclass(frozen=True, kw_only=True)
class EventsCut:
    """Rows of events, which become one list for each person or record."""

    universe: Universe = field(repr=False)
    options: ReadOptions
    grid: TimeGrid | None
    rules: BlockRules

    @classmethod
    def of(
        cls, universe: Universe, options: ReadOptions, grid: TimeGrid | None, *, buckets: int, are_sets: bool = False
    ) -> EventsCut:
        """The records of a person are told apart only if they are capped."""
        rules = BlockRules(
            symbols=len(universe) * (1 if grid is None else grid.intervals),
            are_sets=are_sets,
            per_person=options.per_person,
            buckets=buckets,
        )
        wanted = options if options.per_person.most is not None else options.without_record()
        return cls(universe=universe, options=wanted, grid=grid, rules=rules)

    @property
    def buckets(self) -> int:
        """The number of blocks."""
        return self.rules.buckets

    @property
    def symbols(self) -> int:
        """The number of symbols."""
        return self.rules.symbols

    def pieces(self, parts: Iterable[pl.DataFrame], misfits: Misfits) -> Iterator[tuple[int, bytes]]:
        """The rows that fit, encoded."""
        for rows in self._encoded(parts, misfits):
            yield from cut_into_pieces(rows, symbols=self.symbols, buckets=self.buckets)

    def _encoded(self, parts: Iterable[pl.DataFrame], misfits: Misfits) -> Iterator[EventColumns]:
        """The rows of each part; parts without any are left out."""
        for part in parts:
            rows = event_columns(without_empty_rows(part), misfits, universe=self.universe, options=self.options, grid=self.grid)
            if len(rows.codes):
                yield rows

    def assembled(self, pieces: Iterable[bytes | memoryview], *, number: int) -> Block:
        """One list for each person, or record."""
        return assembled(pieces, number=number, rules=self.rules)
