"""The audit of any mechanism: a function, a class of another library, or a method that publishes through a ledger.

The caller gives a mechanism, the (epsilon, delta) that it claims, and pairs of neighbouring data sets on which a breach would
show. A callable is run many times on both sides of each pair, and a lower bound on epsilon is proved from what it returns. A
mechanism that publishes through a ledger of this library is also replayed: its loss is computed draw by draw, and every byte that
leaves is compared.

>>> def count(people):
...     return len(people)  # and no noise
>>> audit_any(count, [([1, 2], [1, 2, 3])], epsilon=1, runs=400).passed
False

What can be seen of one return value: its numbers, each by its place, and its form (types, shapes, order), or a refusal.

Two values that Python takes for equal may look different in every file: `True` and `1`, 3 and 3.0, an array of another type, a
dictionary in another order. So an outcome is a pair of leaves and form, and both are examined. A value with too many
pieces is compared as a whole first and only the pieces that differ most are examined; the audit lists the others.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from math import copysign, isfinite, isnan
from typing import Any

import numpy as np

from tacita.auditing.black_box import BlackBoxBound, Examined, Feature, epsilon_lower_bound, number_features
from tacita.auditing.exact_replay import audit_pairs
from tacita.auditing.verdict import AuditReport, Check
from tacita.errors import ParameterError
from tacita.privacy.budget import ApproxDP, Budget, Exact, PureDP, decimal_text

__all__ = [
    "MOST_EXAMINED",
    "Seen",
    "Target",
    "audit_any",
    "examined",
    "refused",
    "seen",
]

MOST_EXAMINED = 64
"""At most this many places are examined one by one: those whose frequencies differ most."""

LONGEST_FORM = 64
"""At most this many parts of a sequence are listed with their types; for longer ones, only the set of types."""


class Seen:
    """One outcome: each leaf with the place where it was, and the form of the whole."""

    __slots__ = ("_hash", "_table", "form", "leaves")

    def __init__(self, leaves: tuple[tuple[Hashable, Hashable], ...], form: Hashable) -> None:
        """Keep both; they are hashed once, because every way to look at outcomes counts them again."""
        self.leaves, self.form = leaves, form
        self._hash = hash((leaves, form))
        self._table: dict[Hashable, Hashable] | None = None

    def __hash__(self) -> int:
        """The hash of both."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Equal if nothing that can be seen differs."""
        return isinstance(other, Seen) and (self.form, self.leaves) == (other.form, other.leaves)

    def __repr__(self) -> str:
        """The leaves, and how they were held."""
        return f"{[value for _, value in self.leaves]} as {self.form}"

    def __reduce__(self) -> tuple[type[Seen], tuple[Hashable, Hashable]]:
        """Make it anew in another process, where hashes may differ."""
        return Seen, (self.leaves, self.form)

    @property
    def table(self) -> dict[Hashable, Hashable]:
        """The leaf at each place."""
        if self._table is None:
            self._table = dict(self.leaves)
        return self._table

    @property
    def is_refusal(self) -> bool:
        """Whether nothing came back."""
        return isinstance(self.form, tuple) and self.form[:1] == ("refused",)


def refused(error: Exception) -> Seen:
    """What is seen of a run that raises: the kind of error and its words."""
    return Seen((), ("refused", type(error).__name__, str(error)))


def seen(value: Any) -> Seen:  # noqa: ANN401 - whatever a mechanism returns
    """Take a return value apart."""
    leaves: list[tuple[Hashable, Hashable]] = []
    form = _taken_apart(value, (), leaves)
    return Seen(tuple(leaves), form)


