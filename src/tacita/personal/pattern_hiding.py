"""Pattern hiding: sequences generalized until nobody can tell where a sensitive pattern is, each person on its own.

The idea is that of Bonomi, Fan and Jin (WSDM 2016). The default measure is not theirs but *belief*, which bounds at each place
what their measure bounds on average; theirs is there in a sound form (`InformationBound`) and as printed (`PaperBound`). Every
sequence is sanitized and checked by itself, so `sanitize_everybody` can share the persons among processes; `PatternHiding` is
the mechanism that publishes what it returns.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

import numpy as np

from tacita.arrays import AnyIntegers, Integers, Reals
from tacita.errors import InfeasibleError, ParameterError, VerificationError
from tacita.personal.bounds import AnyBound, BeliefBound, Bound, EveryPattern, InformationBound, PaperBound
from tacita.personal.patterns import CostKind, CostTable, PatternList, SensitivePatterns, cost_rows
from tacita.personal.problem import Problem
from tacita.personal.published import PublishedPersonal, guarantee_of, in_their_own_order
from tacita.personal.records import PersonalRecords
from tacita.personal.searches import Algorithm, Infeasible, Sanitized, Scope, sanitize
from tacita.personal.verification import Evidence, evidence, is_generalization
from tacita.privacy.budget import Explanation
from tacita.privacy.publishing import Progress, parameters_of, require_records_of, verified_release
from tacita.privacy.release import Release
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import Chosen, whole_number
from tacita.public.taxonomy import Taxonomy, equal_width_bins

__all__ = ["Checked", "OnInfeasible", "PatternHiding", "Task", "sanitize_everybody"]


# Many persons: every sequence is sanitized and checked by itself, on as many processes as were requested.

_PORTIONS = 40


@dataclass(frozen=True, kw_only=True)
class Task:
    """What is to be done to each sequence."""

    patterns: SensitivePatterns
    taxonomy: Taxonomy
    costs: Reals
    bound: Bound
    algorithm: Chosen[Algorithm] = Chosen(Algorithm)
    scope: Chosen[Scope] = Chosen(Scope)

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


class OnInfeasible(StrEnum):
    """What happens if no showing of a person's sequence keeps the bound."""

    REFUSE = "refuse"
    LEAVE_OUT = "leave-out"


