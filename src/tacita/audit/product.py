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
from tacita.audit.output_test import audit_output
from tacita.audit.samplers import audit_samplers
from tacita.audit.verdict import Check
from tacita.core.budget import Budget, PureDP
from tacita.core.errors import ParameterError
from tacita.core.ledger import Ledger
from tacita.sequences import PrefixTree, SequenceRecords

__all__ = ["DEFAULTS", "FULL", "QUICK", "Effort", "audit_auditor", "audit_mechanism"]

Watch = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""From what is being done to something that shows how far it is."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How many repetitions an audit makes."""

    data_sets: int
    output_runs: int
    black_box_runs: int
    sampler_draws: int


QUICK = Effort(data_sets=60, output_runs=4_000, black_box_runs=4_000, sampler_draws=400_000)
FULL = Effort(data_sets=200, output_runs=100_000, black_box_runs=40_000, sampler_draws=2_000_000)

CONFIDENCE = 0.9999
LARGEST_CROWD = 20_000

DEFAULTS: dict[str, dict[str, int]] = {"prefix-tree": {"height": 3}}
"""With which parameters each method of the product is audited where none are given."""


def audit_mechanism(  # noqa: PLR0913 - what an audit depends on
    name: str,
    mechanism: PrefixTree,
    budget: Budget,
    *,
    effort: Effort,
    watch: Watch,
    seed: int = 0,
    real: SequenceRecords | None = None,
    neighbours: int = 1000,
) -> Iterator[Check]:
    """Replay, output and black box for one mechanism; with real data, replay on sampled neighbours of it too."""
    case = _replay_case(name, mechanism, budget)
    with watch(f"{name}: exact replay") as progress:
        yield audit_replay(case, data_sets=effort.data_sets, seed=seed, progress=progress)
    if real is not None:
        with watch(f"{name}: exact replay on real data") as progress:
            yield audit_real_replay(case, real, neighbours=neighbours, seed=seed, progress=progress)
    with watch(f"{name}: output") as progress:
        yield audit_output(_output_case(name, mechanism), runs=effort.output_runs, progress=progress)
    with watch(f"{name}: black box") as progress:
        yield _black_box(case, effort.black_box_runs, progress)


def audit_auditor(*, effort: Effort, watch: Watch) -> Iterator[Check]:
    """The samplers, and every broken control, which must be caught."""
    with watch("samplers"):
        yield from audit_samplers(draws=effort.sampler_draws)
    for control in CONTROLS.values():
        with watch(f"control: {control.name}"):
            yield run_control(control)


def _replay_case(name: str, mechanism: PrefixTree, budget: Budget) -> SequenceCase:
    """The mechanism as it is, on three labels, with a crowd that is kept on every level."""
    share = mechanism.plan(budget).parts[0].epsilon
    crowd = mechanism.least_count(share, symbols=3) + int(10 / share) + 10
    if crowd > LARGEST_CROWD:
        message = (
            f"an audit needs a crowd that the noise does not drown, here {crowd:,} people, and makes at most {LARGEST_CROWD:,}; "
            "audit with a larger epsilon or a smaller height: the code is the same"
        )
        raise ParameterError(message)
    return SequenceCase(name=name, mechanism=mechanism, budget=budget, crowd=crowd, depth=mechanism.height)


def _output_case(name: str, mechanism: PrefixTree) -> SequenceCase:
    """The mechanism cut to two levels over two labels, at a budget at which almost every release can be enumerated."""
    small = replace(mechanism, height=min(mechanism.height, 2))
    budget = PureDP(Fraction(3, 2) * small.height)
    return SequenceCase(name=name, mechanism=small, budget=budget, labels="AB", longest=2)


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
