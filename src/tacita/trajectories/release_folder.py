"""Reading a release of trajectories back from its folder, as whoever receives it, or judges it, does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import InputError, ParameterError
from tacita.io import format_of, read_manifest, read_released, release_universe, require_kind
from tacita.io.formats import rows_of
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.trajectories.cells import CELLS, CellGrid
from tacita.trajectories.place_groups import PLACES, PlaceGroups
from tacita.trajectories.published import ATTRIBUTES, PublishedTrajectories
from tacita.trajectories.requirement import Requirement, SensitiveGroup

__all__ = ["opened_trajectories", "read_published_trajectories", "stated_requirement"]


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
    places = PlaceGroups.from_frame(_frame(folder / beside_data[PLACES]), coarse=universe) if coarser else None
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
        lists = _at_numbers(lists, _frame(folder / _data_name(manifest))[found.columns.id], len(table))
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
        cells=_cells(manifest),
        places=places,
    )


def _cells(manifest: Mapping[str, Any]) -> CellGrid | None:
    """The grid whose cells are the places, if the manifest has one."""
    described = manifest["public_inputs"].get(CELLS)
    try:
        return None if described is None else CellGrid.from_json(described)
    except (KeyError, TypeError, ParameterError):
        message = "the manifest of a release of cells must describe their grid by a box, rows and columns; it does not"
        raise InputError(message) from None


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
