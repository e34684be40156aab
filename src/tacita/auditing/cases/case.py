"""What an auditor needs to know about a mechanism: small data sets, neighbours and tight pairs, and how to reduce it to them.

An `AuditCase` is a mechanism with small data sets, all their neighbours, and pairs that make its loss tight; each kind of data
has its class, in the module of the kind. Once a kind has its class, auditing a mechanism takes a few lines, its `Subject`,
which say how it is reduced to a small size. The functions are shared by all kinds with one list of codes per person.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tacita.arrays import Integers, Numbers
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.errors import ParameterError
from tacita.privacy.budget import Budget
from tacita.seeded import PublicGenerator, public_generator

__all__ = [
    "DELTA",
    "SPAN",
    "AuditCase",
    "HasCrowds",
    "HasParts",
    "Pair",
    "Rows",
    "Subject",
    "Variant",
    "a_few_and_one_more",
    "anywhere_and_a_crowd",
    "crowd_above",
    "crowd_of",
    "encoded",
    "outcome_of",
    "removals",
    "sampled_neighbours",
]

MANY = 10_000

SPAN = 2
"""How far above the threshold values are enumerated, unless a case says otherwise."""

DELTA = Fraction(1, 1000)
"""The delta of audits if none is given."""

Rows = tuple[str, ...]
"""A small data set: one string per person, one letter per label."""

Pair = tuple[Rows, Rows]
"""Two data sets; one of them has one more person."""


class AuditCase(Protocol):
    """A mechanism with its budget, and data to try it on."""

    @property
    def name(self) -> str:
        """The mechanism's name in reports."""
        ...

    @property
    def mechanism(self) -> Any:  # noqa: ANN401 - whatever has a publish
        """What is audited."""
        ...

    @property
    def budget(self) -> Budget:
        """What it may spend."""
        ...

    @property
    def span(self) -> int:
        """How far above their threshold values are enumerated; a mechanism with many cells needs a small number."""
        ...

    @property
    def crowd(self) -> int:
        """The number of people on one path, in the pairs that should be tight."""
        ...

    def records(self, rows: Rows) -> Any:  # noqa: ANN401 - each kind has records of its own
        """Private records from rows."""
        ...

    def of(self, mechanism: Any) -> AuditCase:  # noqa: ANN401 - whatever has a publish
        """The same data for another mechanism."""
        ...

    def random_rows(self, generator: PublicGenerator) -> Rows:
        """A random small data set."""
        ...

    def neighbours(self, rows: Rows) -> Iterator[Rows]:
        """Every data set with one person more or fewer; those with one fewer come last."""
        ...

    def tight_pairs(self) -> Sequence[Pair]:
        """Neighbours for which the loss should come close to epsilon."""
        ...

    def output_pairs(self) -> Sequence[Pair]:
        """Neighbours so small that every output can be enumerated."""
        ...

    def outcome(self, release: Any) -> Hashable:  # noqa: ANN401 - each kind has releases of its own
        """The published data, as one value."""
        ...

    def sampled_neighbours(self, records: Any, *, number: int, seed: int) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
        """Neighbours of real records, each with a description of the difference."""
        ...


@runtime_checkable
class HasCrowds(Protocol):
    """A case that can make a crowd of any size."""

    def crowd_of(self, number: int) -> Rows:
        """This many people, most with the same record, a few with rare ones."""
        ...


@runtime_checkable
class HasParts(Protocol):
    """A case whose published data consists of parts, to which a person adds one."""

    def parts(self, release: Any) -> frozenset[Hashable]:  # noqa: ANN401 - each kind has releases of its own
        """The different parts of what was published."""
        ...

    def part_of(self, row: str) -> Hashable:
        """The part that a person with this row adds."""
        ...