@dataclass(frozen=True, kw_only=True)
class PatternHiding:
    """Publish personal sequences with sensitive patterns hidden, by showing some symbols as groups that they belong to.

    Needs: sequences over a public universe, one per person; a public taxonomy (given, or bins of numeric labels); the patterns to
        hide, and the window within which they occur. Patterns are public: anyone who sees the release may know what was hidden.
    Guarantees: the bound, for each published sequence by itself. With a belief: of the places that look alike, no more than the
        limit are sensitive, for single patterns and for any of them, by tuples of places and by starting places.
    Protects: where in a sequence a sensitive pattern is. Nothing else: not who the person is, nor any other symbol.
    Verified by: `tacita.personal.verification`, which shares no code with the searches, on the finished sequence of each person.
    Not covered: what the observer knows of single places from elsewhere; what can be inferred from the choice of the showing,
        which depends on the sequence (minimality attacks); that a person was left out, where this is asked for.
    Reference: Bonomi, Fan and Jin, WSDM 2016, Algorithms 1 to 3; departs from it in the measure, in testing the start, and in
        refining what each search found, because the printed measure is vacuous for single patterns.

    >>> from tacita.public.universe import Universe
    >>> shop = Taxonomy.from_columns([("beer", "drinks"), ("juice", "drinks"), ("milk", "drinks")], universe=None)
    >>> day = PersonalRecords.from_labels([["beer", "beer", "milk", "juice", "milk", "juice", "milk"]], universe=shop.universe)
    >>> hiding = PatternHiding(bound=BeliefBound(limit="0.3"), patterns=PatternList((("beer", "beer"),)), taxonomy=shop, window=2)
    >>> " ".join(hiding.publish(day).data.to_labels()[0])
    'drinks drinks drinks juice drinks juice drinks'
    """

    bound: BeliefBound | InformationBound | EveryPattern | PaperBound
    patterns: PatternList
    window: int = 10
    taxonomy: Taxonomy | None = None
    bins: tuple[int, ...] | None = None
    cost: Chosen[CostKind] = Chosen(CostKind, CostKind.LINEAR)
    cost_table: CostTable | None = None
    algorithm: Chosen[Algorithm] = Chosen(Algorithm, Algorithm.BEST)
    scope: Chosen[Scope] = Chosen(Scope, Scope.GLOBAL)
    infeasible: Chosen[OnInfeasible] = Chosen(OnInfeasible, OnInfeasible.REFUSE)
    workers: int = 1

    def __post_init__(self) -> None:
        """Check what can be checked without a universe."""
        whole_number(self.workers, name="workers", least=1, most=256)
        if (self.taxonomy is None) == (self.bins is None):
            message = "pattern hiding needs a taxonomy, or bins of numeric labels, and not both"
            raise ParameterError(message)
        if isinstance(self.bound, PaperBound) and self.scope is Scope.LOCAL:
            message = "the measure of the paper says nothing about local releases; choose a belief, or information"
            raise ParameterError(message)

    def explain(self, public: PublicInputs = UNKNOWN) -> Explanation:
        """What will be guaranteed and what not, and the public facts around it."""
        facts = [
            guarantee_of(self.bound, unit="", voids=()).statement(),
            f"{len(self.patterns.labels)} sensitive patterns within a window of {self.window}; they are public",
            "nobody's sequence depends on another one's, and nothing is spent",
            "not covered: what is known of a place from elsewhere, and what the choice of the showing gives away",
        ]
        if public.universe is not None:
            task = self.task(public)
            tree = task.taxonomy
            facts.append(f"{len(public.universe)} labels in {len(tree.inner_names)} groups, at most {tree.height} deep")
        return Explanation(title=f"pattern-hiding with the bound {self.bound}", facts=tuple(facts))

    def task(self, public: PublicInputs) -> Task:
        """What is done to each sequence, over a universe that is known."""
        universe = public.required_universe()
        taxonomy = equal_width_bins(universe, widths=self.bins) if self.bins is not None else self.taxonomy
        if taxonomy is None or taxonomy.universe != universe:
            message = "the taxonomy must be over the universe of the sequences; make both from the same labels"
            raise ParameterError(message)
        cost = self.cost if self.cost_table is None else replace(self.cost_table, otherwise=self.cost)
        return Task(
            patterns=self.patterns.within(self.window, universe=universe),
            taxonomy=taxonomy,
            costs=cost_rows(taxonomy, cost),
            bound=self.bound,
            algorithm=self.algorithm,
            scope=self.scope,
        )

    def outcomes(self, records: PersonalRecords, *, progress: Progress | None = None) -> list[Checked]:
        """What is found for each person, with the loss and what the check says of it. For the owner's eyes; publishes nothing."""
        return sanitize_everybody(self.task(records.public), records, workers=self.workers, progress=progress)

    def publish(self, records: PersonalRecords, *, progress: Progress | None = None) -> Release[PublishedPersonal]:
        """Publish the sequences, or refuse to if a check does not pass."""
        require_records_of(records, PersonalRecords, method="pattern-hiding")
        task = self.task(records.public)
        found = sanitize_everybody(task, records, workers=self.workers, progress=progress)
        rows = [_checked_nodes(place, each, self) for place, each in enumerate(found, start=1)]
        kept = [row for row in rows if row is not None]
        data = PublishedPersonal(
            sequences=in_their_own_order(kept),
            taxonomy=task.taxonomy,
            file_format=records.file_format,
            columns=records.columns,
        )
        return verified_release(
            records,
            data,
            guarantee_of(self.bound, unit=records.unit, voids=records.public.voids),
            mechanism="pattern-hiding",
            parameters=parameters_of(self),
            rules=self._rules(),
            others={"taxonomy": task.taxonomy, "patterns": task.patterns},
        )

    def _rules(self) -> tuple[str, ...]:
        rules = ["each symbol is shown as itself or as a group that it belongs to; nothing is removed and nothing is made up"]
        if self.scope is Scope.LOCAL:
            rules.append("a symbol is shown as itself wherever no sensitive pattern can be, judging by the rest of the release")
        if self.infeasible is OnInfeasible.LEAVE_OUT:
            rules.append("persons for whom nothing keeps the bound were left out, so that a person who is here was none of them")
        return tuple(rules)


def _checked_nodes(place: int, found: Checked, method: PatternHiding) -> Integers | None:
    """What is shown of a person, if the independent check agrees; nothing for a person who is left out."""
    if isinstance(found.outcome, Infeasible):
        if method.infeasible is OnInfeasible.LEAVE_OUT:
            return None
        message = f"person {place}: {found.outcome.reason}; or leave such persons out"
        raise InfeasibleError(message)
    if found.evidence is None or not _within(found.evidence, method.bound):
        message = f"person {place}: the finished sequence does not keep the bound by the independent check; nothing was published"
        raise VerificationError(message)
    return found.outcome.nodes


def _within(evidence: Evidence, bound: AnyBound) -> bool:
    """Whether what the check counted is within the bound."""
    match bound:
        case BeliefBound():
            return evidence.within_belief(bound.limit, tuple(str(form) for form in bound.forms))
        case InformationBound():
            return evidence.within_information(bound.limit)
        case EveryPattern():
            return evidence.within_every_pattern()
        case PaperBound():
            return evidence.within_paper(bound.limit, reading=str(bound.reading), absolute=bound.absolute)
