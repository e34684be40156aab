"""The audit of the product's own mechanisms, of its samplers, and of the auditor itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tacita.audit.black_box import epsilon_lower_bound
from tacita.audit.cases import SequenceCase
from tacita.audit.controls import CONTROLS, run_control
from tacita.audit.exact_replay import audit_real_replay, audit_replay
from tacita.audit.output_test import SPAN, audit_output
from tacita.audit.samplers import audit_samplers
from tacita.audit.verdict import Check
from tacita.core.budget import Budget, PureDP
from tacita.core.errors import ParameterError
from tacita.core.ledger import Ledger
from tacita.core.taxonomy import Taxonomy
from tacita.sequences import Granularity, Lost, PrefixTree, PrivateLength, SequenceRecords
from tacita.trees import Inference

__all__ = [
    "FULL",
    "QUICK",
    "VARIANTS",
    "Effort",
    "Variant",
    "audit_auditor",
    "audit_mechanism",
    "output_case",
    "output_span",
    "replay_case",
]

Watch = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""From what is being done to something that shows how far it is."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How many repetitions an audit makes."""

    data_sets: int
    output_runs: int
    black_box_runs: int
    sampler_draws: int


QUICK = Effort(data_sets=30, output_runs=2_000, black_box_runs=2_000, sampler_draws=400_000)
FULL = Effort(data_sets=200, output_runs=100_000, black_box_runs=40_000, sampler_draws=2_000_000)

