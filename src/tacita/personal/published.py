"""Published sequences: each symbol as itself or as a node above it; free to be looked at, and able to write themselves."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import polars as pl

from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.io import FileFormat, Framed, LongColumns, long_frame, write_named, write_universe
from tacita.personal.pictures import personal_pictures
from tacita.pictures import Picture
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe

__all__ = ["TREE_FILE", "PublishedPersonal"]

TREE_FILE = "taxonomy.json"


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedPersonal(Framed):
    """Sequences of nodes of a taxonomy, one per person that could be protected."""

    sequences: Ragged = field(repr=False)
    taxonomy: Taxonomy = field(repr=False)
    file_format: FileFormat = FileFormat.CSV
    columns: LongColumns = field(default_factory=LongColumns)

    def __post_init__(self) -> None:
        """Check that every code is a node."""
        instance_of(self.sequences, Ragged, name="the sequences")
        codes = self.sequences.codes
        if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < len(self.taxonomy.parents):
            message = "every code of a published sequence must be a node of the taxonomy"
            raise ParameterError(message)

    @property
    def public(self) -> PublicInputs:
        """Everything public that they were made with."""
        return PublicInputs(universe=self.taxonomy.universe, others={"taxonomy": self.taxonomy})

    @property
    def kind(self) -> str:
        """The kind of data, as in a manifest."""
        return "personal"

    @property
    def whole(self) -> str:
        """What is released, in a sentence."""
        return "personal sequences"

    @cached_property
    def names(self) -> Universe:
        """The names of all nodes, labels first."""
        return Universe((*self.taxonomy.universe.labels, *self.taxonomy.inner_names))

    def __len__(self) -> int:
        """The number of persons."""
        return len(self.sequences)

    def to_labels(self) -> list[list[str]]:
        """The sequences as Python lists; for small releases."""
        return [[self.names.labels[code] for code in row] for row in self.sequences.to_lists()]

    def pictures(self) -> list[Picture]:
        """Pictures of the release alone."""
        return personal_pictures(self.sequences, taxonomy=self.taxonomy)

    def frame(self) -> pl.DataFrame:
        """One row per symbol: a number for the person, the label that is shown, and its position."""
        return long_frame(self.sequences, universe=self.names, columns=self.columns)

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write `personal.*` in the named format, or in the one that the records came in, with labels and tree beside it."""
        write_universe(folder, self.taxonomy.universe)
        tree = {"nodes": self.taxonomy.inner_names, "parents": self.taxonomy.parents}
        (folder / TREE_FILE).write_text(json.dumps(tree, ensure_ascii=False) + "\n", encoding="utf-8")
        chosen = self.file_format if file_format is None else file_format
        return write_named(folder, "personal", self.sequences, universe=self.names, file_format=chosen, columns=self.columns)