def crowd_of(labels: str, number: int) -> Rows:
    """This many people, most with the first label alone; the last label has 4 people, the one before it 16, and so on."""
    rows: list[str] = []
    for place, label in enumerate(reversed(labels[1:]), start=1):
        rows += [label] * min(4**place, (number - len(rows)) // 2)
    return (labels[0],) * (number - len(rows)) + tuple(rows)


def encoded(rows: Rows, labels: str) -> Ragged:
    """Rows as lists of codes."""
    codes = [_codes(row, labels) for row in rows]
    return Ragged(np.concatenate([np.zeros(0, dtype=np.int32), *codes]), offsets_of([row.size for row in codes]))


@lru_cache(maxsize=4096)
def _codes(row: str, labels: str) -> Numbers:
    return np.array([labels.index(label) for label in row], dtype=np.int32)


def anywhere_and_a_crowd(domain: Rows, generator: PublicGenerator, *, crowd: int, most: int) -> Rows:
    """Fewer than `most` people anywhere, and every other time a crowd with one row."""
    anywhere = [domain[place] for place in generator.integers(0, len(domain), generator.integers(0, most))]
    row = domain[int(generator.integers(0, len(domain)))]
    return (*[row] * int(generator.integers(0, 2) * generator.integers(0, 2 * crowd)), *anywhere)


def a_few_and_one_more(domain: Rows) -> Sequence[Pair]:
    """Two people, and one more, who is like them or alone."""
    few = (domain[0],) * 2
    return [(few, (*few, domain[0])), (few, (*few, domain[-1]))]


def removals(rows: Rows, *, each: int = 1) -> Iterator[Rows]:
    """Every data set with one person fewer, who has up to `each` consecutive rows; equal people are removed once."""
    for gone in dict.fromkeys(rows):
        place = rows.index(gone)
        yield rows[:place] + rows[place + each :]


def outcome_of(published: Ragged) -> Hashable:
    """The published lists in their published order, each run of equal ones with its length; hashed if there are many."""
    if len(published) > MANY:
        return hashlib.sha256(published.codes.tobytes() + published.offsets.tobytes()).hexdigest()
    rows = (tuple(row) for row in published.to_lists())
    return tuple((row, sum(1 for _ in group)) for row, group in groupby(rows))


def sampled_neighbours(
    lists: Ragged, stranger: Callable[[int, PublicGenerator], Integers], *, number: int, seed: int
) -> Iterator[tuple[str, Ragged]]:
    """Neighbours of real data: one person removed, or one added with a copy of somebody's list or a stranger's.

    `stranger` makes a random list of about the given number of codes.
    """
    generator = public_generator(seed)
    codes, offsets = lists.codes, lists.offsets
    for turn in range(number):
        place = int(generator.integers(0, len(lists)))
        own = codes[offsets[place] : offsets[place + 1]]
        if turn % 3 == 0:
            kept = np.concatenate([codes[: offsets[place]], codes[offsets[place + 1] :]])
            lengths = np.delete(lists.lengths, place)
            what = f"person {place} removed"
        else:
            extra = own if turn % 3 == 1 else stranger(max(1, own.size), generator)
            kept = np.concatenate([codes, extra.astype(codes.dtype)])
            lengths = np.append(lists.lengths, extra.size)
            what = f"a copy of person {place} added" if turn % 3 == 1 else f"a random person of length {extra.size} added"
        yield what, Ragged(kept, offsets_of(lengths))


# What is audited: mechanisms with their parameters, and how each class of them is reduced to a size that can be audited.

LARGEST_CROWD = 20_000


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A mechanism as it is audited; with several intervals, on sequences with times.

    DiffPart counts differently over many labels, so it is also replayed with `unused` more labels, which nobody has. Networks may
    have their vertices in a number of public `blocks` or on two public `sides`, and one person of a stream a window that is
    `longer` by some contexts. Steps that so few records never pay for are replayed from `least_epsilon` on. With a `delta`, a
    method that takes pure budgets too is audited with Gaussian noise.
    """

    name: str
    mechanism: Any
    intervals: int = 1
    unused: int = 0
    blocks: int = 1
    sides: bool = False
    longer: int = 0
    least_epsilon: int = 0
    delta: Fraction = Fraction(0)


class Subject(Protocol):
    """How the mechanisms of one class are audited; a new class of mechanism needs one of these and nothing else."""

    @property
    def variants(self) -> tuple[Variant, ...]:
        """What is audited if no parameters are given."""
        ...

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A budget in the privacy definition that the mechanism proves."""
        ...

    def replay_case(self, variant: Variant, budget: Budget) -> AuditCase:
        """The mechanism as it is, except for a universe of a few labels, with a crowd large enough to be kept everywhere."""
        ...

    def output_case(self, variant: Variant) -> AuditCase:
        """The mechanism so reduced, and at such a budget, that almost every release can be enumerated."""
        ...


def crowd_above(threshold: int, epsilon: Fraction) -> int:
    """A crowd that noise of this epsilon hardly ever takes below the threshold; refused if it would be too large."""
    crowd = threshold + int(10 / epsilon) + 10
    if crowd > LARGEST_CROWD:
        message = (
            f"an audit needs a crowd that the noise does not hide, here {crowd:,} people, and the limit is {LARGEST_CROWD:,}; "
            "audit with a larger epsilon or fewer levels: the code is the same"
        )
        raise ParameterError(message)
    return crowd
