"""What `tacita attack` tries on trajectories: all sets of pairs, four random ones, what vanished, and two releases together.

Composition and minimality are the attacks that tables have in `minimality`, with pairs in place of quasi-identifiers. Linkage
by all sets of pairs is in `trajectories`, uniqueness by random ones in `commands`; `on_trajectories`, at the end, runs all of
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import polars as pl

from tacita.arrays import AnyIntegers, Booleans, Integers, Reals
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.attacks.commands import PointUniqueness, holders_of_codes, matching
from tacita.attacks.result import OWNER_ONLY, Assessment, Figure
from tacita.attacks.trajectories import LinkageRisk, attack_trajectories
from tacita.errors import ParameterError
from tacita.public.parameters import whole_number
from tacita.seeded import public_generator
from tacita.trajectories import (
    PairColumns,
    PublishedTrajectories,
    Requirement,
    SensitiveGroup,
    TrajectoryRecords,
    at_grain,
    codes_at_grain,
)
from tacita.trajectories.occurrences import levels

__all__ = ["TrajectoryAssessment", "TrajectoryComposition", "TrajectoryMinimality", "on_trajectories"]


# Composition: two releases about overlapping persons, each private by itself, are looked at together.
#
# The attacker knows some random pairs of a person and that the person is in both releases, and looks for the records that hold
# all of them. Only sensitive values that are possible in both can be the person's (the intersection attack of Ganta,
# Kasiviswanathan and Smith, KDD 2008, here with pairs in place of quasi-identifiers). Persons and pairs are drawn by a public
# generator.


@dataclass(frozen=True, kw_only=True)
class TrajectoryComposition:
    """An attacker who holds two releases and knows some random pairs of a person."""

    known: int = 2
    people: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the numbers."""
        whole_number(self.known, name="known", least=1)
        whole_number(self.people, name="people", least=1)

    def assess(
        self, records: TrajectoryRecords, first: PublishedTrajectories, second: PublishedTrajectories, *, attribute: str
    ) -> Assessment:
        """Attack persons of the private file whose pairs can be found in both releases; the attribute is in both."""
        values = sorted({*_values(first, attribute).unique(), *_values(second, attribute).unique()})
        sides = [_Side(each, _values(each, attribute), values, codes_at_grain(records, each.public)) for each in (first, second)]
        generator = public_generator(self.seed)
        lists, found = records.trajectories, []
        for place in generator.permutation(len(lists))[: self.people].tolist():
            codes = lists.codes[lists.offsets[place] : lists.offsets[place + 1]]
            known = generator.permutation(codes[codes < records.pairs])[: self.known]
            shares = [side.shares(known) for side in sides] if known.size else []
            if shares and all(share.sum() > 0 for share in shares):
                found.append(shares)
        one, other = (np.array([each[side] for each in found]).reshape(-1, len(values)) for side in (0, 1))
        return Assessment(
            attack="composition",
            against="two releases about the same people",
            assumptions=(f"the attacker knows {self.known} random pairs of a person, and that the person is in both",),
            figures=(
                Figure(name="people drawn", value=float(min(self.people, len(lists))), is_share=False),
                Figure(name="people who are found in both", value=float(len(found)), is_share=False),
                Figure(name="possible values, first release alone", value=_possible(one), is_share=False),
                Figure(name="possible values, second release alone", value=_possible(other), is_share=False),
                Figure(name="possible values, together", value=_possible(one * other), is_share=False),
                Figure(name="people whose value is certain, one release", value=max(_certain(one), _certain(other))),
                Figure(name="people whose value is certain, together", value=_certain(one * other)),
            ),
        )


