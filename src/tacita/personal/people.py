"""Many persons, each on its own: every sequence is sanitized and checked by itself, on as many processes as are asked for."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tacita.arrays import AnyIntegers, Reals
from tacita.errors import VerificationError
from tacita.personal.best import Algorithm, Infeasible, Sanitized, sanitize
from tacita.personal.bounds import Bound
from tacita.personal.local import Scope
from tacita.personal.patterns import SensitivePatterns
from tacita.personal.problem import Problem
from tacita.personal.records import PersonalRecords
from tacita.personal.verification import Evidence, evidence, is_generalization
from tacita.privacy.publishing import Progress
from tacita.public.taxonomy import Taxonomy

__all__ = ["Checked", "Task", "sanitize_everybody"]

_PORTIONS = 40


@dataclass(frozen=True, kw_only=True)
class Task:
    """What is to be done to each sequence."""

    patterns: SensitivePatterns
    taxonomy: Taxonomy
    costs: Reals
    bound: Bound
    algorithm: Algorithm
    scope: Scope

    def on(self, sequence: AnyIntegers, weights: Reals | None) -> tuple[Sanitized | Infeasible, Evidence | None]:
        """Sanitize one sequence, and find out by other means what the result gives away."""
        problem = Problem(sequence, patterns=self.patterns, taxonomy=self.taxonomy, costs=self.costs, weights=weights)
        outcome = sanitize(problem, self.bound, algorithm=self.algorithm, scope=self.scope)
        if isinstance(outcome, Infeasible):
            return outcome, None
        if not is_generalization(sequence, outcome.nodes, self.taxonomy.parents):
            message = "a place of the release shows no node above its symbol; nothing was published"
            raise VerificationError(message)
        return outcome, evidence(sequence, outcome.nodes, patterns=self.patterns.codes, window=self.patterns.window)


@dataclass(frozen=True, kw_only=True, eq=False)
class Checked:
    """The outcome for one person, with what the independent check found. For the owner's eyes."""

    outcome: Sanitized | Infeasible
    evidence: Evidence | None


def sanitize_everybody(
    task: Task, records: PersonalRecords, *, workers: int = 1, progress: Progress | None = None
) -> list[Checked]:
    """Outcomes in the order of the persons; processes share the records and give back what they found."""
    people = len(records)
    cuts = np.unique(np.linspace(0, people, min(people, _PORTIONS) + 1).astype(int)).tolist()
    portions = list(pairwise(cuts))
    found: list[Checked] = []
    for portion in _portions_done(task, records, portions, workers):
        found += portion
        if progress is not None:
            progress(len(found), people)
    return found


def _portions_done(
    task: Task, records: PersonalRecords, portions: list[tuple[int, int]], workers: int
) -> Iterator[list[Checked]]:
    if workers <= 1 or len(portions) < 2 or "fork" not in multiprocessing.get_all_start_methods():
        for portion in portions:
            yield _portion(task, records, portion)
        return
    with multiprocessing.get_context("fork").Pool(workers, initializer=_share, initargs=(task, records)) as pool:
        yield from pool.imap(_shared_portion, portions)


_shared: list[tuple[Task, PersonalRecords]] = []


def _share(task: Task, records: PersonalRecords) -> None:
    """Remember, in a process of the pool, what all of its portions are about."""
    _shared[:] = [(task, records)]


def _shared_portion(portion: tuple[int, int]) -> list[Checked]:
    return _portion(*_shared[0], portion)


def _portion(task: Task, records: PersonalRecords, portion: tuple[int, int]) -> list[Checked]:
    found = []
    for place in range(*portion):
        outcome, seen = task.on(*records.person(place))
        found.append(Checked(outcome=outcome, evidence=seen))
    return found
