"""Reading a release of sequences back from its folder, as whoever receives it, or judges it, does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tacita.errors import InputError, ParameterError
from tacita.io import read_manifest, read_released, require_release
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences.published import PublishedSequences

__all__ = ["read_published"]


def read_published(folder: str | Path, *, universe: Universe, grid: TimeGrid | None = None) -> PublishedSequences:
    """Read the sequences of a release folder; it must be whole, and made with this universe.

    The time grid of a release with times stands in its manifest; one that is given must be that one.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    require_release(folder, manifest, kind="sequences", universe=universe)
    made_with = _grid(folder, manifest)
    if grid is not None and grid != made_with:
        message = f"the release {str(folder)!r} was made with another time grid than the one given, or without times"
        raise ParameterError(message)
    found = read_released(folder, manifest, universe=universe, ordered=True, grid=made_with)
    return PublishedSequences(
        sequences=found.lists, universe=universe, grid=made_with, file_format=found.file_format, columns=found.columns
    )


def _grid(folder: Path, manifest: Mapping[str, Any]) -> TimeGrid | None:
    """The time grid that the manifest describes, if it is what its hash says."""
    described = manifest["public_inputs"].get("time_grid")
    if described is None:
        return None
    try:
        start, step = described["start"], described["interval"]
        grid = TimeGrid(
            start=datetime.fromisoformat(start) if isinstance(start, str) else start,
            interval=_duration(step) if isinstance(step, str) else step,
            intervals=described["intervals"],
        )
        fits = grid.as_json() == described
    except (ParameterError, ValueError, KeyError, TypeError):
        fits = False
    if not fits:
        message = f"the manifest of {str(folder)!r} must describe its time grid by start, interval and intervals; it does not"
        raise InputError(message)
    return grid


def _duration(text: str) -> timedelta:
    """Read what Python writes for a duration, such as `0:15:00` or `7 days, 1:00:00`."""
    found = re.fullmatch(r"(?:(\d+) days?, )?(\d+):(\d\d):(\d\d)(?:\.(\d{6}))?", text)
    if found is None:
        message = f"a duration must be written as 1 day, 0:15:00, got {text!r}"
        raise ValueError(message)
    days, hours, minutes, seconds, microseconds = (int(part or 0) for part in found.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds, microseconds=microseconds)
