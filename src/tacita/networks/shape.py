"""Networks by their shape: degrees, who meets whom, and triangles.

Up to seven questions are asked, two more for communities, and a graph is wired that agrees with the answers (see `synthesis`).
An edge that comes or goes changes

- the number of edges by 1,
- the numbers of vertices that have at least 1, 2, 3, ... neighbours by 2 in sum, and the degrees of all vertices by 2 in sum,
- the numbers of edges between classes of vertices, which the answers before have fixed, by 1 in sum; between public blocks too,
- the largest number of corners of triangles that can each have an opposite edge of their own by at most 3 (`arrays.corners`),
- the number of triangles by at most the largest number of common neighbours of two vertices, which itself changes by at most 1,
- what one of its ends sees of the vertices placed before it, by 1, where communities are sought in one pass (decision 0020).

No published method is followed as a whole. The distribution of degrees is that of Hay, Li, Miklau and Jensen (ICDM 2009) in
another form, the ladder is that of Zhang et al. (SIGMOD 2015), classes of degrees are those of the dK-series (Mahadevan et al.,
2006).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.corners import MOST_VERTICES
from tacita.arrays.graphs import Graph
from tacita.errors import ParameterError
from tacita.networks.asking import Asking
from tacita.networks.blocks import blocks_among
from tacita.networks.guarantee import ProtectsEdges, correlation_facts, correlation_rules
from tacita.networks.published import PublishedNetwork
from tacita.networks.records import NetworkRecords
from tacita.networks.synthesis import assembled
from tacita.networks.synthesis.classes import degree_classes
from tacita.networks.synthesis.degrees import (
    discrete_laplace_variance,
)
from tacita.networks.synthesis.sides import across, sided_classes, sided_degrees
from tacita.privacy.account import Account
from tacita.privacy.budget import Budget, Explanation, Plan, Sequential, Step
from tacita.privacy.funds import Funds, compared
from tacita.privacy.laws import Change, Law
from tacita.privacy.publishing import Made, Progress, require_pure
from tacita.privacy.questions import LadderCount
from tacita.public.inputs import UNKNOWN, PublicInputs

__all__ = ["DegreeNetwork", "ShapeNetwork"]


CLASSES, BLOCKS = Fraction(5, 100), Fraction(3, 100)
"""Which shares of epsilon go to edges between classes, and to edges between blocks or communities."""

PLACEMENT = Fraction(2, 5)
"""Which share of what is left for the degrees goes to the pass that finds communities, if they are asked for."""

CORNERS = Fraction(4, 100)
"""Which share of epsilon goes to corners of triangles, where they are asked for."""

CLEAR, OF_VERTICES = 3, Fraction(1, 4)
"""They are asked for where so many deviations of the noise are no more than such a share of the vertices: with fewer vertices,
or a smaller epsilon, hardly any number of them could be told from noise."""

EDGES = (Fraction(2, 100), Fraction(30, 100))
AT_LEAST = (Fraction(6, 100), Fraction(20, 100))
TRIANGLES = (Fraction(10, 100), Fraction(15, 100))
"""The least and the largest share for the number of edges, the distribution of degrees, and triangles."""

ENOUGH_FOR_EDGES, ENOUGH_FOR_AT_LEAST, ENOUGH_FOR_TRIANGLES = Fraction(1, 50), Fraction(1, 20), Fraction(3, 20)
"""An epsilon for one edge with which these numbers are known well enough."""

EDGES_OF_FEW, AT_LEAST_OF_FEW = 100, 150
"""Divided by the number of vertices, an epsilon for one edge with which these numbers are known in a small network: the noise on
its number of edges is then one edge for each hundred vertices. Past an epsilon of 1, degrees are known well enough for cuts, and
the share of their distribution grows with epsilon."""


@dataclass(frozen=True, kw_only=True)
class ShapeNetwork(ProtectsEdges):
    """Publish a network that keeps degrees, cuts, who meets whom and the number of triangles; it copies no edge on purpose.

    Needs: an undirected simple graph over public vertices; `correlated_edges` fixed without a look at the data; blocks of
    vertices, if any, by public labels.
    Guarantees: epsilon-differential privacy for the whole release, manifest included: (epsilon, k)-differential privacy with k
    the number of correlated edges.
    Neighbours: adding or removing up to `correlated_edges` edges, vertices being public.
    Budget: sequential: 2 to 30 % for the number of edges, 6 to 20 % for the distribution of degrees, 5 % for edges between
    classes, 3 % for edges between blocks if there are any, 10 to 15 % for triangles, 4 % for corners of triangles unless there
    are too few vertices to see any, with communities 3 % for edges between them and two fifths of what is left for finding
    them, all else for the degree of each vertex.
    Not covered: correlation among more edges than that; a vertex with all of its edges; how long a run takes.
    Reference: see the module; the triangles are those of Zhang, Cormode, Procopiuc, Srivastava and Xiao, SIGMOD 2015, with a
    bound of the local sensitivity that is computed in one pass.

    >>> from tacita.privacy.budget import PureDP
    >>> print(ShapeNetwork().explain(PureDP("1")))
    shape, epsilon = 1
    shape: epsilon 1, the sum of
    ├─ number of edges: epsilon 0.02 (one edge changes it by 1)
    ├─ vertices by least degree: epsilon 0.06 (one edge changes the counts by 2 in sum)
    ├─ degrees: epsilon 0.68 (one edge changes the degrees by 2 in sum)
    ├─ edges between classes: epsilon 0.05 (classes by noisy degrees; one edge changes the counts by 1)
    ├─ corners of triangles: epsilon 0.04 (corners with an opposite edge each; one edge changes their number by 3)
    └─ triangles: epsilon 0.15 (ladder over the largest number of common neighbours)
    <BLANKLINE>
    - someone who knows every edge but one can raise the odds of a guess about it by a factor of at most 2.72
    - the shares are those of a large network; with the public vertices, those of its size are shown
    """

    name: ClassVar[str] = "shape"

    triangles: bool = True
    communities: bool = False
    """Whether communities are sought, for a third of epsilon; noisy answers decide whether they are followed."""

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""
        if self.communities and any(blocks_among(public, name) is not None for name in ("blocks", "sides")):
            message = "communities are sought where no public blocks or sides are given; leave out --communities, or those"
            raise ParameterError(message)
        return _plan(
            self.name,
            budget,
            self.correlated_edges,
            public,
            classes=True,
            triangles=self.triangles,
            communities=self.communities,
        )

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Tell where the budget goes and what the noise means. Spends nothing."""
        return _explained(self, budget, public)

    def compared(self, budget: Budget, public: PublicInputs, *, records: int | None = None) -> tuple[str, ...]:  # noqa: ARG002
        """Both currencies side by side."""
        return _compared(self, budget, public)

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far a group of correlated edges changes what a step asks; None for a step that there is not."""
        return _changed(step, self.correlated_edges)

    def _made(
        self, records: NetworkRecords, account: Account, _budget: Budget, progress: Progress | None
    ) -> Made[PublishedNetwork]:
        """Ask, and build the data from the answers; `progress` is told of each question that is answered."""
        return _built(self, records, account, progress)


@dataclass(frozen=True, kw_only=True)
class DegreeNetwork(ProtectsEdges):
    """Publish a network that keeps the degree of each vertex, and is random otherwise.

    Needs: an undirected simple graph over public vertices; `correlated_edges` fixed without a look at the data.
    Guarantees: epsilon-differential privacy for the whole release, manifest included: (epsilon, k)-differential privacy with k
    the number of correlated edges.
    Neighbours: adding or removing up to `correlated_edges` edges, vertices being public.
    Budget: sequential: 2 to 30 % for the number of edges, 6 to 20 % for the distribution of degrees, all else for the degrees.
    Not covered: correlation among more edges than that; a vertex with all of its edges; how long a run takes.
    Reference: Hay, Li, Miklau and Jensen, ICDM 2009, for the distribution of degrees; departs from it in that the degree of each
    vertex is asked too, because cuts need to know whose degree it is.

    >>> from tacita.privacy.budget import PureDP
    >>> [step.name for step in DegreeNetwork().plan(PureDP("1")).steps()]
    ['number of edges', 'vertices by least degree', 'degrees']
    """

    name: ClassVar[str] = "degree"

    def plan(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Plan:
        """Where the budget goes."""
        return _plan(self.name, budget, self.correlated_edges, public, classes=False, triangles=False)

    def explain(self, budget: Budget, public: PublicInputs = UNKNOWN) -> Explanation:
        """Tell where the budget goes and what the noise means. Spends nothing."""
        return _explained(self, budget, public)

    def compared(self, budget: Budget, public: PublicInputs, *, records: int | None = None) -> tuple[str, ...]:  # noqa: ARG002
        """Both currencies side by side."""
        return _compared(self, budget, public)

    def changes(self, step: str, *, budget: Budget, public: PublicInputs) -> Change | None:  # noqa: ARG002 - the steps say enough
        """How far a group of correlated edges changes what a step asks; None for a step that there is not."""
        return _changed(step, self.correlated_edges)

    def _made(
        self, records: NetworkRecords, account: Account, _budget: Budget, progress: Progress | None
    ) -> Made[PublishedNetwork]:
        """Ask, and build the data from the answers; `progress` is told of each question that is answered."""
        return _built(self, records, account, progress)


_CHANGED_BY_AN_EDGE = {
    "number of edges": Change(least=1),
    "vertices by least degree": Change(least=2),
    "degrees": Change(least=2),
    "edges between classes": Change(least=1),
    "edges between blocks": Change(least=1),
    "communities": Change(law=Law.PLACEMENT),
    "edges between communities": Change(least=1),
    "corners of triangles": Change(least=3),
    "triangles": Change(law=Law.LADDER, least=2),
}
"""An edge has two ends, so it changes two degrees; the rung of a ladder is a score, which costs twice its change."""


def _changed(step: str, correlated_edges: int) -> Change | None:
    known = _CHANGED_BY_AN_EDGE.get(step)
    return None if known is None else replace(known, least=known.least * correlated_edges)


def _explained(method: ShapeNetwork | DegreeNetwork, budget: Budget, public: PublicInputs) -> Explanation:
    plan, edges = method.plan(budget, public), method.correlated_edges
    facts = (*correlation_facts(budget, edges, public), *_noise_facts(plan, edges, public))
    return Explanation(title=f"{method.name}, {budget}", plan=plan, facts=facts)


def _compared(method: ShapeNetwork | DegreeNetwork, budget: Budget, public: PublicInputs) -> tuple[str, ...]:
    """Both currencies for degrees, of which edges change the most."""
    edges = method.correlated_edges
    share = next(float(step.epsilon / budget.epsilon) for step in method.plan(budget, public).steps() if step.name == "degrees")

    def noise(funds: Funds) -> float:
        """In squares, so many edges change degrees most if all are at one vertex."""
        return funds.deviation(share / (edges * edges + edges if funds.in_rho else 2 * edges))

    return (compared(budget, noise, of="a degree", takes_delta=False),)


def _plan(  # noqa: PLR0913 - which questions are asked
    name: str,
    budget: Budget,
    correlated_edges: int,
    public: PublicInputs,
    *,
    classes: bool,
    triangles: bool,
    communities: bool = False,
) -> Plan:
    epsilon = require_pure(budget, public, method=f"{name} proves").epsilon
    for_edge = epsilon / correlated_edges
    each = Fraction(0 if public.size is None else 1, max(public.size or 1, 1))
    for_edges = max(ENOUGH_FOR_EDGES, EDGES_OF_FEW * each) / for_edge
    for_at_least = max(max(ENOUGH_FOR_AT_LEAST, AT_LEAST_OF_FEW * each) / for_edge, AT_LEAST[0] * for_edge)
    shares = [
        ("number of edges", _share(EDGES, for_edges), "one edge changes it by 1"),
        ("vertices by least degree", _share(AT_LEAST, for_at_least), "one edge changes the counts by 2 in sum"),
    ]
    later = []
    if classes:
        later.append(("edges between classes", CLASSES, "classes by noisy degrees; one edge changes the counts by 1"))
        if blocks_among(public) is not None:
            later.append(("edges between blocks", BLOCKS, "blocks by public labels; one edge changes the counts by 1"))
    if communities:
        later.append(("edges between communities", BLOCKS, "one edge changes the counts by 1"))
    if triangles and blocks_among(public, "sides") is None:  # no triangle can close between two sides
        if _are_corners_asked(public.size, CORNERS * for_edge):
            later.append(
                ("corners of triangles", CORNERS, "corners with an opposite edge each; one edge changes their number by 3")
            )
        share = _share(TRIANGLES, ENOUGH_FOR_TRIANGLES / for_edge)
        later.append(("triangles", share, "ladder over the largest number of common neighbours"))
    left = 1 - sum((share for _, share, _ in (*shares, *later)), Fraction(0))
    if communities:
        later.insert(1, ("communities", PLACEMENT * left, "one pass by noisy degrees; one end of an edge sees it"))
        left -= PLACEMENT * left
    shares.append(("degrees", left, "one edge changes the degrees by 2 in sum"))
    steps = tuple(Step(name=step, epsilon=epsilon * share, note=note) for step, share, note in (*shares, *later))
    return Sequential(name=name, parts=steps)


def _are_corners_asked(vertices: int | None, epsilon: Fraction) -> bool:
    """Whether the noise on their number leaves something to see, and the largest matching takes no more time than it is worth."""
    if vertices is None:
        return True
    noise = CLEAR * float(np.sqrt(discrete_laplace_variance(float(epsilon / 3))))
    return vertices <= MOST_VERTICES and noise <= OF_VERTICES * vertices


def _share(bounds: tuple[Fraction, Fraction], wanted: Fraction) -> Fraction:
    return min(bounds[1], max(bounds[0], wanted))


def _noise_facts(plan: Plan, correlated_edges: int, public: PublicInputs) -> list[str]:
    steps = {step.name: step for step in plan.steps()}
    scale = 2 * correlated_edges / float(steps["degrees"].epsilon)
    facts = []
    if public.size is None:
        facts.append("the shares are those of a large network; with the public vertices, those of its size are shown")
    else:
        facts.append(f"the network has {public.size:,} vertices; noise on each degree has a scale of {scale:.3g}")
        if "triangles" in steps and public.size > 2:
            ladder = LadderCount(
                step="triangles", epsilon=steps["triangles"].epsilon, most=public.size - 2, group=correlated_edges
            )
            least = ladder.deviation(1)
            facts.append(
                f"noise on the number of triangles has a standard deviation of about {least:,.0f} if no two vertices share more "
                f"than one neighbour, and {ladder.deviation(100) - least:,.0f} more if two share 100; a number that noise alone "
                "could explain is ignored"
            )
    return facts


def _built(
    method: ShapeNetwork | DegreeNetwork, records: NetworkRecords, account: Account, progress: Progress | None
) -> Made[PublishedNetwork]:
    planned = {step.name: step.epsilon for step in account.charge.plan.steps()}
    asking = Asking(records.counts(), account, method.correlated_edges, progress, len(planned), len(records.universe))
    if records.sides is not None:
        return _built_across(method, records, asking, records.sides.of, classes="edges between classes" in planned)
    noisy, degrees, estimated = asking.degrees()
    ranges, blocks, communities, corners, triangles = None, None, None, None, None
    if "edges between classes" in planned:
        ranges = asking.between("edges between classes", degree_classes(degrees))
    if "edges between blocks" in planned and records.blocks is not None:
        blocks = asking.between("edges between blocks", records.blocks.of)
    if "communities" in planned:
        communities = asking.communities(degrees)
    if "corners of triangles" in planned:
        corners = asking.corners()
    if "triangles" in planned:
        triangles = asking.triangles(degrees, corners)
    del asking  # what was derived from the data to count it takes more memory than the data
    graph: Graph = assembled(degrees, noisy, ranges, blocks, triangles, communities)
    return Made(
        data=records.published(graph, degrees=estimated.means, degree_errors=estimated.errors),
        rules=(SYNTHETIC, *correlation_rules(method.correlated_edges)),
    )


SYNTHETIC = "the network is synthetic: it was wired at random to agree with noisy counts"


def _built_across(
    method: ShapeNetwork | DegreeNetwork, records: NetworkRecords, asking: Asking, of: Integers, *, classes: bool
) -> Made[PublishedNetwork]:
    """The same for a network of two public sides."""
    noisy = asking.on_sides(of)
    degrees, estimated = sided_degrees(noisy)
    table = asking.across(*sided_classes(degrees, of)) if classes else None
    return Made(  # cuts are not answered from degrees: the law of their errors is that of a network without sides
        data=records.published(across(degrees, noisy, table), degrees=estimated.means),
        rules=(SYNTHETIC, "all of its edges lead from one public side to the other", *correlation_rules(method.correlated_edges)),
    )
