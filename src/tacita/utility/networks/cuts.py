"""Cut queries (how many edges run between two sets of vertices), and a release beside the simplest ones by their errors.

Chen's thesis asks 20,000 queries of "any two subsets" with sizes between 1 and some maximum (section 7.5). It does not say
whether the subsets may overlap. Both readings are measured: `ANY` draws each subset independently; `DISJOINT` draws one set of 2
vertices up to the maximum and splits it at a random point. The error of a query is |true - released| / max(true, 0.1 % of all
edges).

64 queries are answered at once: each vertex has one bit per query and side, and an edge is in a cut if one end is on either side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Any

import numpy as np

from tacita.arrays import Integers, Reals, Words
from tacita.arrays.graphs import Graph
from tacita.arrays.scatter import scattered, spread
from tacita.networks import NetworkRecords, PublishedNetwork
from tacita.public.parameters import Chosen
from tacita.seeded import public_generator
from tacita.utility.floors import INDEPENDENT, NOTHING, RELEASE, Column, Standing, epsilon_of
from tacita.utility.networks.structure import degree_divergence

__all__ = ["CutError", "CutReading", "CutWorkload", "answered_by_degrees", "independent_edges", "measure_cuts", "standing"]

SANITY_SHARE = 0.001

_AT_ONCE = 64


class CutReading(StrEnum):
    """How the two subsets of a query are drawn."""

    ANY = "any two subsets"
    DISJOINT = "disjoint subsets"


@dataclass(frozen=True, kw_only=True)
class CutWorkload:
    """How many queries, in which reading, and up to which share of all vertices."""

    reading: Chosen[CutReading] = Chosen(CutReading, CutReading.DISJOINT)
    queries: int = 20_000
    largest: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8, 1.0)
    seed: int = 11

    def sides(self, vertices: int, share: float, batch: int) -> tuple[Words, Words]:
        """The bits of both sides of 64 queries, for each vertex."""
        salt = self.seed * 1_000_003 + batch * 4096 + round(share * 997)
        most = max(2, int(share * vertices)) if share <= 1 else min(int(share), vertices)
        size = spread(np.arange(4 * _AT_ONCE), salt=salt).reshape(4, _AT_ONCE)
        first, second = np.zeros(vertices, dtype=np.uint64), np.zeros(vertices, dtype=np.uint64)
        numbers = np.arange(vertices)
        for query in range(_AT_ONCE):
            bit = np.uint64(1 << query)
            order = np.argsort(scattered(numbers, salt=salt + 7 * query + 13))
            if self.reading is CutReading.DISJOINT:
                both = 2 + int(size[0, query] * max(most - 1, 1))
                cut = 1 + int(size[1, query] * (both - 1))
                first[order[:cut]] |= bit
                second[order[cut:both]] |= bit
            else:
                other = np.argsort(scattered(numbers, salt=salt + 7 * query + 17))
                first[order[: 1 + int(size[2, query] * most)]] |= bit
                second[other[: 1 + int(size[3, query] * most)]] |= bit
        return first, second


@dataclass(frozen=True, kw_only=True)
class CutError:
    """The mean relative error of the queries of one size."""

    reading: str
    largest: float
    queries: int
    average_relative_error: float

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class _Batch:
    first: Words = field(repr=False)
    second: Words = field(repr=False)

    def count(self, graph: Graph) -> Integers:
        """The number of a graph's edges in each cut."""
        crossing = (self.first[graph.sources] & self.second[graph.targets]) | (
            self.second[graph.sources] & self.first[graph.targets]
        )
        return _sums_of_bits(crossing)

    def by_degrees(self, degrees: Reals) -> Reals:
        """What the degrees predict: vol(S) vol(T) / 2m, minus what is counted twice where the sets overlap."""
        total = max(float(degrees.sum()), 1.0)
        sides = [_volumes(words, degrees) for words in (self.first, self.second, self.first & self.second)]
        return np.asarray((sides[0] * sides[1] - sides[2] ** 2 / 2) / total, dtype=np.float64)