class _Side:
    """One release: which records hold each pair, and the value of each record; `shown` is what it makes of each raw pair."""

    def __init__(self, published: PublishedTrajectories, column: pl.Series, values: list[str], shown: Integers) -> None:
        self._shown = shown
        self._starts, self._holders = holders_of_codes(published.trajectories, int(shown.max()) + 1)
        self._codes = column.replace_strict(values, np.arange(len(values)), return_dtype=pl.Int64).to_numpy()
        self._number = len(values)

    def shares(self, known: AnyIntegers) -> Reals:
        """The share of each value among the records that hold all known pairs; nothing if there is none."""
        counts = np.bincount(self._codes[matching(self._shown[known], self._starts, self._holders)], minlength=self._number)
        return np.asarray(counts / max(1, int(counts.sum())), dtype=np.float64)


def _values(published: PublishedTrajectories, attribute: str) -> pl.Series:
    if published.attributes is None or attribute not in published.attributes.columns:
        return pl.Series(attribute, [""] * len(published))
    return published.attributes[attribute].fill_null("")


def _possible(shares: Reals) -> float:
    return float(np.count_nonzero(shares > 0, axis=1).mean()) if len(shares) else 0.0


def _certain(shares: Reals) -> float:
    return float((np.count_nonzero(shares > 0, axis=1) == 1).mean()) if len(shares) else 0.0


# Minimality: a set of pairs that is surely true and yet missing from a release was suppressed for a reason.
#
# The attacker of Wong, Fu, Wang and Pei (VLDB 2007), here with pairs: he knows the pairs of everybody and what was promised,
# and assumes that the publisher suppresses nothing without need. A set that some persons have, and that no published record
# holds although some hold each of its parts, was then violating: it had fewer than K persons, or too many of them a sensitive
# value. Where K persons or more have it, it must have been the value, and the attacker *claims* a confidence above the bound.
# With K = 1 every vanished set is a claim.
#
# Raw data decides whether claims are true. Suppression that is not minimal (a record may keep either of two pairs, not both,
# and sets are given up that others gave up before) makes wrong claims, which protect.
#
# Vanished sets are found as minimal violating ones: of raw and published records together, none may be of raw records alone.

NEARLY_ALL = Fraction(10**6 - 1, 10**6)
"""Raw persons may be at most this share of all who have a set, which any published crowd makes true of up to a million others."""


