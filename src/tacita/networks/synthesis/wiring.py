"""A simple graph with given degrees and given numbers of edges between classes, in which neighbours may lie close to each other.

Every vertex has a place on a ring (a fraction, in random order within its class, spaced by degrees). The stubs of each class are
dealt to partner classes evenly along the ring, and the stubs of two classes that go together are matched in the order of their
places, each blurred by a window that holds about as many vertices as the stub's vertex has stubs. So vertices that are close
share neighbours, and triangles close. Only a share `near` of the pairs is matched so; the others are matched at random.

Loops and repeated edges are then swapped away with other pairs of the same two classes, and as a last resort with any pair.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tacita.arrays.graphs import EdgeSet, Graph, edge_keys, places_within
from tacita.networks.synthesis.chance import Chance

__all__ = ["Dealt", "dealt_stubs", "wired"]

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]

WINDOW = 0.5
"""How far a stub is blurred along the ring, in windows that hold as many vertices as its vertex has stubs for that class."""

CLOSE, SAME_CLASSES, ANY = 10, 8, 12
"""How many rounds of swaps repair loops and repeated edges: with pairs of the same classes that are close (twice as far each
time), with any pair of the same classes, and with any pair at all."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Dealt:
    """Stubs in pairs of classes: the two sides of each pair of classes have the same number, one after the other."""

    degrees: Integers = field(repr=False)
    first: Integers = field(repr=False)
    second: Integers = field(repr=False)
    first_place: Reals = field(repr=False)
    second_place: Reals = field(repr=False)
    first_width: Reals = field(repr=False)
    second_width: Reals = field(repr=False)
    pair: Integers = field(repr=False)


