"""(K,C)_L-privacy by suppression: the method that publishes trajectories, and the list of what violates it in raw ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import polars as pl

from tacita.arrays import AnyIntegers, Booleans, Integers, Places, Reals
from tacita.arrays.ragged import Ragged, chosen, offsets_of
from tacita.errors import ParameterError, VerificationError
from tacita.privacy.budget import Explanation
from tacita.privacy.publishing import Progress, parameters_of, require_records_of, verified_release
from tacita.privacy.release import Release
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import Chosen, instance_of, whole_number
from tacita.public.taxonomy import Taxonomy, require_taxonomy
from tacita.trajectories.first_pairs import MOST, fits, small_violations
from tacita.trajectories.generalization import Grain, generalized
from tacita.trajectories.greedy import Scope, Score, suppress_greedily
from tacita.trajectories.indexed_sets import PairColumns
from tacita.trajectories.loss import FrequentSets
from tacita.trajectories.occurrences import levels
from tacita.trajectories.packing import pack
from tacita.trajectories.places import PlaceWeights
from tacita.trajectories.published import PublishedTrajectories
from tacita.trajectories.records import TrajectoryRecords
from tacita.trajectories.requirement import NOT_PROMISED, LinkagePrivacy, Requirement, SensitiveGroup
from tacita.trajectories.verification import verify_published

__all__ = ["SensitiveGroups", "Strategy", "Suppression", "Violations", "find_violations"]


class Strategy(StrEnum):
    """How pairs are chosen that are suppressed."""

    PACKING = "packing"
    PUBLISHED = "published"
    BY_GAIN = "by-gain"
    BY_LOSS = "by-loss"
    GLOBAL = "global"


_SCORES = {Strategy.BY_GAIN: Score.GAIN, Strategy.BY_LOSS: Score.LOSS}


class SensitiveGroups(tuple[SensitiveGroup, ...]):
    """Sensitive groups, as they are typed: `diagnosis=HIV|Hepatitis<=1/2`, several separated by semicolons."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> SensitiveGroups:
        """Read them.

        >>> print(SensitiveGroups.parse("diagnosis=HIV<=50%; diagnosis=HIV|Flu<=3/5")[1])
        diagnosis=HIV|Flu<=3/5
        """
        groups = []
        for part in text.split(";"):
            names, bounded, confidence = part.strip().rpartition("<=")
            attribute, equals, values = names.partition("=")
            if not bounded or not equals:
                message = f"a sensitive group must be written as attribute=value|value<=confidence, got {part.strip()!r}"
                raise ParameterError(message)
            each = [value.strip() for value in values.split("|")]
            groups.append(SensitiveGroup(attribute=attribute.strip(), values=each, confidence=confidence))
        return cls(groups)


NOTHING_SENSITIVE = SensitiveGroups()


