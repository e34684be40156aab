"""Private baskets: one set of items per person, in columns.

Only `counting` may look inside; a mechanism asks for counts. Repeated items in a basket count once; items outside the
universe are dropped, and so are empty baskets. How many were dropped is kept for the owner only and enters no release.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from tacita.arrays.parts import RaggedInParts, codes_at_most
from tacita.arrays.ragged import Ragged, distinct
from tacita.counting import BasketCounts
from tacita.counting.blocks import BasketCountsOfBlocks
from tacita.counting.engines import HeldBlocks, chosen_engine, held_blocks, lists_in_blocks, refuse_other_engines
from tacita.counting.local import LocalBasketCounts
from tacita.errors import ParameterError
from tacita.io import Engine, FileFormat, LongColumns, Misfits, NoisyCounts, ReadOptions, Source, dataset_name, read_lists
from tacita.io.misfits import WRONG_BOX, WRONG_UNIVERSE, wrong_file_hint
from tacita.io.times import AutoTime
from tacita.pictures.picture import html_facts
from tacita.privacy.limits import refuse_flood
from tacita.public.inputs import PerPerson, PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe, require_universe
from tacita.sets.published import PublishedBaskets, require_baskets

__all__ = [
    "BasketRecords",
    "BasketsInBlocks",
    "CountedBaskets",
    "no_baskets",
    "open_baskets",
    "read_baskets",
    "read_for_kind",
    "refuse_times",
]

ORDER = "in the order of the names of their records"
"""Which baskets of a person come first if only some of them count."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedBaskets:
    """Private baskets wherever they are: what is public about them, and their counts. Mechanisms take these."""

    universe: Universe = field(repr=False)
    name: str = "unnamed"
    file_format: FileFormat = FileFormat.CSV
    columns: LongColumns = field(default_factory=lambda: LongColumns(time=None))
    dropped_labels: int = field(default=0, repr=False)
    dropped_baskets: int = field(default=0, repr=False)
    misfits: Misfits = field(default_factory=Misfits, repr=False)
    per_person: PerPerson = PerPerson.JOIN

    @property
    def public(self) -> PublicInputs:
        """The public inputs they were read with."""
        return PublicInputs(universe=self.universe)

    def counts(self) -> BasketCounts:
        """The counts that a mechanism may ask for; it learns nothing else about the records."""
        raise NotImplementedError

    @property
    def items_held(self) -> int:
        """How many items all baskets hold together. For the owner's eyes only."""
        raise NotImplementedError

    def published(self, baskets: Ragged, *, counts: NoisyCounts | None = None) -> PublishedBaskets:
        """Synthetic baskets in the format and over the universe of these records."""
        refuse_flood(codes_at_most(baskets), in_parts=isinstance(baskets, RaggedInParts))
        return PublishedBaskets(
            baskets=baskets, universe=self.universe, file_format=self.file_format, columns=self.columns, counts=counts
        )

    def _repr_html_(self) -> str:
        """Public facts only, for a notebook: how many there are is private."""
        return html_facts(f"Private baskets, {self.name}", [("universe", self.universe), ("protected", self.unit)])

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left that could be published."""
        return not self.items_held

    @property
    def why_empty(self) -> str:
        """The likely reason if nothing is left."""
        if len(self.misfits):
            return f"no row that fits is left ({self.misfits.rules})"
        if not self.dropped_labels:
            return "the file holds no labels"
        return (
            f"no point is in the box; {WRONG_BOX}"
            if self.universe.cells is not None
            else f"no label is in the universe; {WRONG_UNIVERSE}"
        )

    @property
    def owner_note(self) -> str:
        """What was dropped while reading. For the owner's eyes only."""
        whole = f"baskets that held nothing else: {self.dropped_baskets:,}"
        of_points = self.universe.cells is not None
        what = "points outside the box of the cells" if of_points else "labels outside the universe"
        note = f"{self.dropped_labels:,} {what} were dropped; {whole}"
        return self.misfits.told(note + wrong_file_hint(self.dropped_labels, self.items_held, of_points=of_points))

    @property
    def unit(self) -> str:
        """What one protected record is, for the guarantee."""
        return self.per_person.unit("basket", order=ORDER)

    @property
    def records_per_person(self) -> int:
        """The most baskets one person can have; a person is protected at that many times epsilon."""
        return self.per_person.records

    @property
    def rules(self) -> tuple[str, ...]:
        """What was done to every basket, whatever the data; for the manifest, so public facts only."""
        rules = [
            "labels outside the universe were dropped from their basket, and baskets that held nothing else were left out",
            "an item that a basket held several times was counted once",
        ]
        if self.universe.cells is not None:
            rules[0] = "points became the cells of a public grid that they lie in, and points outside it were dropped"
        if self.per_person.most is not None:
            rules.append(f"at most {self.per_person.most} baskets of each person were kept, the first {ORDER}")
        if not self.file_format.is_long:
            rules.append("each line was taken as one person's basket")
        return tuple(rules)


