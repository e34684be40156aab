"""Published baskets: synthetic, safe to inspect, and able to write themselves and the noisy counts behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import comb, sqrt
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from tacita.arrays import Integers, Reals
from tacita.arrays.parts import RaggedInParts, copied
from tacita.arrays.ragged import Ragged, are_sets
from tacita.arrays.scatter import all_itemsets
from tacita.errors import InputError, ParameterError
from tacita.io import (
    FileFormat,
    Framed,
    LongColumns,
    NoisyCounts,
    long_frame,
    long_frames,
    read_manifest,
    read_released,
    release_universe,
    released_counts,
    require_kind,
    write_named,
    write_universe,
)
from tacita.io.spark import rows_on_spark, written_by_spark
from tacita.pictures import Picture
from tacita.privacy.limits import refuse_flood
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.universe import Universe
from tacita.sets.itemset_schedule import stratum_step
from tacita.sets.synthesis import CoreSizes, NoisySizes, Stratum

__all__ = [
    "CORE_SIZES",
    "SIZES",
    "MadeBaskets",
    "PublishedBaskets",
    "copies",
    "itemset_step",
    "opened_baskets",
    "read_published_baskets",
    "require_baskets",
]


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
        from tacita.sets.pictures import basket_pictures  # noqa: PLC0415 - a publication draws nothing

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


# Reading a release back from its folder.


def read_published_baskets(folder: str | Path, *, universe: Universe | None = None) -> PublishedBaskets:
    """Read the baskets of a release folder; it must be intact and, if a universe is given, made with it."""
    manifest = read_manifest(folder)
    return opened_baskets(Path(folder), manifest, public=PublicInputs(universe=universe))


def opened_baskets(folder: Path, manifest: Mapping[str, Any], *, public: PublicInputs = UNKNOWN) -> PublishedBaskets:
    """The baskets of a release whose manifest was read; a universe that is not given is taken from the folder."""
    require_kind(folder, manifest, kind="sets")
    universe = release_universe(folder, manifest, public.universe)
    found = read_released(folder, manifest, universe=universe, ordered=False)
    if not are_sets(found.lists):
        message = f"the items of each basket in the release {str(folder)!r} must be distinct and in the universe's order"
        raise InputError(message)
    return PublishedBaskets(
        baskets=found.lists,
        universe=universe,
        file_format=found.file_format,
        columns=found.columns,
        counts=released_counts(folder, manifest),
    )


# Noisy counts of itemsets, which a release may hold beside the baskets that were made from them.
#
# All of them were drawn with noise already; only their form changes.


SIZES, CORE_SIZES = "sizes, round 1", "sizes in the core, round 1"

Part: TypeAlias = tuple[str, list[list[object]], Integers, Reals]


def itemset_step(size: int) -> str:
    """The step of the itemsets in baskets of this size, as the manifest names it."""
    return f"{stratum_step(size)}, round 1"


@dataclass(frozen=True, kw_only=True, eq=False)
class MadeBaskets:
    """Synthetic baskets and the noisy counts behind them; `counted` are the items that were counted together."""

    baskets: Ragged
    sizes: NoisySizes
    strata: Sequence[Stratum] = ()
    counted: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    core_sizes: CoreSizes | None = None

    def counts(self, universe: Universe) -> NoisyCounts:
        """Numbers by size, by number of core items, and of itemsets in baskets of each size, as drawn with Laplace noise."""
        return NoisyCounts.of(self._parts(universe))

    def _parts(self, universe: Universe) -> Iterator[Part]:
        sizes, core = self.sizes, self.core_sizes
        spans = [[*span] for span in zip(sizes.groups.least.tolist(), sizes.groups.most.tolist(), strict=True)]
        yield SIZES, spans, sizes.numbers.astype(np.int64), np.full(len(spans), sizes.deviation / sqrt(2))
        if core is not None:
            spans = [[*span] for span in zip(core.groups.least.tolist(), core.groups.most.tolist(), strict=True)]
            cells = [[inside, *span] for inside in range(len(core.numbers)) for span in spans]
            yield CORE_SIZES, cells, core.numbers.astype(np.int64).ravel(), np.full(len(cells), core.deviation / sqrt(2))
        labels = [universe.labels[code] for code in self.counted.tolist()]
        for stratum in self.strata:
            noisy = stratum.noisy
            rows = [[labels[place] for place in row] for row in all_itemsets(noisy.items, noisy.order).tolist()]
            scale = comb(noisy.size, noisy.order) / float(noisy.funds.amount)
            yield itemset_step(noisy.size), rows, noisy.values, np.full(len(rows), scale)
