"""Private sequences: one record per person, in columns.

Only `counting` may look inside; a mechanism asks for counts. How much was dropped while reading is kept for the owner
only and enters no release.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tacita.arrays.parts import RaggedInParts, codes_at_most
from tacita.arrays.ragged import Ragged
from tacita.counting import SequenceCounts
from tacita.counting.blocks import SequenceCountsOfBlocks
from tacita.counting.engines import HeldBlocks, chosen_engine, held_blocks, lists_in_blocks, refuse_other_engines
from tacita.counting.local import LocalSequenceCounts
from tacita.errors import ParameterError
from tacita.io import Engine, FileFormat, LongColumns, Misfits, NoisyCounts, ReadOptions, Source, dataset_name, read_lists
from tacita.io.misfits import WRONG_BOX, WRONG_UNIVERSE, wrong_file_hint
from tacita.pictures.picture import html_facts
from tacita.privacy.limits import refuse_flood
from tacita.public.inputs import PerPerson, PublicInputs
from tacita.public.parameters import instance_of
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe, require_universe
from tacita.sequences.published import PublishedGrams, PublishedSequences

__all__ = [
    "CountedSequences",
    "SequenceRecords",
    "SequencesInBlocks",
    "no_sequences",
    "open_sequences",
    "read_for_kind",
    "read_sequences",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedSequences:
    """Private sequences wherever they are: what is public about them, and their counts. Mechanisms take these."""

    universe: Universe = field(repr=False)
    grid: TimeGrid | None = None
    name: str = "unnamed"
    file_format: FileFormat = FileFormat.CSV
    columns: LongColumns = field(default_factory=LongColumns)
    dropped_labels: int = field(default=0, repr=False)
    misfits: Misfits = field(default_factory=Misfits, repr=False)
    per_person: PerPerson = PerPerson.JOIN

    @property
    def public(self) -> PublicInputs:
        """The public inputs they were read with."""
        return PublicInputs(universe=self.universe, grid=self.grid)

    def counts(self) -> SequenceCounts:
        """The counts that a mechanism may ask for; it learns nothing else about the records."""
        raise NotImplementedError

    @property
    def symbols_held(self) -> int:
        """How many symbols all sequences have together. For the owner's eyes only."""
        raise NotImplementedError

    def published(
        self, sequences: Ragged, *, grams: PublishedGrams | None = None, counts: NoisyCounts | None = None
    ) -> PublishedSequences:
        """Synthetic sequences in the format and over the universe and grid of these records."""
        refuse_flood(codes_at_most(sequences), in_parts=isinstance(sequences, RaggedInParts))
        return PublishedSequences(
            sequences=sequences,
            universe=self.universe,
            grid=self.grid,
            file_format=self.file_format,
            columns=self.columns,
            grams=grams,
            counts=counts,
        )

    def _repr_html_(self) -> str:
        """Public facts only, for a notebook: how many there are is private."""
        facts = [("universe", self.universe), ("time grid", self.grid), ("protected", self.unit)]
        return html_facts(f"Private sequences, {self.name}", facts)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left that could be published."""
        return not self.symbols_held

    @property
    def why_empty(self) -> str:
        """The likely reason if nothing is left."""
        if len(self.misfits):
            return f"no row that fits is left ({self.misfits.rules})"
        if not self.dropped_labels:
            return "the file holds no labels"
        if self.grid is None:
            return (
                f"no point is in the box; {WRONG_BOX}"
                if self.universe.cells is not None
                else f"no label is in the universe; {WRONG_UNIVERSE}"
            )
        return "all rows outside the universe or the time grid would be dropped; is this the right universe, and grid?"

    @property
    def owner_note(self) -> str:
        """What was dropped while reading. For the owner's eyes only."""
        of_points = self.universe.cells is not None
        things, where = ("points", "the box of the cells") if of_points else ("labels", "the universe")
        what = f"{things} outside {where}" if self.grid is None else f"rows outside {where} or the time grid"
        note = f"{self.dropped_labels:,} of {self.dropped_labels + self.symbols_held:,} were {what} and are dropped"
        return self.misfits.told(note + wrong_file_hint(self.dropped_labels, self.symbols_held, of_points=of_points))

    @property
    def unit(self) -> str:
        """What one protected record is, for the guarantee."""
        return self.per_person.unit("sequence")

    @property
    def records_per_person(self) -> int:
        """The most sequences one person can have; a person is protected at that many times epsilon."""
        return self.per_person.records

    @property
    def rules(self) -> tuple[str, ...]:
        """What was done to every sequence, whatever the data; for the manifest, so public facts only."""
        rules = ["labels outside the universe were dropped from their sequence"]
        if self.universe.cells is not None:
            rules = [
                "points became the cells of a public grid that they lie in, and points outside it were dropped",
                f"points that follow each other in one cell{'' if self.grid is None else ' and interval'} were one visit",
            ]
        if self.per_person.most is not None:
            rules.append(f"of each person at most {self.per_person.most} sequences were kept, the first in order of time")
        if not self.file_format.is_long:
            rules.append("each line was taken as one person's sequence")
        if self.grid is not None:
            rules.append(
                "times outside the grid were dropped with their labels; a time is given as the beginning of its interval"
            )
        return tuple(rules)


