"""Real and simulated movements as sequences, for measurements; what is real is read from the folder that TACITA_DATA names.

Where a record is less than what a person did (a journey, a taxi's day), the release protects that record, not the person.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged, chosen, offsets_of
from tacita.io import declared_universe
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import SequenceRecords, read_sequences
from tacita.simulate import TransitWorld
from tacita_papers.reproduce.data.files import data_file
from tacita_papers.reproduce.data.nearer import as_skewed_as_oyster, with_partners
from tacita_papers.reproduce.experiment import Scale

__all__ = ["MOVEMENTS", "Movements", "cut", "movements"]

HOURS = 27  # of a traffic day: 25:10 is ten past one of the next morning
WEST, EAST, SOUTH, NORTH, CELLS, BLOCK = 116.2, 116.6, 39.8, 40.05, 16, 4
DAY = 24 * 60 * 60


@dataclass(frozen=True, kw_only=True)
class Movements:
    """Records, a public taxonomy of their places, and the height and the queries to measure them with."""

    records: SequenceRecords
    taxonomy: Taxonomy
    height: int = 12
    longest_query: int = 12
    subsets: int = 4

    def places(self, sequences: Ragged) -> Ragged:
        """The sequences without their times."""
        return Ragged(sequences.codes % len(self.records.universe), sequences.offsets)


def cut(sequences: Ragged, longest: int) -> Ragged:
    """The first `longest` codes of each sequence."""
    owners = np.repeat(sequences.offsets[:-1], sequences.lengths)
    kept = np.arange(sequences.codes.size) - owners < longest
    return Ragged(sequences.codes[kept], offsets_of(np.minimum(sequences.lengths, longest)))


def _simulated(world: TransitWorld) -> Movements:
    records = SequenceRecords(sequences=world.sequences(), universe=world.universe)
    return Movements(records=records, taxonomy=world.taxonomy)


def msnbc() -> Movements:
    """Page categories in the order of visits; one record a user. Groups of four by number, which mean nothing."""
    path = data_file("msnbc", "msnbc990928.seq.gz")
    universe = declared_universe(path)
    taxonomy = Taxonomy.balanced(universe, fan_out=4)
    return Movements(records=read_sequences(path, universe=universe), taxonomy=taxonomy)


def oyster(*, with_hours: bool) -> Movements:
    """Entry and exit of rail journeys; one record a journey. Groups of twenty stations by alphabet, which mean nothing.

    The stations are those that occur: the agency's public list is not at hand. A few exits are noted before their entry; as
    in every file with times, the earlier comes first.
    """
    frame = pl.read_csv(data_file("oyster", "oyster_rail_journeys.csv.gz"))
    labels = pl.concat([frame["start_station"], frame["end_station"]]).unique().sort()
    universe = Universe(labels.to_list())
    stations = [frame[name].cast(pl.Enum(labels)).to_physical().to_numpy() for name in ("start_station", "end_station")]
    codes = np.column_stack(stations).astype(np.int64)
    grid = None
    if with_hours:
        grid = TimeGrid(start=0, interval=60, intervals=HOURS)
        minutes = np.column_stack([_minutes(frame[name]) for name in ("entry_time", "exit_time")])
        order = np.argsort(minutes, axis=1, kind="stable")
        codes, minutes = (np.take_along_axis(table, order, axis=1) for table in (codes, minutes))
        codes = grid.places(minutes) * len(universe) + codes
    sequences = Ragged(codes.astype(np.int32).ravel(), np.arange(0, codes.size + 1, 2))
    records = SequenceRecords(sequences=sequences, universe=universe, grid=grid)
    return Movements(records=records, taxonomy=Taxonomy.balanced(universe, fan_out=20), height=2, longest_query=2, subsets=2)


def _minutes(clock: pl.Series) -> Integers:
    parts = clock.str.split_exact(":", 1)
    hours, minutes = (parts.struct.field(f"field_{place}").cast(pl.Int64).to_numpy() for place in (0, 1))
    return np.asarray(60 * hours + minutes, dtype=np.int64)


def tdrive() -> Movements:
    """Cells of a public grid in the order in which a taxi entered them on one day; one record a day. Groups: blocks of 4 x 4."""
    frame = pl.read_csv(data_file("tdrive", "tdrive_600taxis.csv.gz")).sort("taxi", "unix_time", maintain_order=True)
    inside = pl.col("lon").is_between(WEST, EAST, closed="left") & pl.col("lat").is_between(SOUTH, NORTH, closed="left")
    frame = frame.filter(inside).with_columns(
        column=((pl.col("lon") - WEST) / (EAST - WEST) * CELLS).floor().cast(pl.Int32).clip(0, CELLS - 1),
        row=((pl.col("lat") - SOUTH) / (NORTH - SOUTH) * CELLS).floor().cast(pl.Int32).clip(0, CELLS - 1),
        day=pl.col("unix_time") // DAY,
    )
    codes = (frame["row"] * CELLS + frame["column"]).to_numpy()
    taxi, day = frame["taxi"].to_numpy(), frame["day"].to_numpy()
    begins = np.concatenate([[True], (taxi[1:] != taxi[:-1]) | (day[1:] != day[:-1])])
    entered = begins | np.concatenate([[True], codes[1:] != codes[:-1]])
    lengths = np.bincount(np.cumsum(begins)[entered] - 1)
    names = [
        (f"r{row:02d}c{column:02d}", f"block {row // BLOCK} {column // BLOCK}") for row in range(CELLS) for column in range(CELLS)
    ]
    universe = Universe([name for name, _ in names])
    records = SequenceRecords(sequences=Ragged(codes[entered].astype(np.int32), offsets_of(lengths)), universe=universe)
    return Movements(records=records, taxonomy=Taxonomy.from_edges(names, universe=universe))


def foursquare_days() -> Movements:
    """Cells of a public grid over New York in the order of a person's check-ins on one day; one record a day. Blocks of 4 x 4."""
    west, east, south, north = -74.05, -73.85, 40.65, 40.85
    places = pl.read_csv(data_file("foursquare_nyc", "nyc_pois.csv.gz"))
    frame = pl.read_csv(data_file("foursquare_nyc", "nyc_checkins.csv.gz")).join(
        places, on="poi", how="inner", maintain_order="left"
    )
    inside = pl.col("lon").is_between(west, east, closed="left") & pl.col("lat").is_between(south, north, closed="left")
    frame = frame.filter(inside).with_columns(
        column=((pl.col("lon") - west) / (east - west) * CELLS).floor().cast(pl.Int32).clip(0, CELLS - 1),
        row=((pl.col("lat") - south) / (north - south) * CELLS).floor().cast(pl.Int32).clip(0, CELLS - 1),
        day=pl.col("minute") // (24 * 60),
    )
    frame = frame.sort("user", "minute", maintain_order=True)
    user, day = frame["user"].to_numpy(), frame["day"].to_numpy()
    begins = np.concatenate([[True], (user[1:] != user[:-1]) | (day[1:] != day[:-1])])
    codes = (frame["row"] * CELLS + frame["column"]).to_numpy().astype(np.int32)
    names = [
        (f"r{row:02d}c{column:02d}", f"block {row // BLOCK} {column // BLOCK}") for row in range(CELLS) for column in range(CELLS)
    ]
    universe = Universe([name for name, _ in names])
    records = SequenceRecords(sequences=Ragged(codes, offsets_of(np.bincount(np.cumsum(begins) - 1))), universe=universe)
    return Movements(records=records, taxonomy=Taxonomy.from_edges(names, universe=universe))


