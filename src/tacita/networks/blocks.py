"""Blocks of public labels: a department, an ego, a range of ids.

Who is in which block must be known without a look at the edges.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tacita.arrays import Integers
from tacita.errors import ParameterError
from tacita.public.parameters import instance_of, whole_number
from tacita.public.public_text import public_text
from tacita.public.universe import Universe

__all__ = ["VertexBlocks"]

MOST_BLOCKS = 512
"""All pairs of blocks are asked about, so more would drown in noise."""


@dataclass(frozen=True, eq=False)
class VertexBlocks:
    """The block of each vertex, numbered from 0.

    >>> VertexBlocks.ranges(5, blocks=2).of.tolist()
    [0, 0, 0, 1, 1]
    """

    of: Integers = field(repr=False)

    def __post_init__(self) -> None:
        """Check the numbers."""
        instance_of(self.of, np.ndarray, name="the blocks of vertices")
        if self.of.ndim != 1 or not self.of.size or self.of.min() < 0:
            message = "blocks must be whole numbers of at least 0, one for each vertex"
            raise ParameterError(message)
        whole_number(self.number, name="the number of blocks", least=1, most=MOST_BLOCKS)
        self.of.setflags(write=False)

    @property
    def number(self) -> int:
        """How many blocks there are."""
        return int(self.of.max()) + 1

    @classmethod
    def ranges(cls, vertices: int, *, blocks: int) -> VertexBlocks:
        """So many ranges of vertices of about one size, in the order of the universe."""
        whole_number(blocks, name="blocks", least=1, most=min(MOST_BLOCKS, max(vertices, 1)))
        return cls(np.arange(vertices, dtype=np.int64) * blocks // max(vertices, 1))

    @classmethod
    def named(cls, names: Sequence[str]) -> VertexBlocks:
        """Vertices with the same name are in one block."""
        return cls(np.unique(np.array(names, dtype=np.str_), return_inverse=True)[1].reshape(-1).astype(np.int64))

    @classmethod
    def read(cls, path: str | Path, *, universe: Universe) -> VertexBlocks:
        """Read a CSV file with a header: the label of each vertex, and the name of its block."""
        rows = [row for row in csv.reader(io.StringIO(public_text(path, what="file of blocks", error=ParameterError))) if row]
        block_of = {row[0].strip(): row[1].strip() for row in rows[1:] if len(row) > 1}
        missing = next((label for label in universe.labels if label not in block_of), None)
        if missing is not None:
            message = f"every vertex of the universe must have a block in {str(path)!r}, {missing!r} has none"
            raise ParameterError(message)
        return cls.named([block_of[label] for label in universe.labels])

    def as_json(self) -> Mapping[str, object]:
        """The blocks as a manifest describes them."""
        return {"number": self.number, "sha256": hashlib.sha256(self.of.astype("<i8").tobytes()).hexdigest()}
