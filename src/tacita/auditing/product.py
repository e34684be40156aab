"""The audit of the product's own mechanisms, private and verified, of its samplers, and of the auditor itself.

`audit_mechanism` audits a private method by replay, output test and black box; `assess_membership` attacks one;
`audit_verified` audits a method whose releases are verified; `audit_auditor` checks that every broken control is caught.

`ta.audit`: whether a method of any kind keeps its promise, as `tacita audit` checks it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from time import process_time
from typing import Any

from tacita.attacks.membership import Game, Membership
from tacita.attacks.result import Assessment
from tacita.auditing.black_box import epsilon_lower_bound
from tacita.auditing.cases.case import AuditCase, HasParts, Pair, Subject, Variant
from tacita.auditing.controls import CONTROLS, Control, run_control
from tacita.auditing.exact_replay import audit_file_replay, audit_real_replay, audit_replay
from tacita.auditing.foreign_answers import audit_foreign_answers
from tacita.auditing.output_test import audit_output
from tacita.auditing.samplers import audit_samplers
from tacita.auditing.verdict import AuditReport, Check
from tacita.errors import ParameterError, TacitaError
from tacita.kinds import Kind, Method, kind_of, load, method_named, methods
from tacita.kinds.arguments import asked_for, given_arguments, in_python, is_true
from tacita.privacy.budget import ApproxDP, Budget, Exact, PureDP, decimal_text, exact
from tacita.privacy.ledger import Ledger
from tacita.public.parameters import whole_number
from tacita.seeded import public_generator

__all__ = [
    "FULL",
    "QUICK",
    "Effort",
    "assess_membership",
    "audit",
    "audit_auditor",
    "audit_foreign",
    "audit_mechanism",
    "audit_method",
    "audit_publisher",
    "audit_verified",
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
    `tight_runs` is how often a tight pair is replayed at the least, if that is fewer than usual. `transcripts` is how many with
    foreign answers are replayed of each method.
    """

    data_sets: int
    output_runs: int
    black_box_runs: int
    sampler_draws: int
    black_box_seconds: float = 1800
    tight_runs: int | None = None
    narrower: int = 0
    transcripts: int = 100


QUICK = Effort(
    data_sets=10, output_runs=1_000, black_box_runs=1_000, sampler_draws=400_000, black_box_seconds=5, narrower=1, tight_runs=8
)
FULL = Effort(
    data_sets=50, output_runs=10_000, black_box_runs=20_000, sampler_draws=2_000_000, black_box_seconds=30, transcripts=1_000
)


def _affordable(subject: Subject, effort: Effort) -> Effort:
    """The effort for a method: no more than `QUICK` for one that runs others, which have audits of their own, and so is slow."""
    return QUICK if getattr(subject, "is_composed", False) else effort


FEWEST_RUNS = 40

MOST_FILES = 40
"""How many neighbours of a file are written and read again."""

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
    """How a mechanism is audited, by its class; one that runs another method, by the class of that."""
    inner = getattr(variant.mechanism, "runs", variant.mechanism)
    for name, method in methods().items():
        if method.promise.takes_epsilon and isinstance(inner, method.load()):
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
    return subject_of(variant).replay_case(variant, _with_delta(budget, variant.delta))


def output_case(variant: Variant) -> AuditCase:
    """The mechanism so reduced, and at such a budget, that almost every release can be enumerated."""
    case: Any = subject_of(variant).output_case(variant)
    made: AuditCase = replace(case, budget=_with_delta(case.budget, variant.delta))
    return made


def _with_delta(budget: Budget, delta: Fraction) -> Budget:
    """The budget with a delta beside it, unless it has one of its own: the same mechanism with Gaussian noise."""
    return ApproxDP(budget.epsilon, delta) if delta and not budget.delta else budget