CONFIDENCE = 0.9999
LARGEST_CROWD = 20_000


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A mechanism as it is audited; with several intervals, on sequences that have times."""

    name: str
    mechanism: PrefixTree
    intervals: int = 1


GROUPS = Taxonomy.from_edges([("A", "*"), ("B", "BCD"), ("C", "CD"), ("D", "CD"), ("CD", "BCD"), ("BCD", "*")])
"""A small taxonomy of unequal depth, for trees that need one."""

VARIANTS: dict[str, tuple[Variant, ...]] = {
    "prefix-tree": (
        Variant(name="prefix-tree", mechanism=PrefixTree(height=3)),
        Variant(name="prefix-tree, hybrid", mechanism=PrefixTree(height=2, taxonomy=GROUPS)),
        Variant(name="prefix-tree, with times", mechanism=PrefixTree(height=3), intervals=2),
        Variant(
            name="prefix-tree, hybrid with times", mechanism=PrefixTree(height=2, granularity=Granularity.HYBRID), intervals=2
        ),
        Variant(
            name="prefix-tree, continued",
            mechanism=PrefixTree(height=3, lost=Lost.CONTINUE, inference=Inference.CORRECTED),
        ),
        Variant(name="prefix-tree, private height", mechanism=PrefixTree(height=PrivateLength(longest=3, share="1/10"))),
    ),
}
"""How each method of the product is audited where no parameters are given."""


def audit_mechanism(  # noqa: PLR0913 - what an audit depends on
    variant: Variant,
    budget: Budget,
    *,
    effort: Effort,
    watch: Watch,
    seed: int = 0,
    real: SequenceRecords | None = None,
    neighbours: int = 1000,
) -> Iterator[Check]:
    """Replay, output and black box for one mechanism; with real data, replay on sampled neighbours of it too."""
    name, case = variant.name, replay_case(variant, budget)
    with watch(f"{name}: exact replay") as progress:
        yield audit_replay(case, data_sets=effort.data_sets, seed=seed, progress=progress)
    if real is not None:
        with watch(f"{name}: exact replay on real data") as progress:
            yield audit_real_replay(
                replace(case, mechanism=variant.mechanism), real, neighbours=neighbours, seed=seed, progress=progress
            )
    with watch(f"{name}: output") as progress:
        yield audit_output(output_case(variant), runs=effort.output_runs, span=output_span(variant), progress=progress)
    with watch(f"{name}: black box") as progress:
        yield _black_box(case, effort.black_box_runs, progress)


def audit_auditor(*, effort: Effort, watch: Watch) -> Iterator[Check]:
    """The samplers, and every broken control, which must be caught."""
    with watch("samplers"):
        yield from audit_samplers(draws=effort.sampler_draws)
    for control in CONTROLS.values():
        with watch(f"control: {control.name}"):
            yield run_control(control)


def replay_case(variant: Variant, budget: Budget) -> SequenceCase:
    """The mechanism as it is but for its universe, which is a few labels, with a crowd that is kept on every level."""
    mechanism, labels = _on_few_labels(variant), _labels(variant)
    height = mechanism.height.longest if isinstance(mechanism.height, PrivateLength) else mechanism.height
    case = SequenceCase(
        name=variant.name, mechanism=mechanism, budget=budget, labels=labels, depth=height, intervals=variant.intervals
    )
    records = case.records(())
    schedules = replace(mechanism, height=height).schedules(budget, universe=records.universe, grid=records.grid)
    asked = [question for schedule in schedules for question in schedule.questions(1)]
    crowd = max(question.threshold + int(10 / question.epsilon) for question in asked) + 10
    if crowd > LARGEST_CROWD:
        message = (
            f"an audit needs a crowd that the noise does not drown, here {crowd:,} people, and makes at most {LARGEST_CROWD:,}; "
            "audit with a larger epsilon or a smaller height: the code is the same"
        )
        raise ParameterError(message)
    return replace(case, crowd=crowd)


def output_case(variant: Variant) -> SequenceCase:
    """The mechanism cut to so few levels and labels, at such a budget, that almost every release can be enumerated."""
    mechanism = variant.mechanism
    if mechanism.granularity is Granularity.HYBRID:
        groups = Taxonomy.from_edges([("A", "*"), ("B", "BC"), ("C", "BC"), ("BC", "*")])
        if variant.intervals > 1:
            small, labels = replace(mechanism, height=1, taxonomy=None), "ABCD"
        else:
            small, labels = replace(mechanism, height=1, taxonomy=groups), "ABC"
    else:
        height = mechanism.height
        few = replace(height, longest=2) if isinstance(height, PrivateLength) else min(height, 2)
        small, labels = replace(mechanism, height=few), "AB"
    levels = small.height.longest if isinstance(small.height, PrivateLength) else small.height
    return SequenceCase(
        name=variant.name,
        mechanism=small,
        budget=PureDP(Fraction(3, 2) * levels),
        labels=labels,
        longest=2,
        intervals=variant.intervals,
    )


def output_span(variant: Variant) -> int:
    """How far above the threshold values are enumerated; where ends are asked for, there are half as many cells again."""
    return 1 if variant.mechanism.lost is Lost.CONTINUE else SPAN


def _labels(variant: Variant) -> str:
    if variant.intervals > 1:
        return "ABCD"
    return "ABCD" if variant.mechanism.granularity is Granularity.HYBRID else "ABC"


def _on_few_labels(variant: Variant) -> PrefixTree:
    """The mechanism with a small taxonomy in place of its own, if it has one."""
    mechanism = variant.mechanism
    if mechanism.granularity is Granularity.SIMPLE:
        return mechanism
    return replace(mechanism, taxonomy=None if variant.intervals > 1 else GROUPS)


def _black_box(case: SequenceCase, runs: int, progress: Callable[[int, int], None]) -> Check:
    """The mechanism as it is, from outside: may not prove more than its epsilon on any pair."""
    pairs = [case.tight_pairs()[place] for place in (0, -1)]  # one more on the path, and one who leaves it at its end
    confidence = 1 - (1 - CONFIDENCE) / len(pairs)

    def run(data: Any, _number: int) -> tuple[int, frozenset[Hashable]]:  # noqa: ANN401 - the records of the case
        release = case.mechanism.publish(data, budget=case.budget, ledger=Ledger())
        return len(release.data), frozenset(map(tuple, release.data.sequences.to_lists()))

    bounds = [
        epsilon_lower_bound(
            run,
            *map(case.records, pair),
            runs=runs,
            confidence=confidence,
            features=[("the number of records", _number_of), *_path_features(case.records(pair[1][-1:]).sequences.to_lists()[0])],
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
        summary=f"proves epsilon {bound.epsilon:.3f} of {epsilon:.4g} at {CONFIDENCE:.2%} confidence, {runs:,} runs a side",
        evidence=(*map(str, bounds), f"a crowd of {case.crowd} on one path, and one more on it, or leaving it at its end"),
        reproduce=f"epsilon_lower_bound(..., runs={runs}, confidence={confidence})",
        figures={"bound": bound.epsilon, "epsilon": epsilon, "confidence": CONFIDENCE, "runs": float(runs)},
    )


def _number_of(outcome: Any) -> Hashable:  # noqa: ANN401 - what the run above returns
    return int(outcome[0])


def _path_features(path: list[int]) -> list[tuple[str, Callable[[Any], Hashable]]]:
    """Which paths occur, and whether the path of the person who comes or goes does."""
    return [
        ("the set of paths", lambda outcome: frozenset(outcome[1])),
        ("the presence of the person's path", lambda outcome: tuple(path) in outcome[1]),
    ]
