"""Membership linkage against a private release: whether a person's record, or one edge of a network, was in the data.

The game (`Membership`, for any kind): a coin decides whether the target is in the data; the data are published; the attacker
looks at one number of the release (how often the target's record, or something close to it, occurs) and guesses. On half of the
runs the attacker learns which side of which threshold points to the target; on the other half, which had no part in that, the
guesses are counted. The advantage is the share of true alarms minus the share of false ones. Whatever the attacker does,
epsilon-differential privacy bounds it by (e^eps - 1) / (e^eps + 1), and every true-alarm share by e^eps times the false-alarm
share (plus delta). An advantage above the bound, beyond its interval, would prove the guarantee false; one below it proves
nothing: this is a simple attack, and better ones may exist.

`EdgeGuess` plays the same game for one edge of a network, and also guesses many edges from a single release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Generic, TypeVar

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.graphs import Graph
from tacita.attacks.result import Assessment, Figure, clopper_pearson
from tacita.errors import ParameterError
from tacita.networks import NetworkRecords, PublishedNetwork
from tacita.privacy.budget import Budget
from tacita.privacy.publishing import Mechanism
from tacita.public.parameters import whole_number
from tacita.seeded import public_generator

__all__ = ["EdgeGuess", "Game", "Membership", "best_threshold", "on_networks"]

Records = TypeVar("Records")
Released = TypeVar("Released")


@dataclass(frozen=True, kw_only=True)
class Game(Generic[Records, Released]):
    """The data with and without the target, how they are published, and the number that the attacker looks at."""

    without: Records
    within: Records
    publish: Callable[[Records], Released]
    statistic: Callable[[Released], float]


@dataclass(frozen=True, kw_only=True)
class Membership:
    """An attacker who knows everything except whether the target is there."""

    runs: int = 1000
    confidence: float = 0.95

    def __post_init__(self) -> None:
        """Check the numbers."""
        whole_number(self.runs, name="runs", least=10)
        if not 0 < self.confidence < 1:
            message = f"confidence must be between 0 and 1, got {self.confidence}"
            raise ParameterError(message)

    def assess(self, game: Game[Records, Released], *, budget: Budget) -> Assessment:
        """Play the game `runs` times on each side; every run publishes afresh."""
        absent, present = (
            np.array([game.statistic(game.publish(side)) for _ in range(self.runs)], dtype=np.float64)
            for side in (game.without, game.within)
        )
        learnt = self.runs // 2
        threshold, above = best_threshold(absent[:learnt], present[:learnt])
        false, true = (int(np.count_nonzero((side[learnt:] >= threshold) == above)) for side in (absent, present))
        tested = self.runs - learnt
        risk = (1 - self.confidence) / 4  # two intervals, two sides each
        false_low, false_high = clopper_pearson(false, tested, risk=risk)
        true_low, true_high = clopper_pearson(true, tested, risk=risk)
        epsilon, delta = float(budget.epsilon), float(budget.delta)
        most = (exp(epsilon) - 1 + 2 * delta) / (exp(epsilon) + 1) if epsilon < 700 else 1.0
        return Assessment(
            attack="membership",
            against=f"a release with {budget}",
            assumptions=("the attacker knows every other record, the target's record and the method",),
            figures=(
                Figure(name="runs that were judged, each side", value=float(tested), is_share=False),
                Figure(name="true alarms", value=true / tested, low=true_low, high=true_high),
                Figure(name="false alarms", value=false / tested, low=false_low, high=false_high),
                Figure(
                    name="advantage",
                    value=(true - false) / tested,
                    low=true_low - false_high,
                    high=true_high - false_low,
                    bound=most,
                ),
            ),
        )


def best_threshold(absent: Reals, present: Reals) -> tuple[float, bool]:
    """The threshold with the largest advantage on these runs, and whether to guess at or above it, or below it."""
    cuts = np.unique(np.concatenate([absent, present]))
    ordered_absent, ordered_present = np.sort(absent), np.sort(present)
    below_absent = np.searchsorted(ordered_absent, cuts) / absent.size
    below_present = np.searchsorted(ordered_present, cuts) / present.size
    gain = below_absent - below_present
    best = int(np.argmax(np.abs(gain)))
    return float(cuts[best]), bool(gain[best] >= 0)


# Guessing one edge of a network from a release and all other edges.
#
# Two numbers of a release bear on whether the edge is there: whether the synthetic network has it, and how many neighbours the
# released degrees give its two ends beyond those that are known. An edge that is there adds two to that number.
#
# `assess` tries this on one release, for many edges and as many pairs that are not joined, whose ends are drawn as ends of
# edges are. It learns a threshold on one half of them and is judged on the other. Epsilon-differential privacy bounds the
# advantage over the noise of many releases, not over the edges of one; so `game`, which publishes anew for each run with one
# edge there or not, is what the bound (e^eps - 1) / (e^eps + 1) holds for exactly.

FOUND = 4.0
"""How much more the edge itself in a synthetic network says than one neighbour too many."""


@dataclass(frozen=True, kw_only=True)
class EdgeGuess:
    """An attacker who knows all edges but one."""

    edges: int = 2000
    seed: int = 0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        """Check the numbers."""
        whole_number(self.edges, name="edges", least=10)
        whole_number(self.seed, name="seed", least=0)
        if not 0 < self.confidence < 1:
            message = f"confidence must be between 0 and 1, got {self.confidence}"
            raise ParameterError(message)

    def assess(self, records: NetworkRecords, released: PublishedNetwork) -> Assessment:
        """Guess many edges, and pairs that are none, from one release."""
        joined, apart = _sampled(records.graph, self.edges, self.seed)
        present = guess_scores(records.graph, released, joined)
        absent = guess_scores(records.graph, released, apart)
        threshold, above = best_threshold(absent[::2], present[::2])
        false, true = (int(np.count_nonzero((side[1::2] >= threshold) == above)) for side in (absent, present))
        tested = [max(1, side[1::2].size) for side in (absent, present)]
        risk = (1 - self.confidence) / 4
        false_low, false_high = clopper_pearson(false, tested[0], risk=risk)
        true_low, true_high = clopper_pearson(true, tested[1], risk=risk)
        copied = np.intersect1d(records.graph.keys, released.graph.keys, assume_unique=True).size
        return Assessment(
            attack="edge guess",
            against="the released network",
            assumptions=("the attacker knows all other edges, and guesses one at a time",),
            figures=(
                Figure(name="edges that were guessed", value=float(tested[1])),
                Figure(name="true alarms", value=true / tested[1], low=true_low, high=true_high),
                Figure(name="false alarms", value=false / tested[0], low=false_low, high=false_high),
                Figure(
                    name="advantage",
                    value=true / tested[1] - false / tested[0],
                    low=true_low - false_high,
                    high=true_high - false_low,
                ),
                Figure(name="share of the edges that are in the release", value=copied / max(1, len(records.graph))),
            ),
        )

    @staticmethod
    def game(
        records: NetworkRecords, pair: tuple[int, int], method: Mechanism, *, budget: Budget
    ) -> Game[NetworkRecords, PublishedNetwork]:
        """The game about one pair of vertices (by their places): it is joined, or not, by a coin; for `Membership`."""
        size = records.graph.vertices
        key = np.array([min(pair) * size + max(pair)], dtype=np.int64)
        keys = np.setdiff1d(records.graph.keys, key)
        without = replace(records, graph=Graph(size, keys))
        ends = np.array([[min(pair), max(pair)]], dtype=np.int64)

        def publish(side: NetworkRecords) -> PublishedNetwork:
            released = method.publish(side, budget=budget).data
            if not isinstance(released, PublishedNetwork):
                message = "an edge is guessed from a release of a network"
                raise ParameterError(message)
            return released

        return Game(
            without=without,
            within=replace(records, graph=Graph(size, np.union1d(keys, key))),
            publish=publish,
            statistic=lambda released: float(guess_scores(without.graph, released, ends)[0]),
        )


def on_networks(records: NetworkRecords, releases: Sequence[PublishedNetwork], *, known: int | None) -> Iterator[Assessment]:
    """Guess edges from each release; what is known is all edges but one, so `known` has no meaning here."""
    if known is not None:
        message = "an edge is guessed by somebody who knows all others; leave out --known"
        raise ParameterError(message)
    if not releases:
        message = "edges are guessed from a release; name one"
        raise ParameterError(message)
    for released in releases:
        yield EdgeGuess().assess(records, released)


def guess_scores(known: Graph, released: PublishedNetwork, pairs: Integers) -> Reals:
    """How much a release speaks for each pair being an edge, to somebody who knows all the others."""
    size = known.vertices
    keys = pairs[:, 0] * size + pairs[:, 1]
    there = known.edges.contains(keys) if len(known) else np.zeros(len(pairs), dtype=np.bool_)
    degrees = released.graph.degrees if released.degrees is None else released.degrees
    beyond = sum(degrees[end] - (known.degrees[end] - there) for end in (pairs[:, 0], pairs[:, 1]))
    copied = released.graph.edges.contains(keys) if len(released.graph) else np.zeros(len(pairs), dtype=np.bool_)
    return np.asarray(beyond + FOUND * copied, dtype=np.float64)


def _sampled(graph: Graph, number: int, seed: int) -> tuple[Integers, Integers]:
    """Some edges, and as many pairs of ends of two random edges that are not joined."""
    if not len(graph):
        message = "a network without edges has none to be guessed"
        raise ParameterError(message)
    generator = public_generator(seed)
    chosen = generator.permutation(len(graph))[:number]
    joined = np.stack([graph.sources[chosen], graph.targets[chosen]], axis=1)
    ends = np.concatenate([graph.sources, graph.targets])
    drawn = np.sort(ends[generator.integers(0, ends.size, 2 * 8 * number)].reshape(-1, 2), axis=1)
    drawn = drawn[drawn[:, 0] != drawn[:, 1]]
    drawn = drawn[~graph.edges.contains(drawn[:, 0] * graph.vertices + drawn[:, 1])]
    if len(drawn) < 2:
        message = "a network in which all vertices are joined has no pair to compare an edge with"
        raise ParameterError(message)
    return joined, drawn[:number]
