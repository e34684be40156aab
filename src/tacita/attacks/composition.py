"""Composition: two releases about the same people, each safe on its own, looked at together.

The attacker knows all quasi-identifiers of a person and that the person is in both tables (Ganta, Kasiviswanathan and Smith, KDD
2008, call it the intersection attack). Only sensitive values that are possible in both can be the person's. An attacker without
further knowledge takes the probability of each to be proportional to the product of its shares in both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.arrays import Reals
from tacita.attacks.candidates import candidates_in
from tacita.attacks.result import Assessment, Figure
from tacita.errors import ParameterError
from tacita.tables.published import PublishedBuckets, PublishedTable
from tacita.tables.records import TableRecords

__all__ = ["Composition"]

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
