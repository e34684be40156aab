"""The audit of the product's own mechanisms, of its samplers, and of the auditor itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from time import process_time
from typing import Any

from tacita.audit.black_box import epsilon_lower_bound
from tacita.audit.cases.case import AuditCase, HasParts, Pair
from tacita.audit.controls import CONTROLS, Control, run_control
from tacita.audit.exact_replay import audit_real_replay, audit_replay
from tacita.audit.output_test import audit_output
from tacita.audit.samplers import audit_samplers
from tacita.audit.subjects.subject import Subject, Variant
from tacita.audit.verdict import Check
from tacita.errors import ParameterError
from tacita.kinds import Kind, Method, kind_of, load, method_named, methods
from tacita.privacy.budget import ApproxDP, Budget, PureDP
from tacita.privacy.ledger import Ledger

__all__ = [
    "FULL",
    "QUICK",
    "Effort",
    "audit_auditor",
    "audit_mechanism",
    "audit_publisher",
    "output_case",
    "replay_case",
    "subject_named",
    "subject_of",
    "unwatched",
]

Watch = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""From the name of a task to a context that shows its progress."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How many repetitions an audit makes; if one run of a black box is slow, as many as fit into its seconds.

    Outputs are enumerated over the values that a case says, or over fewer: `narrower` is how many are left out on each side.
    `tight_runs` is how often a tight pair is replayed at the least, if that is fewer than usual.
    """

    data_sets: int
    output_runs: int
    black_box_runs: int
    sampler_draws: int
    black_box_seconds: float = 1800
    tight_runs: int | None = None
    narrower: int = 0


QUICK = Effort(
    data_sets=10, output_runs=1_000, black_box_runs=1_000, sampler_draws=400_000, black_box_seconds=5, narrower=1, tight_runs=8
)
FULL = Effort(data_sets=50, output_runs=10_000, black_box_runs=20_000, sampler_draws=2_000_000, black_box_seconds=30)

FEWEST_RUNS = 40

CONFIDENCE = 0.9999

USUAL_DELTA = Fraction(1, 10**6)


@cache
def subject_named(method: str) -> Subject:
    """How a method is audited: by the subject that it registers, or on the small data sets of its kind as they are."""
    registered = method_named(method)
    if registered.audited is not None:
        subject: Subject = load(registered.audited)()
        return subject
    return KindSubject(registered)


def subject_of(variant: Variant) -> Subject:
    """How a mechanism is audited, by its class."""
    for name, method in methods().items():
        if method.promise.takes_epsilon and isinstance(variant.mechanism, method.load()):
            return subject_named(name)
    message = f"the auditor knows {', '.join(methods())}, got {type(variant.mechanism).__name__}"
    raise ParameterError(message)


