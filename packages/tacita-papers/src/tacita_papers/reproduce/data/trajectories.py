"""The two worlds of chapter 5 of the thesis and real journeys as columns of pairs, and what is asked of their releases."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from tacita.arrays.ragged import Ragged, distinct
from tacita.simulate import CityWorld, FareWorld, Trajectories
from tacita.trajectories import PairColumns, Requirement, SensitiveGroup
from tacita_papers.reproduce.data.movements import movements
from tacita_papers.reproduce.experiment import Scale

__all__ = ["asked", "columns_of", "journeys", "simulated"]


@lru_cache(maxsize=2)
def simulated(world: CityWorld | FareWorld) -> tuple[Trajectories, Ragged]:
    """The columns of a world, and its trajectories as sets of codes."""
    made = world.trajectories()
    codes = (made.hours * len(world.universe) + made.places.codes).astype(np.int32)
    return made, Ragged(codes, made.places.offsets)


def asked(made: Trajectories, *, crowd: int, known: int | None, confidence: str) -> Requirement:
    """(K,C)_L with one confidence for every sensitive value."""
    groups = [SensitiveGroup(attribute="attribute", values=(value,), confidence=confidence) for value in made.sensitive]
    return Requirement(crowd=crowd, known_pairs=known, groups=tuple(groups) if Fraction(confidence) < 1 else ())


def columns_of(made: Trajectories, lists: Ragged, requirement: Requirement) -> PairColumns:
    """The columns that suppression works on."""
    flags = np.stack([made.attributes == value for value in range(made.sensitive_values)], axis=1)
    return PairColumns.of(lists, sensitive=flags if requirement.groups else None)


@lru_cache(maxsize=1)
def journeys(scale: Scale) -> PairColumns:
    """Oyster: a station and an hour at either end of real journeys by rail, one record each; nothing is sensitive."""
    records = movements("Oyster with hours", scale).records
    return PairColumns.of(distinct(records.sequences, symbols=int(records.sequences.codes.max()) + 1), sensitive=None)
