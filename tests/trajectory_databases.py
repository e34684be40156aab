"""Small databases of trajectories for tests: the thesis's own, random ones, and a second opinion written from the definitions."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.trajectories import PairColumns, Requirement, SensitiveGroup

PAIRS = ["a1", "d2", "b3", "e4", "c5", "f6", "c7", "e8", "e9"]
TABLE_5_1 = (
    ("a1 d2 b3 e4 f6 e8", "HIV"),
    ("d2 c5 f6 c7 e9", "Fever"),
    ("b3 c7 e8", "Hepatitis"),
    ("b3 e4 f6 e8", "Flu"),
    ("a1 d2 c5 f6 c7", "HIV"),
    ("c5 f6 e9", "Hepatitis"),
    ("f6 c7 e8", "Fever"),
    ("a1 d2 f6 c7 e9", "Flu"),
)
TABLE_5_2 = (
    "b3 e4 f6 e8",
    "d2 c5 f6 c7 e9",
    "c7 e8",
    "b3 e4 f6 e8",
    "d2 c5 f6 c7",
    "c5 f6 e9",
    "f6 c7 e8",
    "d2 f6 c7 e9",
)
SENSITIVE = ("HIV", "Hepatitis")
OF_THE_THESIS = Requirement(
    crowd=2,
    known_pairs=2,
    groups=tuple(SensitiveGroup(attribute="diagnosis", values=(value,), confidence="1/2") for value in SENSITIVE),
)


def codes_of(path):
    return sorted(PAIRS.index(pair) for pair in path.split())


def names_of(codes):
    return " ".join(PAIRS[code] for code in sorted(codes))


def table_5_1() -> PairColumns:
    flags = np.array([[diagnosis == value for value in SENSITIVE] for _, diagnosis in TABLE_5_1])
    return PairColumns.of(Ragged.from_lists([codes_of(path) for path, _ in TABLE_5_1]), sensitive=flags)


@dataclass(frozen=True)
class Database:
    """Sets of numbers, the person of each, and the values of two attributes of each person."""

    rows: tuple[frozenset[int], ...]
    persons: tuple[int, ...]
    values: tuple[tuple[int, int], ...]
    requirement: Requirement

    @property
    def flags(self):
        groups = [(int(group.attribute), {int(value) for value in group.values}) for group in self.requirement.groups]
        flags = [[row[attribute] in values for attribute, values in groups] for row in self.values]
        return np.array(flags, dtype=np.bool_).reshape(len(self.values), len(groups))

    @property
    def columns(self):
        lists = Ragged.from_lists([sorted(row) for row in self.rows])
        return PairColumns.of(lists, persons=np.array(self.persons, dtype=np.int32), sensitive=self.flags)


def random_database(generator: random.Random, *, one_each: bool | None = None) -> Database:
    """Up to twelve records of up to seven pairs; up to four known pairs or all; up to two sensitive attributes."""
    one_each = generator.random() < 0.6 if one_each is None else one_each
    number, size = generator.randint(2, 12), generator.randint(3, 7)
    dense = generator.choice([0.3, 0.5, 0.7])
    rows = tuple(frozenset(pair for pair in range(size) if generator.random() < dense) for _ in range(number))
    people = number if one_each else max(2, number // 2)
    persons = tuple(range(number)) if one_each else (*(generator.randrange(people) for _ in range(number - 1)), people - 1)
    values = tuple((generator.randint(0, 2), generator.randint(0, 2)) for _ in range(people))
    crowd = generator.choice([1, 2, 2, 3, 4])
    confidence = generator.choice([Fraction(1), Fraction(3, 5), Fraction(1, 2), Fraction(2, 3), Fraction(4, 5), Fraction(1, 3)])
    groups = []
    for attribute in range(generator.randint(0 if crowd > 1 else 1, 2)):
        chosen = ["0", "1"][: generator.randint(1, 2)]
        parts = [chosen] if generator.random() < 0.3 else [[value] for value in chosen]
        groups += [SensitiveGroup(attribute=str(attribute), values=part, confidence=confidence) for part in parts]
    known = generator.choice([1, 2, 2, 3, 3, 4, None])
    return Database(rows, persons, values, Requirement(crowd=crowd, known_pairs=known, groups=tuple(groups)))


def violating(database: Database, rows=None) -> set[frozenset[int]]:
    """All violating sets, from the definition."""
    rows = database.rows if rows is None else rows
    asked = database.requirement
    known = max(map(len, rows), default=0) if asked.known_pairs is None else asked.known_pairs
    some = {frozenset(part) for row in rows for size in range(1, known + 1) for part in combinations(sorted(row), size)}
    return {part for part in some if _violates(database, rows, part)}


def _violates(database, rows, part):
    people = {person for row, person in zip(rows, database.persons, strict=True) if part <= row}
    if len(people) < database.requirement.crowd:
        return True
    for group in database.requirement.groups:
        values = {int(value) for value in group.values}
        ill = sum(database.values[person][int(group.attribute)] in values for person in people)
        if ill * group.confidence.denominator > group.confidence.numerator * len(people):
            return True
    return False


def minimal_violating(database: Database) -> set[frozenset[int]]:
    """Those of which no part violates."""
    found = violating(database)
    return {
        whole
        for whole in found
        if not any(frozenset(part) in found for size in range(1, len(whole)) for part in combinations(whole, size))
    }


def kept_rows(columns: PairColumns, keep) -> list[frozenset[int]]:
    return [frozenset(row) for row in columns.where(keep).lists().to_lists()]
