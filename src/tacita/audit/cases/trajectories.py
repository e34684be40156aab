"""Small data sets of trajectories, for audits of methods that are verified."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tacita.audit.cases.case import Rows
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator
from tacita.trajectories import PublishedTrajectories, SensitiveGroups, Strategy, Suppression, TrajectoryRecords

__all__ = ["TrajectoryCase"]

LABELS = "ABCDEF"
ILL = SensitiveGroups.parse("state=ill<=1/2")


@dataclass(frozen=True, kw_only=True)
class TrajectoryCase:
    """A method for trajectories on some labels, each at its own time; a row that ends with `!` is of somebody who is ill."""

    name: str
    mechanism: Any
    budget: None = None

    @staticmethod
    def variants(method: str) -> dict[str, Suppression]:
        """Every strategy, with and without a sensitive value."""
        found = {}
        for strategy in Strategy:
            found[f"{method}, {strategy}"] = Suppression(crowd=2, known_pairs=3, strategy=strategy)
            found[f"{method}, {strategy}, sensitive"] = Suppression(crowd=2, known_pairs=2, strategy=strategy, sensitive=ILL)
        return found

    def records(self, rows: Rows) -> TrajectoryRecords:
        """Private records from rows."""
        pairs = [[(label, LABELS.index(label)) for label in row if label in LABELS] for row in rows]
        return TrajectoryRecords.from_pairs(
            pairs,
            universe=Universe(LABELS),
            grid=TimeGrid(start=0, interval=1, intervals=len(LABELS)),
            attributes={"state": ["ill" if row.endswith("!") else "well" for row in rows]},
            name="audit",
        )

    def random_rows(self, generator: PublicGenerator) -> Rows:
        """Two to twelve persons."""
        rows = []
        for _ in range(int(generator.integers(2, 13))):
            row = "".join(label for label in LABELS if generator.integers(0, 2)) or LABELS[0]
            rows.append(row + ("!" if generator.integers(0, 4) == 0 else ""))
        return tuple(rows)

    def unprotected(self, records: TrajectoryRecords) -> PublishedTrajectories:
        """The raw records as if they were published."""
        return PublishedTrajectories(
            trajectories=records.trajectories,
            universe=records.universe,
            grid=records.grid,
            attributes=records.attributes,
            requirement=self.mechanism.requirement,
        )

    def violations(self, published: PublishedTrajectories) -> list[str]:
        """Every small set that too few records have, or that reveals too much, by trying all of them."""
        asked = self.mechanism.requirement
        rows = [frozenset(row) for row in published.trajectories.to_lists()]
        states = ["well"] * len(rows) if published.attributes is None else published.attributes.to_series().to_list()
        known = {
            frozenset(some)
            for row in rows
            for size in range(1, (asked.known_pairs or len(row)) + 1)
            for some in combinations(sorted(row), size)
        }
        found = []
        for some in sorted(known, key=sorted):
            having = [state for row, state in zip(rows, states, strict=True) if some <= row]
            wrong = len(having) < asked.crowd
            wrong |= any(
                sum(state in group.values for state in having) > group.confidence * len(having) for group in asked.groups
            )
            found += [f"{len(some)} pairs that {len(having)} records have"] if wrong else []
        return found