@dataclass(frozen=True, kw_only=True)
class Suppression:
    """Publish trajectories by suppressing pairs until no set of up to L pairs gives anybody away.

    Needs: trajectories over a public universe and a public grid of times; sensitive groups name attributes in the table of the
    records. `frequent_support` asks for maximal frequent sequences of this support to be kept, not instances alone: packing keeps
    pairs that are in one of them twice as gladly, and the published strategies count them as the loss. `weights` says what
    places are worth. `taxonomy` with `place_depth`, and `join_intervals`, make places and times coarser first.
    Guarantees: (K,C)_L-privacy of the release: every set of up to `known_pairs` pairs that occurs in a record is shared by at
    least `crowd` persons, and of these at most the group's confidence have a value of a sensitive group.
    Protects: persons; several records of a person count once.
    Verified by: `tacita.trajectories.verification`, which shares no code with the suppression and counts all sets of the
    release; if it finds a violation, nothing is published.
    Not covered: somebody who knows more pairs, or what is not there, or another release of the same persons; whether somebody is
    in the data at all; what a vanished set shows where `crowd` is 1 (minimality), which must be accepted by
    `accept_minimality`. The release is chosen by the raw data without noise: it is not differentially private.
    Reference: Chen, thesis, 2012, chapter 5, Algorithms 5.1 to 5.3 (strategies other than packing), with an exact check in place
    of Algorithm 5.2, which is unsound; packing is ours.

    >>> Suppression(crowd=30, known_pairs=2).explain().title
    'suppression by packing, (30, 100 %)_2-privacy'
    """

    crowd: int
    known_pairs: int | None = None
    sensitive: SensitiveGroups = NOTHING_SENSITIVE
    strategy: Chosen[Strategy] = Chosen(Strategy, Strategy.PACKING)
    frequent_support: int | None = None
    weights: PlaceWeights | None = None
    join_intervals: int = 1
    place_depth: int | None = None
    taxonomy: Taxonomy | None = None
    accept_minimality: bool = False

    def __post_init__(self) -> None:
        """Check the parameters, and that each of them does something."""
        instance_of(self.sensitive, tuple, list, name="sensitive groups")
        require_taxonomy(self.taxonomy)
        requirement, _ = self.requirement, self.grain
        if requirement.crowd == 1 and any(bound < 1 for bound in requirement.bounds) and not self.accept_minimality:
            message = (
                "with a crowd of 1, a set that is missing from the release shows that its confidence was too high (minimality); "
                "ask for a crowd of 2 persons at least, or accept this by accept_minimality"
            )
            raise ParameterError(message)
        if self.frequent_support is not None:
            whole_number(self.frequent_support, name="frequent_support", least=1)
            if self.strategy is not Strategy.PACKING and self.weights is not None:
                message = "the published strategies count frequent sequences or weights; leave frequent_support or weights out"
                raise ParameterError(message)
        if (self.place_depth is None) != (self.taxonomy is None):
            message = "coarser places need both a taxonomy and a place_depth; give both or neither"
            raise ParameterError(message)

    @property
    def requirement(self) -> Requirement:
        """The promise that is asked for."""
        return Requirement(crowd=self.crowd, known_pairs=self.known_pairs, groups=tuple(self.sensitive))

    @property
    def grain(self) -> Grain:
        """How coarse places and times become first."""
        return Grain(place_depth=self.place_depth, intervals=self.join_intervals)

    def explain(self, public: PublicInputs = UNKNOWN) -> Explanation:
        """What is promised, and what is not; nothing is spent."""
        promise = LinkagePrivacy(requirement=self.requirement, unit="one person", voids=public.voids)
        return Explanation(
            title=f"suppression by {self.strategy}, {self.requirement}-privacy",
            facts=(
                promise.statement().partition(" It does not promise")[0],
                f"verified by {promise.evidence.by}, which counts all sets of the release; if one violates, nothing is published",
                *(f"not promised: {what}" for what in NOT_PROMISED),
            ),
        )

    def publish(self, records: TrajectoryRecords, *, progress: Progress | None = None) -> Release[PublishedTrajectories]:
        """Suppress, verify, and only then make a release; the number of records left empty is never revealed."""
        require_records_of(records, TrajectoryRecords, method="suppression")
        if self.grain != Grain():
            records = generalized(records, self.grain, taxonomy=self.taxonomy)
        requirement = self.requirement
        columns = records.pair_columns(requirement)
        kept = columns.where(self._suppress(columns, self._worth(records, columns), progress))
        data, sources = _published(records, kept.lists(), requirement)
        if not verify_published(data, requirement, records=records, sources=sources).holds:
            message = (
                "the independent check found a violation, so nothing is published; this is a defect of Tacita, please report it"
            )
            raise VerificationError(message)
        return verified_release(
            records,
            data,
            LinkagePrivacy(requirement=requirement, unit=records.unit, voids=records.public.voids),
            mechanism="suppression",
            parameters=parameters_of(self, sensitive=[str(group) for group in self.sensitive]),
            rules=("pairs were suppressed in some records, and records that were left with nothing are not here",),
            others={"taxonomy": self.taxonomy},
        )

    def _worth(self, records: TrajectoryRecords, columns: PairColumns) -> Reals | None:
        """What keeping each pair is worth, where not all are worth the same."""
        worth: Reals | None = None
        if self.weights is not None:
            worth = self.weights.of_codes(records.universe, records.grid, len(records.quasi))[columns.codes]
        if self.frequent_support is not None and self.strategy is Strategy.PACKING:
            frequent = np.where(FrequentSets(columns, support=self.frequent_support).has_pairs, 2.0, 1.0)
            worth = frequent if worth is None else worth * frequent
        return worth

    def _suppress(self, columns: PairColumns, worth: Reals | None, progress: Progress | None) -> Booleans:
        """Which rows are kept."""
        if self.strategy is Strategy.PACKING:
            told = None if progress is None else lambda left: progress(len(columns) - left, len(columns))
            return pack(columns, self.requirement, weights=worth, progress=told)
        return suppress_greedily(
            columns,
            self.requirement,
            score=_SCORES.get(self.strategy, Score.RATIO),
            scope=Scope.GLOBAL if self.strategy is Strategy.GLOBAL else Scope.LOCAL,
            frequent=None if self.frequent_support is None else FrequentSets(columns, support=self.frequent_support),
            weights=worth,
        )


