"""Composition of two releases of trajectories about overlapping persons, each private by itself, looked at together.

The attacker knows some random pairs of a person and that the person is in both releases, and looks for the records that hold all
of them. Only sensitive values that are possible in both can be the person's (the intersection attack of Ganta, Kasiviswanathan
and Smith, KDD 2008, here with pairs in place of quasi-identifiers). Persons and pairs are drawn by a public generator.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tacita.arrays import AnyIntegers, Integers, Reals
from tacita.attacks.result import Assessment, Figure
from tacita.attacks.uniqueness import holders_of_codes, matching
from tacita.public.parameters import whole_number
from tacita.seeded import public_generator
from tacita.trajectories import PublishedTrajectories, TrajectoryRecords, codes_at_grain

__all__ = ["TrajectoryComposition"]


@dataclass(frozen=True, kw_only=True)
class TrajectoryComposition:
    """An attacker who holds two releases and knows some random pairs of a person."""

    known: int = 2
    people: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the numbers."""
        whole_number(self.known, name="known", least=1)
        whole_number(self.people, name="people", least=1)

    def assess(
        self, records: TrajectoryRecords, first: PublishedTrajectories, second: PublishedTrajectories, *, attribute: str
    ) -> Assessment:
        """Attack persons of the private file whose pairs can be found in both releases; the attribute is in both."""
        values = sorted({*_values(first, attribute).unique(), *_values(second, attribute).unique()})
        sides = [_Side(each, _values(each, attribute), values, codes_at_grain(records, each.public)) for each in (first, second)]
        generator = public_generator(self.seed)
        lists, found = records.trajectories, []
        for place in generator.permutation(len(lists))[: self.people].tolist():
            codes = lists.codes[lists.offsets[place] : lists.offsets[place + 1]]
            known = generator.permutation(codes[codes < records.pairs])[: self.known]
            shares = [side.shares(known) for side in sides] if known.size else []
            if shares and all(share.sum() > 0 for share in shares):
                found.append(shares)
        one, other = (np.array([each[side] for each in found]).reshape(-1, len(values)) for side in (0, 1))
        return Assessment(
            attack="composition",
            against="two releases about the same people",
            assumptions=(f"the attacker knows {self.known} random pairs of a person, and that the person is in both",),
            figures=(
                Figure(name="people drawn", value=float(min(self.people, len(lists))), is_share=False),
                Figure(name="people who are found in both", value=float(len(found)), is_share=False),
                Figure(name="possible values, first release alone", value=_possible(one), is_share=False),
                Figure(name="possible values, second release alone", value=_possible(other), is_share=False),
                Figure(name="possible values, together", value=_possible(one * other), is_share=False),
                Figure(name="people whose value is certain, one release", value=max(_certain(one), _certain(other))),
                Figure(name="people whose value is certain, together", value=_certain(one * other)),
            ),
        )


class _Side:
    """One release: which records hold each pair, and the value of each record; `shown` is what it makes of each raw pair."""

    def __init__(self, published: PublishedTrajectories, column: pl.Series, values: list[str], shown: Integers) -> None:
        self._shown = shown
        self._starts, self._holders = holders_of_codes(published.trajectories, int(shown.max()) + 1)
        self._codes = column.replace_strict(values, np.arange(len(values)), return_dtype=pl.Int64).to_numpy()
        self._number = len(values)

    def shares(self, known: AnyIntegers) -> Reals:
        """The share of each value among the records that hold all known pairs; nothing if there is none."""
        counts = np.bincount(self._codes[matching(self._shown[known], self._starts, self._holders)], minlength=self._number)
        return np.asarray(counts / max(1, int(counts.sum())), dtype=np.float64)


def _values(published: PublishedTrajectories, attribute: str) -> pl.Series:
    if published.attributes is None or attribute not in published.attributes.columns:
        return pl.Series(attribute, [""] * len(published))
    return published.attributes[attribute].fill_null("")


def _possible(shares: Reals) -> float:
    return float(np.count_nonzero(shares > 0, axis=1).mean()) if len(shares) else 0.0


def _certain(shares: Reals) -> float:
    return float((np.count_nonzero(shares > 0, axis=1) == 1).mean()) if len(shares) else 0.0
