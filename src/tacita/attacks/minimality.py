"""Two attacks on published tables: minimality, from what a careful publisher would do, and composition of two releases.

Minimality (Wong, Fu, Wang and Pei, VLDB 2007): that rows were generalized at all reveals something, if the attacker knows that
it was only done where needed. The attacker knows the quasi-identifiers of everybody (a voter list), the model, and that a group
is generalized only because some part of it could not stand alone. Parts are the rows of a group with equal quasi-identifiers.
If all of them have k rows or more, it was the sensitive values that forbade it. So, of all ways in which the published number
of a sensitive value can be dealt to the rows of the group, those in which every part would have kept the bound are ruled out;
the others are equally likely. The attacker's confidence in a row of part i is then the expected share of the value in that
part.

With n_i rows in part i, m rows of the value in the group of n and the bound h, the ways are counted by polynomials: part i
contributes sum over x of C(n_i, x) z^x, and sum over x <= h n_i if it keeps the bound; the coefficient of z^m in the product
counts the ways.

Composition (Ganta, Kasiviswanathan and Smith, KDD 2008): two releases about the same people, each safe on its own, are looked
at together.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np

from tacita.arrays import Reals
from tacita.attacks.linkage import candidates_in, groups_of_people
from tacita.attacks.result import Assessment, Figure
from tacita.errors import ParameterError
from tacita.privacy.budget import Exact, exact
from tacita.public.parameters import whole_number
from tacita.tables.checking import groups_of
from tacita.tables.histograms import combined, group_rows
from tacita.tables.published import PublishedBuckets, PublishedTable
from tacita.tables.records import TableRecords

__all__ = ["Composition", "Minimality", "confidence_after_minimality"]

LARGEST_GROUP = 200
"""Groups of more rows are passed over: counting the ways takes long, and in large groups there is little to learn."""


@dataclass(frozen=True, kw_only=True)
class Minimality:
    """An attacker who knows that the publisher wanted k rows per group, and a share of at most `bound` for every value."""

    k: int
    bound: Fraction

    def __init__(self, *, k: int, bound: Exact) -> None:
        """Parse and check."""
        object.__setattr__(self, "k", whole_number(k, name="k", least=1))
        parsed = exact(bound, name="bound")
        if not 0 < parsed <= 1:
            message = f"bound must be a share above 0 and at most 1, got {bound}"
            raise ParameterError(message)
        object.__setattr__(self, "bound", parsed)

    def assess(self, records: TableRecords, published: PublishedTable) -> Assessment:
        """Attack all people whose group is known and was generalized because of sensitive values."""
        records.schema.only_sensitive("a minimality attack")
        group_of = groups_of_people(records, published)
        part_of, _ = group_rows(combined(records.quasi, records.schema.sizes))
        found, _ = groups_of(published)
        starts = np.append(found.starts, found.groups.size)
        naive, after, looked_at, broken = 0.0, 0.0, 0, 0
        order = np.argsort(group_of, kind="stable")
        bounds = np.searchsorted(group_of[order], np.arange(found.sizes.size + 1))
        for group in range(found.sizes.size):
            parts = np.unique(part_of[order[bounds[group] : bounds[group + 1]]], return_counts=True)[1].tolist()
            if len(parts) < 2 or min(parts) < self.k or sum(parts) != int(found.sizes[group]) or sum(parts) > LARGEST_GROUP:
                continue
            counts = found.counts[starts[group] : starts[group + 1]].tolist()
            known = [confidence_after_minimality(parts, count, bound=self.bound) for count in counts]
            highest = [max(float(value[place]) for value in known) for place in range(len(parts))]
            looked_at += sum(parts)
            broken += sum(size for size, confidence in zip(parts, highest, strict=True) if confidence > self.bound)
            after, naive = max(after, *highest), max(naive, max(counts) / sum(parts))
        people = max(1, len(records))
        return Assessment(
            attack="minimality",
            against="the published table",
            assumptions=(
                "the attacker knows all quasi-identifiers of everybody and the bound",
                "the publisher generalizes a group only if a part of it could not stand alone",
            ),
            figures=(
                Figure(name="people in groups that tell something", value=looked_at / people),
                Figure(name="highest confidence, taken at face value", value=naive, bound=float(self.bound)),
                Figure(name="highest confidence, knowing that it is minimal", value=after),
                Figure(name="people whose confidence passes the bound", value=broken / people),
            ),
        )


def confidence_after_minimality(parts: list[int], count: int, *, bound: Fraction) -> list[Fraction]:
    """For each part, the expected share of a value that `count` rows of the group have, given that some part broke the bound.

    Two people of one kind and four of another, two of the six with the value: they were put together only if both of the first
    kind have it.

    >>> confidence_after_minimality([2, 4], 2, bound=Fraction(1, 2))
    [Fraction(1, 1), Fraction(0, 1)]
    """
    total = sum(parts)
    ways = comb(total, count)
    kept = [[comb(size, x) if x <= bound * size else 0 for x in range(min(size, count) + 1)] for size in parts]
    before = [[1]]
    for polynomial in kept:
        before.append(_product(before[-1], polynomial, count))
    behind = [[1]]
    for polynomial in reversed(kept):
        behind.append(_product(behind[-1], polynomial, count))
    behind.reverse()
    allowed = _coefficient(before[-1], count)
    if allowed == ways:  # the bound cannot have been broken: nothing is learnt
        return [Fraction(count, total)] * len(parts)
    shares = []
    for place, size in enumerate(parts):
        moment = [x * ways_here for x, ways_here in enumerate(kept[place])]
        inside = _coefficient(_product(_product(before[place], moment, count), behind[place + 1], count), count)
        expected = (Fraction(count * size * ways, total) - inside) / (ways - allowed)
        shares.append(expected / size)
    return shares


def _product(one: list[int], other: list[int], degree: int) -> list[int]:
    """The product of two polynomials up to a degree."""
    found = [0] * min(len(one) + len(other) - 1, degree + 1)
    for place, factor in enumerate(one):
        if factor:
            for beside, second in enumerate(other[: len(found) - place]):
                found[place + beside] += factor * second
    return found


def _coefficient(polynomial: list[int], degree: int) -> int:
    return polynomial[degree] if degree < len(polynomial) else 0


# Composition. The attacker knows all quasi-identifiers of a person and that the person is in both tables (Ganta,
# Kasiviswanathan and Smith, KDD 2008, call it the intersection attack). Only sensitive values that are possible in both can be
# the person's. An attacker without further knowledge takes the probability of each to be proportional to the product of its
# shares in both.

Published = PublishedTable | PublishedBuckets


@dataclass(frozen=True, kw_only=True)
class Composition:
    """An attacker who holds two releases."""

    def assess(self, shared: TableRecords, first: Published, second: Published) -> Assessment:
        """Attack the people of `shared` who have candidate rows in both releases."""
        truth = shared.sensitive_codes("a composition attack")
        columns = tuple(range(len(shared.quasi)))
        one, other = (_shares(shared, published, columns) for published in (first, second))
        there = (one.sum(axis=1) > 0) & (other.sum(axis=1) > 0)  # a release may have left people out
        if not there.any():
            message = "none of these people can be found in both releases, so there is nothing to compose"
            raise ParameterError(message)
        one, other, truth = one[there], other[there], truth[there]
        together, people = one * other, np.arange(truth.size)
        return Assessment(
            attack="composition",
            against="two releases about the same people",
            assumptions=("the attacker knows all quasi-identifiers of a person, and that the person is in both",),
            figures=(
                Figure(name="people who are in both", value=float(people.size), is_share=False),
                Figure(name="possible values, first release alone", value=_mean_possible(one), is_share=False),
                Figure(name="possible values, second release alone", value=_mean_possible(other), is_share=False),
                Figure(name="possible values, together", value=_mean_possible(together), is_share=False),
                Figure(name="people whose value is certain, one release", value=max(_certain(one), _certain(other))),
                Figure(name="people whose value is certain, together", value=_certain(together)),
                Figure(
                    name="mean confidence in the true value, one release",
                    value=max(float(_normal(side)[people, truth].mean()) for side in (one, other)),
                ),
                Figure(name="mean confidence in the true value, together", value=float(_normal(together)[people, truth].mean())),
            ),
        )


def _shares(shared: TableRecords, published: Published, columns: tuple[int, ...]) -> Reals:
    """For each person, the share of each sensitive value among the rows that could be theirs."""
    found = candidates_in(shared, published, columns)
    if found.values is None:  # pragma: no cover - the schema has a sensitive column
        return np.zeros((len(shared), 1))
    return np.asarray((found.values / np.maximum(1, found.support)[:, np.newaxis])[found.victim_of], dtype=np.float64)


def _normal(shares: Reals) -> Reals:
    total = shares.sum(axis=1, keepdims=True)
    return np.asarray(shares / np.where(total > 0, total, 1.0), dtype=np.float64)


def _mean_possible(shares: Reals) -> float:
    return float(np.count_nonzero(shares > 0, axis=1).mean())


def _certain(shares: Reals) -> float:
    return float((np.count_nonzero(shares > 0, axis=1) == 1).mean())
