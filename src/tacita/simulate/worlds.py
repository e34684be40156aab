"""All worlds by name, and how to write one into a folder.

Everything written is public and simulated, and its README says so. A folder appears whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, runtime_checkable

import polars as pl

from tacita.errors import ParameterError
from tacita.formats import FileFormat, format_named, named_formats
from tacita.io.formats import table_of
from tacita.privacy.drafts import appearing
from tacita.privacy.release import require_new_folder
from tacita.public.taxonomy import ROOT, Taxonomy
from tacita.public.universe import Universe
from tacita.simulate.baskets import BasketWorld
from tacita.simulate.census import CensusWorld
from tacita.simulate.networks import CommutingWorld, NetworkWorld
from tacita.simulate.phones import PhoneWorld
from tacita.simulate.streams import StreamWorld
from tacita.simulate.trajectories import CityWorld, FareWorld
from tacita.simulate.transit import TransitWorld

__all__ = ["WORLDS", "World", "WorldKind", "make_world", "write_world"]

WRITTEN_AS = ("csv", "parquet")
"""The formats of worlds."""


class World(Protocol):
    """What every simulated world can do."""

    @property
    def kind(self) -> str:
        """The kind of data: sequences, sets, tables, trajectories, networks, streams or personal."""
        ...

    @property
    def description(self) -> str:
        """What this is, in a sentence."""
        ...

    @property
    def seed(self) -> int:
        """What makes two worlds of the same size differ."""
        ...

    @property
    def universe(self) -> Universe:
        """The public labels."""
        ...

    @property
    def taxonomy(self) -> Taxonomy:
        """The public tree over the labels."""
        ...

    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables of data, by file name; the first is named after the kind."""
        ...

    def statistics(self) -> dict[str, float]:
        """The figures that papers report for such data."""
        ...


@runtime_checkable
class DeclaresColumns(Protocol):
    """A world of tables, whose columns have trees and bounds of their own."""

    def declaration(self) -> dict[str, object]:
        """The declaration of the columns, as it is written to a JSON file."""
        ...


@dataclass(frozen=True, kw_only=True)
class WorldKind:
    """A world that is available by name: its default number of records, what a record is, and how it is made."""

    records: int
    unit: str
    make: Callable[[int, int], World]


WORLDS: Mapping[str, WorldKind] = MappingProxyType(
    {
        "metro": WorldKind(records=847_668, unit="passengers", make=lambda n, seed: TransitWorld.metro(passengers=n, seed=seed)),
        "bus": WorldKind(records=778_724, unit="passengers", make=lambda n, seed: TransitWorld.bus(passengers=n, seed=seed)),
        "stm": WorldKind(records=1_210_096, unit="passengers", make=lambda n, seed: TransitWorld.stm(passengers=n, seed=seed)),
        "stm342": WorldKind(
            records=1_210_096, unit="passengers", make=lambda n, seed: TransitWorld.stm342(passengers=n, seed=seed)
        ),
        "city80k": WorldKind(records=80_000, unit="people", make=lambda n, seed: CityWorld.city80k(people=n, seed=seed)),
        "stm460k": WorldKind(records=462_483, unit="passengers", make=lambda n, seed: FareWorld.stm460k(passengers=n, seed=seed)),
        "baskets": WorldKind(records=88_162, unit="baskets", make=lambda n, seed: BasketWorld.supermarket(baskets=n, seed=seed)),
        "census": WorldKind(records=30_162, unit="people", make=lambda n, seed: CensusWorld.adult(people=n, seed=seed)),
        "network": WorldKind(
            records=5_242, unit="vertices", make=lambda n, seed: NetworkWorld.collaboration(vertices=n, seed=seed)
        ),
        "stm-network": WorldKind(
            records=1_210_096, unit="passengers", make=lambda n, seed: CommutingWorld.stm(passengers=n, seed=seed)
        ),
        "phones": WorldKind(records=32, unit="people", make=lambda n, seed: PhoneWorld.reality(people=n, seed=seed)),
        "stream": WorldKind(records=10_000, unit="users", make=lambda n, seed: StreamWorld(users=n, seed=seed)),
    }
)


