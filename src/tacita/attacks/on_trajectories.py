"""What `tacita attack` tries on trajectories: all sets of pairs, four random ones, and two releases held together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.attacks.result import OWNER_ONLY, Assessment, Figure
from tacita.attacks.trajectories import LinkageRisk, attack_trajectories
from tacita.attacks.trajectory_composition import TrajectoryComposition
from tacita.attacks.uniqueness import PointUniqueness
from tacita.trajectories import PairColumns, PublishedTrajectories, Requirement, TrajectoryRecords

__all__ = ["TrajectoryAssessment", "on_trajectories"]

POINTS = 4


@dataclass(frozen=True, kw_only=True)
class TrajectoryAssessment:
    """The linkage risk of the private file, or of one release. For the owner only."""

    against: str
    risk: LinkageRisk

    @property
    def attack(self) -> str:
        """The name of the attack."""
        return "linkage"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the attacker knows."""
        return ("the attacker knows some pairs of a person: those that serve best (at worst), or random ones (on average)",)

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
        return f"linkage against {self.against}\n{OWNER_ONLY}\n\n{self.risk}"

    def as_json(self) -> dict[str, object]:
        """The same for scripts, with the same warning."""
        return Assessment(attack=self.attack, against=self.against, figures=self.figures, assumptions=self.assumptions).as_json()


def on_trajectories(
    records: TrajectoryRecords, releases: Sequence[PublishedTrajectories], *, known: int | None = None
) -> Iterator[TrajectoryAssessment | Assessment]:
    """Attack the private file and each release: by all sets of up to `known` pairs, and by four random ones.

    If not given, one pair more is known than was promised for. Two releases are also held together.
    """
    promised = [release.requirement.known_pairs or 0 for release in releases]
    known = max([2, *promised]) + 1 if known is None else known
    table = records.attributes
    groups = [group for release in releases for group in release.requirement.groups]
    there = tuple(dict.fromkeys(group for group in groups if table is not None and group.attribute in table.columns))
    asked = Requirement(crowd=2, known_pairs=known, groups=there)
    raw = PairColumns.of(records.trajectories, persons=records.persons, sensitive=records.sensitive_flags(asked))
    yield TrajectoryAssessment(against="the private file", risk=attack_trajectories(raw, known_pairs=known))
    for place, release in enumerate(releases, start=1):
        columns = PairColumns.of(release.trajectories, sensitive=release.sensitive_flags())
        yield TrajectoryAssessment(against=f"release {place}", risk=attack_trajectories(columns, known_pairs=known))
    yield from _four_points(records, releases)
    both = dict.fromkeys(groups) if len(releases) == 2 else {}
    for attribute in dict.fromkeys(group.attribute for group in both):
        yield TrajectoryComposition(known=min(known, 2)).assess(records, *releases, attribute=attribute)


def _four_points(records: TrajectoryRecords, releases: Sequence[PublishedTrajectories]) -> Iterator[Assessment]:
    """Uniqueness by four random pairs, in the private file and in each release."""
    symbols = records.pairs + len(records.quasi)
    yield PointUniqueness(points=POINTS).assess(records.trajectories, symbols=symbols, against="the private file")
    for place, release in enumerate(releases, start=1):
        filled = np.append(True, release.trajectories.lengths > 0)
        lists = Ragged(release.trajectories.codes, release.trajectories.offsets[filled])
        yield PointUniqueness(points=POINTS).assess(
            records.trajectories, symbols=symbols, released=lists, against=f"release {place}"
        )
