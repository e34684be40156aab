"""What `tacita attack` tries on tables, sequences and sets, with uniqueness by points; the registrations name these functions.

Each function takes the private records and what was released of them, and gives the attacks that need nothing else. Minimality
needs a bound that the release promises. Membership linkage is a game of many publications, which `tacita attack --membership`
plays. The attacks on trajectories are in `on_trajectories`, those on networks in `membership`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacita.arrays import AnyIntegers, Integers
from tacita.arrays.ragged import Ragged, distinct, offsets_of
from tacita.attacks.linkage import Linkage
from tacita.attacks.minimality import Composition, Minimality
from tacita.attacks.result import Assessment, Figure, clopper_pearson
from tacita.errors import ParameterError
from tacita.public.parameters import whole_number
from tacita.seeded import public_generator
from tacita.tables.published import PublishedBuckets, PublishedTable
from tacita.tables.records import CountedTable

__all__ = ["PointUniqueness", "holders_of_codes", "matching", "on_sequences", "on_sets", "on_tables"]


# Uniqueness by points: how many people are the only ones whose record has some random points of their own.
#
# De Montjoye, Hidalgo, Verleysen and Blondel (Scientific Reports 2013) found that four points of a phone's track, place and
# hour, single out 95 % of people. The points of a record are its different codes: locations of a sequence, (place, time) pairs
# of a trajectory, items of a set. People and points are drawn by a public generator, so the result is an estimate, and its
# interval says how good it is.


@dataclass(frozen=True, kw_only=True)
class PointUniqueness:
    """An attacker who knows some random points of a person's record."""

    points: int = 4
    people: int = 1000
    seed: int = 0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        """Check the numbers."""
        whole_number(self.points, name="points", least=1)
        whole_number(self.people, name="people", least=1)
        whole_number(self.seed, name="seed", least=0)
        if not 0 < self.confidence < 1:
            message = f"confidence must be between 0 and 1, got {self.confidence}"
            raise ParameterError(message)

    def assess(self, records: Ragged, *, symbols: int, released: Ragged | None = None, against: str | None = None) -> Assessment:
        """Draw people of `records`, and look for their points in them or, if given, in what was released.

        If people have fewer points than the attacker knows, all of their points are known.
        """
        raw = distinct(records, symbols=symbols)
        searched = raw if released is None else distinct(released, symbols=symbols)
        places, holders = holders_of_codes(searched, symbols)
        generator = public_generator(self.seed)
        drawn = np.sort(generator.permutation(len(raw))[: self.people])
        alone = none = matched = 0
        for person in drawn.tolist():
            codes = raw.codes[raw.offsets[person] : raw.offsets[person + 1]]
            known = generator.permutation(codes)[: self.points]
            matches = int(matching(known, places, holders).size)
            alone, none, matched = alone + (matches == 1), none + (matches == 0), matched + matches
        low, high = clopper_pearson(alone, max(1, drawn.size), risk=(1 - self.confidence) / 2)
        asked = max(1, drawn.size)
        return Assessment(
            attack="uniqueness by points",
            against=against or ("the raw records" if released is None else "the released records"),
            assumptions=(f"the attacker knows {self.points} random points of a person's record",),
            figures=(
                Figure(name="people drawn", value=float(drawn.size), is_share=False),
                Figure(name="matched by one record alone", value=alone / asked, low=low, high=high),
                Figure(name="matched by no record", value=none / asked),
                Figure(name="mean number of matching records", value=matched / asked, is_share=False),
            ),
        )


def holders_of_codes(records: Ragged, symbols: int) -> tuple[Integers, Integers]:
    """For each code the records that hold it, in order."""
    order = np.argsort(records.codes, kind="stable")
    owners = np.repeat(np.arange(len(records)), records.lengths)[order]
    return offsets_of(np.bincount(records.codes, minlength=symbols)), owners


def matching(known: AnyIntegers, places: Integers, holders: Integers) -> Integers:
    """The records that hold all known points; the rarest point is looked at first."""
    lists = sorted((holders[places[code] : places[code + 1]] for code in known.tolist()), key=len)
    found = lists[0]
    for other in lists[1:]:
        spot = np.minimum(np.searchsorted(other, found), max(0, other.size - 1))
        found = found[other[spot] == found] if other.size else found[:0]
    return found


POINTS = 4


def on_tables(
    records: CountedTable, releases: Sequence[PublishedTable | PublishedBuckets], *, known: int | None
) -> Iterator[Assessment]:
    """Linkage in the raw table and in each release, and the composition of two releases."""
    records = records.in_memory()
    attack = Linkage(known=known)
    yield attack.assess(records)
    for published in releases:
        yield attack.assess(records, published)
        minimality = _minimality(published)
        if minimality is not None and isinstance(published, PublishedTable) and len(records.schema.hidden) == 1:
            yield minimality.assess(records, published)
    if len(releases) == 2 and records.sensitive is not None:
        yield Composition().assess(records, releases[0], releases[1])


def _minimality(published: PublishedTable | PublishedBuckets) -> Minimality | None:
    """The attack of somebody who knows what was promised, if that bounds the share of every value."""
    promised = {str(model["model"]): model for model in getattr(published, "promised", ())}
    bound = promised.get("alpha-k-anonymity", {}).get("alpha") or promised.get("confidence-bound", {}).get("others")
    sizes = [int(model["k"]) for model in promised.values() if "k" in model]
    return None if bound is None else Minimality(k=max([1, *sizes]), bound=bound)


def on_sequences(records: Any, releases: Sequence[Any], *, known: int | None) -> Iterator[Assessment]:  # noqa: ANN401 - sequences
    """Uniqueness by random points, in the raw records and in each release."""
    lists = [published.sequences for published in releases]
    return _uniqueness(records.sequences, lists, symbols=_symbols(records), known=known)


def on_sets(records: Any, releases: Sequence[Any], *, known: int | None) -> Iterator[Assessment]:  # noqa: ANN401 - baskets
    """Uniqueness by random items, in the raw records and in each release."""
    return _uniqueness(records.baskets, [each.baskets for each in releases], symbols=len(records.universe), known=known)


def _symbols(records: Any) -> int:  # noqa: ANN401 - sequences, with times or without
    grid = records.public.grid
    return len(records.universe) * (1 if grid is None else int(grid.intervals))


def _uniqueness(raw: Ragged, released: Sequence[Ragged], *, symbols: int, known: int | None) -> Iterator[Assessment]:
    attack = PointUniqueness(points=POINTS if known is None else known)
    yield attack.assess(raw, symbols=symbols)
    for lists in released:
        yield attack.assess(raw, symbols=symbols, released=lists)