@dataclass(frozen=True)
class KindSubject:
    """A method that does not say how it is audited: with its defaults, on the small data sets of its kind."""

    method: Method

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The method with its defaults."""
        return (Variant(name=self.method.name, mechanism=self.method.load()()),)

    def budget(self, epsilon: str | int | Fraction) -> Budget:
        """A budget in the privacy definition that the method promises."""
        return ApproxDP(epsilon, USUAL_DELTA) if self.method.promise.takes_delta else PureDP(epsilon)

    def replay_case(self, variant: Variant, budget: Budget) -> AuditCase:
        """The small data sets of the kind."""
        kind = kind_of(self.method)
        if kind.case is None:
            message = f"the kind {kind.name} registers no small data sets, so {variant.name} cannot be audited"
            raise ParameterError(message)
        case: AuditCase = load(kind.case)(name=variant.name, mechanism=variant.mechanism, budget=budget)
        return case

    def output_case(self, variant: Variant) -> AuditCase:
        """The same, at an epsilon for which few values are likely."""
        return self.replay_case(variant, self.budget(Fraction(3, 2)))


def replay_case(variant: Variant, budget: Budget) -> AuditCase:
    """The mechanism as it is, except for a universe of a few labels, with a crowd large enough to be kept everywhere."""
    return subject_of(variant).replay_case(variant, budget)


def output_case(variant: Variant) -> AuditCase:
    """The mechanism so reduced, and at such a budget, that almost every release can be enumerated."""
    return subject_of(variant).output_case(variant)


def audit_mechanism(  # noqa: PLR0913 - what an audit depends on
    variant: Variant,
    budget: Budget,
    *,
    effort: Effort,
    watch: Watch,
    seed: int = 0,
    real: Any = None,  # noqa: ANN401 - records of the kind that the mechanism takes
    neighbours: int = 1000,
) -> Iterator[Check]:
    """Replay, output test and black box for one mechanism; with real data, also a replay on its sampled neighbours."""
    name, case = variant.name, replay_case(variant, budget)
    with watch(f"{name}: exact replay") as progress:
        yield audit_replay(case, data_sets=effort.data_sets, seed=seed, tight_runs=effort.tight_runs, progress=progress)
    if real is not None:
        with watch(f"{name}: exact replay on real data") as progress:
            yield audit_real_replay(case.of(variant.mechanism), real, neighbours=neighbours, seed=seed, progress=progress)
    with watch(f"{name}: output") as progress:
        enumerable = output_case(variant)
        span = max(0, enumerable.span - effort.narrower)
        yield audit_output(enumerable, runs=effort.output_runs, span=span, progress=progress)
    with watch(f"{name}: black box") as progress:
        yield _black_box(case, effort, progress)


def audit_publisher(
    kind: Kind,
    mechanism: Any,  # noqa: ANN401 - whatever publishes records of this kind
    budget: Budget,
    *,
    effort: Effort,
    watch: Watch,
    seed: int = 0,
) -> Iterator[Check]:
    """Replay and black box for a mechanism that is not registered, on the small data sets of the kind whose records it takes."""
    if kind.case is None:
        message = f"the kind {kind.name} registers no small data sets, so nothing that takes its records can be audited"
        raise ParameterError(message)
    name = type(mechanism).__name__
    case: AuditCase = load(kind.case)(name=name, mechanism=mechanism, budget=budget)
    with watch(f"{name}: exact replay") as progress:
        yield audit_replay(case, data_sets=effort.data_sets, seed=seed, tight_runs=effort.tight_runs, progress=progress)
    with watch(f"{name}: black box") as progress:
        yield _black_box(case, effort, progress)


def audit_auditor(*, effort: Effort) -> list[Callable[[], Iterable[Check]]]:
    """The parts of an audit of the auditor itself: the samplers, and every broken control, which must be caught."""
    return [partial(audit_samplers, draws=effort.sampler_draws), *(partial(_control, each) for each in CONTROLS.values())]


def _control(control: Control) -> list[Check]:
    return [run_control(control)]


@contextmanager
def unwatched(_what: str) -> Iterator[Callable[[int, int], None]]:
    """Show nothing of how far something is."""
    yield lambda _done, _total: None


def _black_box(case: AuditCase, effort: Effort, progress: Callable[[int, int], None]) -> Check:
    """The mechanism as it is, from outside: no pair may prove more than its epsilon."""
    tight = case.tight_pairs()
    pairs = [tight[place] for place in (0, -1)]  # one more person on the path, and one who leaves it at its end
    runs = _affordable_runs(case, pairs[0], effort)
    confidence = 1 - (1 - CONFIDENCE) / len(pairs)

    def run(data: Any, _number: int) -> tuple[int, Hashable]:  # noqa: ANN401 - the records of the case
        release = case.mechanism.publish(data, budget=case.budget, ledger=Ledger())
        return len(release.data), case.parts(release) if isinstance(case, HasParts) else case.outcome(release)

    bounds = [
        epsilon_lower_bound(
            run,
            *map(case.records, pair),
            runs=runs,
            confidence=confidence,
            delta=float(case.budget.delta),
            features=[("the number of records", _number_of), *_features(case, pair)],
            processes=None,
            progress=progress,
        )
        for pair in pairs
    ]
    bound, epsilon = max(bounds, key=lambda found: found.epsilon), float(case.budget.epsilon)
    return Check(
        subject=case.name,
        test="black box",
        passed=bound.epsilon <= epsilon,
        summary=f"proves epsilon {bound.epsilon:.3f} of {epsilon:.4g} at {CONFIDENCE:.2%} confidence, {runs:,} runs per side",
        evidence=(*map(str, bounds), f"a crowd of {case.crowd} on one path, and one more person on it, or leaving it at its end"),
        reproduce=f"epsilon_lower_bound(..., runs={runs}, confidence={confidence})",
        figures={"bound": bound.epsilon, "epsilon": epsilon, "confidence": CONFIDENCE, "runs": float(runs)},
    )


def _affordable_runs(case: AuditCase, pair: Pair, effort: Effort) -> int:
    """How many runs per side fit into the available time, judged by the CPU time that one takes; public figures only."""
    records, began = case.records(pair[0]), process_time()
    case.mechanism.publish(records, budget=case.budget, ledger=Ledger())
    seconds = max(process_time() - began, 1e-6) * 4  # two sides of two pairs; some clocks are coarse
    return min(effort.black_box_runs, max(FEWEST_RUNS, int(effort.black_box_seconds / seconds)))


def _number_of(outcome: Any) -> Hashable:  # noqa: ANN401 - what the run above returns
    return int(outcome[0])


def _features(case: AuditCase, pair: Pair) -> list[tuple[str, Callable[[Any], Hashable]]]:
    """Which parts occur, and whether the part of the person who is added or removed does; without parts, the whole."""
    if not isinstance(case, HasParts):
        return [("the published data", lambda outcome: outcome[1])]
    own = case.part_of(pair[1][-1])
    return [
        ("the set of paths", lambda outcome: frozenset(outcome[1])),
        ("the presence of the person's path", lambda outcome: own in outcome[1]),
    ]