def _first(data: Movements, records: int) -> Movements:
    """The first records only."""
    sequences = data.records.sequences
    if len(sequences) <= records:
        return data
    return replace(data, records=replace(data.records, sequences=chosen(sequences, np.arange(records))))


MOVEMENTS: dict[str, Callable[[], Movements]] = {
    "Metro (simulated)": lambda: _simulated(TransitWorld.metro()),
    "Bus (simulated)": lambda: _simulated(TransitWorld.bus()),
    "MSNBC": msnbc,
    "Oyster": lambda: oyster(with_hours=False),
    "Oyster with hours": lambda: oyster(with_hours=True),
    "T-Drive": tdrive,
    "Foursquare days": foursquare_days,
}

SIMULATED: dict[str, Callable[[Scale], Movements]] = {
    "Metro": lambda scale: _simulated(TransitWorld.metro(passengers=scale.records(847_668))),
    "Bus": lambda scale: _simulated(TransitWorld.bus(passengers=scale.records(778_724))),
    "STM": lambda scale: _simulated(TransitWorld.stm(passengers=scale.records(1_210_096))),
    "STM-342": lambda scale: _simulated(TransitWorld.stm342(passengers=scale.records(1_210_096))),
    "Metro (as skewed as Oyster)": lambda scale: _simulated(
        as_skewed_as_oyster(TransitWorld.metro(passengers=scale.records(847_668)))
    ),
    "STM-342 (as skewed as Oyster)": lambda scale: _simulated(
        as_skewed_as_oyster(TransitWorld.stm342(passengers=scale.records(1_210_096)))
    ),
    "Bus (16 partners)": lambda scale: _simulated(with_partners(TransitWorld.bus(passengers=scale.records(778_724)))),
    "STM (16 partners)": lambda scale: _simulated(with_partners(TransitWorld.stm(passengers=scale.records(1_210_096)))),
}


@lru_cache(maxsize=2)
def movements(name: str, scale: Scale) -> Movements:
    """A collection by name at a scale; raises MissingDataError if it is real and not there."""
    if name in SIMULATED:
        return SIMULATED[name](scale)
    data = MOVEMENTS[name]()
    return _first(data, scale.records(len(data.records.sequences)))
