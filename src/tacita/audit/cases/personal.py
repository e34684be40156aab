"""Small data sets of personal sequences, for audits: releases are counted again from the outside, and raw records must fail."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacita.arrays.ragged import Ragged
from tacita.personal import BeliefBound, InformationBound, PatternHiding, PatternList, PersonalRecords, PublishedPersonal, Scope
from tacita.personal.verification import evidence, is_generalization
from tacita.privacy.budget import Budget
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.seeded import PublicGenerator

__all__ = ["PersonalCase"]

_TREE = Taxonomy.balanced(Universe("abcdefghi"), fan_out=3)
_PATTERNS = PatternList((("a", "b"), ("c", "d"), ("e", "a", "b")))


@dataclass(frozen=True, kw_only=True)
class PersonalCase:
    """A method that hides patterns, on one short random sequence at a time."""

    name: str
    mechanism: Any
    budget: Budget | None = None
    _raw: list[Ragged] = field(default_factory=list, repr=False)

    @classmethod
    def variants(cls, name: str) -> dict[str, PatternHiding]:
        """A belief and a share of the entropy, each global and local."""
        bounds: tuple[BeliefBound | InformationBound, ...] = (BeliefBound(limit="0.3"), InformationBound(limit="0.4"))
        return {
            f"{name}, {bound}, {scope}": PatternHiding(bound=bound, patterns=_PATTERNS, taxonomy=_TREE, window=4, scope=scope)
            for bound in bounds
            for scope in Scope
        }

    def random_rows(self, generator: PublicGenerator) -> list[int]:
        """A sequence of 60 to 300 symbols, some of them far more frequent than others."""
        size = int(generator.integers(60, 300))
        return [int(code) for code in np.minimum(*generator.integers(0, len(_TREE.universe), (2, size)))]

    def records(self, rows: list[int]) -> PersonalRecords:
        """The sequence as private records."""
        self._raw[:] = [Ragged.from_lists([rows])]
        return PersonalRecords(sequences=self._raw[0], universe=_TREE.universe, name="audit")

    def unprotected(self, records: PersonalRecords) -> PublishedPersonal:
        """Everything shown as it is."""
        return PublishedPersonal(sequences=records.sequences, taxonomy=_TREE)

    def violations(self, published: PublishedPersonal) -> list[str]:
        """What a release gives away beyond the bound."""
        task = self.mechanism.task(PersonalRecords(sequences=self._raw[0], universe=_TREE.universe).public)
        truth, shown = np.asarray(self._raw[0].codes), np.asarray(published.sequences.codes)
        if not is_generalization(truth, shown, _TREE.parents):
            return ["a place shows no node above its symbol"]
        found = evidence(truth, shown, patterns=task.patterns.codes, window=task.patterns.window)
        bound = self.mechanism.bound
        kept = (
            found.within_belief(bound.limit, tuple(map(str, bound.forms)))
            if isinstance(bound, BeliefBound)
            else found.within_information(bound.limit)
        )
        return [] if kept else ["a bound is exceeded"]
