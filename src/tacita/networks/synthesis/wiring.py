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

from tacita.arrays import Booleans, Integers, Narrow, Numbers, Places, Reals
from tacita.arrays.graphs import EdgeSet, Graph, places_within
from tacita.networks.synthesis.classes import Chance

__all__ = ["Dealt", "dealt_stubs", "wired"]


WINDOW = 0.5
"""How far a stub is blurred along the ring, in windows that hold as many vertices as its vertex has stubs for that class."""

CLOSE, SAME_CLASSES, ANY = 10, 8, 12
"""How many rounds of swaps repair loops and repeated edges: with pairs of the same classes that are close (twice as far each
time), with any pair of the same classes, and with any pair at all."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Dealt:
    """Stubs in pairs of classes: the two sides of each pair of classes have the same number, one after the other.

    `stubs` are the numbers between classes that were dealt.
    """

    degrees: Integers = field(repr=False)
    stubs: Integers = field(repr=False)
    first: Numbers = field(repr=False)
    second: Numbers = field(repr=False)
    first_place: Narrow = field(repr=False)
    second_place: Narrow = field(repr=False)
    first_width: Narrow = field(repr=False)
    second_width: Narrow = field(repr=False)
    pair: Numbers = field(repr=False)
    inside: Integers | None = field(default=None, repr=False)
    """Blocks of vertices within which alone neighbours are near each other."""


def dealt_stubs(degrees: Integers, of: Integers, stubs: Integers, chance: Chance, *, inside: Integers | None = None) -> Dealt:
    """Deal the stubs of all vertices to the partner classes that `stubs` gives them, evenly along the ring.

    There are two stubs for each edge, so their columns are narrow and live no longer than they must.
    """
    number = len(stubs)
    order = np.lexsort((chance.words(degrees.size), of))
    owners = np.repeat(order.astype(np.int32), degrees[order])  # stubs, class by class, in the order of the ring
    partner = _partners(stubs, owners.size, chance)
    own = of.astype(np.int32)[owners]
    code = np.minimum(own, partner) * np.int32(number) + np.maximum(own, partner)
    side = own > partner
    alike = np.flatnonzero(own == partner)
    side[alike] = places_within(stubs[np.arange(number), np.arange(number)]) % 2 > 0  # neighbours on the ring face each other
    del alike
    sums = np.bincount(own, minlength=number)
    sizes = np.maximum(np.bincount(of, minlength=number), 1)
    place = ((np.arange(owners.size) - (np.cumsum(sums) - sums)[own] + 0.5) / np.maximum(sums, 1)[own]).astype(np.float32)
    narrow = WINDOW * stubs / np.maximum(sums[:, None] * sizes, 1)
    width = (degrees[owners] * narrow[own, partner]).astype(np.float32)
    del own, partner
    first, second = (chosen[np.argsort(code[chosen], kind="stable")] for chosen in (np.flatnonzero(~side), np.flatnonzero(side)))
    first, second, spare = _matched_lengths(first, second, code)
    pair = np.append(code[first], np.full(spare.size // 2, number * number, dtype=np.int32))
    first, second = np.append(first, spare[::2]), np.append(second, spare[1::2])
    return Dealt(
        degrees=degrees,
        stubs=stubs,
        first=owners[first],
        second=owners[second],
        first_place=place[first],
        second_place=place[second],
        first_width=width[first],
        second_width=width[second],
        pair=pair,
        inside=inside,
    )


def _partners(stubs: Integers, size: int, chance: Chance) -> Numbers:
    """The partner class of each stub, class by class: those of one class are spread evenly among its stubs."""
    partner = np.empty(size, dtype=np.int32)
    begin = 0
    for row in stubs:
        columns = np.flatnonzero(row)
        counts = row[columns]
        times = (places_within(counts) + np.repeat(chance.fractions(columns.size), counts)) / np.repeat(counts, counts)
        dealt = np.repeat(columns.astype(np.int32), counts)[np.argsort(times, kind="stable")]
        partner[begin : begin + dealt.size] = dealt
        begin += dealt.size
    return partner


def _matched_lengths(first: Integers, second: Integers, code: Numbers) -> tuple[Integers, Integers, Integers]:
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
    sides: list[Numbers] = []
    for owner, place, width in (
        (dealt.first, dealt.first_place, dealt.first_width),
        (dealt.second, dealt.second_place, dealt.second_width),
    ):
        blurred = 2 * chance.fractions(size)
        blurred -= 1
        blurred *= width
        blurred += place
        sides.append(owner[_by_pair(dealt.pair, blurred)])
    first, second = sides
    share: float | Reals = near
    if lean:
        smaller = np.minimum(dealt.degrees[first], dealt.degrees[second])
        share = near * np.minimum(1.0, smaller / float(dealt.degrees.mean())) ** lean
        del smaller
    if dealt.inside is not None:
        share = share * (dealt.inside[first] == dealt.inside[second])
    far = np.flatnonzero(chance.fractions(size) >= share)
    if far.size:  # both orders go by pairs of classes, so each stays among its own
        second[far] = second[far[_by_pair(dealt.pair[far], chance.fractions(far.size))]]
    return Graph(vertices, _repaired(first, second, dealt.pair, vertices, chance))


def _by_pair(pair: Numbers, places: Reals) -> Places:
    """The order by pair of classes (which are in order already), then by place; one sort of floats instead of two.

    The places are overwritten.
    """
    places += 1
    places /= 3
    np.clip(places, 0, 0.999999, out=places)
    places += pair
    return np.argsort(places)


def _repaired(first: Numbers, second: Numbers, pair: Numbers, vertices: int, chance: Chance) -> Integers:
    """Swap loops and repeated edges away; those that cannot be are left out."""
    begins = np.flatnonzero(np.append(True, pair[1:] != pair[:-1]))[: pair.size]
    ends = np.append(begins[1:], pair.size)
    keys = _keys(first, second, vertices)
    bad = _bad(keys, first, second)
    existing = EdgeSet(np.sort(keys))
    added = np.zeros(0, dtype=np.int64)
    for attempt in range(CLOSE + SAME_CLASSES + ANY):
        if not bad.size:
            break
        if attempt < CLOSE + SAME_CLASSES:
            run = np.searchsorted(begins, bad, side="right") - 1
            lengths = ends[run] - begins[run]
            reach = np.minimum(lengths, 4 << attempt) if attempt < CLOSE else lengths
            first_of = np.clip(bad - reach // 2, begins[run], ends[run] - reach)
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
    keys = np.delete(keys, bad)
    keys.sort()
    return keys


def _keys(first: Numbers, second: Numbers, vertices: int) -> Integers:
    keys = np.minimum(first, second).astype(np.int64)
    keys *= vertices
    keys += np.maximum(first, second)
    return keys


def _bad(keys: Integers, first: Numbers, second: Numbers) -> Integers:
    """Loops, and all but one of equal edges."""
    order = np.argsort(keys)
    again = np.zeros(keys.size, dtype=np.bool_)
    again[order[1:]] = keys[order[1:]] == keys[order[:-1]]
    return np.flatnonzero(again | (first == second))


def _first_of_each(names: Integers, among: Booleans) -> Booleans:
    """Rows (of those that count) none of whose names another row before them has."""
    rows = np.flatnonzero(among)
    flat = names[rows].ravel()
    order = np.argsort(flat, kind="stable")
    again = np.zeros(flat.size, dtype=np.bool_)
    again[order[1:]] = flat[order[1:]] == flat[order[:-1]]
    fresh = np.zeros(among.size, dtype=np.bool_)
    fresh[rows] = ~again.reshape(-1, names.shape[1]).any(axis=1)
    return fresh