def audit_mechanism(  # noqa: PLR0913 - what an audit depends on
    variant: Variant,
    budget: Budget,
    *,
    effort: Effort,
    watch: Watch,
    seed: int = 0,
    real: Any = None,  # noqa: ANN401 - records of the kind that the mechanism takes
    neighbours: int = 1000,
    file: tuple[Callable[[Path], Any], Path] | None = None,
) -> Iterator[Check]:
    """Replay, output test and black box for one mechanism; with real data, also a replay on its sampled neighbours.

    `file` is how a file is read, and the file that the real data was read from: neighbours are then files too.
    """
    name, case, effort = variant.name, replay_case(variant, budget), _affordable(subject_of(variant), effort)
    with watch(f"{name}: exact replay") as progress:
        yield audit_replay(case, data_sets=effort.data_sets, seed=seed, tight_runs=effort.tight_runs, progress=progress)
    if real is not None:
        with watch(f"{name}: exact replay on real data") as progress:
            yield audit_real_replay(case.of(variant.mechanism), real, neighbours=neighbours, seed=seed, progress=progress)
    if file is not None:
        with watch(f"{name}: rows of the file"):
            yield audit_file_replay(case.of(variant.mechanism), *file, neighbours=min(neighbours, MOST_FILES), seed=seed)
    with watch(f"{name}: output") as progress:
        enumerable = output_case(replace(variant, delta=budget.delta or variant.delta))
        span = max(0, enumerable.span - effort.narrower)
        yield audit_output(enumerable, runs=effort.output_runs, span=span, progress=progress)
    with watch(f"{name}: black box") as progress:
        yield _black_box(case, effort, progress)


def audit_method(method: str, budget: Budget, *, effort: Effort, watch: Watch, seed: int = 0) -> Iterator[Check]:
    """Foreign answers for a private method, then everything else for each of its registered variants.

    Foreign answers draw parameters of their own, and so reach what no variant has: columns of a table, blocks of labels, longer
    windows of single people, sums over blocks of timestamps, groups of correlated edges.
    """
    yield from audit_foreign(method, effort=effort, watch=watch, seed=seed)
    for variant in subject_named(method).variants:
        yield from audit_mechanism(variant, budget, effort=effort, watch=watch, seed=seed)


def audit_foreign(method: str, *, effort: Effort, watch: Watch, seed: int = 0) -> Iterator[Check]:
    """Foreign answers alone."""
    effort = _affordable(subject_named(method), effort)
    with watch(f"{method}: foreign answers") as progress:
        yield audit_foreign_answers(method, transcripts=effort.transcripts, seed=seed, progress=progress)


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
    proves_nothing = bound.epsilon == 0
    proved = f"proves epsilon {bound.epsilon:.3f} of {epsilon:.4g} at {CONFIDENCE:.2%} confidence, {runs:,} runs per side"
    return Check(
        subject=case.name,
        test="black box",
        passed=bound.epsilon <= epsilon,
        proves_nothing=proves_nothing,
        summary=f"proves nothing: no event is likelier on one side in {runs:,} runs" if proves_nothing else proved,
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


# Membership linkage against a private method, whatever its kind: the game of `tacita.attacks.membership` on the tightest pair.
#
# The small data sets that a kind registers for audits have pairs that differ by one person and show most: a crowd of equal
# records, and one more. The attacker looks at how much was published; where that is always the same, as with streams, at how
# well the published counts go with those of either side. The owner's data has no part in this: epsilon bounds the advantage on
# any data, and this pair is among the worst.


def assess_membership(
    name: str,
    mechanism: Any,  # noqa: ANN401 - any private mechanism
    budget: Budget,
    *,
    runs: int,
    confidence: float = 0.95,
    progress: Callable[[int, int], None] | None = None,
) -> Assessment:
    """Play the game this many times on each side, on the first of the tight pairs of the kind's case."""
    case = replay_case(Variant(name=name, mechanism=mechanism), budget)
    first, second = case.tight_pairs()[0]
    without, within = (case.records(rows) for rows in sorted((first, second), key=len))
    done = 0

    def publish(records: Any) -> Any:  # noqa: ANN401 - records and data of the kind
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, 2 * runs)
        return case.mechanism.publish(records, budget=case.budget).data

    def looked_at(data: Any) -> float:  # noqa: ANN401 - data of the kind
        if not hasattr(data, "histograms"):
            return float(len(data))
        return float((data.histograms * (within.histograms() - without.histograms())).sum())

    game: Game[Any, Any] = Game(without=without, within=within, publish=publish, statistic=looked_at)
    return Membership(runs=runs, confidence=confidence).assess(game, budget=case.budget)


