"""Reading a release of baskets back from its folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacita.arrays.distinct import are_sets
from tacita.errors import InputError
from tacita.io import read_manifest, read_released, release_universe, released_counts, require_kind
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.universe import Universe
from tacita.sets.published import PublishedBaskets

__all__ = ["opened_baskets", "read_published_baskets"]


def read_published_baskets(folder: str | Path, *, universe: Universe | None = None) -> PublishedBaskets:
    """Read the baskets of a release folder; it must be intact and, if a universe is given, made with it."""
    manifest = read_manifest(folder)
    return opened_baskets(Path(folder), manifest, public=PublicInputs(universe=universe))


def opened_baskets(folder: Path, manifest: Mapping[str, Any], *, public: PublicInputs = UNKNOWN) -> PublishedBaskets:
    """The baskets of a release whose manifest was read; a universe that is not given is taken from the folder."""
    require_kind(folder, manifest, kind="sets")
    universe = release_universe(folder, manifest, public.universe)
    found = read_released(folder, manifest, universe=universe, ordered=False)
    if not are_sets(found.lists):
        message = f"the items of each basket in the release {str(folder)!r} must be distinct and in the universe's order"
        raise InputError(message)
    return PublishedBaskets(
        baskets=found.lists,
        universe=universe,
        file_format=found.file_format,
        columns=found.columns,
        counts=released_counts(folder, manifest),
    )
