"""Private sequences, each person's on its own, and how the registered kind reads them.

A sequence is not mixed with others: what is done to one depends on nobody else. Each place has a weight, by which its loss
counts: every event the same, or the time that was spent until the next one. The weights are private and enter no release.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np

from tacita.arrays import AnyIntegers, Integers, Reals
from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.io import FileFormat, LongColumns, Misfits, ReadOptions, Source, dataset_name, read_lists
from tacita.kinds.words import output_format as format_of_lists
from tacita.kinds.words import timed_reading
from tacita.pictures.picture import html_facts
from tacita.public.inputs import PerPerson, PublicInputs
from tacita.public.parameters import instance_of, one_of, whole_number
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = [
    "PersonalReading",
    "PersonalRecords",
    "Weights",
    "nobodys_sequences",
    "output_format",
    "read_for_kind",
    "read_personal",
    "reading",
    "time_spent",
]


class Weights(StrEnum):
    """How much a place of a sequence counts in the loss."""

    EVENTS = "events"
    TIME_SPENT = "time-spent"


@dataclass(frozen=True, kw_only=True)
class PersonalReading:
    """How a file of sequences is read, and how long a stay may weigh at most, in intervals of the grid."""

    options: ReadOptions = field(default_factory=ReadOptions)
    longest_stay: int | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class PersonalRecords:
    """One sequence of codes per person, and a weight for each place of each sequence.

    >>> shop = Universe(["beer", "chips", "milk"])
    >>> PersonalRecords.from_labels([["beer", "milk"], ["chips"]], universe=shop).sequences.to_lists()
    [[0, 2], [1]]
    """

    sequences: Ragged = field(repr=False)
    universe: Universe = field(repr=False)
    weights: Reals | None = field(default=None, repr=False)
    name: str = "unnamed"
    file_format: FileFormat = FileFormat.CSV
    columns: LongColumns = field(default_factory=LongColumns)
    dropped_labels: int = field(default=0, repr=False)
    misfits: Misfits = field(default_factory=Misfits, repr=False)

    def __post_init__(self) -> None:
        """Check that every code has a label and every place a weight."""
        instance_of(self.sequences, Ragged, name="the sequences")
        codes = self.sequences.codes
        if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < len(self.universe):
            message = "every code of a sequence must be the place of a label in the universe"
            raise ParameterError(message)
        if self.weights is not None:
            if self.weights.shape != codes.shape or not np.all(np.isfinite(self.weights) & (self.weights >= 0)):
                message = "there must be one weight for each place of a sequence, a number that is not negative"
                raise ParameterError(message)
            self.weights.setflags(write=False)

    @property
    def public(self) -> PublicInputs:
        """Everything public that they were read with; a grid that measured weights is not published."""
        return PublicInputs(universe=self.universe)

    def _repr_html_(self) -> str:
        """Public facts only, for a notebook: how many there are is private."""
        return html_facts(f"Private personal sequences, {self.name}", [("universe", self.universe), ("protected", self.unit)])

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left that could be published."""
        return not self.sequences.codes.size

    @property
    def why_empty(self) -> str:
        """What may be wrong if nothing is left."""
        if len(self.misfits):
            return f"no row that fits is left ({self.misfits.rules})"
        if not self.dropped_labels:
            return "the file holds no labels"
        return "all labels outside the universe would be dropped; is this the right universe?"

    @property
    def owner_note(self) -> str:
        """What was dropped while reading. For the owner's eyes only."""
        return self.misfits.told(f"{self.dropped_labels:,} labels outside the universe are dropped")

    @property
    def unit(self) -> str:
        """What is protected, for the guarantee."""
        return "where in one person's sequence a sensitive pattern is"

    @property
    def records_per_person(self) -> int:
        """One: all rows of a person are one sequence."""
        return 1

    @property
    def rules(self) -> tuple[str, ...]:
        """What was done to each sequence, whatever the data; for the manifest, so public facts only."""
        rules = ["labels outside the universe were dropped from their sequence", "each person's sequence was treated on its own"]
        if not self.file_format.is_long:
            rules.append("each line was taken as one person's sequence")
        return tuple(rules)

    def person(self, place: int) -> tuple[AnyIntegers, Reals | None]:
        """The sequence of one person, and its weights."""
        rows = slice(int(self.sequences.offsets[place]), int(self.sequences.offsets[place + 1]))
        return self.sequences.codes[rows], None if self.weights is None else self.weights[rows]

    def __len__(self) -> int:
        """The number of persons."""
        return len(self.sequences)

    @classmethod
    def from_labels(cls, sequences: Iterable[Sequence[str]], *, universe: Universe, name: str = "unnamed") -> PersonalRecords:
        """Build from Python lists; labels outside the universe are dropped from their sequence."""
        kept, dropped = universe.encode(sequences)
        return cls(sequences=Ragged.from_lists(kept), universe=universe, name=name, dropped_labels=dropped)