def _published(records: TrajectoryRecords, lists: Ragged, requirement: Requirement) -> tuple[PublishedTrajectories, Places]:
    """What is left, in the order of its content, with the attributes that are shown; and the raw record of each."""
    filled = np.flatnonzero(lists.lengths > 0)
    lists = chosen(lists, filled)
    people = filled if records.persons is None else records.persons[filled]
    sensitive = list(dict.fromkeys(group.attribute for group in requirement.groups))
    named = list(dict.fromkeys(attribute for attribute, _ in records.quasi))
    shown = [] if records.attributes is None else [records.attributes[name].gather(people) for name in sensitive]
    table = pl.DataFrame([*shown, *_quasi_columns(records, lists, named)])
    trails = _only_pairs(lists, records.pairs)
    order = _order(trails, table)
    data = PublishedTrajectories(
        trajectories=chosen(trails, order),
        universe=records.universe,
        grid=records.grid,
        attributes=table[order] if table.width else None,
        quasi_identifiers=tuple(named),
        requirement=requirement,
        file_format=records.file_format,
        columns=records.columns,
        places=records.places,
    )
    return data, filled[order]


def _quasi_columns(records: TrajectoryRecords, lists: Ragged, named: list[str]) -> list[pl.Series]:
    """The value of each quasi-identifier that a record keeps, null where it was suppressed."""
    owner = np.repeat(np.arange(len(lists)), lists.lengths)
    columns = []
    for attribute in named:
        values = [value if name == attribute else None for name, value in records.quasi]
        place = lists.codes - records.pairs
        mine = np.flatnonzero(place >= 0)
        mine = mine[[values[code] is not None for code in place[mine].tolist()]]
        found = np.full(len(lists), -1, dtype=np.int64)
        found[owner[mine]] = place[mine]
        series = pl.Series(attribute, [None if code < 0 else values[code] for code in found.tolist()], dtype=pl.String)
        columns.append(series)
    return columns


def _only_pairs(lists: Ragged, pairs: int) -> Ragged:
    there = lists.codes < pairs
    return Ragged(lists.codes[there], offsets_of(there.astype(np.int64))[lists.offsets])


def _order(trails: Ragged, table: pl.DataFrame) -> Places:
    """An order that depends on what is published alone."""
    width = int(trails.lengths.max(initial=0))
    position = np.arange(trails.codes.size) - np.repeat(trails.offsets[:-1], trails.lengths)
    matrix = np.full((len(trails), width), -1, dtype=np.int32)
    matrix[np.repeat(np.arange(len(trails)), trails.lengths), position] = trails.codes
    keys = [table[name].rank("dense").fill_null(0).to_numpy() for name in reversed(table.columns)]
    return np.lexsort((*keys, *matrix.T[::-1])) if keys or width else np.arange(len(trails))


# All minimal violating sequences, for the owner (Chen's thesis, 2012, Definition 5.5 and Algorithm 5.1). `first_pairs` explains
# how they are found, and `occurrences` does so for more than three pairs. A list of them says which of the owner's people stand
# out and how, so it must not leave the house.


@dataclass(frozen=True, kw_only=True, eq=False)
class Violations:
    """Minimal violating sets by size: the codes of their pairs, increasing, one row per set, and how many persons have each."""

    codes: tuple[Integers, ...] = field(repr=False)
    persons: tuple[Integers, ...] = field(repr=False)

    def __len__(self) -> int:
        """The number of minimal violating sets."""
        return sum(len(rows) for rows in self.codes)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """One after another; for small data."""
        return (tuple(row) for rows in self.codes for row in rows.tolist())


def find_violations(columns: PairColumns, requirement: Requirement) -> Violations:
    """Every set of up to the known pairs that too few persons share, or that reveals too much, and no part of which does so."""
    longest = int(np.diff(columns.offsets).max(initial=0))
    most = longest if requirement.known_pairs is None else min(longest, requirement.known_pairs)
    codes, persons = [], []
    for pairs, number in _by_size(columns, requirement, most):
        rows = columns.codes[pairs]
        rows.sort(axis=1)
        codes.append(rows)
        persons.append(number)
    return Violations(codes=tuple(codes), persons=tuple(persons))


def _by_size(columns: PairColumns, requirement: Requirement, most: int) -> Iterator[tuple[AnyIntegers, Integers]]:
    """The pairs of each set and its persons, by the way that takes least memory."""
    if 0 < most <= MOST and fits(columns):
        yield from small_violations(columns, requirement, most=most)
        return
    for level in levels(columns, requirement):
        yield level.pairs(columns, np.flatnonzero(level.violating)), level.persons[level.violating]
