"""Minimal violating sets of up to three pairs, first pair by first pair: what `levels` finds, in little time and memory.

All occurrences of a set begin with the same pair, the rarest. So the sets that begin with some pairs are counted without all
others, and a few hundred thousand occurrences at a time fit a processor's cache. Rows that begin equally many occurrences are
looked at together as a matrix, so that nothing is repeated or gathered one by one. Two pairs are counted in a table of all that
can follow; three are counted by sorting one number per occurrence, of 32 bits where that is enough.

Three pairs are looked at where the first may stay with either of the other two. Whether the other two may stay together belongs
to another block, so it is asked in the end, of violating sets only.

Larger sets would need the occurrences of all smaller ones, which `levels` keeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tacita.arrays import AnyIntegers, Booleans, Integers, Numbers, Places
from tacita.arrays.ragged import offsets_of
from tacita.trajectories.indexed_sets import PairColumns
from tacita.trajectories.occurrences import in_threads
from tacita.trajectories.requirement import Requirement

__all__ = ["MOST", "fits", "small_violations"]

Found = tuple[AnyIntegers, Integers]

MOST = 3
CHUNK = 1 << 19
DENSE = 8  # a table may have this many cells per occurrence that it counts


def fits(columns: PairColumns) -> bool:
    """Whether three pairs and what is counted of a person fit one number of 63 bits."""
    return _room(columns) > 0


def small_violations(columns: PairColumns, requirement: Requirement, *, most: int) -> Iterator[Found]:
    """For each size up to `most`, at most 3: the pairs of each minimal violating set, one row per set, and its persons."""
    number = columns.codes.size
    persons, violating = _counted_in_table(
        columns, requirement, columns.pairs.astype(np.int64), columns.person_of(columns.records), cells=number
    )
    wrong = np.flatnonzero(violating)
    yield wrong[:, np.newaxis], persons[wrong]
    if most == 1:
        return
    search = _Search.of(columns.where(~violating[columns.pairs]), requirement, triples=most == MOST)
    found = in_threads(search.block, search.blocks)
    twos, crowds = _joined([part for part, _ in found])
    yield np.stack([twos // number, twos % number], axis=1), crowds
    if most == MOST:
        threes, crowds = _joined([part for _, part in found])
        minimal = ~np.isin(threes % (number * number), twos)
        threes = threes[minimal]
        rest = threes // number
        yield np.stack([rest // number, rest % number, threes % number], axis=1), crowds[minimal]


def _joined(parts: list[tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    nothing = np.zeros(0, dtype=np.int64)
    return np.concatenate([nothing, *(sets for sets, _ in parts)]), np.concatenate([nothing, *(number for _, number in parts)])


@dataclass(frozen=True, kw_only=True, eq=False)
class _Search:
    """Rows by their pair; `later` says how many rows of its record follow each row, `labels` what is counted of its person.

    A label is the person where somebody may have several records, and otherwise one bit per sensitive group.
    """

    columns: PairColumns
    requirement: Requirement
    triples: bool
    label_bits: int
    labels: Integers = field(repr=False)
    records: Numbers = field(repr=False)
    by_pair: Places = field(repr=False)
    later: Numbers = field(repr=False)
    blocks: tuple[tuple[int, int], ...] = field(repr=False)

    @classmethod
    def of(cls, columns: PairColumns, requirement: Requirement, *, triples: bool) -> _Search:
        """Put rows into the order of their pairs, and pairs into blocks."""
        ends = np.repeat(columns.offsets[1:], np.diff(columns.offsets))
        later = (ends - np.arange(1, columns.pairs.size + 1)).astype(np.int32)
        few = columns.codes.size <= 1 << 16
        order = np.argsort(columns.pairs.astype(np.uint16) if few else columns.pairs, kind="stable")
        begun = later[order].astype(np.int64)
        weight = offsets_of(begun * (begun - 1) // 2 + begun if triples else begun)
        bits, labels = _labels(columns)
        return cls(
            columns=columns,
            requirement=requirement,
            triples=triples,
            label_bits=bits,
            labels=labels,
            records=columns.records,
            by_pair=order,
            later=later,
            blocks=tuple(pairwise(_bounds(columns.pairs[order], weight, most=_room(columns)))),
        )

    def block(self, bounds: tuple[int, int]) -> tuple[tuple[Integers, Integers], tuple[Integers, Integers]]:
        """Violating sets of two pairs, as numbers, and of three, the last two of which may violate too; with their persons."""
        rows = self.by_pair[bounds[0] : bounds[1]]
        rows = rows[np.argsort(self.later[rows], kind="stable")]
        sizes, number = self.later[rows], self.columns.codes.size
        low = int(self.columns.pairs[rows].min())
        base = (self.columns.pairs[rows].astype(np.int64) - low) * number
        seconds = _following(self.columns.pairs, rows, sizes)
        keys = np.repeat(base, sizes)
        keys += seconds
        people = np.repeat(self.columns.person_of(self.records[rows]), sizes)
        cells = int(base.max() + number)
        values = None
        if cells > DENSE * keys.size + CHUNK:
            values, keys = np.unique(keys, return_inverse=True)
            cells = values.size
        persons, violating = _counted_in_table(self.columns, self.requirement, keys, people, cells=cells)
        wrong = np.flatnonzero(violating)
        twos = (wrong if values is None else values[wrong]) + low * number, persons[wrong]
        if not self.triples:
            return twos, (wrong[:0], wrong[:0])
        fine = ~violating[keys]
        left = np.asarray(np.diff(offsets_of(fine.astype(np.int64))[offsets_of(sizes.astype(np.int64))]), dtype=np.int64)
        return twos, self._threes(rows, base, left, seconds[fine], low)

    def _threes(self, rows: Places, base: Integers, sizes: Integers, seconds: Numbers, low: int) -> tuple[Integers, Integers]:
        """Violating sets of three pairs among rows, each with the pairs that may follow it."""
        number, bits = self.columns.codes.size, self.label_bits
        total = int((sizes * (sizes - 1) // 2).sum())
        narrow = (int(base.max() + number) * number).bit_length() + bits <= 32
        keys: npt.NDArray[np.unsignedinteger] = np.empty(total, dtype=np.uint32 if narrow else np.uint64)
        head = ((base * number) << bits) | self.labels[self.records[rows]]
        starts = offsets_of(sizes)[:-1]
        done = 0
        for size in np.unique(sizes[sizes > 1]).tolist():
            mine = np.flatnonzero(sizes == size)
            following = seconds[starts[mine] + np.arange(size)[:, np.newaxis]].astype(keys.dtype)
            first = following * keys.dtype.type(number << bits) + head[mine].astype(keys.dtype)
            following <<= keys.dtype.type(bits)
            for place in range(size - 1):
                end = done + (size - 1 - place) * mine.size
                np.add(following[place + 1 :], first[place], out=keys[done:end].reshape(-1, mine.size))
                done = end
        sets, persons = _counted_by_sorting(self.columns, self.requirement, keys, bits)
        return sets.astype(np.int64) + low * number * number, persons


def _following(pairs: Numbers, rows: Places, sizes: Numbers) -> Numbers:
    """The pairs of that many rows after each row, which come by increasing sizes."""
    found = np.empty(int(sizes.sum()), dtype=np.int32)
    bounds = np.append(np.flatnonzero(np.diff(sizes, prepend=-1)), rows.size).tolist()
    done = 0
    for start, stop in pairwise(bounds):
        size = int(sizes[start])
        end = done + size * (stop - start)
        if size:
            found[done:end] = pairs[rows[start:stop, np.newaxis] + np.arange(1, size + 1)].ravel()
        done = end
    return found


def _labels(columns: PairColumns) -> tuple[int, Integers]:
    """How many bits a label has, and that of each record: its person, or a bit per sensitive group."""
    if columns.persons is not None:
        return max(columns.sensitive.shape[0] - 1, 1).bit_length(), columns.persons.astype(np.int64)
    groups = columns.sensitive.shape[1]
    return groups, columns.sensitive.astype(np.int64) @ (1 << np.arange(groups, dtype=np.int64))


def _room(columns: PairColumns) -> int:
    """How many first pairs a block may have so that three pairs and a label fit 63 bits."""
    bits = 63 - _labels_bits(columns) - 2 * max(columns.codes.size, 2).bit_length()
    return 1 << bits if bits >= 0 else 0


def _labels_bits(columns: PairColumns) -> int:
    people, groups = columns.sensitive.shape
    return int(groups if columns.persons is None else max(people - 1, 1).bit_length())


def _bounds(pairs: Numbers, weight: Integers, *, most: int) -> list[int]:
    """Where blocks of about a chunk of occurrences begin, each with all rows of some pairs, but not of too many."""
    if not pairs.size:
        return [0]
    ends = np.append(np.flatnonzero(np.diff(pairs)) + 1, pairs.size)
    chunk = np.searchsorted(weight[ends], np.arange(CHUNK, int(weight[-1]), CHUNK))
    cuts = np.concatenate([ends[chunk], ends[most - 1 :: most] if most < ends.size else ends[:0]])
    return sorted({0, *cuts.tolist(), int(pairs.size)})


def _counted_in_table(
    columns: PairColumns, requirement: Requirement, keys: Integers, people: Numbers, *, cells: int
) -> tuple[Integers, Booleans]:
    """How many persons have each key below `cells`, and which keys violate."""
    if columns.persons is not None:
        crowd = columns.sensitive.shape[0]
        once = np.unique(keys * crowd + people)
        keys, people = once // crowd, (once % crowd).astype(np.int32)
    persons = np.bincount(keys, minlength=cells)
    groups = [np.bincount(keys[flags[people]], minlength=cells) for flags in columns.sensitive.T]
    sensitive = np.stack(groups, axis=1) if groups else np.zeros((cells, 0), dtype=np.int64)
    return persons, requirement.broken(persons, sensitive)


def _counted_by_sorting(
    columns: PairColumns, requirement: Requirement, keys: npt.NDArray[np.unsignedinteger], bits: int
) -> tuple[npt.NDArray[np.unsignedinteger], Integers]:
    """The violating sets and their persons, given (set, label) as one number per occurrence, whose memory is used."""
    keys.sort()
    if columns.persons is not None and keys.size:
        keys = keys[np.append(True, keys[1:] != keys[:-1])]
    sets = keys >> keys.dtype.type(bits)
    new = np.ones(keys.size, dtype=np.bool_)
    np.not_equal(sets[1:], sets[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    persons = np.diff(np.append(starts, keys.size))
    groups = columns.sensitive.shape[1]
    sensitive = np.zeros((starts.size, groups), dtype=np.int64)
    if starts.size:
        labels = (keys & keys.dtype.type((1 << bits) - 1)).astype(np.int64) if groups else starts
        for group, flags in enumerate(columns.sensitive.T):
            has = flags[labels] if columns.persons is not None else (labels >> group & 1)
            sensitive[:, group] = np.add.reduceat(has, starts, dtype=np.int64)
    wrong = requirement.broken(persons, sensitive)
    return sets[starts[wrong]], persons[wrong]
