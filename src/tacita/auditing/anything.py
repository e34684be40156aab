"""The audit of any mechanism: a function, a class of another library, or a method that publishes through a ledger.

The caller gives a mechanism, the (epsilon, delta) that it claims, and pairs of neighbouring data sets on which a breach would
show. A callable is run many times on both sides of each pair, and a lower bound on epsilon is proved from what it returns. A
mechanism that publishes through a ledger of this library is also replayed: its loss is computed draw by draw, and every byte that
leaves is compared.

>>> def count(people):
...     return len(people)  # and no noise
>>> audit_any(count, [([1, 2], [1, 2, 3])], epsilon=1, runs=400).passed
False
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tacita.auditing.black_box import BlackBoxBound, epsilon_lower_bound
from tacita.auditing.exact_replay import audit_pairs
from tacita.auditing.seen import Seen, examined, refused, seen
from tacita.auditing.verdict import AuditReport, Check
from tacita.errors import ParameterError
from tacita.privacy.budget import ApproxDP, Budget, Exact, PureDP, decimal_text

__all__ = ["Target", "audit_any"]

Pair = tuple[Any, Any]
"""Two data sets, in the form the mechanism takes, between which its output must not distinguish."""

Progress = Callable[[int, int], None]

REPLAYS = 100
"""How many runs are recorded on each side of a pair; each is replayed on the other side."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """Something to audit: `tacita audit package:name` expects the name of one of these, or of a function that makes one.

    `outcome` turns what the mechanism returns into one hashable value, if it returns something unusual.
    """

    mechanism: Any
    pairs: Sequence[Pair]
    epsilon: Exact
    delta: Exact = 0
    name: str | None = None
    outcome: Callable[[Any], Hashable] | None = None

    def audit(self, *, runs: int, seed: int = 0, progress: Progress | None = None) -> AuditReport:
        """Audit it."""
        return audit_any(
            self.mechanism,
            self.pairs,
            epsilon=self.epsilon,
            delta=self.delta,
            runs=runs,
            seed=seed,
            name=self.name,
            outcome=self.outcome,
            progress=progress,
        )


def audit_any(  # noqa: PLR0913 - what an audit depends on
    mechanism: Any,  # noqa: ANN401 - whatever is claimed to be private
    pairs: Sequence[Pair],
    *,
    epsilon: Exact,
    delta: Exact = 0,
    runs: int = 20_000,
    confidence: float = 0.999,
    seed: int = 0,
    name: str | None = None,
    outcome: Callable[[Any], Hashable] | None = None,
    processes: int | None = 1,
    progress: Progress | None = None,
) -> AuditReport:
    """Audit a callable, or anything with a `publish` method, on pairs of neighbours, against its claim.

    A callable gets a data set. A `publish` method gets a data set and, if it accepts them, `budget` and `ledger`; one that
    accepts a ledger is also replayed. A run that raises is an outcome too: whether and how it does must not tell. The whole
    return value is examined, every number in it, their sum, its types, shapes and order; the evidence says what was not.
    Runs must be independent; a mechanism with a generator of its own must run in one process,
    which is the default.
    """
    if not pairs:
        message = "an audit needs at least one pair of neighbouring data sets, got none"
        raise ParameterError(message)
    budget: Budget = ApproxDP(epsilon, delta) if Fraction(delta) else PureDP(epsilon)
    shown = name or getattr(mechanism, "__name__", None) or type(mechanism).__name__

    def value(returned: Any) -> Seen:  # noqa: ANN401 - whatever the mechanism returns
        return seen(returned if outcome is None else outcome(returned))

    checks = []
    if _takes(mechanism, "ledger"):
        checks.append(audit_pairs(_PairCase(shown, mechanism, budget, value), pairs, runs=REPLAYS, seed=seed))
    run = _run_of(mechanism, budget, value)
    checks.append(_black_box(shown, run, pairs, budget, runs, confidence, processes, progress))
    claim = f"epsilon {decimal_text(budget.epsilon)}" + (f", delta {decimal_text(budget.delta)}" if budget.delta else "")
    return AuditReport(title=f"Audit of {shown}, {claim}", checks=tuple(checks))


@dataclass(frozen=True)
class _PairCase:
    """What a replay needs to know about a mechanism."""

    name: str
    mechanism: Any
    budget: Budget
    outcome: Callable[[Any], Hashable]

    def records(self, data: Any) -> Any:  # noqa: ANN401 - data as the mechanism takes it
        return data


def _takes(mechanism: Any, parameter: str) -> bool:  # noqa: ANN401
    publish = getattr(mechanism, "publish", None)
    if publish is None:
        return False
    parameters = inspect.signature(publish).parameters.values()
    return any(each.name == parameter or each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters)


def _run_of(mechanism: Any, budget: Budget, value: Callable[[Any], Seen]) -> Callable[[Any, int], Seen]:  # noqa: ANN401
    """One run: from a data set to what is seen."""
    publish = getattr(mechanism, "publish", None)
    given: dict[str, Any] = {"budget": budget} if publish is not None and _takes(mechanism, "budget") else {}
    called = mechanism if publish is None else publish
    if not callable(called):
        message = f"a mechanism must be callable or have a publish method, got {type(mechanism).__name__}"
        raise ParameterError(message)

    def run(data: Any, _number: int) -> Seen:  # noqa: ANN401 - data as the mechanism takes it
        try:
            returned = called(data, **given)
        except Exception as error:  # noqa: BLE001 - whatever it raises is what its user sees
            return refused(error)
        return value(returned)

    return run


def _black_box(  # noqa: PLR0913, PLR0917 - the parameters of an experiment
    name: str,
    run: Callable[[Any, int], Seen],
    pairs: Sequence[Pair],
    budget: Budget,
    runs: int,
    confidence: float,
    processes: int | None,
    progress: Progress | None,
) -> Check:
    each = 1 - (1 - confidence) / len(pairs)
    bounds = [
        epsilon_lower_bound(
            run,
            first,
            second,
            runs=runs,
            confidence=each,
            delta=float(budget.delta),
            features=examined,
            processes=processes,
            progress=progress,
        )
        for first, second in pairs
    ]
    worst = max(range(len(bounds)), key=lambda place: bounds[place].epsilon)
    found, claimed = bounds[worst].epsilon, float(budget.epsilon)
    proves_nothing = found == 0
    refusals = [_only_refusal(run, pair) for pair in pairs] if proves_nothing else []
    never = next((words for words in refusals if words), "")
    passed = found <= claimed and not never
    verdict = f"no more than the claimed {claimed:.4g}" if passed else f"more than the claimed {claimed:.4g}"
    summary = f"pair {worst + 1}: epsilon is at least {found:.2g}, {verdict}"
    if proves_nothing:
        summary = f"proves nothing: {f'every run was refused ({never})' if never else 'no event is likelier on one side'}"
    return Check(
        subject=name,
        test="black box",
        passed=passed,
        proves_nothing=proves_nothing,
        summary=summary,
        evidence=tuple(line for place, bound in enumerate(bounds, start=1) for line in _evidence(place, bound)),
        figures={"bound": found, "epsilon": claimed, "confidence": confidence, "runs": float(runs)},
    )


def _evidence(place: int, bound: BlackBoxBound) -> list[str]:
    return [f"pair {place}: {bound}", f"pair {place}: {bound.told}"]


TRIES = 20


def _only_refusal(run: Callable[[Any, int], Seen], pair: Pair) -> str:
    """The words of a refusal, if neither side of a pair is ever published."""
    outcomes = [run(data, number) for number in range(TRIES) for data in pair]
    return str(outcomes[0].form) if all(outcome.is_refusal for outcome in outcomes) else ""
