"""From what is typed to public inputs, reading options and formats of networks; the registration names these functions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacita.errors import ParameterError
from tacita.formats import FileFormat, Holds
from tacita.io.formats import STANDARD_INPUT, pairs_of
from tacita.networks.blocks import VertexBlocks
from tacita.networks.formats import EdgeFile, edge_format_named, edge_format_of, read_edge_frame
from tacita.networks.published import writable_edge_format
from tacita.public.inputs import PublicInputs
from tacita.public.universe import Universe

__all__ = ["network_inputs", "network_output_format", "network_reading", "observed_network"]

Given = Mapping[str, Any]

CHARACTERS = {"tab": "\t", "space": " ", "blank": " "}


def network_inputs(given: Given) -> PublicInputs:
    """The vertices and, if they are given, blocks of them: a file, or a number of ranges."""
    name, blocks = given.get("universe"), given.get("blocks")
    universe = None if name is None else Universe.read(name)
    if blocks is None:
        return PublicInputs(universe=universe)
    if universe is None:
        message = "--blocks groups the vertices of a public --universe; name one"
        raise ParameterError(message)
    is_number = str(blocks).isascii() and str(blocks).isdigit()
    made = VertexBlocks.ranges(len(universe), blocks=int(blocks)) if is_number else VertexBlocks.read(blocks, universe=universe)
    return PublicInputs(universe=universe).having(blocks=made)


def network_reading(given: Given) -> EdgeFile:
    """How the private file is read."""
    file_format, separator = given.get("edge_format"), given.get("separator")
    return EdgeFile(
        file_format=None if file_format is None else edge_format_named(file_format),
        source=given.get("source"),
        target=given.get("target"),
        separator=None if separator is None else CHARACTERS.get(separator, separator),
        comment=given.get("comment"),
        encoding=given.get("encoding") or "utf-8",
    )


def network_output_format(source: str, *, options: EdgeFile, public: PublicInputs, wanted: str | None) -> str:
    """The format of the release: the one that is wanted, or that of the private file, which is not looked at."""
    came_as = options.file_format
    if came_as is None:
        came_as = FileFormat.EDGES if source == STANDARD_INPUT else edge_format_of(source)
    return str(writable_edge_format(wanted or came_as, public.required_universe()))


def observed_network(source: str | Path, *, options: EdgeFile) -> PublicInputs:
    """The vertices that the private file holds; whoever publishes with them has no guarantee."""
    file_format = edge_format_of(source) if options.file_format is None else options.file_format
    if Holds.PAIRS in file_format.holds:
        found = pairs_of(file_format).vertices(source, comment=options.comment or "#")
        return PublicInputs(universe=Universe.observed(found))
    frame = read_edge_frame(source, file_format, options)
    return PublicInputs(universe=Universe.observed(frame["source"].append(frame["target"]).unique().to_list()))
