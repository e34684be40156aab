"""What `tacita attack` tries on trajectories: all sets of pairs, four random ones, what vanished, and two releases together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacita.arrays.ragged import Ragged, offsets_of
from tacita.attacks.result import OWNER_ONLY, Assessment, Figure
from tacita.attacks.trajectories import LinkageRisk, attack_trajectories
from tacita.attacks.trajectory_composition import TrajectoryComposition
from tacita.attacks.trajectory_minimality import TrajectoryMinimality
from tacita.attacks.uniqueness import PointUniqueness
from tacita.trajectories import PairColumns, PublishedTrajectories, Requirement, TrajectoryRecords, at_grain

__all__ = ["TrajectoryAssessment", "on_trajectories"]

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
