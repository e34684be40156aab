"""Dealing synthetic events to synthetic people, from noisy answers alone.

Each class has synthetic lists of its own. Those of a class with few people are mostly noise, and short, since noise hides the
long ones. All classes together are known better. So the lists of class c are chosen from its own and from those of all classes,
as lookalikes (`synthesis.raking`): their weights w, as near to equal ones as possible, make

    the number of people with each number of events, as the table has it, and
    the counts of features (steps from label to label, or items) that the lists of class c have,

each up to its deviation. A cell of the features has a deviation of DEVIATION / epsilon people, whatever the class: in a class of
many people its own counts decide, in one of few people the lookalikes do, which are mostly those of all classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.arrays.ragged import Ragged, chosen, offsets_of
from tacita.arrays.scatter import evenly_rounded, scattered
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.synthesis.raking import Measured, agreed, copies_of
from tacita.tables.columns import Categorical
from tacita.tables.schema import Schema

__all__ = ["DEVIATION", "EVENTS", "SEEN", "Items", "Steps", "amounts_of", "counted_schema", "dealt"]

EVENTS = "number of events"
"""The column that the table gets while it is counted; it is not released."""

AMOUNTS = (0, 1, 2, 4, 8, 16, 32, 64)
"""The least number of events in each class of that column."""

DEVIATION = 15.0
"""The deviation of a count of a class, times the epsilon of events."""

SEEN = 20
"""About how many cells of the features matter in a class: with that many deviations, its own counts are seen."""

FEWEST, EACH, MOST = 1_000, 10, 20_000
"""How many lists the lists of a class are chosen from: so many for each person, within bounds, and one for each at least."""


def counted_schema(schema: Schema) -> Schema:
    """The declared columns, and how many events a person has."""
    amounts = Categorical(name=EVENTS, taxonomy=Taxonomy.flat(Universe(f"from {least:02}" for least in AMOUNTS)))
    return replace(schema, quasi=(*schema.quasi, amounts))


def amounts_of(lengths: Integers) -> Integers:
    """The class of each number of events."""
    return np.asarray(np.searchsorted(AMOUNTS, lengths, side="right") - 1, dtype=np.int64)


class Features(Protocol):
    """What is counted of lists: the cells of each list, one after the other, and where those of a list begin and end."""

    def of(self, lists: Ragged) -> tuple[Integers, Integers]:
        """Cells and offsets; every list has one at least."""
        ...


@dataclass(frozen=True, kw_only=True)
class Steps:
    """Steps from label to label, with the start and the end of a list."""

    labels: int

    def of(self, lists: Ragged) -> tuple[Integers, Integers]:
        """The number of each step: the label before times (labels + 1) plus the label after."""
        after = np.full(lists.codes.size + len(lists), self.labels, dtype=np.int64)
        inside = np.ones(after.size, dtype=np.bool_)
        inside[lists.offsets[1:] + np.arange(len(lists))] = False
        after[inside] = lists.codes
        before = np.concatenate([[self.labels], after[:-1]])  # after an end comes a start, and both are the last number
        return before * (self.labels + 1) + after, offsets_of(lists.lengths + 1)


@dataclass(frozen=True, kw_only=True)
class Items:
    """The labels of a list."""

    def of(self, lists: Ragged) -> tuple[Integers, Integers]:
        """The code of each label."""
        return lists.codes.astype(np.int64), lists.offsets


def dealt(own: Integers, amounts: Integers, found: Sequence[Ragged], *, features: Features, epsilon: float) -> Ragged:
    """A list of events for each synthetic person, who is in the class `own` and has about as many as `amounts` says.

    `found` holds the lists of each class, none of them empty.
    """
    held = np.array([len(lists) for lists in found])
    begins = np.cumsum(held) - held
    every = Ragged(
        np.concatenate([lists.codes for lists in found]), offsets_of(np.concatenate([lists.lengths for lists in found]))
    )
    people = np.bincount(own[amounts > 0], minlength=held.size).astype(np.float64)
    pool = np.repeat(people / np.maximum(held, 1), held)
    which = np.full(own.size, len(every), dtype=np.int64)
    for number, lists in enumerate(found):
        rows = np.flatnonzero((own == number) & (amounts > 0))
        if not rows.size or not pool.sum():
            continue
        mine = np.zeros(len(every))
        mine[begins[number] : begins[number] + held[number]] = 1 / max(len(lists), 1)
        near = _sampled(mine + pool / pool.sum(), max(int(np.clip(EACH * rows.size, FEWEST, MOST)), rows.size), salt=number)
        weights = _weights(chosen(every, near), lists, amounts[rows], features, epsilon=epsilon)
        drawn = np.repeat(near, copies_of(weights, rows.size))[: rows.size]
        drawn = drawn[np.argsort(every.lengths[drawn], kind="stable")]
        mixed = rows[np.argsort(scattered(rows, salt=number), kind="stable")]
        which[mixed[np.argsort(amounts[mixed], kind="stable")][: drawn.size]] = drawn
    return chosen(Ragged(every.codes, np.append(every.offsets, every.offsets[-1])), which)


def _sampled(weights: Reals, number: int, *, salt: int) -> Integers:
    """About so many lists by their weights, systematically, in a scattered order."""
    mixed = np.argsort(scattered(np.arange(weights.size), salt=salt), kind="stable")
    return np.repeat(mixed, evenly_rounded(weights[mixed] * (number / weights.sum()))).astype(np.int64)


def _weights(near: Ragged, lists: Ragged, amounts: Integers, features: Features, *, epsilon: float) -> Reals:
    """The weights of lookalikes for a class that has these lists, and people with these numbers of events."""
    bins, sizes = np.bincount(amounts, minlength=len(AMOUNTS)).astype(np.float64), amounts_of(near.lengths)
    lookalikes = np.bincount(sizes, minlength=len(AMOUNTS))
    measured = [Measured(counts=np.where(lookalikes > 0, bins, 0.0), variance=amounts.size**0.5, cells=sizes)]
    if len(lists):
        cells, offsets = features.of(near)
        own, _ = features.of(lists)
        _, places = np.unique(np.concatenate([cells, own]), return_inverse=True)
        counts = np.bincount(places[cells.size :], minlength=int(places.max()) + 1).astype(np.float64)
        # the lists of the class may be too short; the table says how many events there are in all
        mean = np.bincount(sizes, weights=np.diff(offsets), minlength=len(AMOUNTS)) / np.maximum(lookalikes, 1)
        scale = float(bins @ mean) / max(float(counts.sum()), 1.0)
        deviation = max(DEVIATION / epsilon * scale * len(lists) / amounts.size, 1.0)
        measured.append(Measured(counts=counts * scale, variance=deviation**2, cells=places[: cells.size], offsets=offsets))
    alike, people = np.ones(len(near)), float(amounts.size)
    trusted = agreed(measured, prior=alike, people=people).beliefs
    return agreed(measured, prior=alike, people=people, beliefs=trusted).weights
