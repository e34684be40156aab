"""Minimality on trajectories: a set of pairs that is surely true and yet missing from a release was suppressed for a reason.

The attacker of Wong, Fu, Wang and Pei (VLDB 2007), here with pairs: he knows the pairs of everybody, what was promised, and takes
the publisher to suppress nothing without need. A set that some persons have, that no published record holds although some
hold each of its parts, was violating then: it had fewer than K persons, or too many of them a sensitive value. Where K persons
or more have it, it must have been the value, and the attacker *claims* a confidence above the bound. With K = 1 every
vanished set is a claim.

Whether claims are true is told by the raw data. Suppression that is not minimal (a record may keep either of two pairs, not
both, and sets are given up that others gave up before) makes wrong claims, which protect.

Vanished sets are found as minimal violating ones: of raw and published records together, none may be of raw records alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacita.arrays import Booleans
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.attacks.result import Assessment, Figure
from tacita.errors import ParameterError
from tacita.trajectories import PairColumns, PublishedTrajectories, Requirement, SensitiveGroup, TrajectoryRecords
from tacita.trajectories.occurrences import levels

__all__ = ["TrajectoryMinimality"]


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
