"""Linkage attacks on trajectories: what somebody learns who knows up to L pairs of a person. Exact, for the owner's eyes only.

For every record, every set of up to L of its pairs is a possible knowledge. The *worst case* takes the set that serves the
attacker best, the *average* takes one at random. Identity linkage asks how many persons share the set, attribute linkage how
many of them have a sensitive value that the victim has too.

Sets are counted as occurrences, size by size, and those that begin with the same pair together, so that little memory is needed.
A set that only one person has makes all larger ones unique, so occurrences of unique sets are not extended: the larger ones are
counted by binomials.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Numbers, Places, Reals
from tacita.arrays.ragged import offsets_of, ranges
from tacita.public.parameters import whole_number
from tacita.trajectories import PairColumns
from tacita.trajectories.occurrences import threaded

__all__ = ["LinkageRisk", "SizeRisk", "attack_trajectories"]


CHUNK = 1 << 18
DENSE = 4  # a table may have this many cells per occurrence that it counts
NOBODY = np.iinfo(np.int32).max


@dataclass(frozen=True, kw_only=True, eq=False)
class SizeRisk:
    """What sets of exactly one size give away, record by record; records with fewer pairs are left out of all shares."""

    size: int
    smallest: Integers = field(repr=False)
    """The fewest persons that share a set of this record; 0 where it has no set of this size."""
    unique: Reals = field(repr=False)
    """The share of the sets of this record that nobody else has."""
    confidence: Reals = field(repr=False)
    """The highest share of persons with a sensitive value of the victim's group, over the sets of this record."""

    @property
    def singled_out_at_worst(self) -> float:
        """The share of records that some set of this size singles out."""
        return _share(self.smallest == 1, self.smallest > 0)

    @property
    def singled_out_on_average(self) -> float:
        """The share that a random set of this size singles out."""
        there = self.smallest > 0
        return float(self.unique[there].mean()) if there.any() else 0.0

    def below(self, crowd: int) -> float:
        """The share of records that some set of this size puts into a crowd smaller than this."""
        return _share(self.smallest < crowd, self.smallest > 0)

    @property
    def highest_confidence(self) -> float:
        """The highest confidence with which somebody's sensitive value is inferred."""
        return float(self.confidence.max(initial=0.0))


@dataclass(frozen=True, kw_only=True)
class LinkageRisk:
    """Risks by the number of known pairs."""

    sizes: tuple[SizeRisk, ...]

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        return {
            str(risk.size): {
                "singled out at worst": risk.singled_out_at_worst,
                "singled out on average": risk.singled_out_on_average,
                "smallest crowd": int(risk.smallest[risk.smallest > 0].min(initial=NOBODY))
                if (risk.smallest > 0).any()
                else None,
                "highest confidence": risk.highest_confidence,
            }
            for risk in self.sizes
        }

    def __str__(self) -> str:
        """A table, one line per number of known pairs."""
        lines = [f"{'known pairs':>11} {'unique at worst':>16} {'on average':>11} {'smallest crowd':>15} {'confidence':>11}"]
        for risk in self.sizes:
            there = risk.smallest[risk.smallest > 0]
            crowd = f"{there.min():,}" if there.size else "-"
            lines.append(
                f"{risk.size:>11} {risk.singled_out_at_worst:>16.1%} {risk.singled_out_on_average:>11.1%} {crowd:>15} "
                f"{risk.highest_confidence:>11.1%}"
            )
        return "\n".join(lines)


def _share(which: Booleans, among: Booleans) -> float:
    return float(np.count_nonzero(which & among) / np.count_nonzero(among)) if among.any() else 0.0


def attack_trajectories(columns: PairColumns, *, known_pairs: int) -> LinkageRisk:
    """Try every set of up to `known_pairs` pairs of every record.

    >>> from tacita.arrays.ragged import Ragged
    >>> risk = attack_trajectories(PairColumns.of(Ragged.from_lists([[0, 1], [0, 1], [0, 2]])), known_pairs=2)
    >>> [(each.singled_out_at_worst, each.singled_out_on_average) for each in risk.sizes]
    [(0.3333333333333333, 0.16666666666666666), (0.3333333333333333, 0.3333333333333333)]
    """
    whole_number(known_pairs, name="known_pairs", least=1)
    attack = _Attack(columns, known_pairs)
    attack.run()
    return LinkageRisk(sizes=tuple(attack.risk(size) for size in range(1, known_pairs + 1)))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Found:
    """What the sets of one size that begin with some rows say, row by row: how many are unique, and the worst of them."""

    unique: Integers
    smallest: Numbers
    confidence: Reals | None


