"""Published baskets: synthetic, safe to inspect, and able to write themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from tacita.arrays.distinct import are_sets
from tacita.arrays.ragged import Ragged, repeated
from tacita.errors import ParameterError
from tacita.io import FileFormat, Framed, LongColumns, NoisyCounts, long_frame, write_named, write_universe
from tacita.pictures import Picture
from tacita.privacy.flood import refuse_flood
from tacita.public.inputs import PublicInputs
from tacita.public.universe import Universe
from tacita.sets.pictures import basket_pictures

__all__ = ["PublishedBaskets", "copies", "require_baskets"]


def require_baskets(baskets: Ragged, universe: Universe) -> None:
    """Refuse anything but non-empty sets over the universe, each in the universe's order."""
    codes = baskets.codes
    if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < len(universe):
        message = "every code of a basket must be the index of a label in the universe"
        raise ParameterError(message)
    if not are_sets(baskets):
        message = "the codes of a basket must strictly increase, and no basket may be empty; remove duplicates first"
        raise ParameterError(message)


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedBaskets(Framed):
    """Synthetic baskets over the universe of the records."""

    baskets: Ragged = field(repr=False)
    universe: Universe = field(repr=False)
    file_format: FileFormat
    columns: LongColumns
    counts: NoisyCounts | None = None
    """The noisy counts that the baskets were made from, if they are part of the release."""

    def __post_init__(self) -> None:
        """Check that every basket is a set of codes that have labels."""
        require_baskets(self.baskets, self.universe)

    @property
    def public(self) -> PublicInputs:
        """The public inputs they were made with."""
        return PublicInputs(universe=self.universe)

    @property
    def kind(self) -> str:
        """The kind of data, as in a manifest."""
        return "sets"

    def __len__(self) -> int:
        """The number of baskets."""
        return len(self.baskets)

    def to_labels(self) -> list[list[str]]:
        """The baskets as Python lists; for small releases."""
        return [[self.universe.labels[code] for code in row] for row in self.baskets.to_lists()]

    def pictures(self) -> list[Picture]:
        """Pictures of the release alone."""
        return basket_pictures({"released": self.baskets}, universe=self.universe)

    def frame(self) -> pl.DataFrame:
        """One row per item: the number of the basket and the label."""
        return long_frame(self.baskets, universe=self.universe, columns=self.columns.without_time())

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write `baskets.*` in the named format, or in the one that the records came in; long rows have no position."""
        write_universe(folder, self.universe)
        if self.counts is not None:
            self.counts.write(folder)
        chosen, columns = self.file_format if file_format is None else file_format, self.columns.without_time()
        return write_named(folder, "baskets", self.baskets, universe=self.universe, file_format=chosen, columns=columns)


def copies(itemsets: Ragged, counts: npt.NDArray[np.int64]) -> Ragged:
    """Repeat each set of items as many times as its noisy count says, unless that would not fit in memory."""
    refuse_flood(float((counts.astype(np.float64) * itemsets.lengths).sum()))
    return repeated(itemsets, counts)
