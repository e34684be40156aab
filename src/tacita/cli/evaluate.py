"""`tacita evaluate`: how useful a release is, compared with the private file that it was made from.

The figures come from raw data without noise. They are what this command is for, so they go to standard output, marked as for the
owner's eyes only; they cannot be saved in a release folder. A page holds the pictures that the kind draws too.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from tacita.cli.choices import given_options, refuse_idle
from tacita.cli.new_files import new_file, write_new
from tacita.cli.screen import say, say_json, tell_owner
from tacita.errors import InputError, OutputError
from tacita.io import STANDARD_INPUT, read_manifest
from tacita.kinds import Kind, kinds, load
from tacita.report.owner_page import owner_page

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Read the private file and the release, compare them, print the figures and save them if a file was named."""
    saved = None if options.out is None else _outside(options.out, options.release)
    page = None if options.page is None else _outside(options.page, options.release)
    manifest = read_manifest(options.release)
    kind, given = _kind(options, manifest["kind"]), given_options(options)
    refuse_idle(options, kind, given, whose=f"the release {options.release!r}")
    typed, reading = load(kind.inputs)(given), load(kind.reading)(given)
    published = load(kind.opened)(Path(options.release), manifest, public=typed)
    records = load(kind.read)(
        options.input,
        public=published.public,
        options=reading,
        name="standard input" if options.input == STANDARD_INPUT else None,
        strict=bool(given.get("strict")),
    )
    tell_owner(records.owner_note)
    found = load(kind.reported)(records, published)
    content = {"input": str(options.input), "release": str(options.release)} | {
        name: None if part is None else part.as_json() for name, part in found.items()
    }
    if saved is not None:
        write_new(saved, json.dumps({"schema": kind.evaluation, **content}, indent=2) + "\n", what="file")
    text = _as_text(kind, {name: part for name, part in found.items() if part is not None})
    if page is not None:
        pictures = {} if kind.drawn is None else load(kind.drawn)(records, published)
        write_new(page, owner_page(f"{options.release}, compared with its input", figures=text, pictures=pictures), what="page")
    if options.json:
        say_json(kind.evaluation, content)
    else:
        say(text)


def _outside(name: str, release: str) -> Path:
    """A new file outside this and any other release folder, where it would be handed over."""
    path = Path(name).resolve()
    folders = [folder for folder in path.parents if (folder / "manifest.json").exists()]
    if folders or path.is_relative_to(Path(release).resolve()):
        folder = str(folders[0]) if folders else release
        message = f"the file {name!r} must lie outside the release folder {folder!r}, because its figures are private"
        raise OutputError(message)
    return new_file(name, what="file")


def _kind(options: argparse.Namespace, found: str) -> Kind:
    """The kind of the release, as its manifest says."""
    if found not in kinds():
        message = f"the release {options.release!r} must be one of {' or '.join(kinds())}, but its manifest says {found}"
        raise InputError(message)
    return kinds()[found]


def _as_text(kind: Kind, found: dict[str, Any]) -> str:
    if len(found) == 1:
        return "\n".join(str(part) for part in found.values())
    return "\n\n".join(f"== {kind.sections.get(name, name)} ==\n{part}" for name, part in found.items())
