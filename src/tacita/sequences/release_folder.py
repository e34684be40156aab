"""Reading a release of sequences back from its folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacita.errors import InputError, ParameterError
from tacita.io import intact_file, read_manifest, read_released, release_universe, released_counts, require_kind
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences.published import PublishedSequences
from tacita.sequences.published_grams import GRAMS_FILE, PublishedGrams

__all__ = ["opened_sequences", "read_published"]


def read_published(folder: str | Path, *, universe: Universe | None = None, grid: TimeGrid | None = None) -> PublishedSequences:
    """Read the sequences of a release folder; it must be intact, and made with the universe and grid if these are given."""
    manifest = read_manifest(folder)
    return opened_sequences(Path(folder), manifest, public=PublicInputs(universe=universe, grid=grid))


def opened_sequences(folder: Path, manifest: Mapping[str, Any], *, public: PublicInputs = UNKNOWN) -> PublishedSequences:
    """The sequences of a release whose manifest was read; public inputs that are not given are taken from the folder."""
    require_kind(folder, manifest, kind="sequences")
    universe = release_universe(folder, manifest, public.universe)
    made_with = _grid(folder, manifest)
    if public.grid is not None and public.grid != made_with:
        message = f"the release {str(folder)!r} was made with a different time grid, or without times"
        raise ParameterError(message)
    found = read_released(folder, manifest, universe=universe, ordered=True, grid=made_with)
    has_grams = any(file["name"] == GRAMS_FILE for file in manifest["files"])
    return PublishedSequences(
        sequences=found.lists,
        universe=universe,
        grid=made_with,
        file_format=found.file_format,
        columns=found.columns,
        grams=PublishedGrams.read(intact_file(folder, manifest, GRAMS_FILE), universe=universe) if has_grams else None,
        counts=released_counts(folder, manifest),
    )


def _grid(folder: Path, manifest: Mapping[str, Any]) -> TimeGrid | None:
    """The time grid that the manifest describes, if there is one."""
    described = manifest["public_inputs"].get("time_grid")
    try:
        return None if described is None else TimeGrid.from_json(described)
    except ParameterError:
        message = f"the manifest of {str(folder)!r} does not describe its time grid by start, interval and intervals"
        raise InputError(message) from None
