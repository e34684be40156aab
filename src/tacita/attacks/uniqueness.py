"""Uniqueness by points: how many people are the only ones whose record has some random points of their own.

De Montjoye, Hidalgo, Verleysen and Blondel (Scientific Reports 2013) found that four points of a phone's track, place and hour,
single out 95 % of people. The points of a record are its different codes: locations of a sequence, (place, time) pairs of a
trajectory, items of a set. People and points are drawn by a public generator, so the result is an estimate, and its interval says
how good it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import AnyIntegers, Integers
from tacita.arrays.distinct import distinct
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.attacks.intervals import clopper_pearson
from tacita.attacks.result import Assessment, Figure
from tacita.errors import ParameterError
from tacita.public.parameters import whole_number
from tacita.seeded import public_generator

__all__ = ["PointUniqueness", "holders_of_codes", "matching"]


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
