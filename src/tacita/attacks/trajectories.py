"""Linkage attacks on trajectories: what somebody learns who knows up to L pairs of a person. Exact, for the owner's eyes only.

For every record, every set of up to L of its pairs is a possible knowledge. The *worst case* takes the set that serves the
attacker best, the *average* takes one at random. Identity linkage asks how many persons share the set, attribute linkage how
many of them have a sensitive value that the victim has too.

Sets are counted as occurrences, size by size. A set that only one person has makes all larger ones unique, so occurrences of
unique sets are not extended: the larger ones are counted by binomials.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tacita.arrays.ragged import ranges
from tacita.public.parameters import whole_number
from tacita.trajectories import PairColumns, PublishedTrajectories, Requirement, TrajectoryRecords

__all__ = ["LinkageRisk", "SizeRisk", "TrajectoryAssessment", "attack_trajectories", "on_trajectories"]

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]


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
    attack = _Attack(columns)
    return LinkageRisk(sizes=tuple(attack.next() for _ in range(known_pairs)))


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
    """Occurrences of sets that several persons have, and how many larger ones are unique for certain."""

    def __init__(self, columns: PairColumns) -> None:
        self._columns, self._records = columns, columns.records
        self._ends = columns.offsets[1:][self._records]
        self._lengths = np.diff(columns.offsets)
        self._last: Integers = np.arange(columns.pairs.size)
        self._keys: Integers = columns.pairs.astype(np.int64)
        self._size = 0
        self._settled: list[tuple[int, npt.NDArray[np.int32], Integers]] = []

    def next(self) -> SizeRisk:
        """The risk by sets of one more pair."""
        self._size += 1
        if self._size > 1:
            self._extend()
        owners = self._records[self._last]
        persons, confidence, sets = self._counted(owners)
        records = len(self._columns)
        total = _binomial(self._lengths, self._size)
        certain = self._certain()
        alone = persons == 1
        unique = certain + np.bincount(owners[alone], minlength=records)
        smallest = np.full(records, np.iinfo(np.int64).max)
        np.minimum.at(smallest, owners, persons)
        smallest[certain > 0] = 1
        smallest[total == 0] = 0
        highest = np.zeros(records)
        np.maximum.at(highest, owners, confidence)
        highest = np.maximum(highest, self._certain_confidence(certain))
        self._settled.append((self._size, owners[alone], self._last[alone]))
        self._last, self._keys = self._last[~alone], sets[~alone]
        return SizeRisk(size=self._size, smallest=smallest, unique=unique / np.maximum(total, 1), confidence=highest)

    def _extend(self) -> None:
        """Every occurrence with every later row of its record."""
        sizes = (self._ends[self._last] - self._last - 1).astype(np.int64)
        row = ranges(self._last + 1, sizes)
        keys = np.repeat(self._keys * self._columns.codes.size, sizes)
        keys += self._columns.pairs[row]
        self._last, self._keys = row, keys

    def _counted(self, owners: npt.NDArray[np.int32]) -> tuple[Integers, Floats, Integers]:
        """For each occurrence, how many persons share its set, the highest confidence about the victim, and the set's number."""
        sets = _numbered(self._keys)
        people = self._columns.person_of(owners)
        number = int(sets.max(initial=-1)) + 1
        if self._columns.persons is None:
            of_set, who = sets, people
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

    def _certain(self) -> Integers:
        """How many sets of this size of each record extend a unique one, and so are unique."""
        found = np.zeros(len(self._columns), dtype=np.int64)
        for size, owners, last in self._settled:
            later = self._ends[last] - last - 1
            found += np.bincount(owners, weights=_binomial(later, self._size - size), minlength=found.size).astype(np.int64)
        return found

    def _certain_confidence(self, certain: Integers) -> Floats:
        """Whoever is singled out has a sensitive value for certain, or none."""
        someone = self._columns.person_of(np.arange(len(self._columns), dtype=np.int32))
        any_group = self._columns.sensitive[someone].any(axis=1)
        return np.where((certain > 0) & any_group, 1.0, 0.0)


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