@dataclass(frozen=True, kw_only=True)
class TrajectoryMinimality:
    """An attacker who knows everybody's pairs, and that nothing is suppressed without need."""

    requirement: Requirement
    """What was promised."""

    def __post_init__(self) -> None:
        """Without a confidence there is nothing to claim."""
        if all(bound == 1 for bound in self.requirement.bounds):
            message = "minimality tells something only where a confidence is bounded; this release bounds none"
            raise ParameterError(message)

    def assess(self, records: TrajectoryRecords, published: PublishedTrajectories, *, against: str = "release") -> Assessment:
        """Attack all persons; the records are at the grain of the release, with the quasi-identifiers that it shows."""
        both = self._together(records, published)
        people = records.people
        vanished, claimed, passed = (np.zeros(people, dtype=np.bool_) for _ in range(3))
        claims, true, highest, of_record = 0, 0, 0.0, both.records
        bounds = [(place, bound) for place, bound in enumerate(self.requirement.bounds, start=1) if bound < 1]
        for level in levels(both, self._search()):
            owners = both.person_of(of_record[level.rows.first])
            crowd = level.violating & (level.persons >= self.requirement.crowd)
            wrong = np.zeros_like(crowd)
            for place, bound in bounds:
                above = level.sensitive[:, place] * bound.denominator > level.persons * bound.numerator
                wrong |= crowd & above
                shares = level.sensitive[crowd, place] / level.persons[crowd]
                highest = max(highest, float(shares.max(initial=0.0)))
            for who, sets in ((vanished, level.violating), (claimed, crowd), (passed, wrong)):
                who[owners[sets[level.sets]]] = True
            claims, true = claims + int(np.count_nonzero(crowd)), true + int(np.count_nonzero(wrong))
        return Assessment(
            attack="minimality",
            against=against,
            assumptions=(
                "the attacker knows all pairs of everybody, and what was promised",
                "the publisher suppresses a set only because it violates",
            ),
            figures=(
                Figure(name="people with a set that vanished", value=float(vanished.mean())),
                Figure(name="people with a claim against them", value=float(claimed.mean())),
                Figure(name="claims", value=float(claims), is_share=False),
                Figure(name="claims that are true", value=true / max(claims, 1)),
                Figure(
                    name="highest confidence behind a claim",
                    value=highest,
                    bound=float(max(bound for _, bound in bounds)),
                ),
                Figure(name="people whose confidence passes the bound", value=float(passed.mean())),
            ),
        )

    def _search(self) -> Requirement:
        """What sets that have not vanished satisfy: some published record holds them. Groups are counted, not bounded."""
        groups = [SensitiveGroup(attribute="raw", values=("raw",), confidence=NEARLY_ALL)]
        groups += [
            SensitiveGroup(attribute=f"group {place}", values=("any",), confidence=1)
            for place in range(len(self.requirement.groups))
        ]
        return Requirement(crowd=1, known_pairs=self.requirement.known_pairs, groups=tuple(groups))

    def _together(self, records: TrajectoryRecords, published: PublishedTrajectories) -> PairColumns:
        """Raw and published records, the latter as persons of their own; the first flag is for raw ones."""
        people = records.people
        if people >= NEARLY_ALL.denominator * self.requirement.crowd:
            message = f"minimality is counted for fewer than {NEARLY_ALL.denominator:,} crowds of persons; attack a part of them"
            raise ParameterError(message)
        raw, shown = records.trajectories, published.facts(records.quasi)
        lists = Ragged(
            np.concatenate([raw.codes, shown.codes]).astype(np.int32), offsets_of(np.concatenate([raw.lengths, shown.lengths]))
        )
        persons = np.arange(len(raw)) if records.persons is None else records.persons
        everyone = np.concatenate([persons, people + np.arange(len(shown))]).astype(np.int32)
        flags: Booleans = np.zeros((people + len(shown), 1 + len(self.requirement.groups)), dtype=np.bool_)
        flags[:people, 0] = True
        flags[:people, 1:] = records.sensitive_flags(self.requirement)
        return PairColumns.of(lists, persons=everyone, sensitive=flags)


POINTS = 4


@dataclass(frozen=True, kw_only=True)
class TrajectoryAssessment:
    """The linkage risk of the private file, or of one release. For the owner only."""

    against: str
    risk: LinkageRisk
    grain: str
    """How fine the pairs are that the attacker knows."""

    @property
    def attack(self) -> str:
        """The name of the attack."""
        return "linkage"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the attacker knows."""
        return (
            "the attacker knows some pairs of a person: those that serve best (at worst), or random ones (on average)",
            self.grain,
        )

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures, one after another, by the number of known pairs."""
        found = []
        for risk in self.risk.sizes:
            pairs = f"{risk.size} pair{'s' if risk.size > 1 else ''}"
            there = risk.smallest[risk.smallest > 0]
            found += [
                Figure(name=f"singled out by {pairs}, at worst", value=risk.singled_out_at_worst),
                Figure(name=f"singled out by {pairs}, on average", value=risk.singled_out_on_average),
                Figure(name=f"highest confidence by {pairs}", value=risk.highest_confidence),
            ]
            found += [Figure(name=f"smallest crowd by {pairs}", value=float(there.min()), is_share=False)] if there.size else []
        return tuple(found)

    def __str__(self) -> str:
        """Render for a terminal."""
        return f"linkage against {self.against}\n{OWNER_ONLY}\n{self.grain}\n\n{self.risk}"

    def as_json(self) -> dict[str, object]:
        """The same for scripts, with the same warning."""
        return Assessment(attack=self.attack, against=self.against, figures=self.figures, assumptions=self.assumptions).as_json()


