"""What an auditor needs to know of a mechanism: small data sets for it, all their neighbours, pairs that make its loss tight.

One class a kind of data. A mechanism of a kind that has a class here is audited without another line of code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import groupby, pairwise, product
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tacita.core.budget import Budget
from tacita.core.ragged import Ragged, offsets_of
from tacita.core.time_grid import TimeGrid
from tacita.core.universe import Universe
from tacita.sequences import SequenceRecords
from tacita.testing import PublicGenerator, public_generator

__all__ = ["AuditCase", "Rows", "SequenceCase"]

MANY = 10_000


@lru_cache(maxsize=4096)
def _codes(row: str, labels: str) -> npt.NDArray[np.int32]:
    return np.array([labels.index(label) for label in row], dtype=np.int32)


Rows = tuple[str, ...]
"""A small data set: one text a person, one letter a label."""


class AuditCase(Protocol):
    """A mechanism with its budget, and data to try it on."""

    @property
    def name(self) -> str:
        """How the mechanism is called in reports."""
        ...

    @property
    def mechanism(self) -> Any:  # noqa: ANN401 - whatever has a publish
        """What is audited."""
        ...

    @property
    def budget(self) -> Budget:
        """What it may spend."""
        ...

    def records(self, rows: Rows) -> Any:  # noqa: ANN401 - each kind has records of its own
        """Private records from rows."""
        ...

    def random_rows(self, generator: PublicGenerator) -> Rows:
        """A random small data set."""
        ...

    def neighbours(self, rows: Rows) -> Iterator[Rows]:
        """Every data set with one person more or less."""
        ...

    def tight_pairs(self) -> Sequence[tuple[Rows, Rows]]:
        """Neighbours for which the loss should come close to epsilon."""
        ...

    def output_pairs(self) -> Sequence[tuple[Rows, Rows]]:
        """Neighbours so small that every output can be enumerated."""
        ...

    def outcome(self, release: Any) -> Hashable:  # noqa: ANN401 - each kind has releases of its own
        """The published data, as one value."""
        ...

    def told(self, release: Any) -> Hashable:  # noqa: ANN401 - each kind has releases of its own
        """Everything that a release tells, its manifest included, but for what names the run itself."""
        ...


@dataclass(frozen=True, kw_only=True)
class SequenceCase:
    """A mechanism for sequences, on sequences of up to `longest` symbols over a few labels.

    The pair that should be tight has `crowd` people, enough to be kept, on a path of `depth` symbols, as deep as the mechanism
    looks. With several `intervals`, a label stands for a place at a time: the first ones for all places in the first interval,
    and so on; no sequence goes back in time.
    """

    name: str
    mechanism: Any
    budget: Budget
    labels: str = "ABC"
    longest: int = 3
    crowd: int = 400
    depth: int = 3
    intervals: int = 1

    @cached_property
    def domain(self) -> Rows:
        """Every sequence that a person can have, the empty one included."""
        lengths = range(self.longest + 1)
        rows = ("".join(row) for length in lengths for row in product(self.labels, repeat=length))
        return tuple(row for row in rows if self._is_possible(row))

    @property
    def _places(self) -> int:
        return len(self.labels) // self.intervals

    def _is_possible(self, row: str) -> bool:
        times = [self.labels.index(label) // self._places for label in row]
        return all(earlier <= later for earlier, later in pairwise(times))

    def _in_time(self, row: str) -> str:
        """The same symbols in an order that is possible."""
        return row if self.intervals == 1 else "".join(sorted(row, key=self.labels.index))

    def records(self, rows: Rows) -> SequenceRecords:
        """Private records from rows."""
        codes = [_codes(row, self.labels) for row in rows]
        packed = Ragged(np.concatenate([np.zeros(0, dtype=np.int32), *codes]), offsets_of([row.size for row in codes]))
        grid = TimeGrid(start=0, interval=1, intervals=self.intervals) if self.intervals > 1 else None
        return SequenceRecords(sequences=packed, universe=Universe(self.labels[: self._places]), grid=grid, name="audit")

    def random_rows(self, generator: PublicGenerator) -> Rows:
        """Some people anywhere, and often a crowd on one path, so that deep levels are reached."""
        anywhere = [self.domain[place] for place in generator.integers(0, len(self.domain), generator.integers(0, 8))]
        length = int(generator.integers(1, self.depth + 1))
        path = self._in_time("".join(self.labels[place] for place in generator.integers(0, len(self.labels), length)))
        return (*anywhere, *[path] * int(generator.integers(0, 2) * generator.integers(0, 2 * self.crowd)))

    def neighbours(self, rows: Rows) -> Iterator[Rows]:
        """Every short sequence added, everything that leaves the longest path on any level, and every different one removed."""
        longest = max(rows, key=len, default="")
        for extra in dict.fromkeys([*self.domain, *self._departures(longest)]):
            yield (*rows, extra)
        for gone in dict.fromkeys(rows):
            place = rows.index(gone)
            yield rows[:place] + rows[place + 1 :]

    def _departures(self, path: str) -> list[str]:
        """A path itself, each of its beginnings, and each of them with the next symbol changed."""
        changed = {label: self.labels[place - 1] for place, label in enumerate(self.labels)}
        starts = [path[:length] for length in range(len(path))]
        departures = [path, *starts, *(start + changed[path[len(start)]] for start in starts)]
        return [row for row in departures if self._is_possible(row)]

    def tight_pairs(self) -> Sequence[tuple[Rows, Rows]]:
        """A crowd on one path, and one more person: on it, where the loss can reach epsilon, or leaving it on any level."""
        path = self._in_time((self.labels * self.depth)[: self.depth])
        crowd = (path,) * self.crowd
        return [(crowd, (*crowd, extra)) for extra in self._departures(path)]

    def output_pairs(self) -> Sequence[tuple[Rows, Rows]]:
        """A few people; the one who comes or goes shares a path, or is alone with it, before or after the others' label."""
        first, second = self.labels[0], self.labels[1]
        return [((second,) * 3, (second,) * 3 + (first,)), ((first + second,) * 2, (first + second,) * 3)]

    def outcome(self, release: Any) -> Hashable:  # noqa: ANN401 - any release of sequences
        """The published sequences in their published order, each run of equal ones with its length; of many, a hash."""
        published = release.data.sequences
        if len(published) > MANY:
            return hashlib.sha256(published.codes.tobytes() + published.offsets.tobytes()).hexdigest()
        rows = (tuple(row) for row in published.to_lists())
        return tuple((row, sum(1 for _ in group)) for row, group in groupby(rows))

    def told(self, release: Any) -> Hashable:  # noqa: ANN401 - any release of sequences
        """The published sequences and the manifest, but for what names the run itself."""
        manifest = getattr(release, "manifest", {})
        public = {
            name: value for name, value in manifest.items() if name not in {"ledger", "noise_source", "guarantee", "created"}
        }
        return self.outcome(release), json.dumps(public, sort_keys=True)

    def sampled_neighbours(self, records: SequenceRecords, *, number: int, seed: int) -> Iterator[tuple[str, SequenceRecords]]:
        """Neighbours of real data: one person removed, or one more person with somebody's or a random sequence."""
        generator = public_generator(seed)
        codes, offsets = records.sequences.codes, records.sequences.offsets
        for turn in range(number):
            place = int(generator.integers(0, len(records.sequences)))
            own = codes[offsets[place] : offsets[place + 1]]
            if turn % 3 == 0:
                kept = np.concatenate([codes[: offsets[place]], codes[offsets[place + 1] :]])
                lengths = np.delete(records.sequences.lengths, place)
                what = f"person {place} removed"
            else:
                extra = own if turn % 3 == 1 else _random_person(records, max(1, own.size), generator)
                kept = np.concatenate([codes, extra.astype(codes.dtype)])
                lengths = np.append(records.sequences.lengths, extra.size)
                what = f"a copy of person {place} added" if turn % 3 == 1 else f"a random person of length {extra.size} added"
            neighbour = Ragged(kept, offsets_of(lengths))
            yield what, replace(records, sequences=neighbour)


def _random_person(records: SequenceRecords, length: int, generator: PublicGenerator) -> npt.NDArray[np.int64]:
    """Any symbols; with times, in their order."""
    if records.grid is None:
        return generator.integers(0, len(records.universe), length)
    return np.sort(generator.integers(0, len(records.universe) * records.grid.intervals, length))
