"""Bring a wired graph to the number of triangles that a noisy answer speaks for.

First, `believed_triangles` says which number that is; where noise could well explain the answer, nothing is done. Then there are
two means: the share of pairs that are matched close to each other on the ring of `wiring`, found by trial, and the swaps of
`rewiring`, which are exact but slow. Sparse graphs are left to the swaps mostly, because the ring gives triangles to many
vertices alike; dense ones to the ring. After swaps, small vertices, which they pass by, get theirs. `with_triangles`, at the end,
does all of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Booleans, Integers, Reals
from tacita.arrays.corners import matched_corners
from tacita.arrays.graphs import MOST_ROWS, BitRows, Graph
from tacita.networks.synthesis.classes import Chance, degree_classes
from tacita.networks.synthesis.degrees import discrete_laplace_variance
from tacita.networks.synthesis.rewiring import (
    Effort,
    Slots,
    Swaps,
    Wired,
    closing,
    rewired,
    unshared,
    without_loops_and_repeats,
)
from tacita.networks.synthesis.sides import without_triangles
from tacita.networks.synthesis.wiring import Dealt, wired
from tacita.privacy.questions import LadderCount, Spread

__all__ = [
    "NoisyCorners",
    "NoisyTriangles",
    "believed_triangles",
    "closed_at_small_vertices",
    "estimated_triangles",
    "most_triangles",
    "triangles_by_corners",
    "with_triangles",
]


# Which number of triangles to believe, given a noisy one.
#
# Two explanations are weighed. Either the network has the triangles that its degrees and classes give by chance, and all else
# is noise; or it has some other number t, half of whose prior lies between 0 and the number by chance, half between that and the
# largest number that the degrees allow. With f(y | t) the law of the ladder, the second explanation is believed if
#
#     mean of f(y | t) over that prior  >=  FOLLOWED * f(y | by chance)
#
# for a prior that is even in t, or for one that is even in log(1 + t). The first believes in many triangles where noise is large,
# the second in few where it is small. Then the median of t given the answer y is the goal, with the even prior, which does not
# draw a clear answer down. The tails of the ladder are long, so that most answers are much nearer than their standard deviation;
# its law knows that, and a rule by standard deviations does not.


FOLLOWED, FOLLOWED_IN_LOGARITHM = 6.0, 2.5
"""How much better than chance another number must explain the answer to be followed, by each of the two priors."""

FINENESS = 1.05
"""By which factor the distances from the answer grow at which its law is looked at."""


@dataclass(frozen=True, kw_only=True)
class NoisyCorners:
    """A noisy number of corners of triangles that can each have an opposite edge of their own, and the rate of its noise."""

    number: int
    rate: float


@dataclass(frozen=True, kw_only=True)
class NoisyTriangles:
    """A noisy number of triangles, the question that it answers, and the spread that is assumed for the law of its noise.

    `corners` tell about networks with few triangles, whose number the noise of a ladder would hide.
    """

    number: int
    question: LadderCount
    spread: int
    corners: NoisyCorners | None = None

    def log_likelihoods(self, triangles: Integers) -> Reals:
        """The logarithm of the probability of this answer for each number of triangles."""
        return np.array(
            [self.question.log_probability(self.number, Spread(count=count, spread=self.spread)) for count in triangles.tolist()]
        )


def most_triangles(graph: Graph) -> int:
    """A bound of the triangles of any network in which vertices of such degrees meet: an edge is in at most min(d, d') - 1."""
    degrees = graph.degrees
    return int((np.minimum(degrees[graph.sources], degrees[graph.targets]) - 1).sum()) // 3


def believed_triangles(noisy: NoisyTriangles, *, by_chance: int, most: int) -> int | None:
    """The number of triangles to bring about; None if chance explains the answer well enough."""
    most = max(most, by_chance)
    numbers = _numbers(noisy.number, by_chance, most)
    logs = noisy.log_likelihoods(numbers)
    top = float(logs.max(initial=-np.inf))
    if numbers.size < 2 or not np.isfinite(top):
        return None
    likelihoods = np.exp(logs - top)
    chance = likelihoods[numbers == by_chance][0]
    masses = _masses(likelihoods, numbers.astype(np.float64), by_chance, numbers)
    in_logarithm = _masses(likelihoods, np.log1p(numbers), by_chance, numbers)
    if masses.sum() < FOLLOWED * chance and in_logarithm.sum() < FOLLOWED_IN_LOGARITHM * chance:
        return None
    shares = np.cumsum(masses) / masses.sum()
    return round(float(np.interp(0.5, np.concatenate([[0.0], shares]), numbers)))


# Few triangles, by their corners.
#
# A graph wired at random with t triangles has a number c(t) of corners with an opposite edge of their own. Where the ladder's
# answer is left to chance, but the noisy number of corners c is above c(t by chance) by SURE standard deviations, t is sought
# with c(t) = c: from one triangle for three corners, each trial leads along a line through what was found last. Where neither
# answer can be told from 0, but c(t by chance) could be, as between buyers and sellers, there are none.


SURE = 3.0
"""By how many standard deviations corners must be more than by chance to be followed."""

CORNER_TRIALS = 3
"""How many numbers of triangles are tried."""

TWICE = 2
"""By which factor a trial may be larger than the last one at the most: with most vertices at a corner, c(t) is flat."""


def _are_none(graph: Graph, noisy: NoisyTriangles) -> bool:
    """Whether neither answer can be told from no triangle at all, though corners by chance could be."""
    if noisy.corners is None or noisy.number > SURE * noisy.question.deviation(noisy.spread):
        return False
    clear = SURE * float(np.sqrt(discrete_laplace_variance(noisy.corners.rate)))
    return noisy.corners.number <= clear and matched_corners(graph) > 2 * clear


def triangles_by_corners(graph: Graph, of: Integers, corners: NoisyCorners, *, by_chance: int, chance: Chance) -> int | None:
    """The number of triangles that the noisy number of corners speaks for; None if chance explains it well enough."""
    at_chance = matched_corners(graph)
    variance = discrete_laplace_variance(corners.rate)
    missing = corners.number - at_chance
    if missing <= SURE * float(np.sqrt(variance + 9 * by_chance)):  # a triangle by chance has three corners at the most
        return None
    most = most_triangles(graph)
    goal = min(by_chance + missing // 3, most)
    for _ in range(CORNER_TRIALS):
        found = matched_corners(rewired(graph, of, goal, chance=chance)) - at_chance
        if (found - missing) ** 2 <= variance:
            break
        more = min(missing / max(found, 1), TWICE)
        goal = min(by_chance + round((goal - by_chance) * more), most)
    return goal


def _masses(likelihoods: Reals, scale: Reals, by_chance: int, numbers: Integers) -> Reals:
    """The mass between neighbouring numbers, by a prior that is even on this scale, half of it below chance and half above."""
    widths, below = np.diff(scale), numbers[1:] <= by_chance
    sides = [max(float(widths[side].sum()), 1e-9) for side in (below, ~below)]
    return np.asarray((likelihoods[1:] + likelihoods[:-1]) / 4 * widths / np.where(below, *sides), dtype=np.float64)


def _numbers(answer: int, by_chance: int, most: int) -> Integers:
    """Numbers from 0 to the most, close to each other near the answer and near chance."""
    steps = np.arange(np.ceil(np.log(most + abs(answer) + 2) / np.log(FINENESS)) + 1)
    distances = np.unique(np.floor(FINENESS**steps)).astype(np.int64)
    around = [centre + sign * distances for centre in (answer, by_chance) for sign in (-1, 1)]
    numbers = np.unique(np.concatenate([*around, [0, answer, by_chance, most]]))
    return np.asarray(numbers[(numbers >= 0) & (numbers <= most)], dtype=np.int64)


# Triangles at vertices with two or three neighbours, as often as those with a few more lead to expect.
#
# Swaps that close triangles one by one pass such vertices by: they have few edges to be met along, and theirs are the first to
# be taken again. Average clustering, in which every vertex counts alike, then comes out too small. In networks of people, local
# clustering falls with the degree d about as a power of it (Ravasz and Barabási, Phys. Rev. E 2003). So it is measured at
# degrees 4 to 6 of the wired graph, c, and brought to
#
#     c (d / 5) ** -b    with    b = 0.5 (1 - share of the triangles that degrees and classes alone explain)
#
# at d = 2 and 3: where degrees explain the triangles, there is no reason why small vertices should have more of them. A swap is
# done if it closes more at small vertices (each counts 1 over its number of pairs of neighbours) than it opens.


STEEPNESS = 0.5
"""The exponent b where chance explains no triangles."""

REFERENCE = (4, 6)
"""The degrees whose clustering is extrapolated; 5 stands for them."""

MOST = 0.95
"""Clustering is brought to no more than this."""

ENOUGH = 30
"""With fewer vertices of these degrees, nothing is extrapolated."""

MOST_LOST = 1
"""How many triangles in all a swap may cost that closes one at a small vertex."""

ROUNDS, TRIES = 10, 4
"""How many rounds there are, and how many swaps are tried for each pair in a round."""


@dataclass(frozen=True, eq=False)
class _Pairs:
    """All pairs of neighbours of the vertices of one degree, and which of them are joined."""

    of: Integers = field(repr=False)
    first: Integers = field(repr=False)
    second: Integers = field(repr=False)
    joined: Booleans = field(repr=False)

    @classmethod
    def at(cls, graph: Graph, degree: int) -> _Pairs:
        chosen = np.flatnonzero(graph.degrees == degree)
        rows, columns = np.triu_indices(degree, 1)
        starts = np.repeat(graph.offsets[chosen], rows.size)
        first = graph.neighbours[starts + np.tile(rows, chosen.size)]
        second = graph.neighbours[starts + np.tile(columns, chosen.size)]
        joined = graph.edges.contains(first * graph.vertices + second)
        return cls(np.repeat(chosen, rows.size), first, second, joined)


def closed_at_small_vertices(graph: Graph, of: Integers, *, by_chance: float, chance: Chance) -> Graph:
    """The graph with triangles at its small vertices; `by_chance` is the share of triangles that need no explanation."""
    around = [_Pairs.at(graph, degree) for degree in range(REFERENCE[0], REFERENCE[1] + 1)]
    vertices = sum(pairs.of.size // (degree * (degree - 1) // 2) for degree, pairs in enumerate(around, start=REFERENCE[0]))
    if vertices < ENOUGH:
        return graph
    level = float(np.concatenate([pairs.joined for pairs in around]).mean())
    exponent = STEEPNESS * min(max(1 - by_chance, 0.0), 1.0)
    wanted = {degree: min(MOST, level * (degree / 5) ** -exponent) for degree in (2, 3)}
    wired = Wired.of(graph)
    for attempt in range(ROUNDS):
        if attempt == ROUNDS // 2:
            of = of // 2  # classes are joined in pairs where swaps within them do not suffice
        wedges = _open_pairs(wired.graph, wanted, chance)
        if not wedges[0].size:
            break
        slots = Slots.of(wired.graph, of, wired.support, chance)
        swaps = without_loops_and_repeats(wired.near, closing(wired, slots, of, wedges, chance))
        gain, made = _gains(wired, swaps)
        better = np.flatnonzero(gain > 0)
        better = better[unshared(swaps.chosen(better), graph.vertices)]
        if not better.size and attempt >= ROUNDS // 2:
            break
        wired.do(swaps.chosen(better), made[:, better])
        wired.recounted(share=wired.near.patience)
    return wired.graph


def _open_pairs(graph: Graph, wanted: dict[int, float], chance: Chance) -> tuple[Integers, Integers, Integers]:
    """As many open pairs at random as are missing at each degree, a few times each, in random directions."""
    found = []
    for degree, share in wanted.items():
        pairs = _Pairs.at(graph, degree)
        missing = int(share * pairs.of.size) - int(pairs.joined.sum())
        if missing > 0:
            is_open = np.flatnonzero(~pairs.joined)
            chosen = is_open[chance.order(is_open.size)[:missing]]
            chosen = np.tile(chosen, TRIES)
            found.append(np.stack([pairs.of[chosen], pairs.first[chosen], pairs.second[chosen]]))
    u, v, w = np.concatenate(found, axis=1) if found else np.zeros((3, 0), dtype=np.int64)
    turned = chance.fractions(u.size) < 0.5
    return u, np.where(turned, w, v), np.where(turned, v, w)


def _gains(wired: Wired, swaps: Swaps) -> tuple[Reals, Integers]:
    """What each swap alone adds to clustering at small vertices, and how many triangles its new edges are in.

    Swaps whose edges are joined crosswise, or that cost too many triangles elsewhere, gain nothing.
    """
    v, x, w, y = swaps.v, swaps.x, swaps.w, swaps.y
    near, degrees = wired.near, wired.graph.degrees
    before, made = wired.before_and_after(swaps)
    each = np.concatenate([made, before])
    first, second = np.concatenate([v, x, v, w]), np.concatenate([w, y, x, y])
    worth: Reals = np.zeros(first.size)
    for degree in (2, 3):
        small = degrees == degree
        seen = near.common_among(first, second, small) + each.ravel() * (small[first].astype(np.int64) + small[second])
        worth += seen / (degree * (degree - 1) / 2)
    in_rows = worth.reshape(4, -1)
    is_bad = near.contains(x, w) | near.contains(y, v) | (made.sum(axis=0) - before.sum(axis=0) < -MOST_LOST)
    return np.where(is_bad, 0.0, in_rows[0] + in_rows[1] - in_rows[2] - in_rows[3]), made


# The ring, then swaps, then small vertices.


DENSE = 10.0
"""From which mean degree on the ring may give all triangles."""

SPARSE_SHARE = 0.5
"""The largest share of pairs that are matched on the ring in a sparse graph."""

LEAN = 0.035
"""In dense graphs, pairs with an end of degree d below the mean m are near less often, by (d / m) ** (LEAN o ** 2), where o are
the odds that a triangle needs no explanation but degrees and classes: what is missing then is missing among large vertices."""

NONE = 0.05
"""Below this share of the triangles by chance, as between buyers and sellers, none is made."""

MOSTLY = 0.5
"""Where chance explains more than this share of the triangles, none are closed at small vertices in particular."""

TRIALS = 7
"""How many shares are tried on the ring."""

NEAR_ENOUGH, NEAR_ENOUGH_OF_A_SAMPLE = 0.004, 0.01
"""A graph whose triangles differ from the goal by less than this share of it is taken as it is; the second share is for large
graphs, or two standard errors of the sample, if that is more."""

TOO_MANY = 0.01
"""From which share of triangles too many, once those at small vertices are closed, some at any vertices are opened again."""

LAST = Effort(rounds=6, near_enough=0.01, joins=0)
"""How long the number is put right after that."""

POWER = 2.5
"""Triangles that the ring adds grow about with this power of the share; measured anew as shares are tried."""

MOST_COUNTED, SAMPLE = 2**25, 2**19
"""Up to how many wedges triangles are counted, and how many wedges are looked at to estimate their number otherwise."""


def with_triangles(dealt: Dealt, of: Integers, noisy: NoisyTriangles, *, chance: Chance) -> Graph:
    """A graph with about as many triangles as the noisy number speaks for, as far as degrees and classes allow."""
    graph = wired(dealt, near=0.0, chance=chance)
    now = by_chance = estimated_triangles(graph, chance)
    goal = 0 if _are_none(graph, noisy) else believed_triangles(noisy, by_chance=by_chance, most=most_triangles(graph))
    if goal is None and noisy.corners is not None:
        goal = triangles_by_corners(graph, of, noisy.corners, by_chance=by_chance, chance=chance)
    if goal is None:
        return graph
    if goal < NONE * by_chance:
        return without_triangles(dealt.degrees, of, dealt.stubs, chance)
    is_dense = bool(dealt.degrees.mean() >= DENSE)
    if now < goal:
        most, lean = (1.0, LEAN * (now / max(goal - now, 1)) ** 2) if is_dense else (SPARSE_SHARE, 0.0)
        graph, now = _on_the_ring(dealt, (graph, now), (most, lean), goal, chance)
    if abs(goal - now) <= _near_enough(graph, goal) * goal and is_dense:
        return graph
    if dealt.inside is not None:
        if now < goal:
            graph = rewired(graph, of, goal, chance=chance, along_edges=is_dense, inside=dealt.inside)
        of = degree_classes(dealt.degrees)  # in the narrow classes within communities, too few swaps would be left
    graph = rewired(graph, of, goal, chance=chance, along_edges=is_dense)
    if goal < now or by_chance > MOSTLY * goal:
        return graph
    graph = closed_at_small_vertices(graph, of, by_chance=by_chance / max(goal, 1), chance=chance)
    return (
        rewired(graph, of, goal, chance=chance, effort=LAST)
        if estimated_triangles(graph, chance) > (1 + TOO_MANY) * goal
        else graph
    )


def _on_the_ring(
    dealt: Dealt, start: tuple[Graph, int], sharing: tuple[float, float], goal: int, chance: Chance
) -> tuple[Graph, int]:
    """The graph, and its triangles, of a share of near pairs up to the most at which they come next to the goal."""
    most, lean = sharing
    none, best = start[1], start
    tried: list[tuple[float, int]] = []
    power, share, tolerance = POWER, most, _near_enough(start[0], goal) * goal
    for _ in range(TRIALS):
        graph = wired(dealt, near=share, chance=chance, lean=lean)
        found = estimated_triangles(graph, chance)
        if abs(found - goal) < abs(best[1] - goal):
            best = graph, found
        if abs(found - goal) <= tolerance or (share == most and found < goal):
            break
        tried.append((share, max(found - none, 1)))
        tried.sort(key=lambda point: abs(point[1] - (goal - none)))
        if len(tried) > 1 and tried[0][1] != tried[1][1]:  # the power that both points nearest to the goal lie on
            power = np.log(tried[0][1] / tried[1][1]) / np.log(tried[0][0] / tried[1][0])
            power = float(np.clip(power, 0.5, 6))
        share = float(np.clip(tried[0][0] * ((goal - none) / tried[0][1]) ** (1 / power), 0, most))
    return best


def _near_enough(graph: Graph, goal: int) -> float:
    """How near to its goal the number of triangles must come, as a share."""
    if graph.vertices <= MOST_ROWS:
        return NEAR_ENOUGH
    degrees = graph.bare().degrees
    closed = SAMPLE * 6 * goal / max(int((degrees * (degrees - 1)).sum()), 1)  # of the wedges of a sample, at the goal
    return max(NEAR_ENOUGH_OF_A_SAMPLE, 2 / float(np.sqrt(max(closed, 1.0))))


def estimated_triangles(graph: Graph, chance: Chance) -> int:
    """The number of triangles: counted in small graphs, estimated from a sample of wedges in large ones."""
    graph = graph.bare()
    if graph.vertices <= MOST_ROWS:
        return int(BitRows.of(graph).common(graph.sources, graph.targets).sum()) // 3
    degrees = graph.degrees
    wedges = np.cumsum(degrees * (degrees - 1))
    if graph.wedges_ahead <= MOST_COUNTED:
        return graph.triangles()
    centres = np.searchsorted(wedges, chance.below(np.full(SAMPLE, wedges[-1])), side="right")
    first = chance.below(degrees[centres])
    second = chance.below(degrees[centres] - 1)
    places = (graph.offsets[centres] + place for place in (first, second + (second >= first)))
    ends = [graph.arcs[place] - centres * graph.vertices for place in places]
    asked = np.sort(np.minimum(*ends) * graph.vertices + np.maximum(*ends))
    closed = float(np.mean(graph.keys[np.minimum(np.searchsorted(graph.keys, asked), len(graph) - 1)] == asked))
    return round(closed * float(wedges[-1]) / 6)
