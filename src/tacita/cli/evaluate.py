"""`tacita evaluate`: how useful a release is, compared with the private file that it was made from.

The figures come from raw data without noise. They are what this command is for, so they go to standard output, with the words
that they are for the owner's eyes only; a file of them is refused a place in the release folder.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path

from tacita.cli.choices import chosen_universe
from tacita.cli.new_files import new_file, write_new
from tacita.cli.reading import input_format, read_records
from tacita.cli.screen import say, say_json, tell_owner
from tacita.core.errors import OutputError, ParameterError
from tacita.core.ragged import Ragged
from tacita.io import STANDARD_INPUT
from tacita.sequences import PublishedSequences, SequenceRecords, read_published
from tacita.utility import SequenceUtility, report

__all__ = ["run"]

SCHEMA = "tacita-evaluate-1"
TITLES = {"labels": "labels, without their times", "visits": "visits: labels together with the intervals of their times"}


def run(options: argparse.Namespace) -> None:
    """Read both sides, compare them, print the figures and save them if a file was named."""
    saved = None if options.out is None else _outside(options.out, options.release)
    input_format(options)
    universe = chosen_universe(options)
    if universe is None:
        message = "name the public --universe of the release"
        raise ParameterError(message)
    published = read_published(options.release, universe=universe)
    name = "standard input" if options.input == STANDARD_INPUT else None
    records = read_records(options, universe, grid=published.grid, name=name)
    if records.dropped_labels:
        tell_owner(f"for your eyes only: {records.dropped_labels:,} rows or labels outside the universe or the grid were dropped")
    found = _reports(records, published)
    content = _as_json(options, found)
    if saved is not None:
        write_new(saved, json.dumps({"schema": SCHEMA, **content}, indent=2) + "\n", what="file")
    if options.json:
        say_json(SCHEMA, content)
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


def _reports(records: SequenceRecords, published: PublishedSequences) -> dict[str, SequenceUtility]:
    """What is compared: the labels and, in a release with times, also the visits."""
    if published.grid is None:
        return {"labels": report(records, published)}
    size = len(published.universe)
    sides = (records.sequences, published.sequences)
    labels = [Ragged(side.codes % size, side.offsets) for side in sides]
    return {
        "labels": report(labels[0], labels[1], symbols=size),
        "visits": report(*sides, symbols=size * published.grid.intervals),
    }


def _as_json(options: argparse.Namespace, found: Mapping[str, SequenceUtility]) -> dict[str, object]:
    return {
        "input": str(options.input),
        "release": str(options.release),
        "labels": found["labels"].as_json(),
        "visits": found["visits"].as_json() if "visits" in found else None,
    }