def read_personal(  # noqa: PLR0913 - two short forms beside the options, because most files need no more
    path: Source,
    *,
    universe: Universe,
    columns: LongColumns | None = None,
    file_format: FileFormat | None = None,
    options: ReadOptions | None = None,
    weights: Weights | str = Weights.EVENTS,
    grid: TimeGrid | None = None,
    longest_stay: int | None = None,
    name: str | None = None,
    strict: bool = False,
) -> PersonalRecords:
    """Read one sequence per person from long rows (Parquet, CSV, JSON lines), lines (wide, `.dat`, `.seq`) or a data frame.

    Labels outside the universe are dropped, or refused if `strict`. Weights by the time spent need a public time grid: a place
    weighs as many intervals as pass until the next one, at most `longest_stay`, and the last one nothing. The grid measures
    weights only; no time is published. Rows outside the grid are dropped, or refused.
    """
    options = ReadOptions.of(options, columns=columns, file_format=file_format)
    weights = one_of(Weights, weights, name="weights")
    if options.columns.time is None:
        message = "sequences are ordered by time, so the column that holds it must be named"
        raise ParameterError(message)
    if options.per_person != PerPerson.JOIN:
        message = f"one person has one sequence here, so a person's records are joined, got {options.per_person}"
        raise ParameterError(message)
    if (weights is Weights.TIME_SPENT) != (grid is not None):
        message = "weights by the time spent need a public time grid, and nothing else does"
        raise ParameterError(message)
    name = dataset_name(path, name)
    read = read_lists(path, universe=universe, options=options, strict=strict, grid=grid)
    lists, spent = read.lists, None
    if grid is not None:
        spent = time_spent(lists.codes // len(universe), lists.offsets, longest_stay=longest_stay)
        lists = Ragged(lists.codes % len(universe), lists.offsets)
    return PersonalRecords(
        sequences=lists,
        universe=universe,
        weights=spent,
        name=name,
        file_format=read.file_format,
        columns=options.named_columns,
        dropped_labels=read.dropped_labels,
        misfits=read.misfits,
    )


def time_spent(times: AnyIntegers, offsets: Integers, *, longest_stay: int | None = None) -> Reals:
    """How long it is from each place to the next of its sequence, at most `longest_stay`; nothing for the last one.

    >>> time_spent(np.array([0, 3, 4, 10]), np.array([0, 3, 4])).tolist()
    [3.0, 1.0, 0.0, 0.0]
    """
    if longest_stay is not None:
        whole_number(longest_stay, name="the longest stay", least=1)
    spent = np.append(np.diff(times), 0).astype(np.float64)
    ends = offsets[1:][offsets[1:] > 0] - 1
    spent[ends] = 0.0
    if spent.size and spent.min() < 0:
        message = "no sequence may go back in time: order each one by time before"
        raise ParameterError(message)
    return spent if longest_stay is None else np.minimum(spent, longest_stay)


def read_for_kind(
    source: Source, *, public: PublicInputs, options: PersonalReading, name: str | None = None, strict: bool = False
) -> PersonalRecords:
    """Read sequences as the registration of the kind asks for it; with a time grid, places weigh what was spent there."""
    return read_personal(
        source,
        universe=public.required_universe(),
        options=options.options,
        weights=Weights.EVENTS if public.grid is None else Weights.TIME_SPENT,
        grid=public.grid,
        longest_stay=options.longest_stay,
        name=name,
        strict=strict,
    )


def nobodys_sequences(*, public: PublicInputs, options: PersonalReading, name: str) -> PersonalRecords:
    """Sequences of nobody, for a rehearsal."""
    del options
    return PersonalRecords(sequences=Ragged.from_lists([]), universe=public.required_universe(), name=name)


# What the registration of the kind needs beside reading: the reading options that were typed, and the format of a release.


def reading(given: Mapping[str, Any]) -> PersonalReading:
    """How the private file is read, and how long a stay may weigh at most."""
    return PersonalReading(options=timed_reading(given), longest_stay=given.get("longest_stay"))


def output_format(source: str, *, options: PersonalReading, public: PublicInputs, wanted: str | None) -> str:
    """The format of the release, which has no times even where a grid weighed the places."""
    return format_of_lists(source, options=options.options, public=replace(public, grid=None), wanted=wanted)