@dataclass(frozen=True, kw_only=True, eq=False)
class BasketRecords(CountedBaskets):
    """One set of codes per person, over a universe; the codes of a basket strictly increase, and no basket is empty.

    >>> shop = Universe(["milk", "rolls", "soda"])
    >>> BasketRecords.from_labels([["soda", "milk", "soda"], ["beer"]], universe=shop).baskets.to_lists()
    [[0, 2]]
    """

    baskets: Ragged = field(repr=False)

    def __post_init__(self) -> None:
        """Check that every basket is a set of codes that have labels."""
        require_baskets(self.baskets, self.universe)

    def counts(self) -> BasketCounts:
        """The counts that a mechanism may ask for; it learns nothing else about the records."""
        return LocalBasketCounts(self.baskets)

    @property
    def items_held(self) -> int:
        """How many items all baskets hold together. For the owner's eyes only."""
        return int(self.baskets.codes.size)

    @classmethod
    def from_labels(cls, baskets: Iterable[Iterable[str]], *, universe: Universe, name: str = "unnamed") -> BasketRecords:
        """Build from Python lists; labels outside the universe are dropped, and baskets that hold nothing."""
        require_universe(universe)
        kept, dropped = universe.encode(baskets)
        return cls(
            baskets=distinct(Ragged.from_lists(kept), symbols=len(universe)),
            universe=universe,
            name=name,
            dropped_labels=dropped,
            dropped_baskets=sum(not row for row in kept),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class BasketsInBlocks(CountedBaskets):
    """Baskets in blocks of people, on disk or on a cluster."""

    blocks: HeldBlocks = field(repr=False)

    @cached_property
    def baskets(self) -> Ragged:
        """All baskets, for judges: block by block, or in this process if they ask for everything at once."""
        return lists_in_blocks(self.blocks)

    def counts(self) -> BasketCounts:
        """The counts that a mechanism may ask for; it learns nothing else about the records."""
        return BasketCountsOfBlocks(self.blocks.asker(LocalBasketCounts))

    @property
    def items_held(self) -> int:
        """How many items all baskets hold together. For the owner's eyes only."""
        return self.blocks.codes


def read_baskets(  # noqa: PLR0913 - two short forms beside the options, because most files need no more
    path: Source,
    *,
    universe: Universe,
    columns: LongColumns | None = None,
    file_format: FileFormat | None = None,
    options: ReadOptions | None = None,
    name: str | None = None,
    strict: bool = False,
) -> BasketRecords:
    """Read baskets from long rows (Parquet, CSV, JSON lines), from lines (wide, `.dat`, `.seq`) or from a data frame.

    The universe is public knowledge and must be given. Labels outside it are dropped from their basket, or refused if `strict`;
    baskets that hold nothing are left out. All rows of an id are one basket, unless the options cap a person's baskets; times are
    not read. `columns` and `file_format` stand for the fields of `options` with these names.
    """
    options = _untimed(ReadOptions.of(options, columns=columns, file_format=file_format))
    refuse_other_engines(options.engine, "open_baskets")
    name = dataset_name(path, name)
    read = read_lists(path, universe=universe, options=options, strict=strict)
    return BasketRecords(
        baskets=distinct(read.lists, symbols=len(universe)),
        universe=universe,
        name=name,
        file_format=read.file_format,
        columns=options.named_columns,
        dropped_labels=read.dropped_labels,
        dropped_baskets=read.emptied_records,
        misfits=read.misfits,
        per_person=options.per_person,
    )


def _untimed(options: ReadOptions) -> ReadOptions:
    """The same options without a time column; an explicit one is refused, because it would do nothing."""
    if options.columns.time not in {None, LongColumns().time}:
        message = f"a basket has no order, so no time is read; leave the column out, got {options.columns.time!r}"
        raise ParameterError(message)
    if options.time_format != AutoTime():
        message = f"a basket has no order, so no time is read; leave out the time format, got {options.time_format}"
        raise ParameterError(message)
    return replace(options, columns=options.columns.without_time())


def open_baskets(
    source: Source,
    *,
    universe: Universe,
    options: ReadOptions | None = None,
    name: str | None = None,
    strict: bool = False,
) -> CountedBaskets:
    """Baskets on the engine that the options name: in memory, in blocks on disk, or in Spark.

    What comes out can be published, whatever its size; only `read_baskets` promises that it is in memory. If the options leave
    the engine open, a file that fits into memory is read into it.
    """
    options = ReadOptions.of(options)
    engine = chosen_engine(source, options)
    if engine is Engine.LOCAL:
        local = replace(options, engine=Engine.LOCAL)
        return read_baskets(source, universe=universe, options=local, name=name, strict=strict)
    options = _untimed(options)
    name = dataset_name(source, name)
    blocks = held_blocks(source, engine, universe=universe, options=options, strict=strict, are_sets=True)
    return BasketsInBlocks(
        blocks=blocks,
        universe=universe,
        name=name,
        file_format=blocks.file_format,
        columns=options.named_columns,
        dropped_labels=blocks.dropped,
        dropped_baskets=blocks.emptied,
        misfits=blocks.misfits,
        per_person=options.per_person,
    )


def read_for_kind(
    source: Source, *, public: PublicInputs, options: ReadOptions, name: str | None = None, strict: bool = False
) -> CountedBaskets:
    """Open baskets in the way that the registration of the kind expects."""
    return open_baskets(source, universe=public.required_universe(), options=options, name=name, strict=strict)


def no_baskets(*, public: PublicInputs, options: ReadOptions, name: str) -> BasketRecords:
    """Empty records, for a rehearsal."""
    nothing = Ragged.from_lists([])
    return BasketRecords(baskets=nothing, universe=public.required_universe(), name=name, per_person=options.per_person)


def refuse_times(grid: TimeGrid | None) -> None:
    """Baskets are in no order."""
    if grid is not None:
        message = "baskets have no times, so a time grid makes no sense; leave it out"
        raise ParameterError(message)
