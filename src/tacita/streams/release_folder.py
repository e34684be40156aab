"""Reading a released stream back from its folder, and the formats that it can be written in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Reals
from tacita.errors import InputError, ParameterError
from tacita.formats import Holds, StoredFormat, format_of, formats_of, named_formats
from tacita.io import read_manifest, release_universe, require_kind
from tacita.io.formats import rows_of
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.streams.published import SIXTEENTHS, PublishedStream, with_other
from tacita.streams.reading import StreamReading

__all__ = ["opened_stream", "output_format", "read_published_stream"]


def read_published_stream(folder: str | Path, *, cells: Universe | None = None) -> PublishedStream:
    """Read the histograms of a release folder; it must be whole, and made with these cells, if they are given."""
    manifest = read_manifest(folder)
    return opened_stream(Path(folder), manifest, public=PublicInputs(universe=cells))


def opened_stream(folder: Path, manifest: Mapping[str, Any], *, public: PublicInputs = UNKNOWN) -> PublishedStream:
    """The histograms of a release whose manifest was read; cells that are not given are taken from the folder."""
    require_kind(folder, manifest, kind="stream")
    given = None if public.universe is None else with_other(public.universe)
    cells = release_universe(folder, manifest, given)
    grid = TimeGrid.from_json(manifest["public_inputs"]["time_grid"])
    path = next(folder.glob("stream.*"))
    frame = rows_of(format_of(path)).released(path)
    if len(frame) != grid.intervals * len(cells):
        message = f"the release {str(folder)!r} must have one row per timestamp and cell, {grid.intervals * len(cells):,} in all"
        raise InputError(message)
    counts = np.rint(frame["count"].cast(pl.Float64).to_numpy() * float(SIXTEENTHS)).astype(np.int64)
    measured = (frame["measured"].cast(pl.String) == "true").to_numpy()[:: len(cells)]
    shape = (grid.intervals, len(cells))
    low, high, deviations = (_known(frame, name).reshape(shape) for name in ("low", "high", "deviation"))
    return PublishedStream(
        sixteenths=counts.reshape(shape),
        measured=measured,
        intervals=np.stack([low, high], axis=2),
        deviations=deviations,
        cells=cells,
        grid=grid,
    )


def _known(frame: pl.DataFrame, column: str) -> Reals:
    """A column of numbers, NaN where nothing is known; a release has it only if something is."""
    if column not in frame.columns:
        return np.full(len(frame), np.nan)
    return frame[column].cast(pl.Float64).fill_null(float("nan")).to_numpy()


def output_format(source: str, *, options: StreamReading, public: PublicInputs, wanted: str | None) -> str:  # noqa: ARG001 - rows in any case
    """The format of the release: the one that is wanted, or CSV."""
    stored = StoredFormat.parse(wanted or "csv")
    if Holds.COUNTS not in stored.file_format.holds:
        known = named_formats(formats_of(Holds.COUNTS))
        message = f"a stream is released as rows, so the format must be {known}, got {str(stored)!r}"
        raise ParameterError(message)
    return str(stored)
