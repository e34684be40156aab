"""Reading a release of a network back from its folder, as whoever receives it, or judges it, does."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays.graphs import Graph
from tacita.errors import InputError
from tacita.formats import FileFormat, Holds
from tacita.io import read_manifest, release_universe, require_kind
from tacita.io.formats import pairs_of
from tacita.networks.formats import EdgeFile, edge_format_of
from tacita.networks.published import DEGREES_FILE, PublishedNetwork
from tacita.networks.reading import read_edge_codes
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.universe import Universe

__all__ = ["opened_network", "read_published_network"]


def read_published_network(folder: str | Path, *, universe: Universe | None = None) -> PublishedNetwork:
    """Read the network of a release folder; it must be whole, and made with this universe, if one is given."""
    manifest = read_manifest(folder)
    return opened_network(Path(folder), manifest, public=PublicInputs(universe=universe))


def opened_network(folder: Path, manifest: Mapping[str, Any], *, public: PublicInputs = UNKNOWN) -> PublishedNetwork:
    """The network of a release whose manifest was read; a universe that is not given is taken from the folder."""
    universe = release_universe(folder, manifest, public.universe)
    described = [file for file in manifest["files"] if file["name"].startswith("edges.")]
    if manifest["kind"] != "network" or len(described) != 1:
        require_kind(folder, manifest, kind="network")
    path = folder / Path(described[0]["name"]).name
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != described[0]["sha256"]:
        message = f"the file {str(path)!r} must be as its manifest describes it; it was changed since"
        raise InputError(message)
    file_format = edge_format_of(path)
    graph = _graph(path, file_format, universe)
    beside = folder / DEGREES_FILE
    table = pl.read_csv(beside, infer_schema=False) if beside.is_file() else pl.DataFrame()
    degrees, errors = (table[name].cast(pl.Float64).to_numpy() if name in table.columns else None for name in ("degree", "error"))
    return PublishedNetwork(graph=graph, universe=universe, file_format=file_format, degrees=degrees, degree_errors=errors)


def _graph(path: Path, file_format: FileFormat, universe: Universe) -> Graph:
    """The edges; a release may have none."""
    if Holds.PAIRS in file_format.holds:
        edges = pairs_of(file_format).released(path, vertices=universe)
        return Graph(len(universe), edges.sources.astype(np.int64) * len(universe) + edges.targets)
    return read_edge_codes(path, universe=universe, file=EdgeFile(file_format=file_format), strict=True).graph
