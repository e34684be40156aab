"""Reading a released stream back from its folder, and the formats that it can be written in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.errors import InputError, ParameterError
from tacita.io import FileFormat, StoredFormat, format_of, read_manifest, release_universe, require_kind
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
    match format_of(path):
        case FileFormat.PARQUET:
            frame = pl.read_parquet(path)
        case FileFormat.JSONL:
            frame = pl.read_ndjson(path)
        case _:
            frame = pl.read_csv(path)
    if len(frame) != grid.intervals * len(cells):
        message = f"the release {str(folder)!r} must have one row per timestamp and cell, {grid.intervals * len(cells):,} in all"
        raise InputError(message)
    counts = np.rint(frame["count"].to_numpy() * float(SIXTEENTHS)).astype(np.int64)
    measured = frame["measured"].to_numpy()[:: len(cells)].astype(np.bool_)
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


def _known(frame: pl.DataFrame, column: str) -> npt.NDArray[np.float64]:
    """A column of numbers, NaN where nothing is known; a release has it only if something is."""
    if column not in frame.columns:
        return np.full(len(frame), np.nan)
    return frame[column].cast(pl.Float64).fill_null(float("nan")).to_numpy()


def output_format(source: str, *, options: StreamReading, public: PublicInputs, wanted: str | None) -> str:  # noqa: ARG001 - rows in any case
    """The format of the release: the one that is wanted, or CSV."""
    stored = StoredFormat.parse(wanted or "csv")
    if not stored.file_format.is_long:
        message = f"a stream is released as rows, so the format must be parquet, csv or jsonl, got {str(stored)!r}"
        raise ParameterError(message)
    return str(stored)
