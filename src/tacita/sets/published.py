"""Published baskets: synthetic, safe to inspect, and able to write themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.arrays.distinct import are_sets
from tacita.arrays.parts import RaggedInParts, copied
from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.io import FileFormat, Framed, LongColumns, NoisyCounts, long_frame, long_frames, write_named, write_universe
from tacita.io.spark import rows_on_spark, written_by_spark
from tacita.pictures import Picture
from tacita.privacy.flood import refuse_flood
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.universe import Universe
from tacita.sets.pictures import basket_pictures

__all__ = ["PublishedBaskets", "copies", "require_baskets"]


def require_baskets(baskets: Ragged, universe: Universe) -> None:
    """Refuse anything but non-empty sets over the universe, each in the universe's order."""
    instance_of(baskets, Ragged, name="the baskets")
    codes = baskets.codes
    if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < len(universe):
        message = "every code of a basket must be the index of a label in the universe"
        raise ParameterError(message)
    if not are_sets(baskets):
        message = "the codes of a basket must strictly increase, and no basket may be empty; remove duplicates first"
        raise ParameterError(message)


def _checked(universe: Universe, baskets: Ragged) -> Ragged:
    require_baskets(baskets, universe)
    return baskets


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
        """Check that every basket is a set of codes that have labels; of baskets in parts, when they are made."""
        if isinstance(self.baskets, RaggedInParts) and len(self.baskets.most) > 1:
            object.__setattr__(self, "baskets", self.baskets.mapped(partial(_checked, self.universe)))
        else:
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
        return pl.concat(long_frames(self.baskets, universe=self.universe, columns=self.columns.without_time()))

    def to_spark(self, session: Any = None) -> Any:  # noqa: ANN401 - Spark is an extra
        """The rows as a data frame of Spark, whose workers make them; for releases that are larger than this process."""
        frame = partial(long_frame, universe=self.universe, columns=self.columns.without_time())
        return rows_on_spark(self.baskets, frame, session)

    def write(self, folder: Path, *, file_format: str | None) -> Path:
        """Write `baskets.*` in the named format, or in the one that the records came in; long rows have no position."""
        self._write_beside(folder)
        chosen, columns = self.file_format if file_format is None else file_format, self.columns.without_time()
        return write_named(folder, "baskets", self.baskets, universe=self.universe, file_format=chosen, columns=columns)

    def write_by_spark(self, folder: Path, where: str, *, file_format: str | None) -> list[dict[str, object]]:
        """Let the workers of Spark write the baskets to `where`, and write what stands beside them into a folder."""
        self._write_beside(folder)
        return written_by_spark(self.to_spark(), where, "baskets", file_format=file_format or str(self.file_format))

    def _write_beside(self, folder: Path) -> None:
        """Write the universe, and noisy counts if there are any."""
        write_universe(folder, self.universe)
        if self.counts is not None:
            self.counts.write(folder)


def copies(itemsets: Ragged, counts: Integers) -> Ragged:
    """Repeat each set of items as many times as its noisy count says, unless that is too much to be written."""
    refuse_flood(float((counts.astype(np.float64) * itemsets.lengths).sum()), in_parts=True)
    return copied(itemsets, counts)
