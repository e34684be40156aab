"""A personal release checked again, as far as its recipient can: with the owner's sequences only.

What a release gives away about where a pattern is depends on where it is, so a folder alone says nothing about its bound. With
the owner's file, `verification` counts everything again, person by person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tacita.personal.bounds import parse_bound
from tacita.personal.published import guarantee_of, opened_personal
from tacita.personal.records import PersonalRecords
from tacita.personal.verification import evidence, highest_beliefs, is_generalization

__all__ = ["owners_of", "promised", "verify_release"]

NEEDS_INPUT = "what the release gives away about sensitive patterns, which needs the owner's file (--input)"
_MEASURE = "the measure of the paper"


def promised(manifest: Mapping[str, Any]) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """The guarantee that the parameters of a manifest mean, word by word."""
    stated, parameters = manifest["guarantee"], manifest["mechanism"]["parameters"]
    bound = parse_bound(
        f"belief={parameters['belief']}:tuples-single,tuples-any" if "belief" in parameters else parameters["bound"]
    )
    voids = tuple(void for void in stated["voids"] if not void.startswith(_MEASURE))
    return guarantee_of(bound, unit=str(stated["unit"]), voids=voids).as_json(), {}


def verify_release(folder: Path, manifest: Mapping[str, Any], records: PersonalRecords | None) -> tuple[list[str], list[str]]:
    """What is wrong with published sequences by the bound in their manifest, and what cannot be checked."""
    if records is None:
        return [], [NEEDS_INPUT]
    published = opened_personal(folder, manifest)
    if len(published) != len(records):
        return [], ["what the release gives away: persons were left out, and nobody can tell which from the folder"]
    if published.sequences.codes.size < records.sequences.codes.size:
        return [], ["what the release gives away: symbols were withheld, and nobody can tell which from the folder"]
    return list(_wrong(published.sequences.to_lists(), published.taxonomy.parents, manifest, records)), []


def _wrong(
    shown: list[list[int]], parents: tuple[int, ...], manifest: Mapping[str, Any], records: PersonalRecords
) -> Iterator[str]:
    """Sequences that are nobody's, and if there are none, those that keep the bound for nobody whose they could be."""
    listed = manifest["public_inputs"]["patterns"]
    place_of = {label: place for place, label in enumerate(records.universe.labels)}
    patterns = tuple(tuple(place_of[label] for label in pattern) for pattern in listed["patterns"])
    seen = [np.array(nodes, dtype=np.int64) for nodes in shown]

    @cache
    def is_shown(row: int, person: int) -> bool:
        return is_generalization(records.person(person)[0], seen[row], parents)

    @cache
    def is_kept(row: int, person: int) -> bool:
        truth = records.person(person)[0]
        return is_shown(row, person) and _keeps(manifest, truth, seen[row], patterns, int(listed["window"]))

    told = "is not a generalization of the owner's"
    nobodys = [row for row, person in enumerate(owners_of(len(shown), len(records), is_shown)) if person is None]
    if not nobodys:
        told = "does not keep the bound"
        nobodys = [row for row, person in enumerate(owners_of(len(shown), len(records), is_kept)) if person is None]
    yield from (f"sequence {row + 1} {told}" for row in nobodys)


def owners_of(rows: int, people: int, fits: Callable[[int, int], bool]) -> list[int | None]:
    """Whose each published sequence may be: a different person for as many as possible, by augmenting paths (Kuhn, 1955).

    >>> owners_of(2, 2, lambda row, person: (row, person) != (0, 1))
    [0, 1]
    """
    row_of: dict[int, int] = {}
    person_of: list[int | None] = [None] * rows
    for first in range(rows):
        reached: dict[int, int] = {}  # by which row each person was reached
        tried = [first]
        free = None
        while tried and free is None:
            row = tried.pop()
            for person in range(people):
                if person in reached or not fits(row, person):
                    continue
                reached[person] = row
                if person not in row_of:
                    free = person
                    break
                tried.append(row_of[person])
        while free is not None:
            row = reached[free]
            row_of[free] = row
            person_of[row], free = free, person_of[row]  # whom this row gives up, somebody else on the path takes
    return person_of


def _keeps(manifest: Mapping[str, Any], truth: Any, seen: Any, patterns: tuple[tuple[int, ...], ...], window: int) -> bool:  # noqa: ANN401 - arrays
    """Whether one sequence keeps the bound, as its guarantee states it."""
    stated = manifest["guarantee"]
    if manifest["mechanism"]["name"] == "online-hiding":
        return max(highest_beliefs(truth, seen, patterns=patterns, window=window).values()) <= Fraction(stated["limit"])
    found = evidence(truth, seen, patterns=patterns, window=window)
    if stated["definition"] == "bounded-belief":
        return found.within_belief(Fraction(stated["limit"]), tuple(stated["forms"]))
    name, _, rest = str(stated["bound"]).partition("=")
    if name == "information":
        return found.within_information(Fraction(stated["limit"]))
    if name == "every-pattern":
        return found.within_every_pattern()
    return found.within_paper(Fraction(stated["limit"]), reading=name, absolute=rest.endswith(":absolute"))