class _Attack:
    """What all sets say about each record, size by size; sets that begin with the same pair are counted together."""

    def __init__(self, columns: PairColumns, known_pairs: int) -> None:
        self._columns, self._records, self._known = columns, columns.records, known_pairs
        ends = np.repeat(columns.offsets[1:], np.diff(columns.offsets))
        self._later = (ends - np.arange(1, columns.pairs.size + 1)).astype(np.int32)
        shape = (known_pairs + 1, len(columns))
        self._unique = np.zeros(shape, dtype=np.int64)
        self._smallest = np.full(shape, NOBODY, dtype=np.int32)
        self._confidence = np.zeros(shape if columns.sensitive.size else (known_pairs + 1, 1))
        someone = columns.person_of(np.arange(len(columns), dtype=np.int32))
        self._any_group: Booleans = np.asarray(columns.sensitive[someone].any(axis=1), dtype=np.bool_)

    def run(self) -> None:
        """Count all sets, and note what each says about its record."""
        blocks = list(self._blocks())
        for rows, found in zip(blocks, threaded(self._block, blocks), strict=True):
            owners = self._records[rows]
            for size, part in enumerate(found, start=1):
                some = np.flatnonzero(part.unique)
                np.add.at(self._unique[size], owners[some], part.unique[some])
                np.minimum.at(self._smallest[size], owners, part.smallest)
                if part.confidence is not None:
                    some = np.flatnonzero(part.confidence)
                    np.maximum.at(self._confidence[size], owners[some], part.confidence[some])

    def _blocks(self) -> Iterator[Places]:
        """The rows of some pairs after those of others, with about that many sets that begin with them."""
        few = self._columns.codes.size <= 1 << 16
        order = np.argsort(self._columns.pairs.astype(np.uint16) if few else self._columns.pairs, kind="stable")
        later, sets = self._later[order], np.zeros(order.size, dtype=np.int64)
        for size in range(self._known):
            sets += _binomial(later, size)
        weight = offsets_of(sets)
        ends = np.append(np.flatnonzero(np.diff(self._columns.pairs[order])) + 1, order.size)
        cuts = ends[np.minimum(np.searchsorted(weight[ends], np.arange(CHUNK, int(weight[-1]) + CHUNK, CHUNK)), ends.size - 1)]
        for start, stop in pairwise(sorted({0, *cuts.tolist(), order.size})):
            yield order[start:stop]

    def _block(self, rows: Places) -> list[_Found]:
        """What all sets that begin with these rows say.

        Occurrences of a size stand in the order of the rows that they begin with, so what they say is put together by runs.
        """
        distinct = self._columns.codes.size
        last, begun = rows, np.arange(rows.size)
        people = self._columns.person_of(self._records[rows])
        low = int(self._columns.pairs[rows].min())
        keys, cells = self._columns.pairs[rows].astype(np.int64) - low, int(self._columns.pairs[rows].max()) - low + 1
        found: list[_Found] = []
        settled: list[tuple[int, Integers, Integers]] = []
        for size in range(1, self._known + 1):
            if size > 1:
                sizes = self._later[last].astype(np.int64)
                keys, cells = keys * distinct, cells * distinct
                last = ranges(last + 1, sizes)
                if size == self._known and self._fits(cells, rows.size):
                    found.append(self._counted_by_sorting(people, keys, begun, sizes, self._columns.pairs[last]))
                    self._certain(found[-1], size, rows, settled)
                    break
                keys, begun = np.repeat(keys, sizes), np.repeat(begun, sizes)
                keys += self._columns.pairs[last]
            keys, cells = _numbered(keys, cells)
            persons, confidence = self._counted(keys, cells, people, begun)
            alone = persons == 1
            found.append(self._said(rows.size, begun, persons, alone, confidence))
            self._certain(found[-1], size, rows, settled)
            settled.append((size, last[alone], begun[alone]))
            last, keys, begun = last[~alone], keys[~alone], begun[~alone]
        return found

    def _fits(self, cells: int, rows: int) -> bool:
        """Whether a set and the row that it begins with fit one number, and rows can be counted in place of persons."""
        return self._columns.persons is None and cells.bit_length() + rows.bit_length() <= 63

    def _counted_by_sorting(
        self,
        people: Numbers,
        keys: Integers,
        begun: Integers,
        sizes: Integers,
        following: Numbers,
    ) -> _Found:
        """What the largest sets say, where every record is a person: sets and the rows they begin with are sorted as one number.

        Nothing has to be extended any more, so it does not matter which occurrence is which.
        """
        bits = int(people.size).bit_length()
        both = np.repeat((keys << bits) | begun, sizes)
        both += following.astype(np.int64) << bits
        both.sort()
        begun = both & ((1 << bits) - 1)
        both >>= bits
        starts = np.flatnonzero(np.append(True, both[1:] != both[:-1])) if both.size else both
        persons = np.diff(np.append(starts, both.size))
        unique = np.bincount(begun[starts[persons == 1]], minlength=people.size)
        smallest = np.full(people.size, NOBODY, dtype=np.int32)
        np.minimum.at(smallest, begun, np.repeat(persons.astype(np.int32), persons))
        if not self._columns.sensitive.shape[1]:
            return _Found(unique=unique, smallest=smallest, confidence=None)
        confidence, of_set = np.zeros(people.size), np.repeat(np.arange(persons.size), persons)
        for flags in self._columns.sensitive[people].T:
            mine = np.flatnonzero(flags[begun])
            share = np.bincount(of_set[mine], minlength=persons.size) / persons
            np.maximum.at(confidence, begun[mine], share[of_set[mine]])
        return _Found(unique=unique, smallest=smallest, confidence=confidence)

    def _counted(self, keys: Integers, cells: int, people: Numbers, begun: Integers) -> tuple[Numbers, Reals | None]:
        """For each occurrence how many persons share its set, and the highest confidence about the victim."""
        if self._columns.persons is None:
            of_set, row = keys, begun
        else:
            crowd = self._columns.sensitive.shape[0]
            once, first = np.unique(keys * crowd + people[begun], return_index=True)
            of_set, row = once // crowd, begun[first]
        persons = np.bincount(of_set, minlength=cells)
        shared = persons.astype(np.int32)[keys]
        if not self._columns.sensitive.shape[1]:
            return shared, None
        confidence = np.zeros(keys.size)
        for flags in self._columns.sensitive[people].T:
            share = np.bincount(of_set[flags[row]], minlength=cells) / np.maximum(persons, 1)
            mine = np.flatnonzero(flags[begun])
            confidence[mine] = np.maximum(confidence[mine], share[keys[mine]])
        return shared, confidence

    @staticmethod
    def _said(rows: int, begun: Integers, persons: Numbers, alone: Booleans, confidence: Reals | None) -> _Found:
        """Put together what the occurrences that begin with each row say."""
        starts = np.flatnonzero(np.diff(begun, prepend=-1))
        unique, smallest = np.zeros(rows, dtype=np.int64), np.full(rows, NOBODY, dtype=np.int32)
        highest = None if confidence is None else np.zeros(rows)
        if starts.size:
            heads = begun[starts]
            unique[heads] = np.add.reduceat(alone, starts, dtype=np.int64)
            smallest[heads] = np.minimum.reduceat(persons, starts)
            if highest is not None and confidence is not None:
                highest[heads] = np.maximum.reduceat(confidence, starts)
        return _Found(unique=unique, smallest=smallest, confidence=highest)

    def _certain(self, found: _Found, size: int, rows: Places, settled: list[tuple[int, Integers, Integers]]) -> None:
        """Sets of this size that extend a unique one are unique, and tell all that is sensitive about their person."""
        for smaller, last, begun in settled:
            number = _binomial(self._later[last], size - smaller)
            there = begun[number > 0]
            np.add.at(found.unique, begun, number)
            found.smallest[there] = 1
            if found.confidence is not None:
                found.confidence[there[self._any_group[self._records[rows[there]]]]] = 1.0

    def risk(self, size: int) -> SizeRisk:
        """What was found for one size."""
        total = _binomial(np.diff(self._columns.offsets), size)
        return SizeRisk(
            size=size,
            smallest=np.where(total > 0, self._smallest[size], 0),
            unique=self._unique[size] / np.maximum(total, 1),
            confidence=np.broadcast_to(self._confidence[size], total.shape),
        )


