"""DER, density-based exploration and reconstruction, made true.

The thesis splits the whole adjacency matrix, in which an edge is in two mirrored regions, so that its guarantee is only 2
epsilon; rejects arrangements with ones on the diagonal after a group of them was chosen, which is not private; and bounds what
correlated edges change by min{k, cells}, which does not hold. Here regions are parts of the strict upper triangle, where an edge
is one cell; the diagonal is in no region; and k edges change every count by k. Splits are chosen on a public grid, counts of
leaves above the last level are joined by their variances, what a path leaves over goes to the arrangement of its leaf, and the
numbers of edges of all leaves are brought to the noisy total of the first level.

On sparse graphs this is no better than a random graph: an arrangement has to find a few ones among very many cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tacita.arrays.graphs import Graph
from tacita.errors import ParameterError
from tacita.networks.dense_regions.exploration import Explorer, Schedule, cells_of
from tacita.networks.guarantee import ProtectsEdges, correlation_facts, correlation_rules
from tacita.networks.published import PublishedNetwork
from tacita.networks.records import NetworkRecords
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Exact, Explanation, Plan, Step, exact
from tacita.privacy.laws import Change, Law
from tacita.privacy.publishing import Made, Progress, require_pure
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import whole_number

__all__ = ["DenseRegions"]

COUNTS, SPLITS = Fraction(1, 2), Fraction(1, 10)
"""Which shares of epsilon go to counts and to splits; arrangements have the rest, and what others leave over."""


@dataclass(frozen=True, kw_only=True)
class DenseRegions(ProtectsEdges):
    """Publish a network by splitting its adjacency matrix into regions, and arranging a noisy number of edges in each.

    Needs: an undirected simple graph over public vertices in a public order that does not depend on the edges; all parameters
    fixed without a look at the data.
    Guarantees: epsilon-differential privacy for the whole release, manifest included: (epsilon, k)-differential privacy with k
    the number of correlated edges.
    Neighbours: adding or removing up to `correlated_edges` edges, vertices being public.
    Budget: along each path half for counts, growing by 2^(1/3) per level, a tenth for splits, the rest and all that is left over
    for the arrangement; parallel over the regions of a level, which are disjoint.
    Not covered: correlation among more edges than that; a vertex with all of its edges; how long a run takes.
    Reference: Chen, PhD thesis, Concordia University 2012, Algorithms 7.1 to 7.3; departs from them as told above, because they
    do not satisfy what they claim.

    >>> from tacita.privacy.budget import PureDP
    >>> DenseRegions().plan(PureDP("1")).epsilon
    Fraction(1, 1)
    """

    name: ClassVar[str] = "der"

    grid: int = 16
    density: Fraction = Fraction(4, 5)

    def __post_init__(self) -> None:
        """Check the public parameters."""
        super().__post_init__()
        whole_number(self.grid, name="grid", least=1, most=64)
        density: Exact = self.density
        object.__setattr__(self, "density", exact(density, name="density"))
        if not 0 < self.density <= 1:
            message = f"density must be above 0 and at most 1, got {density}; 0.75 to 0.9 is usual"
            raise ParameterError(message)

    def schedule(self, budget: Budget, vertices: int) -> Schedule:
        """The height and what each level costs."""
        return Schedule(
            epsilon=budget.epsilon,
            counts=COUNTS,
            splits=SPLITS,
            cells=vertices * (vertices - 1) // 2,
            correlated_edges=self.correlated_edges,
        )

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes; without the vertices, as one step."""
        require_pure(budget, public, method="der proves")
        if public.size is None:
            note = "along each path: half for counts, a tenth for splits, all else for the arrangement"
            return Step(name="dense regions", epsilon=budget.epsilon, note=note)
        schedule = self.schedule(budget, public.size)
        return schedule.plan() if self._can_split(public.size, schedule) else schedule.flat_plan()

    def _can_split(self, vertices: int, schedule: Schedule) -> bool:
        """Whether the whole matrix has a split on its grid; a public question."""
        if not schedule.height:
            return False
        least = max(1, -(-schedule.cells // 16))
        cuts = np.unique((vertices - 1) * np.arange(self.grid) // self.grid)
        rows, columns = (part.ravel() for part in np.meshgrid(cuts, cuts))
        last = np.full(rows.size, vertices - 1)
        zero = np.zeros(rows.size, dtype=np.int64)
        parts = [
            cells_of(zero, rows, zero, columns),
            cells_of(zero, rows, columns + 1, last),
            cells_of(rows + 1, last, zero, columns),
            cells_of(rows + 1, last, columns + 1, last),
        ]
        cells = np.stack(parts, axis=1)
        return bool(np.any(np.all((cells == 0) | (cells >= least), axis=1) & (np.count_nonzero(cells, axis=1) >= 2)))

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far a group of correlated edges changes what a step asks; None for a step that there is not."""
        laws = {"splits": Law.CHOICE, "arrangements": Law.ARRANGEMENT, "counts": Law.COUNTS, "second counts": Law.COUNTS}
        name = step.rstrip("0123456789").rstrip()
        if step == "count of all" or name in laws:
            return Change(law=laws.get(name, Law.COUNTS), least=self.correlated_edges)
        return None

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Tell where the budget goes. Spends nothing."""
        plan = self.plan(budget, public)
        facts = [*correlation_facts(budget, self.correlated_edges, public)]
        if public.size is not None:
            height = self.schedule(budget, public.size).height
            facts.append(f"{public.size:,} vertices make a tree of regions of height {height}")
        facts.append("on sparse networks a random graph does as well, and shape does better")
        return Explanation(title=f"der, {budget}", plan=plan, facts=tuple(facts))

    def _made(
        self, records: NetworkRecords, account: Account, budget: Budget, progress: Progress | None
    ) -> Made[PublishedNetwork]:
        """Ask, and build the data from the answers; `progress` is told of each level."""
        vertices, keys = len(records.universe), records.counts().cells()
        explorer = Explorer(
            rows=keys // vertices,
            columns=keys % vertices,
            schedule=self.schedule(budget, vertices),
            account=account,
            grid=self.grid,
            density=self.density,
            vertices=vertices,
            progress=progress,
        )
        graph = Graph(vertices, explorer.explore() if vertices > 1 else np.zeros(0, dtype=np.int64))
        return Made(
            data=records.published(graph),
            rules=(
                "each region of the adjacency matrix got a noisy number of edges, placed close to the true ones",
                *correlation_rules(self.correlated_edges),
            ),
        )
