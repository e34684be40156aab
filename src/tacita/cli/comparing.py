"""What commands that judge a release share: opening it beside its private file, and new files for private figures.

Files with private figures lie outside every release.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacita.cli.options import typed
from tacita.cli.screen import one_at_a_time, tell_owner
from tacita.errors import InputError
from tacita.io import STANDARD_INPUT, read_manifest
from tacita.kinds import Kind, kinds, load
from tacita.privacy.drafts import appearing, new_file, outside_releases

__all__ = ["Opened", "new_file", "opened_release", "outside_releases", "private_records", "write_new"]


# Single files that a command writes beside its result: they appear complete or not at all, and never replace another.


def write_new(path: Path, text: str, *, what: str) -> None:
    """Write a file that appears complete or not at all."""
    with one_at_a_time(), appearing(path.absolute(), what=f"the {what} cannot be written to", is_file=True) as draft:
        draft.write_text(text, encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A release, what its manifest says, and the options that were typed."""

    kind: Kind
    manifest: Mapping[str, Any]
    published: Any
    given: Mapping[str, Any]


def opened_release(options: argparse.Namespace) -> Opened:
    """Open the release that was named, with the public inputs that were typed."""
    manifest = read_manifest(options.release)
    if manifest["kind"] not in kinds():
        message = (
            f"the release {options.release!r} must be one of {' or '.join(kinds())}, but its manifest says {manifest['kind']}"
        )
        raise InputError(message)
    kind = kinds()[manifest["kind"]]
    given = typed(options, kind.options)
    published = load(kind.opened)(Path(options.release), manifest, public=load(kind.inputs)(given))
    return Opened(kind=kind, manifest=manifest, published=published, given=given)


def private_records(options: argparse.Namespace, opened: Opened) -> Any:  # noqa: ANN401 - records of any kind
    """Read the private file that was named as the release was made."""
    from tacita.kinds.wanted import read_private

    kind, given = opened.kind, opened.given
    records = read_private(
        kind,
        options.input,
        public=opened.published.public,
        given=given,
        name="standard input" if options.input == STANDARD_INPUT else None,
    )
    tell_owner(records.owner_note)
    return records