def _numbered(keys: Integers, cells: int) -> tuple[Integers, int]:
    """Keys as numbers that are few enough to be counted in a table, and how many cells it needs.

    Where the table would be too large, the different keys are numbered; keys and places are sorted as one number if that fits.
    """
    if cells <= DENSE * keys.size:
        return keys, cells
    bits = max(keys.size, 1).bit_length()
    if cells.bit_length() + bits > 63:
        values, numbers = np.unique(keys, return_inverse=True)
        return np.asarray(numbers, dtype=np.int64), values.size
    both = keys << bits
    both |= np.arange(keys.size)
    both.sort()
    order = both & ((1 << bits) - 1)
    both >>= bits
    new = np.ones(keys.size, dtype=np.bool_)
    np.not_equal(both[1:], both[:-1], out=new[1:])
    numbers = np.cumsum(new) - 1
    found = np.empty(keys.size, dtype=np.int64)
    found[order] = numbers
    return found, int(numbers[-1]) + 1 if numbers.size else 0


def _binomial(numbers: AnyIntegers, size: int) -> Integers:
    """How many sets of this size a list of each length has."""
    lengths = np.arange(int(numbers.max(initial=0)) + 1)
    found = np.ones(lengths.shape, dtype=np.int64)
    for place in range(size):
        found = found * np.maximum(lengths - place, 0) // (place + 1)
    return np.asarray(found[numbers], dtype=np.int64)