def _taken_apart(value: Any, place: tuple[Hashable, ...], leaves: list[tuple[Hashable, Hashable]]) -> Hashable:  # noqa: ANN401, PLR0911 - one line for each sort of value
    if hasattr(value, "manifest") and hasattr(value, "data"):
        return _taken_apart(value.data, place, leaves)
    if hasattr(value, "to_labels"):
        return _taken_apart(value.to_labels(), place, leaves)
    name = type(value).__name__
    if isinstance(value, np.generic):
        return (name, _taken_apart(value.item(), place, leaves))
    if isinstance(value, np.ndarray):
        for number, part in enumerate(value.reshape(-1).tolist()):
            _taken_apart(part, (*place, number), leaves)
        return (name, str(value.dtype), value.shape)
    if isinstance(value, Mapping):
        keys = {key: seen(key) for key in value}
        forms = {key: _taken_apart(value[key], (*place, keys[key]), leaves) for key in sorted(value, key=repr)}
        return (name, tuple((keys[key], forms[key]) for key in value))
    if isinstance(value, AbstractSet):
        whole = frozenset(seen(part) for part in value)
        leaves.append((place, whole))
        return (name, len(value))
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        forms_in_order = [_taken_apart(part, (*place, number), leaves) for number, part in enumerate(value)]
        return (name, len(value), tuple(forms_in_order) if len(value) <= LONGEST_FORM else frozenset(forms_in_order))
    if not isinstance(value, Hashable):
        message = f"the mechanism returns {name}, which cannot be counted; give an outcome that makes a value of it"
        raise ParameterError(message)
    leaves.append((place, _told_apart(value)))
    return name


def _told_apart(value: Hashable) -> Hashable:
    """The value, or its name: no NaN equals another one, and a zero with a sign equals one without, though people see both."""
    is_odd = isinstance(value, float) and (isnan(value) or (value == 0 and copysign(1, value) < 0))
    return str(value) if is_odd else value


# How outcomes are looked at.


def examined(learnt: Sequence[Counter[Hashable]]) -> Examined:
    """The ways to look at outcomes, chosen by some runs of both sides, and a sentence on what is examined and what is not."""
    features: list[tuple[str, Feature]] = [
        ("the types, shapes and order of the output", _form),
        ("whether it is refused", _refusal),
        ("which places there are", _places),
        *number_features("the sum of all numbers", _sum),
    ]
    places = _by_difference(learnt)
    some = places[:MOST_EXAMINED]
    for place in some:
        features += number_features(f"the number at {_shown(place)}", _at(place))
    told = (
        f"examined: the whole output, its types, shapes and order, refusals, the sum, and {len(some):,} of {len(places):,} places"
    )
    if len(places) > len(some):
        told += (
            f"; the frequencies of all {len(places):,} places were compared, "
            f"the {len(places) - len(some):,} that differ least were not examined further"
        )
    return Examined(features=tuple(features), told=f"{told}; not examined: other functions of several numbers, time and memory")


def _by_difference(learnt: Sequence[Counter[Hashable]]) -> list[Hashable]:
    """All places, those first whose values have the most different frequencies on the two sides (rounded to a tenth)."""
    tables: list[dict[Hashable, Counter[Hashable]]] = []
    for side in learnt:
        table: dict[Hashable, Counter[Hashable]] = {}
        for outcome, times in side.items():
            if isinstance(outcome, Seen):
                for place, value in outcome.leaves:
                    table.setdefault(place, Counter())[_coarse(value)] += times
        tables.append(table)
    places = list(dict.fromkeys([*tables[0], *tables[1]]))

    def difference(place: Hashable) -> int:
        first, second = (table.get(place, Counter()) for table in tables)
        return sum(abs(first[value] - second[value]) for value in first.keys() | second.keys())

    return places if len(places) <= MOST_EXAMINED else sorted(places, key=difference, reverse=True)


def _coarse(value: Hashable) -> Hashable:
    return round(value, 1) if isinstance(value, float) and isfinite(value) else value


def _at(place: Hashable) -> Feature:
    def look(outcome: Hashable) -> Hashable:
        return outcome.table.get(place) if isinstance(outcome, Seen) else None

    return look


def _form(outcome: Hashable) -> Hashable:
    return outcome.form if isinstance(outcome, Seen) else None


def _refusal(outcome: Hashable) -> Hashable:
    return isinstance(outcome, Seen) and outcome.is_refusal


def _places(outcome: Hashable) -> Hashable:
    return frozenset(place for place, _ in outcome.leaves) if isinstance(outcome, Seen) else None


def _sum(outcome: Hashable) -> Hashable:
    if not isinstance(outcome, Seen):
        return None
    numbers = [value for _, value in outcome.leaves if isinstance(value, int | float)]
    return sum(numbers) if numbers else None


def _shown(place: Hashable) -> str:
    """A place for people: `1st`, `count`, `3, people`."""
    if not isinstance(place, tuple) or not place:
        return "the only place"
    parts = [step.leaves[0][1] if isinstance(step, Seen) and step.leaves else step for step in place]
    return "place " + ", ".join(str(part + 1) if isinstance(part, int) else repr(part) for part in parts)


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