def dealt_stubs(degrees: Integers, of: Integers, stubs: Integers, chance: Chance) -> Dealt:
    """Deal the stubs of all vertices to the partner classes that `stubs` gives them, evenly along the ring."""
    number = len(stubs)
    order = np.lexsort((chance.words(degrees.size), of))
    owners = np.repeat(order, degrees[order])  # stubs, class by class, in the order of the ring
    rows, columns = np.nonzero(stubs)
    counts = stubs[rows, columns]
    cells = np.repeat(np.arange(rows.size), counts)
    times = (places_within(counts) + np.repeat(chance.fractions(rows.size), counts)) / np.repeat(counts, counts)
    partner = np.empty(owners.size, dtype=np.int64)
    partner[:] = columns[cells[np.lexsort((times, rows[cells]))]]
    own = of[owners]
    sums = np.bincount(own, minlength=number)
    place = (np.arange(owners.size) - (np.cumsum(sums) - sums)[own] + 0.5) / np.maximum(sums[own], 1)
    sizes = np.maximum(np.bincount(of, minlength=number), 1)
    width = WINDOW * degrees[owners] * stubs[own, partner] / np.maximum(sums[own] * sizes[partner], 1)
    code = np.minimum(own, partner) * number + np.maximum(own, partner)
    inside = np.flatnonzero(own == partner)
    side = (own > partner).astype(np.int64)
    side[inside] = places_within(stubs[np.arange(number), np.arange(number)]) % 2  # neighbours on the ring face each other
    sorted_code = np.lexsort((np.arange(owners.size), side, code))
    first, second = sorted_code[side[sorted_code] == 0], sorted_code[side[sorted_code] == 1]
    first, second, spare = _matched_lengths(first, second, code)
    return Dealt(
        degrees=degrees,
        first=owners[np.append(first, spare[::2])],
        second=owners[np.append(second, spare[1::2])],
        first_place=place[np.append(first, spare[::2])],
        second_place=place[np.append(second, spare[1::2])],
        first_width=width[np.append(first, spare[::2])],
        second_width=width[np.append(second, spare[1::2])],
        pair=np.append(code[first], np.full(spare.size // 2, number * number)),
    )


def _matched_lengths(first: Integers, second: Integers, code: Integers) -> tuple[Integers, Integers, Integers]:
    """Both sides of the same length for each pair of classes; a class with an odd number of its own stubs has one to spare."""
    most = int(code.max()) + 1 if code.size else 1
    more = np.bincount(code[first], minlength=most) - np.bincount(code[second], minlength=most)
    ends = np.searchsorted(code[first], np.flatnonzero(more == 1), side="right") - 1
    spare = first[ends]
    return np.delete(first, ends), second, spare[: spare.size // 2 * 2]


def wired(dealt: Dealt, *, near: float, chance: Chance, lean: float = 0.0) -> Graph:
    """Match the two sides: a share `near` of the pairs close to each other on the ring, the others at random.

    With `lean` above 0, pairs with an end of degree d below the mean are near less often, by (d / mean) ** lean.
    """
    size = dealt.pair.size
    vertices = dealt.degrees.size
    sides = []
    for owner, place, width in (
        (dealt.first, dealt.first_place, dealt.first_width),
        (dealt.second, dealt.second_place, dealt.second_width),
    ):
        blurred = place + width * (2 * chance.fractions(size) - 1)
        sides.append(owner[_by_pair(dealt.pair, blurred)])
    first, second = sides
    share: float | Reals = near
    if lean:
        smaller = np.minimum(dealt.degrees[first], dealt.degrees[second])
        share = near * np.minimum(1.0, smaller / float(dealt.degrees.mean())) ** lean
    far = np.flatnonzero(chance.fractions(size) >= share)
    if far.size:  # both orders go by pairs of classes, so each stays among its own
        second[far] = second[far[_by_pair(dealt.pair[far], chance.fractions(far.size))]]
    return Graph(vertices, _repaired(first, second, dealt.pair, vertices, chance))


def _by_pair(pair: Integers, places: Reals) -> npt.NDArray[np.intp]:
    """The order by pair of classes (which are in order already), then by place; one sort of floats instead of two."""
    return np.argsort(pair + np.clip((places + 1) / 3, 0, 0.999999))


def _repaired(first: Integers, second: Integers, pair: Integers, vertices: int, chance: Chance) -> Integers:
    """Swap loops and repeated edges away; those that cannot be are left out."""
    starts = np.searchsorted(pair, pair, side="left") if pair.size < 2**16 else _runs(pair)[0]
    lengths = np.searchsorted(pair, pair, side="right") - starts if pair.size < 2**16 else _runs(pair)[1]
    keys = _keys(first, second, vertices)
    existing = EdgeSet(np.sort(keys))
    added = np.zeros(0, dtype=np.int64)
    bad = _bad(keys, first, second)
    for attempt in range(CLOSE + SAME_CLASSES + ANY):
        if not bad.size:
            break
        if attempt < CLOSE + SAME_CLASSES:
            reach = np.minimum(lengths[bad], 4 << attempt) if attempt < CLOSE else lengths[bad]
            first_of = np.clip(bad - reach // 2, starts[bad], starts[bad] + lengths[bad] - reach)
            partner = first_of + chance.below(reach)
        else:
            partner = chance.below(np.full(bad.size, keys.size))
        one, two = _keys(first[bad], second[partner], vertices), _keys(first[partner], second[bad], vertices)
        fine = (first[bad] != second[partner]) & (first[partner] != second[bad]) & (one != two) & (bad != partner)
        both = np.concatenate([one, two])
        taken = existing.contains(both)
        if added.size:
            taken |= added[np.minimum(np.searchsorted(added, both), added.size - 1)] == both
        fine &= ~(taken[: bad.size] | taken[bad.size :])
        fine &= _first_of_each(np.stack([one, two], axis=1), fine) & _first_of_each(np.stack([bad, partner], axis=1), fine)
        done, other = bad[fine], partner[fine]
        second[done], second[other] = second[other], second[done].copy()
        keys[done], keys[other] = one[fine], two[fine]
        added = np.sort(np.concatenate([added, one[fine], two[fine]]))
        bad = bad[~fine]
    keep = np.ones(keys.size, dtype=np.bool_)
    keep[bad] = False
    return edge_keys(first[keep], second[keep], vertices=vertices)


def _runs(pair: Integers) -> tuple[Integers, Integers]:
    begins = np.flatnonzero(np.append(True, pair[1:] != pair[:-1]))
    lengths = np.diff(np.append(begins, pair.size))
    return np.repeat(begins, lengths), np.repeat(lengths, lengths)


def _keys(first: Integers, second: Integers, vertices: int) -> Integers:
    return np.minimum(first, second) * vertices + np.maximum(first, second)


def _bad(keys: Integers, first: Integers, second: Integers) -> Integers:
    """Loops, and all but one of equal edges."""
    order = np.argsort(keys)
    again = np.zeros(keys.size, dtype=np.bool_)
    again[order[1:]] = keys[order[1:]] == keys[order[:-1]]
    return np.flatnonzero(again | (first == second))


def _first_of_each(names: Integers, among: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Rows (of those that count) none of whose names another row before them has."""
    rows = np.flatnonzero(among)
    flat = names[rows].ravel()
    order = np.argsort(flat, kind="stable")
    again = np.zeros(flat.size, dtype=np.bool_)
    again[order[1:]] = flat[order[1:]] == flat[order[:-1]]
    fresh = np.zeros(among.size, dtype=np.bool_)
    fresh[rows] = ~again.reshape(-1, names.shape[1]).any(axis=1)
    return fresh