def on_trajectories(
    records: TrajectoryRecords, releases: Sequence[PublishedTrajectories], *, known: int | None = None
) -> Iterator[TrajectoryAssessment | Assessment]:
    """Attack the private file and each release: by all sets of up to `known` pairs, and by four random ones.

    If not given, one pair more is known than was promised for. Where a release bounds confidences, what vanished from it is
    looked at (minimality). Two releases are also held together.
    """
    promised = [release.requirement.known_pairs or 0 for release in releases]
    known = max([2, *promised]) + 1 if known is None else known
    records = _with_what_is_shown(records, releases)
    table = records.attributes
    groups = [group for release in releases for group in release.requirement.groups]
    there = tuple(dict.fromkeys(group for group in groups if table is not None and group.attribute in table.columns))
    asked = Requirement(crowd=2, known_pairs=known, groups=there)
    raw = PairColumns.of(records.trajectories, persons=records.persons, sensitive=records.sensitive_flags(asked))
    private = "the private file"
    yield TrajectoryAssessment(against=private, risk=attack_trajectories(raw, known_pairs=known), grain=_grain(records))
    for place, release in enumerate(releases, start=1):
        columns = PairColumns.of(release.facts(), sensitive=release.sensitive_flags())
        risk = attack_trajectories(columns, known_pairs=known)
        yield TrajectoryAssessment(against=f"release {place}", risk=risk, grain=_grain(release))
    yield PointUniqueness(points=POINTS).assess(records.trajectories, symbols=_symbols(records), against=private)
    for place, release in enumerate(releases, start=1):
        shown = _what_it_shows(records, release)
        yield PointUniqueness(points=POINTS).assess(
            shown.trajectories,
            symbols=_symbols(shown),
            released=_filled(release.facts(shown.quasi)),
            against=f"release {place}",
        )
        if there and any(bound < 1 for bound in release.requirement.bounds):
            yield TrajectoryMinimality(requirement=release.requirement).assess(shown, release, against=f"release {place}")
    both = dict.fromkeys(groups) if len(releases) == 2 else {}
    for attribute in dict.fromkeys(group.attribute for group in both):
        yield TrajectoryComposition(known=min(known, 2)).assess(records, *releases, attribute=attribute)


def _grain(data: TrajectoryRecords | PublishedTrajectories) -> str:
    return f"pairs are known at the grain of {len(data.universe):,} places and {data.grid.intervals:,} intervals"


def _symbols(records: TrajectoryRecords) -> int:
    return records.pairs + len(records.quasi)


def _with_what_is_shown(records: TrajectoryRecords, releases: Sequence[PublishedTrajectories]) -> TrajectoryRecords:
    """The records with all quasi-identifiers that a release shows and that their table has: others may know them."""
    have = {attribute for attribute, _ in records.quasi}
    there = [] if records.attributes is None else records.attributes.columns
    shown = dict.fromkeys(name for release in releases for name in release.quasi_identifiers)
    more = [name for name in shown if name in there and name not in have]
    return records.with_quasi_identifiers(more) if more else records


def _what_it_shows(records: TrajectoryRecords, release: PublishedTrajectories) -> TrajectoryRecords:
    """The records at the grain of a release, without the quasi-identifiers that it has no column for."""
    shown = at_grain(records, release.public)
    hidden = [code for code, (name, _) in enumerate(shown.quasi, start=shown.pairs) if name not in release.quasi_identifiers]
    there = ~np.isin(shown.trajectories.codes, hidden)
    offsets = offsets_of(there.astype(np.int64))[shown.trajectories.offsets]
    return replace(shown, trajectories=Ragged(shown.trajectories.codes[there], offsets))


def _filled(lists: Ragged) -> Ragged:
    """Without records that are empty."""
    return Ragged(lists.codes, lists.offsets[np.append(True, lists.lengths > 0)])
