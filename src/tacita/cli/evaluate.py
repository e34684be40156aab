"""`tacita evaluate`: how useful a release is, compared with the private file that it was made from.

The figures come from raw data without noise. They are what this command is for, so they go to standard output, with the words
that they are for the owner's eyes only; a file of them is refused a place in the release folder.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from tacita.arrays.ragged import Ragged
from tacita.cli.choices import chosen_universe, kind_of
from tacita.cli.new_files import new_file, write_new
from tacita.cli.reading import Records, input_format, read_records
from tacita.cli.screen import say, say_json, tell_owner
from tacita.errors import InputError, OutputError, ParameterError
from tacita.io import STANDARD_INPUT, read_manifest
from tacita.methods import Kind
from tacita.public.universe import Universe
from tacita.sequences import PublishedSequences, SequenceRecords, read_published
from tacita.sets import BasketRecords, PublishedBaskets, read_published_baskets
from tacita.utility import report, sets

__all__ = ["run"]

SCHEMAS = {Kind.SEQUENCES: "tacita-evaluate-1", Kind.SETS: "tacita-evaluate-sets-1"}
TITLES = {"labels": "labels, without their times", "visits": "visits: labels together with the intervals of their times"}


class Figures(Protocol):
    """What a comparison found, for people and for scripts."""

    def as_json(self) -> dict[str, object]:
        """The figures, with the warning that they are for the owner's eyes only."""
        ...


def run(options: argparse.Namespace) -> None:
    """Read both sides, compare them, print the figures and save them if a file was named."""
    saved = None if options.out is None else _outside(options.out, options.release)
    input_format(options, kind := _kind(options))
    universe = chosen_universe(options)
    if universe is None:
        message = "name the public --universe of the release"
        raise ParameterError(message)
    published = _published(options.release, kind, universe)
    grid = published.grid if isinstance(published, PublishedSequences) else None
    name = "standard input" if options.input == STANDARD_INPUT else None
    records = read_records(options, universe, kind=kind, grid=grid, name=name)
    tell_owner(f"{records.dropped_labels:,} rows or labels outside the universe or the grid were dropped")
    found = _reports(records, published)
    schema, content = SCHEMAS[kind], _as_json(options, kind, found)
    if saved is not None:
        write_new(saved, json.dumps({"schema": schema, **content}, indent=2) + "\n", what="file")
    if options.json:
        say_json(schema, content)
    else:
        say("\n\n".join(str(part) if len(found) == 1 else f"== {TITLES[name]} ==\n{part}" for name, part in found.items()))


def _outside(name: str, release: str) -> Path:
    """A new file that does not lie in this or any release folder, where it would be handed over."""
    path = Path(name).resolve()
    folders = [folder for folder in path.parents if (folder / "manifest.json").exists()]
    if folders or path.is_relative_to(Path(release).resolve()):
        folder = str(folders[0]) if folders else release
        message = f"the file {name!r} must lie outside the release folder {folder!r}, because its figures are private"
        raise OutputError(message)
    return new_file(name, what="file")


def _kind(options: argparse.Namespace) -> Kind:
    """The kind of the release, which its manifest tells."""
    found = read_manifest(options.release)["kind"]
    if found not in set(Kind):
        message = f"the release {options.release!r} must be one of {' or '.join(Kind)}, its manifest tells of {found}"
        raise InputError(message)
    return kind_of(options, Kind(found), whose=f"the release {options.release!r}")


def _published(folder: str, kind: Kind, universe: Universe) -> PublishedSequences | PublishedBaskets:
    if kind is Kind.SETS:
        return read_published_baskets(folder, universe=universe)
    return read_published(folder, universe=universe)


def _reports(records: Records, published: PublishedSequences | PublishedBaskets) -> dict[str, Figures]:
    """What is compared: the labels and, in a release with times, also the visits; sets are compared as they are."""
    if isinstance(published, PublishedBaskets) and isinstance(records, BasketRecords):
        return {"sets": sets.report(records, published)}
    if not (isinstance(published, PublishedSequences) and isinstance(records, SequenceRecords)):
        message = (
            "the records and the release must be of one kind, these are of two; read the records as the release's manifest says"
        )
        raise InputError(message)
    if published.grid is None:
        return {"labels": report(records, published)}
    size = len(published.universe)
    sides = (records.sequences, published.sequences)
    labels = [Ragged(side.codes % size, side.offsets) for side in sides]
    return {
        "labels": report(labels[0], labels[1], symbols=size),
        "visits": report(*sides, symbols=size * published.grid.intervals),
    }


def _as_json(options: argparse.Namespace, kind: Kind, found: Mapping[str, Figures]) -> dict[str, object]:
    compared = {"input": str(options.input), "release": str(options.release)}
    if kind is Kind.SETS:
        return {**compared, "sets": found["sets"].as_json()}
    visits = found["visits"].as_json() if "visits" in found else None
    return {**compared, "labels": found["labels"].as_json(), "visits": visits}
