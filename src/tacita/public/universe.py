"""Universes: the public, ordered list of everything that may occur, and the reading and hashing of public text.

A label that occurs in the data but not in the universe is dropped by a declared rule; a label of the universe that nobody has
can still appear in a release. The guarantee needs both, so a universe must not be read off the data. If somebody does so
anyway, for an experiment, the universe remembers it and the release says so.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.errors import TacitaError, UniverseError
from tacita.public.parameters import path_of

if TYPE_CHECKING:  # a grid of cells is itself a universe
    from tacita.public.cells import CellGrid

__all__ = ["Universe", "digest_of", "public_text", "require_universe"]


# Public text, such as a universe or a taxonomy: files read whole, with a clear message if anything goes wrong, and hashes.

BATCH = 2**16
"""How many lines are hashed at once: their text together need not fit in memory."""


def public_text(path: str | Path, *, what: str, error: type[TacitaError]) -> str:
    """The text of a UTF-8 file, with or without a byte order mark, line endings unchanged; `what` names the file in messages."""
    try:
        with path_of(path, name=f"the {what}").open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except FileNotFoundError:
        message = f"the {what} {str(path)!r} does not exist"
    except OSError as failure:
        message = f"the {what} {str(path)!r} cannot be read: {failure.strerror}"
    except UnicodeDecodeError:
        message = f"the {what} {str(path)!r} must be plain UTF-8 text; decompress it, or save it in that encoding"
    else:
        if "\0" not in text:
            return text
        message = f"the {what} {str(path)!r} must be text, but it contains a NUL character"
    raise error(message)


def digest_of(lines: Iterable[str], *, separator: str = "") -> str:
    """The SHA-256 of these lines, one after the other with the separator in between.

    >>> digest_of(["a", "b"], separator=" ") == hashlib.sha256(b"a b").hexdigest()
    True
    """
    found, waiting, before = hashlib.sha256(), iter(lines), ""
    while batch := list(islice(waiting, BATCH)):
        found.update((before + separator.join(batch)).encode())
        before = separator
    return found.hexdigest()


OBSERVED = "observed in the data"


@dataclass(frozen=True)
class Universe:
    """Distinct labels in a public order; the code of a label is its place.

    >>> stations = Universe(["Berri", "Snowdon"])
    >>> stations.code("Snowdon"), len(stations)
    (1, 2)
    """

    labels: tuple[str, ...]
    origin: str = field(default="given", compare=False)
    cells: CellGrid | None = field(default=None, compare=False, repr=False)
    """The grid whose cells are the first labels, in their order, if the places are cells of a map."""

    def __init__(self, labels: Iterable[str], *, origin: str = "given", cells: CellGrid | None = None) -> None:
        """Check that the labels are non-empty, distinct strings."""
        if isinstance(labels, Path):
            message = f"a universe is made of labels, got the path {str(labels)!r}; Universe.read reads a file"
            raise UniverseError(message)
        if isinstance(labels, str) and any(sign in labels for sign in "./\\"):
            message = f"a universe is made of labels, got the string {labels!r}; Universe.read reads a file"
            raise UniverseError(message)
        if not hasattr(labels, "__iter__"):
            message = f"a universe is made of labels, as Universe([...]), got {type(labels).__name__}"
            raise UniverseError(message)
        object.__setattr__(self, "labels", tuple(labels))
        object.__setattr__(self, "origin", origin)
        object.__setattr__(self, "cells", cells)
        if not self.labels:
            message = "a universe must have at least one label, got none"
            raise UniverseError(message)
        if not all(self.labels) or {type(label) for label in self.labels} != {str}:
            self._refuse_odd_labels()
        try:
            "".join(self.labels).encode()
        except UnicodeEncodeError:
            message = "labels must be text that UTF-8 can hold; one has a lone surrogate, which no file could store"
            raise UniverseError(message) from None
        if len(self._codes) != len(self.labels):
            repeated = next(label for place, label in enumerate(self.labels) if self._codes[label] != place)
            message = f"the labels of a universe must be distinct, got {repeated!r} more than once"
            raise UniverseError(message)

    def _refuse_odd_labels(self) -> None:
        """Say which label is empty, or no string; kinds of strings are fine."""
        for place, label in enumerate(self.labels):
            if not isinstance(label, str) or not label:
                message = f"a label must be a non-empty string, got {label!r} at place {place + 1}"
                raise UniverseError(message)

    @classmethod
    def read(cls, path: str | Path) -> Universe:
        """Read one label per line, or the first column of a `.csv` or `.tsv` file with a header."""
        text = public_text(path, what="universe", error=UniverseError)
        separator = {".csv": ",", ".tsv": "\t"}.get(Path(path).suffix.lower())
        if separator is not None:
            rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
            labels = [row[0].strip() for row in rows[1:]]
        else:
            labels = [line.strip() for line in text.split("\n") if line.strip()]
        return cls(labels, origin="file")

    @classmethod
    def observed(cls, labels: Iterable[str]) -> Universe:
        """Take the universe from the data. For experiments only: a release made with it has no guarantee, and says so."""
        return cls(sorted(set(labels)), origin=OBSERVED)

    @property
    def is_public(self) -> bool:
        """Whether the universe was fixed without looking at the data, as far as we know."""
        return self.origin != OBSERVED

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {label: place for place, label in enumerate(self.labels)}

    def code(self, label: str) -> int:
        """The place of a label."""
        try:
            return self._codes[label]
        except KeyError:
            message = f"the universe has no label {label!r}"
            raise UniverseError(message) from None

    def encode(self, rows: Iterable[Iterable[str]]) -> tuple[list[list[int]], int]:
        """The codes of labels, row by row, and how many unknown labels were left out; for tests and small data."""
        listed = [self._row(row) for row in rows]
        codes = [[self._codes[label] for label in row if label in self._codes] for row in listed]
        return codes, sum(map(len, listed)) - sum(map(len, codes))

    def _row(self, row: Iterable[str]) -> list[str]:
        """The labels of one record; a string represents its letters only if all labels are letters."""
        if isinstance(row, str) and any(len(label) > 1 for label in self.labels):
            message = "every record must be a list of labels, got a string; put its labels into a list"
            raise UniverseError(message)
        labels = list(row)
        if any(not isinstance(label, str) for label in labels):
            message = "every label of a record must be a string, as in the universe; one is something else"
            raise UniverseError(message)
        return labels

    def __len__(self) -> int:
        """The number of labels."""
        return len(self.labels)

    def __contains__(self, label: object) -> bool:
        """Whether a label belongs to the universe."""
        return label in self._codes

    def digest(self) -> str:
        """A hash of the labels, in order and with their lengths, so that different lists never collide; for manifests."""
        return digest_of(f"{len(label)}:{label}\n" for label in self.labels)

    def as_json(self) -> dict[str, object]:
        """The universe as a manifest describes it."""
        return {"size": len(self), "sha256": self.digest(), "origin": self.origin}

    def __repr__(self) -> str:
        """A few labels and how many there are."""
        shown = ", ".join(repr(label) for label in self.labels[:3])
        return f"Universe({shown}{', ...' if len(self) > 3 else ''}: {len(self):,} labels)"


def require_universe(universe: object) -> None:
    """Refuse a list or a file name where a universe belongs."""
    if not isinstance(universe, Universe):
        message = f"a universe must be a Universe, as Universe([...]) or Universe.read(path), got {type(universe).__name__}"
        raise UniverseError(message)
