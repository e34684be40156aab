"""Linkage attacks on trajectories: what somebody learns who knows up to L pairs of a person. Exact, for the owner's eyes only.

For every record, every set of up to L of its pairs is a possible knowledge. The *worst case* takes the set that serves the
attacker best, the *average* takes one at random. Identity linkage asks how many persons share the set, attribute linkage how
many of them have a sensitive value that the victim has too.

Sets are counted as occurrences, size by size, and those that begin with the same pair together, so that little memory is needed.
A set that only one person has makes all larger ones unique, so occurrences of unique sets are not extended: the larger ones are
counted by binomials.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import offsets_of, ranges
from tacita.public.parameters import whole_number
from tacita.trajectories import PairColumns, PublishedTrajectories, Requirement, TrajectoryRecords

__all__ = ["LinkageRisk", "SizeRisk", "TrajectoryAssessment", "attack_trajectories", "on_trajectories"]

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]

CHUNK = 1 << 19


@dataclass(frozen=True, kw_only=True, eq=False)
class SizeRisk:
    """What sets of exactly one size give away, record by record; records with fewer pairs are left out of all shares."""

    size: int
    smallest: Integers = field(repr=False)
    """The fewest persons that share a set of this record; 0 where it has no set of this size."""
    unique: Floats = field(repr=False)
    """The share of the sets of this record that nobody else has."""
    confidence: Floats = field(repr=False)
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
                "smallest crowd": int(risk.smallest[risk.smallest > 0].min(initial=np.iinfo(np.int64).max))
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
    for rows in attack.blocks():
        attack.run(rows)
    return LinkageRisk(sizes=tuple(attack.risk(size) for size in range(1, known_pairs + 1)))


OWNER_ONLY = "for the owner's eyes only: these figures are computed from raw data, without noise"


@dataclass(frozen=True, kw_only=True)
class TrajectoryAssessment:
    """The linkage risk of the private file, or of one release. For the owner only."""

    against: str
    risk: LinkageRisk

    def __str__(self) -> str:
        """Render for a terminal."""
        return f"linkage against {self.against}\n{OWNER_ONLY}\n\n{self.risk}"

    def as_json(self) -> dict[str, object]:
        """The same for scripts, with the same warning."""
        return {"warning": OWNER_ONLY, "attack": "linkage", "against": self.against, "by_known_pairs": self.risk.as_json()}


def on_trajectories(
    records: TrajectoryRecords, releases: Sequence[PublishedTrajectories], *, known: int | None = None
) -> list[TrajectoryAssessment]:
    """Attack the private file and each release by up to `known` pairs: if not given, one more than was promised for."""
    promised = [release.requirement.known_pairs or 0 for release in releases]
    known = max([2, *promised]) + 1 if known is None else known
    table = records.attributes
    groups = [group for release in releases for group in release.requirement.groups]
    there = tuple(dict.fromkeys(group for group in groups if table is not None and group.attribute in table.columns))
    asked = Requirement(crowd=2, known_pairs=known, groups=there)
    raw = PairColumns.of(records.trajectories, persons=records.persons, sensitive=records.sensitive_flags(asked))
    found = [TrajectoryAssessment(against="the private file", risk=attack_trajectories(raw, known_pairs=known))]
    for place, release in enumerate(releases, start=1):
        columns = PairColumns.of(release.trajectories, sensitive=release.sensitive_flags())
        risk = attack_trajectories(columns, known_pairs=known)
        found.append(TrajectoryAssessment(against=f"release {place}", risk=risk))
    return found


class _Attack:
    """What all sets say about each record, size by size; sets that begin with the same pair are counted together."""

    def __init__(self, columns: PairColumns, known_pairs: int) -> None:
        self._columns, self._records, self._known = columns, columns.records, known_pairs
        self._later = columns.offsets[1:][self._records] - np.arange(columns.pairs.size) - 1
        shape = (known_pairs + 1, len(columns))
        self._unique = np.zeros(shape, dtype=np.int64)
        self._smallest = np.full(shape, np.iinfo(np.int64).max)
        self._confidence = np.zeros(shape)
        someone = columns.person_of(np.arange(len(columns), dtype=np.int32))
        self._any_group: Booleans = np.asarray(columns.sensitive[someone].any(axis=1), dtype=np.bool_)

    def blocks(self) -> Iterator[Integers]:
        """The rows of some pairs after those of others, with about so many sets that begin with them."""
        order = np.argsort(self._columns.pairs, kind="stable")
        sets = sum(_binomial(self._later[order], size) for size in range(self._known))
        weight = offsets_of(np.asarray(sets, dtype=np.int64))
        ends = np.append(np.flatnonzero(np.diff(self._columns.pairs[order])) + 1, order.size)
        cuts = ends[np.minimum(np.searchsorted(weight[ends], np.arange(CHUNK, int(weight[-1]) + CHUNK, CHUNK)), ends.size - 1)]
        for start, stop in pairwise(sorted({0, *cuts.tolist(), order.size})):
            yield order[start:stop]

    def run(self, last: Integers) -> None:
        """Count all sets that begin with these rows, and note what each says about its record."""
        keys = self._columns.pairs[last].astype(np.int64)
        settled: list[tuple[int, Integers]] = []
        for size in range(1, self._known + 1):
            if size > 1:
                sizes = self._later[last]
                keys = np.repeat(keys * self._columns.codes.size, sizes)
                last = ranges(last + 1, sizes)
                keys += self._columns.pairs[last]
            owners = self._records[last]
            persons, confidence, sets = self._counted(keys, owners)
            alone = persons == 1
            np.add.at(self._unique[size], owners[alone], 1)
            np.minimum.at(self._smallest[size], owners, persons)
            np.maximum.at(self._confidence[size], owners, confidence)
            self._certain(size, settled)
            settled.append((size, last[alone]))
            last, keys = last[~alone], sets[~alone]

    def _counted(self, keys: Integers, owners: npt.NDArray[np.int32]) -> tuple[Integers, Floats, Integers]:
        """For each occurrence, how many persons share its set, the highest confidence about the victim, and the set's number."""
        sets = _numbered(keys)
        people = self._columns.person_of(owners)
        number = int(sets.max(initial=-1)) + 1
        if self._columns.persons is None:
            of_set, who = sets, people.astype(np.int64)
        else:
            crowd = self._columns.sensitive.shape[0]
            once = np.unique(sets * crowd + people)
            of_set, who = once // crowd, once % crowd
        persons = np.bincount(of_set, minlength=number)
        confidence = np.zeros(sets.size)
        for flags in self._columns.sensitive.T:
            share = np.bincount(of_set[flags[who]], minlength=number) / np.maximum(persons, 1)
            confidence = np.maximum(confidence, np.where(flags[people], share[sets], 0.0))
        return persons[sets], confidence, sets

    def _certain(self, size: int, settled: list[tuple[int, Integers]]) -> None:
        """Sets of this size that extend a unique one are unique, and tell all that is sensitive about their person."""
        for smaller, last in settled:
            number = _binomial(self._later[last], size - smaller)
            owners = self._records[last[number > 0]]
            np.add.at(self._unique[size], self._records[last], number)
            self._smallest[size, owners] = 1
            self._confidence[size, owners[self._any_group[owners]]] = 1.0

    def risk(self, size: int) -> SizeRisk:
        """What was found for one size."""
        total = _binomial(np.diff(self._columns.offsets), size)
        return SizeRisk(
            size=size,
            smallest=np.where(total > 0, self._smallest[size], 0),
            unique=self._unique[size] / np.maximum(total, 1),
            confidence=self._confidence[size],
        )


def _numbered(keys: Integers) -> Integers:
    """The number of each key among the different ones; keys and places are sorted as one number where that fits."""
    bits = max(keys.size, 1).bit_length()
    if int(keys.max(initial=0)).bit_length() + bits > 63:
        return np.asarray(np.unique(keys, return_inverse=True)[1], dtype=np.int64)
    both = keys << bits
    both |= np.arange(keys.size)
    both.sort()
    order = both & ((1 << bits) - 1)
    both >>= bits
    new = np.ones(keys.size, dtype=np.bool_)
    np.not_equal(both[1:], both[:-1], out=new[1:])
    numbers = np.empty(keys.size, dtype=np.int64)
    numbers[order] = np.cumsum(new) - 1
    return numbers


def _binomial(numbers: Integers, size: int) -> Integers:
    """How many sets of this size a list of each length has."""
    found = np.ones(numbers.shape, dtype=np.int64)
    for place in range(size):
        found = found * np.maximum(numbers - place, 0) // (place + 1)
    return found
