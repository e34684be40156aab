"""The files that the benchmarks use, made by the public simulator."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree
from tacita.simulate import TransitWorld

__all__ = ["Plan", "TransitFiles"]

WEEK_SECONDS, INTERVALS = 7 * 24 * 60 * 60, 24


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a file is read and published."""

    universe: Universe
    tree: PrefixTree
    grid: TimeGrid | None = None


@dataclass(frozen=True, kw_only=True)
class TransitFiles:
    """Taps of some passengers as long rows, in several files with the same content."""

    folder: Path
    passengers: int

    @property
    def labels(self) -> list[str]:
        """The stations."""
        return list(self._world.universe.labels)

    def plans(self) -> dict[str, Plan]:
        """The variants that are measured: simple and hybrid, without times and with the week in 24 parts; and continued."""
        world = self._world
        grid = TimeGrid(start=0, interval=WEEK_SECONDS // INTERVALS, intervals=INTERVALS)
        simple, hybrid = PrefixTree(height=12), PrefixTree(height=12, taxonomy=world.taxonomy)
        return {
            "simple": Plan(universe=world.universe, tree=simple),
            "hybrid": Plan(universe=world.universe, tree=hybrid),
            "simple with times": Plan(universe=world.universe, tree=simple, grid=grid),
            "hybrid with times": Plan(universe=world.universe, tree=hybrid, grid=grid),
            "simple, continued": Plan(universe=world.universe, tree=PrefixTree(height=12, lost="continue")),
        }

    @property
    def _world(self) -> TransitWorld:
        return TransitWorld.stm(passengers=self.passengers)

    def path(self, ending: str) -> Path:
        """The path of the file whose name ends like this."""
        return self.folder / f"taps-{self.passengers}{ending}"

    def make(self, *endings: str) -> None:
        """Write the files: `.parquet` and `.csv` ordered by passenger, `-by-time.parquet` as a validator writes them."""
        frame = self._world.tables()["sequences"]
        for ending in endings:
            if ending == "-by-time.parquet":
                frame.sort("time").write_parquet(self.path(ending))
            elif ending == ".parquet":
                frame.write_parquet(self.path(ending))
            else:
                frame.write_csv(self.path(ending))

    def decoded_bytes(self) -> int:
        """The size of the three columns in memory as Arrow: 8 bytes per id, 8 per time, a 16-byte view per label."""
        rows = pl.scan_parquet(self.path(".parquet")).select(pl.len()).collect().item()
        return int(rows) * (8 + 8 + 16)
