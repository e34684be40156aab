"""The files of a release folder against its manifest: what is there, unchanged, and described alike everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tacita.errors import InputError
from tacita.gate import digest_of, read_json, read_text
from tacita.io import named_file
from tacita.kinds import kinds
from tacita.privacy.described import CROISSANT_FILE, croissant_of, readme_of
from tacita.privacy.tracing import SIGNATURE_FILE

__all__ = ["documents", "files"]

BESIDE = ("manifest.json", "README.md", CROISSANT_FILE, SIGNATURE_FILE)
UNSAID = ("@context", "recordSet")
"""Parts of a Croissant file that the manifest does not tell: the vocabulary, and the columns, which follow from the data."""


def files(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """What is missing, changed, or there without being part of the release."""
    named: set[str] = set()
    for file in manifest["files"]:
        path = named_file(folder, file["name"])
        name = path.relative_to(folder).as_posix()
        if name != file["name"] or name in named or name in BESIDE:
            yield f"{file['name']!r} is no name of a file of a release, or comes twice"
            continue
        named.add(name)
        if not path.exists():
            yield f"{name} is missing"
        elif digest_of(path, what="the file", size=file["bytes"]) != file["sha256"]:
            yield f"{name} was changed"
    inside = {name.rpartition("/")[0] for name in named} - {""}
    found = sorted([*folder.iterdir(), *(path for name in inside for path in (folder / name).glob("*") if not _of_spark(path))])
    left = {*named, *BESIDE, *inside}
    yield from (
        f"{name} is no part of the release"
        for name in (path.relative_to(folder).as_posix() for path in found)
        if name not in left
    )


def _of_spark(path: Path) -> bool:
    """Whether a file says nothing about a release: Spark leaves a mark that it is done, and checksums."""
    return path.name == "_SUCCESS" or (path.name.startswith(".") and path.name.endswith(".crc"))


def documents(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Which of README.md and croissant.json say something else than the manifest."""
    kind = kinds().get(manifest["kind"])
    whole = manifest["kind"] if kind is None else kind.whole or kind.name
    try:
        if read_text(folder / "README.md", what="the file") != readme_of(manifest, whole=whole):
            yield "README.md differs"
    except InputError as error:
        yield str(error)
    if not (folder / CROISSANT_FILE).exists():
        yield "croissant.json is missing"
        return
    found = read_json(folder / CROISSANT_FILE, what="the file")
    if not isinstance(found, dict):
        yield "croissant.json differs"
        return
    said, meant = (
        {name: part for name, part in each.items() if name not in UNSAID} for each in (found, croissant_of(manifest, {}))
    )
    if said != meant:
        yield "croissant.json differs"
