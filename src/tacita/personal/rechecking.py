"""A personal release checked again, as far as its recipient can: with the owner's sequences only.

What a release gives away about where a pattern is depends on where it is, so a folder alone says nothing about its bound. With
the owner's file, `verification` counts everything again, person by person.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tacita.personal.bounds import parse_bound
from tacita.personal.published import guarantee_of, opened_personal
from tacita.personal.records import PersonalRecords
from tacita.personal.verification import evidence, highest_beliefs, is_generalization

__all__ = ["promised", "verify_release"]

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
    return list(_wrong(published.sequences.to_lists(), published.taxonomy.parents, manifest, records)), []


def _wrong(
    shown: list[list[int]], parents: tuple[int, ...], manifest: Mapping[str, Any], records: PersonalRecords
) -> Iterator[str]:
    listed = manifest["public_inputs"]["patterns"]
    place_of = {label: place for place, label in enumerate(records.universe.labels)}
    patterns = tuple(tuple(place_of[label] for label in pattern) for pattern in listed["patterns"])
    for place, nodes in enumerate(shown):
        truth, seen = records.person(place)[0], np.array(nodes, dtype=np.int64)
        if not is_generalization(truth, seen, parents):
            yield f"sequence {place + 1} is not a generalization of the owner's"
        elif not _keeps(manifest, truth, seen, patterns, int(listed["window"])):
            yield f"sequence {place + 1} does not keep the bound"


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
