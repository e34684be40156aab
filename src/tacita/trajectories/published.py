"""Published trajectories: what suppression left of each record, with its attributes, and how a release is read from its folder.

Records are in an order that depends on nothing but what is published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Booleans
from tacita.arrays.ragged import Ragged, are_sets, offsets_of
from tacita.errors import InputError, ParameterError
from tacita.io import (
    FileFormat,
    Framed,
    LongColumns,
    StoredFormat,
    format_of,
    read_manifest,
    read_released,
    release_universe,
    released_cells,
    require_kind,
    writable_format,
    write_outlines,
    write_universe,
)
from tacita.io.formats import rows_of
from tacita.io.writing import write_frame
from tacita.pictures import Picture
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.trajectories.places import PLACES, PlaceGroups, public_places
from tacita.trajectories.requirement import LinkagePrivacy, Requirement, SensitiveGroup

__all__ = [
    "ATTRIBUTES",
    "PublishedTrajectories",
    "opened_trajectories",
    "promised",
    "read_published_trajectories",
    "stated_requirement",
]

ATTRIBUTES = "attributes"
"""The name of the file with the attributes of each record, beside the data."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedTrajectories(Framed):
    """Sets of (place, interval) pairs, and one row of attributes per record; quasi-identifiers that were suppressed are null.

    A record may have no pair of place and time left if it still has a quasi-identifier.
    """

    trajectories: Ragged = field(repr=False)
    universe: Universe = field(repr=False)
    grid: TimeGrid
    attributes: pl.DataFrame | None = field(default=None, repr=False)
    quasi_identifiers: tuple[str, ...] = ()
    requirement: Requirement
    file_format: FileFormat = FileFormat.CSV
    columns: LongColumns = field(default_factory=LongColumns)
    places: PlaceGroups | None = None

    def __post_init__(self) -> None:
        """Check that every record is a set of codes that have labels, and has attributes if any has."""
        instance_of(self.trajectories, Ragged, name="the trajectories")
        codes = self.trajectories.codes
        filled = Ragged(codes, self.trajectories.offsets[np.append(True, self.trajectories.lengths > 0)])
        if codes.size and (not 0 <= int(codes.min()) <= int(codes.max()) < len(self.universe) * self.grid.intervals):
            message = "every code of a trajectory must represent a place and an interval of the grid"
            raise ParameterError(message)
        if not are_sets(filled) or (self.attributes is not None and len(self.attributes) != len(self.trajectories)):
            message = "the codes of a trajectory must strictly increase, and all must have a row of attributes, or none"
            raise ParameterError(message)

    @property
    def public(self) -> PublicInputs:
        """Everything public that they were made with."""
        return public_places(self.universe, self.grid, self.places)

    @property
    def kind(self) -> str:
        """The kind of data, as in a manifest."""
        return "trajectories"

    def __len__(self) -> int:
        """The number of records."""
        return len(self.trajectories)

    def sensitive_flags(self) -> Booleans:
        """One row per record, one column per sensitive group of the requirement."""
        flags = np.zeros((len(self), len(self.requirement.groups)), dtype=np.bool_)
        for place, group in enumerate(self.requirement.groups):
            if self.attributes is not None and group.attribute in self.attributes.columns:
                flags[:, place] = self.attributes[group.attribute].is_in(list(group.values)).fill_null(value=False).to_numpy()
        return flags

    def facts(self, values: Sequence[tuple[str, str]] | None = None) -> Ragged:
        """What each record shows to somebody who knows quasi-identifiers too: its pairs, and codes of (attribute, value) behind.

        These are numbered as in `values`; all that are shown, if not given.
        """
        table, lists = self.attributes, self.trajectories
        shown = {} if table is None else {name: table[name] for name in self.quasi_identifiers}
        if values is None:
            values = [(name, value) for name, column in shown.items() for value in column.drop_nulls().unique().sort()]
        owners, codes = [np.repeat(np.arange(len(lists)), lists.lengths)], [lists.codes.astype(np.int64)]
        for code, (name, value) in enumerate(values, start=len(self.universe) * self.grid.intervals):
            if name in shown:
                owners.append((shown[name] == value).fill_null(value=False).arg_true().to_numpy())
                codes.append(np.full(owners[-1].size, code, dtype=np.int64))
        owner, code_of = np.concatenate(owners), np.concatenate(codes)
        order = np.lexsort((code_of, owner))
        return Ragged(code_of[order].astype(np.int32), offsets_of(np.bincount(owner, minlength=len(lists))))

    def pictures(self) -> list[Picture]:
        """Pictures of the release alone."""
        from tacita.trajectories.pictures import trajectory_pictures  # noqa: PLC0415 - a publication draws nothing

        return trajectory_pictures({"released": self.trajectories}, universe=self.universe, grid=self.grid)

    def frame(self) -> pl.DataFrame:
        """One row per pair: the number of the record, the place, and the beginning of the interval."""
        lengths = self.trajectories.lengths
        labels = pl.Series(self.columns.label, self.universe.labels, dtype=pl.String)
        beginnings = pl.Series(self.columns.time or "time", self.grid.beginnings)
        codes = self.trajectories.codes
        return pl.DataFrame(
            [
                pl.Series(self.columns.person, np.repeat(np.arange(1, len(self) + 1), lengths)),
                labels.gather(codes % len(self.universe)),
                beginnings.gather(codes // len(self.universe)),
            ]
        )

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write `trajectories.*` and, if there are attributes, `attributes.*` in the same format; and what is public."""
        wanted = self.file_format if file_format is None else file_format
        stored = StoredFormat.parse(writable_format(wanted, self.universe, grid=self.grid))
        path = folder / f"trajectories{stored.ending}"
        write_frame(path, self.frame(), stored=stored)
        if self.attributes is not None:
            numbers = pl.Series(self.columns.person, np.arange(1, len(self) + 1))
            numbered = self.attributes.clone().insert_column(0, numbers)
            write_frame(folder / f"{ATTRIBUTES}{stored.ending}", numbered, stored=stored)
        write_universe(folder, self.universe)
        if self.places is not None:
            if self.places.fine.cells is not None and self.places.fine.cells.is_outlined:
                write_outlines(folder, self.places.fine.cells)
            write_frame(folder / f"{PLACES}.csv", self.places.frame(), stored=StoredFormat.parse("csv"))
        return path


# Reading a release back from its folder, for anyone who receives it or judges it.


def read_published_trajectories(folder: str | Path) -> PublishedTrajectories:
    """Read the trajectories of a release folder; it must be whole."""
    manifest = read_manifest(folder)
    return opened_trajectories(Path(folder), manifest)


def opened_trajectories(folder: Path, manifest: Mapping[str, Any], *, public: PublicInputs = UNKNOWN) -> PublishedTrajectories:
    """The trajectories of a release whose manifest was read; public inputs that are not given are taken from the folder."""
    require_kind(folder, manifest, kind="trajectories")
    beside_data = {str(file.get("role")): Path(file["name"]).name for file in manifest["files"]}
    coarser = PLACES in beside_data  # then a universe that was given is that of the private file
    universe = release_universe(folder, manifest, None if coarser else public.universe)
    cells = released_cells(manifest)
    places = PlaceGroups.from_frame(_frame(folder / beside_data[PLACES]), coarse=universe, cells=cells) if coarser else None
    if places is not None and public.universe is not None and public.universe != places.fine:
        message = f"the release {str(folder)!r} was made of other places than those of the universe that was given"
        raise ParameterError(message)
    grid = _grid(folder, manifest)
    if public.grid is not None and not grid.is_coarser_than(public.grid):  # a grid that was given is that of the private file
        message = f"the release {str(folder)!r} was made with another time grid than the one given"
        raise ParameterError(message)
    found = read_released(folder, manifest, universe=universe, ordered=True, grid=grid)
    beside = next((file["name"] for file in manifest["files"] if file.get("role") == ATTRIBUTES), None)
    lists, table = found.lists, None
    if beside is not None:
        table = _frame(folder / Path(beside).name)
        lists = _at_numbers(lists, _frame(folder / _data_name(manifest))[found.columns.person], len(table))
        table = table.drop(table.columns[0])
    sensitive = {group.attribute for group in stated_requirement(manifest).groups}
    return PublishedTrajectories(
        trajectories=lists,
        universe=universe,
        grid=grid,
        attributes=table,
        quasi_identifiers=() if table is None else tuple(name for name in table.columns if name not in sensitive),
        requirement=stated_requirement(manifest),
        file_format=found.file_format,
        columns=found.columns,
        places=places,
    )


def stated_requirement(manifest: Mapping[str, Any]) -> Requirement:
    """What a manifest says that a release satisfies."""
    stated = manifest["guarantee"]
    try:
        groups = tuple(
            SensitiveGroup(attribute=group["attribute"], values=group["values"], confidence=group["confidence"])
            for group in stated["sensitive"]
        )
        return Requirement(crowd=stated["crowd"], known_pairs=stated["known_pairs"], groups=groups)
    except (KeyError, TypeError, ParameterError):
        message = "the manifest of a release of trajectories must state crowd, known_pairs and sensitive groups; it does not"
        raise InputError(message) from None


def promised(manifest: Mapping[str, Any]) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """The guarantee that a manifest's numbers mean, word by word, and the parameters that go with it."""
    stated, requirement = manifest["guarantee"], stated_requirement(manifest)
    guarantee = LinkagePrivacy(requirement=requirement, unit=str(stated["unit"]), voids=tuple(stated["voids"]))
    sensitive = [str(group) for group in requirement.groups]
    return guarantee.as_json(), {"crowd": requirement.crowd, "known_pairs": requirement.known_pairs, "sensitive": sensitive}


def _data_name(manifest: Mapping[str, Any]) -> str:
    return str(next(Path(file["name"]).name for file in manifest["files"] if file.get("role") == "data"))


def _frame(path: Path) -> pl.DataFrame:
    """The rows of a file of the release, as strings."""
    try:
        return rows_of(format_of(path)).released(path).with_columns(pl.all().cast(pl.String))
    except (pl.exceptions.PolarsError, OSError):
        message = f"the file {str(path)!r} must be as its manifest describes it; it cannot be read"
        raise InputError(message) from None


def _at_numbers(lists: Ragged, ids: pl.Series, records: int) -> Ragged:
    """Lists at the places of their numbers, from 1 on; numbers that have no row are empty lists."""
    numbers = np.unique(ids.cast(pl.Int64).to_numpy())
    if numbers.size != len(lists) or (numbers.size and not 1 <= int(numbers[0]) <= int(numbers[-1]) <= records):
        message = "every record of the release must have one row of attributes; some have none"
        raise InputError(message)
    lengths = np.zeros(records, dtype=np.int64)
    lengths[numbers - 1] = lists.lengths
    return Ragged(lists.codes, offsets_of(lengths))


def _grid(folder: Path, manifest: Mapping[str, Any]) -> TimeGrid:
    """The time grid that the manifest describes."""
    try:
        return TimeGrid.from_json(manifest["public_inputs"]["time_grid"])
    except (ParameterError, KeyError, TypeError):
        message = f"the manifest of {str(folder)!r} must describe its time grid by start, interval and intervals; it does not"
        raise InputError(message) from None