@dataclass(frozen=True, kw_only=True, eq=False)
class SequenceRecords(CountedSequences):
    """One sequence of codes per person, over a universe, in memory."""

    sequences: Ragged = field(repr=False)

    def __post_init__(self) -> None:
        """Check that every code has a label."""
        instance_of(self.sequences, Ragged, name="the sequences")
        codes = self.sequences.codes
        symbols = len(self.universe) * (1 if self.grid is None else self.grid.intervals)
        if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < symbols:
            message = "every code of a sequence must be the index of a label in the universe"
            raise ParameterError(message)
        if self.grid is not None and _goes_back(self.sequences, len(self.universe)):
            message = "with a time grid, no sequence may go back in time; sort each one by time first"
            raise ParameterError(message)

    def counts(self) -> SequenceCounts:
        """The counts that a mechanism may ask for; it learns nothing else about the records."""
        return LocalSequenceCounts(self.sequences)

    @property
    def symbols_held(self) -> int:
        """How many symbols all sequences have together. For the owner's eyes only."""
        return int(self.sequences.codes.size)

    @classmethod
    def from_labels(cls, sequences: Iterable[Sequence[str]], *, universe: Universe, name: str = "unnamed") -> SequenceRecords:
        """Build from Python lists; labels outside the universe are dropped from their sequence."""
        require_universe(universe)
        kept, dropped = universe.encode(sequences)
        return cls(sequences=Ragged.from_lists(kept), universe=universe, name=name, dropped_labels=dropped)


@dataclass(frozen=True, kw_only=True, eq=False)
class SequencesInBlocks(CountedSequences):
    """Sequences in blocks of people, on disk or on a cluster."""

    blocks: HeldBlocks = field(repr=False)

    @cached_property
    def sequences(self) -> Ragged:
        """All sequences, for judges: block by block, or in this process if they ask for everything at once."""
        return lists_in_blocks(self.blocks)

    def counts(self) -> SequenceCounts:
        """The counts that a mechanism may ask for; it learns nothing else about the records."""
        return SequenceCountsOfBlocks(self.blocks.asker(LocalSequenceCounts))

    @property
    def symbols_held(self) -> int:
        """How many symbols all sequences have together. For the owner's eyes only."""
        return self.blocks.codes


def _goes_back(sequences: Ragged, places: int) -> bool:
    """Whether any symbol is in an earlier interval than the one before it in its sequence."""
    intervals = sequences.codes // places
    earlier = intervals[1:] < intervals[:-1]
    starts = sequences.offsets[1:-1]
    earlier[starts[(starts > 0) & (starts < sequences.codes.size)] - 1] = False
    return bool(earlier.any())


def read_sequences(  # noqa: PLR0913 - two short forms beside the options, because most files need no more
    path: Source,
    *,
    universe: Universe,
    columns: LongColumns | None = None,
    file_format: FileFormat | None = None,
    options: ReadOptions | None = None,
    grid: TimeGrid | None = None,
    name: str | None = None,
    strict: bool = False,
) -> SequenceRecords:
    """Read sequences from long rows (Parquet, CSV, JSON lines), from lines (wide, `.dat`, `.seq`) or from a data frame.

    `-` is standard input. The universe is public knowledge and must be given. Labels outside it are dropped, or refused if
    `strict`. `columns` and `file_format` stand for the fields of `options` with these names. With a public time grid, times are
    also read and published as intervals; rows outside the grid are dropped, or refused.
    """
    options = ReadOptions.of(options, columns=columns, file_format=file_format)
    require_time(options)
    refuse_other_engines(options.engine, "open_sequences")
    name = dataset_name(path, name)
    read = read_lists(path, universe=universe, options=options, strict=strict, grid=grid)
    return SequenceRecords(
        sequences=read.lists,
        universe=universe,
        grid=grid,
        name=name,
        file_format=read.file_format,
        columns=options.named_columns,
        dropped_labels=read.dropped_labels,
        misfits=read.misfits,
        per_person=options.per_person,
    )


def open_sequences(
    source: Source,
    *,
    universe: Universe,
    options: ReadOptions | None = None,
    grid: TimeGrid | None = None,
    name: str | None = None,
    strict: bool = False,
) -> CountedSequences:
    """Sequences on the engine that the options name: in memory, in blocks on disk, or in Spark.

    What comes out can be published, whatever its size; only `read_sequences` promises that it is in memory. If the options leave
    the engine open, a file that fits into memory is read into it.
    """
    options = ReadOptions.of(options)
    engine = chosen_engine(source, options)
    if engine is Engine.LOCAL:
        local = replace(options, engine=Engine.LOCAL)
        return read_sequences(source, universe=universe, grid=grid, options=local, name=name, strict=strict)
    require_time(options)
    name = dataset_name(source, name)
    blocks = held_blocks(source, engine, universe=universe, options=options, grid=grid, strict=strict)
    return SequencesInBlocks(
        blocks=blocks,
        universe=universe,
        grid=grid,
        name=name,
        file_format=blocks.file_format,
        columns=options.named_columns,
        dropped_labels=blocks.dropped,
        misfits=blocks.misfits,
        per_person=options.per_person,
    )


def require_time(options: ReadOptions) -> None:
    """Sequences need times."""
    if options.columns.time is None:
        message = "sequences are ordered by time, so the time column must be named; only baskets do without"
        raise ParameterError(message)


def read_for_kind(
    source: Source, *, public: PublicInputs, options: ReadOptions, name: str | None = None, strict: bool = False
) -> CountedSequences:
    """Open sequences in the way that the registration of the kind expects."""
    universe = public.required_universe()
    return open_sequences(source, universe=universe, grid=public.grid, options=options, name=name, strict=strict)


def no_sequences(*, public: PublicInputs, options: ReadOptions, name: str) -> SequenceRecords:
    """Empty records, for a rehearsal."""
    return SequenceRecords(
        sequences=Ragged.from_lists([]),
        universe=public.required_universe(),
        grid=public.grid,
        name=name,
        per_person=options.per_person,
    )