def make_world(name: str, *, records: int | None = None, seed: int = 0) -> World:
    """Make a world by name; by default it has as many records as the published data."""
    if name not in WORLDS:
        message = f"a world must be one of {', '.join(WORLDS)}, got {name!r}"
        raise ParameterError(message)
    if seed < 0 or (records is not None and records < 1):
        message = f"a world needs at least one record and a seed that is not negative, got {records} records and seed {seed}"
        raise ParameterError(message)
    world = WORLDS[name]
    return world.make(world.records if records is None else records, seed)


def write_world(world: World, folder: str | Path, *, file_format: FileFormat = FileFormat.CSV) -> Path:
    """Write data, `universe.txt`, `taxonomy.csv` and `README.md` into a new folder; either all of it or nothing.

    A world of tables has `columns.json` instead of labels and tree.

    The data file is named after the kind. Parquet and CSV hold long rows; a network is written as a SNAP edge list
    (`networks.txt`) instead of CSV.
    """
    if str(file_format) not in WRITTEN_AS:
        message = f"a world can be written as {named_formats(WRITTEN_AS)}, got {str(file_format)!r}"
        raise ParameterError(message)
    folder = require_new_folder(folder)
    with appearing(folder, what="the world cannot be written to") as draft:
        try:
            chosen = format_named(file_format)
            names = [_write_table(draft, name, table, chosen) for name, table in world.tables().items()]
            if not isinstance(world, DeclaresColumns):
                _edges(world.taxonomy).write_csv(draft / "taxonomy.csv")
        except pl.exceptions.PolarsError as error:
            raise OSError(str(error)) from None  # how Polars reports a full disk
        if isinstance(world, DeclaresColumns):
            (draft / "columns.json").write_text(json.dumps(world.declaration(), indent=1) + "\n", encoding="utf-8")
        else:
            (draft / "universe.txt").write_text("\n".join(world.universe.labels) + "\n", encoding="utf-8")
        (draft / "README.md").write_text(_readme(world, names), encoding="utf-8")
    return folder


def _write_table(folder: Path, name: str, table: pl.DataFrame, file_format: FileFormat) -> str:
    """Write one table and return its file name."""
    if name != "networks" or not file_format.is_text:
        named = f"{name}{file_format.ending}"
        table_of(file_format).write(folder / named, table, None)
        return named
    with (folder / "networks.txt").open("wb") as file:
        file.write(f"# Undirected graph, simulated\n# Edges: {len(table)}, each once\n# FromNodeId\tToNodeId\n".encode())
        table.write_csv(file, separator="\t", include_header=False)
    return "networks.txt"


def _edges(taxonomy: Taxonomy) -> pl.DataFrame:
    """(child, parent) for every node except those below the nameless root, which need no line to be read back."""
    pairs = [(node, parent) for node, parent in enumerate(taxonomy.parents) if parent >= 0 and taxonomy.name(parent) != ROOT]
    children, parents = ([taxonomy.name(pair[side]) for pair in pairs] for side in (0, 1))
    return pl.DataFrame({"child": children, "parent": parents})


def _readme(world: World, names: list[str]) -> str:
    files = ", ".join(f"`{name}`" for name in names)
    public = "Public labels: `universe.txt`; the tree over them: `taxonomy.csv` (columns child, parent)."
    if isinstance(world, DeclaresColumns):
        public = "The declared columns, with their trees and bounds: `columns.json`."
    return f"""# Simulated {world.kind}

Public data, made by Tacita's simulator with seed {world.seed}; nobody's data.

{world.description[0].upper()}{world.description[1:]}.

Data: {files}. {public}
"""