# The audit of a method whose releases are verified: the bound is kept, and the check would notice if it were not.
#
# Random small data sets are published. Each release is checked again from outside, by the check of the kind's case. A check
# that never refuses anything proves nothing, so it is also given the raw records themselves, and must refuse some of them.


def audit_verified(method: Method, mechanism: Any, *, effort: Effort, watch: Watch, seed: int = 0) -> list[Check]:  # noqa: ANN401
    """Publish random small data sets and check each release; without a mechanism, the case supplies its own variants."""
    kind = kind_of(method)
    if kind.case is None:
        message = f"the kind {kind.name} registers no small data sets, so {method.name} cannot be audited"
        raise ParameterError(message)
    make = load(kind.case)
    variants = {method.name: mechanism} if mechanism is not None else make.variants(method.name)
    checks = []
    for name, each in variants.items():
        with watch(f"{name}: verification") as progress:
            checks.append(_audited(make(name=name, mechanism=each, budget=None), effort.data_sets, seed, progress))
    return checks


def _audited(case: Any, data_sets: int, seed: int, progress: Any) -> Check:  # noqa: ANN401 - the case of any kind
    generator = public_generator(seed)
    published = refused = 0
    findings: list[str] = []
    for turn in range(data_sets):
        records = case.records(case.random_rows(generator))
        try:
            release = case.mechanism.publish(records)
        except TacitaError:
            continue  # refusing to publish keeps every bound
        published += 1
        findings += [f"data set {turn}: {finding}" for finding in case.violations(release.data)]
        refused += bool(case.violations(case.unprotected(records)))
        progress(turn + 1, data_sets)
    if not published:
        findings.append("nothing was published, so nothing is proved")
    elif not refused:
        findings.append("the check also passed all raw records, so it proves nothing")
    fine = f"{published} releases of {data_sets} small data sets keep the bound; {refused} raw data sets would not"
    return Check(
        subject=case.name,
        test="verification",
        passed=not findings,
        summary="; ".join(findings[:1]) or fine,
        evidence=(*findings, fine),
        reproduce=f"audit_verified(..., seed={seed})",
        figures={"published": float(published), "refused": float(refused)},
    )


@in_python()
def audit(
    method: str | object,
    /,
    *,
    epsilon: Exact = 1,
    delta: Exact | None = None,
    quick: bool = False,
    seed: int = 0,
    **parameters: object,
) -> AuditReport:
    """Check a method by name, in all its variants, or with the parameters given; what is found is for the owner's eyes only.

    A private method is replayed on neighbours, its releases are compared with their exact law, and epsilon is bounded from
    outside; releases of a verified one are checked again. `quick` repeats less. Something of your own, which is no method, is
    for `ta.auditing.audit_any`.
    """
    asked = asked_for(None, method)
    if asked.method is None:
        message = "name the method to audit, such as 'prefix-tree', or give one with its parameters"
        raise ParameterError(message)
    effort = QUICK if is_true(quick, "quick") else FULL
    seed = whole_number(seed, name="seed=", least=0)
    name, given = asked.method.name, given_arguments(asked, {}, parameters)
    budget = decimal_text(exact(epsilon, name="epsilon="))
    checks: Iterable[Check]
    if not asked.method.promise.takes_epsilon:
        mechanism = asked.wanted(given).mechanism if given or asked.made is not None else None
        checks = audit_verified(asked.method, mechanism, effort=effort, watch=unwatched, seed=seed)
    elif not given and asked.made is None and (delta is None or asked.method.has_gaussian):
        wanted_of_all = subject_named(name).budget(budget) if delta is None else ApproxDP(budget, exact(delta, name="delta="))
        checks = audit_method(name, wanted_of_all, effort=effort, watch=unwatched, seed=seed)
    else:
        wanted = asked.wanted(given, epsilon=epsilon, delta=delta)
        if wanted.budget is None:
            message = f"{name} spends no budget, so there is none to audit"
            raise ParameterError(message)
        variant = Variant(name=name, mechanism=wanted.mechanism, intervals=1 if wanted.public.grid is None else 2)
        checks = audit_mechanism(variant, wanted.budget, effort=effort, watch=unwatched, seed=seed)
    return AuditReport(title=f"Audit of {name}", checks=tuple(checks))
