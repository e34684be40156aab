"""Reading a release of baskets back from its folder, as whoever receives it, or judges it, does."""

from __future__ import annotations

from pathlib import Path

from tacita.arrays.distinct import are_sets
from tacita.errors import InputError
from tacita.io import read_manifest, read_released, require_release
from tacita.public.universe import Universe
from tacita.sets.published import PublishedBaskets

__all__ = ["read_published_baskets"]


def read_published_baskets(folder: str | Path, *, universe: Universe) -> PublishedBaskets:
    """Read the baskets of a release folder; it must be whole, and made with this universe."""
    manifest = read_manifest(folder)
    require_release(folder, manifest, kind="sets", universe=universe)
    found = read_released(folder, manifest, universe=universe, ordered=False)
    if not are_sets(found.lists):
        message = f"the items of each basket in the release {str(folder)!r} must come once, in the universe's order; some do not"
        raise InputError(message)
    return PublishedBaskets(baskets=found.lists, universe=universe, file_format=found.file_format, columns=found.columns)