def _sums_of_bits(words: Words) -> Integers:
    """How many of the words have each of the 64 bits set.

    A full adder turns three words of one weight into one of the same weight and one of twice the weight, for all bits at once, so
    that a few words of each weight are left to be unpacked.
    """
    found = np.zeros(_AT_ONCE, dtype=np.int64)
    weight = 1
    while words.size:
        carries = []
        while words.size > 2:
            third = words.size // 3
            a, b, c, rest = words[:third], words[third : 2 * third], words[2 * third : 3 * third], words[3 * third :]
            either = a ^ b
            carries.append((a & b) | (either & c))
            words = np.concatenate([either ^ c, rest])
        bits = np.unpackbits(words.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        found += weight * bits.sum(axis=0, dtype=np.int64)
        words = np.concatenate(carries) if carries else words[:0]
        weight *= 2
    return found


def _volumes(words: Words, degrees: Reals) -> Reals:
    bits = np.unpackbits(words.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    return np.asarray(degrees @ bits, dtype=np.float64)


def measure_cuts(raw: Graph, released: Graph, workload: CutWorkload) -> tuple[CutError, ...]:
    """The errors of a released graph."""
    return _errors(raw, workload, lambda batch: batch.count(released).astype(np.float64))


def answered_by_degrees(raw: Graph, degrees: Reals, workload: CutWorkload) -> tuple[CutError, ...]:
    """The errors of answers from released degrees, without a graph."""
    return _errors(raw, workload, lambda batch: batch.by_degrees(degrees))


@lru_cache(maxsize=2048)
def _sides(workload: CutWorkload, vertices: int, share: float, number: int) -> tuple[Words, Words]:
    """Cached, because the same queries are asked of many releases."""
    return workload.sides(vertices, share, number)


@lru_cache(maxsize=2048)
def _true(raw: Graph, workload: CutWorkload, share: float, number: int) -> Integers:
    """Cached for the same reason."""
    return _Batch(*_sides(workload, raw.vertices, share, number)).count(raw)


def _errors(raw: Graph, workload: CutWorkload, answers: Callable[[_Batch], Reals]) -> tuple[CutError, ...]:
    least = max(SANITY_SHARE * len(raw), 1e-9)
    found = []
    for share in workload.largest:
        batches = max(1, workload.queries // _AT_ONCE)
        errors = []
        for number in range(batches):
            batch = _Batch(*_sides(workload, raw.vertices, share, number))
            true = _true(raw, workload, share, number)
            errors.append(float(np.mean(np.abs(true - answers(batch)) / np.maximum(true, least))))
        found.append(
            CutError(
                reading=str(workload.reading),
                largest=share,
                queries=batches * _AT_ONCE,
                average_relative_error=float(np.mean(errors)),
            )
        )
    return tuple(found)


# The floors of a release: what nothing would keep, and what edges placed at random by their noisy number would.


CUTS = CutWorkload(queries=2000, largest=(0.5,))

_COLUMNS = (
    Column(key="edges", title="edges", shown=",.0f"),
    Column(key="cut_error", title="cut error", shown=".4f", better=-1),
    Column(key="degree_divergence", title="degrees", shown=".3f", better=-1),
    Column(key="triangles", title="triangles off", shown=".3f", better=-1),
)


def standing(records: NetworkRecords, published: PublishedNetwork, manifest: Mapping[str, Any]) -> Standing | None:
    """Compare a release with *nothing* and *independent* at its own epsilon, which its manifest says."""
    epsilon, raw = epsilon_of(manifest), records.graph
    if epsilon is None or not len(raw):
        return None
    nothing = Graph(raw.vertices, np.zeros(0, dtype=np.int64))
    sides = {RELEASE: published.graph, INDEPENDENT: independent_edges(raw, epsilon=epsilon), NOTHING: nothing}
    return Standing(
        epsilon=epsilon,
        about="cuts between up to half of the vertices, divergence of the degrees, triangles",
        columns=_COLUMNS,
        rows={name: _kept_of(raw, side) for name, side in sides.items()},
    )


def independent_edges(graph: Graph, *, epsilon: float, seed: int = 0) -> Graph:
    """As many edges as a noisy count says, between any two vertices alike."""
    generator, vertices = public_generator(seed), graph.vertices
    wanted = max(round(len(graph) + float(generator.laplace(0, 1 / epsilon))), 0)
    wanted = min(wanted, vertices * (vertices - 1) // 2)
    keys = np.zeros(0, dtype=np.int64)
    while keys.size < wanted:
        ends = generator.integers(0, vertices, (2, 2 * (wanted - keys.size) + 8))
        low, high = ends.min(axis=0), ends.max(axis=0)
        keys = np.unique(np.concatenate([keys, (low * vertices + high)[low != high]]))
    return Graph(vertices, np.sort(generator.permutation(keys)[:wanted]))


def _kept_of(raw: Graph, released: Graph) -> dict[str, float]:
    triangles = raw.triangles()
    (cuts,) = measure_cuts(raw, released, CUTS)
    return {
        "edges": len(released),
        "cut_error": cuts.average_relative_error,
        "degree_divergence": degree_divergence(raw.degrees, released.degrees),
        "triangles": abs(released.triangles() - triangles) / max(triangles, 1),
    }
