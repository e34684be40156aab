"""Published trajectories: what suppression left of each record, and its sensitive attributes, in an order that says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from tacita.arrays import Booleans
from tacita.arrays.distinct import are_sets
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import ParameterError
from tacita.io import FileFormat, Framed, LongColumns, StoredFormat, writable_format, write_universe
from tacita.io.writing import write_frame
from tacita.pictures import Picture
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.trajectories.cells import CELLS, CellGrid
from tacita.trajectories.pictures import trajectory_pictures
from tacita.trajectories.place_groups import PLACES, PlaceGroups
from tacita.trajectories.requirement import Requirement

__all__ = ["ATTRIBUTES", "PublishedTrajectories"]

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
    cells: CellGrid | None = None
    places: PlaceGroups | None = None

    def __post_init__(self) -> None:
        """Check that every record is a set of codes that have labels, and has attributes if any has."""
        instance_of(self.trajectories, Ragged, name="the trajectories")
        codes = self.trajectories.codes
        filled = Ragged(codes, self.trajectories.offsets[np.append(True, self.trajectories.lengths > 0)])
        if codes.size and (not 0 <= int(codes.min()) <= int(codes.max()) < len(self.universe) * self.grid.intervals):
            message = "every code of a trajectory must stand for a place and an interval of the grid"
            raise ParameterError(message)
        if not are_sets(filled) or (self.attributes is not None and len(self.attributes) != len(self.trajectories)):
            message = "the codes of a trajectory must strictly increase, and all must have a row of attributes, or none"
            raise ParameterError(message)

    @property
    def public(self) -> PublicInputs:
        """Everything public that they were made with."""
        return PublicInputs(universe=self.universe, grid=self.grid).having(**{CELLS: self.cells, PLACES: self.places})

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
        return trajectory_pictures({"released": self.trajectories}, universe=self.universe, grid=self.grid)

    def frame(self) -> pl.DataFrame:
        """One row per pair: the number of the record, the place, and the beginning of the interval."""
        lengths = self.trajectories.lengths
        labels = pl.Series(self.columns.label, self.universe.labels, dtype=pl.String)
        beginnings = pl.Series(self.columns.time or "time", self.grid.beginnings)
        codes = self.trajectories.codes
        return pl.DataFrame(
            [
                pl.Series(self.columns.id, np.repeat(np.arange(1, len(self) + 1), lengths)),
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
            numbers = pl.Series(self.columns.id, np.arange(1, len(self) + 1))
            numbered = self.attributes.clone().insert_column(0, numbers)
            write_frame(folder / f"{ATTRIBUTES}{stored.ending}", numbered, stored=stored)
        write_universe(folder, self.universe)
        if self.places is not None:
            write_frame(folder / f"{PLACES}.csv", self.places.frame(), stored=StoredFormat.parse("csv"))
        return path
