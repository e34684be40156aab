"""A lower bound on epsilon for anything that can be called, from its return values alone.

The callable runs many times on two neighbours. Half of the runs are used to learn an event that is much more likely on one side.
The other half, which had no part in choosing it, bounds the two probabilities of that event by Clopper-Pearson intervals. If the
bound exceeds the claim, the claim is false, with the stated confidence. If it does not, nothing is proved.

If the claim has a delta, it is subtracted from the larger probability first.

Numbers are also examined by their last binary digits, because that is where floating-point noise gives itself away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import frexp, isfinite, log
from typing import Any

from tacita.auditing.runs import count_outcomes
from tacita.auditing.verdict import clopper_pearson

__all__ = ["BlackBoxBound", "Examined", "Feature", "epsilon_lower_bound", "number_features"]

Feature = Callable[[Hashable], Hashable]


@dataclass(frozen=True, kw_only=True)
class BlackBoxBound:
    """Epsilon is at least this, with this confidence, because of this event."""

    epsilon: float
    confidence: float
    event: str
    hits: tuple[int, int]
    runs: int
    is_empty: bool = False
    told: str = ""
    """What was examined and what was not, if somebody says so."""

    def __str__(self) -> str:
        """Render for people."""
        if self.is_empty:
            return (
                f"no event was found that promises to be likelier on one side, in {self.runs:,} runs per side: nothing is proved"
            )
        return (
            f"epsilon is at least {self.epsilon:.4f} with {self.confidence:.2%} confidence: {self.event} "
            f"came {self.hits[0]} against {self.hits[1]} times in {self.runs:,} runs per side"
        )


def epsilon_lower_bound(  # noqa: PLR0913 - the parameters of an experiment
    mechanism: Callable[[Any, int], Hashable],
    first: Any,  # noqa: ANN401 - whatever the mechanism takes
    second: Any,  # noqa: ANN401 - whatever the mechanism takes
    *,
    runs: int = 100_000,
    confidence: float = 0.999,
    delta: float = 0.0,
    features: Sequence[tuple[str, Feature]] | Callable[[Sequence[Counter[Hashable]]], Examined] = (),
    processes: int | None = 1,
    progress: Callable[[int, int], None] | None = None,
) -> BlackBoxBound:
    """Bound epsilon from below; `mechanism` gets a data set and the number of the run, and returns anything hashable.

    `features` are further ways to look at an outcome, or a function that chooses them by the first quarter of the runs.
    Runs must be independent: a mechanism with a generator of its own may run
    in several processes (None means all cores) only if it makes that generator from the number of the run.
    """
    counted = [count_outcomes(mechanism, side, runs=runs, processes=processes, progress=progress) for side in (first, second)]
    learnt, chosen, tested = (
        [sum((side[part] for part in parts), Counter()) for side in counted] for parts in ((0,), (1,), (2, 3))
    )
    claim = _Claim(risk=(1 - confidence) / 2, delta=delta)
    examined = features(learnt) if callable(features) else Examined(features=features, told="")
    events = [
        _learn(feature, name, learnt, swapped=swapped, claim=claim)
        for name, feature in (*_FEATURES, *examined.features)
        for swapped in (False, True)
    ]
    best = max(events, key=lambda event: event.bound(chosen, claim))
    hits, bound = best.hits(tested), best.bound(tested, claim)
    event = f"{best.describe()} on the {'second' if best.swapped else 'first'} side"
    return BlackBoxBound(
        epsilon=bound,
        confidence=confidence,
        event=event,
        hits=hits,
        runs=tested[0].total(),
        is_empty=not best.values,
        told=examined.told,
    )


@dataclass(frozen=True, kw_only=True)
class _Claim:
    """How events are tested: the risk that a bound is wrong, and the delta that is claimed beside epsilon."""

    risk: float
    delta: float

    def refuted(self, hits: tuple[int, int], runs: int) -> float:
        """The largest epsilon that these numbers of hits on the two sides rule out."""
        low = clopper_pearson(hits[0], runs, risk=self.risk)[0] - self.delta
        high = clopper_pearson(hits[1], runs, risk=self.risk)[1]
        return max(0.0, log(low / high)) if low > 0 else 0.0


@dataclass(frozen=True, kw_only=True)
class _Event:
    """A set of feature values that is more likely on one side."""

    feature: Feature
    name: str
    values: frozenset[Hashable]
    swapped: bool

    def hits(self, sides: Sequence[Counter[Hashable]]) -> tuple[int, int]:
        """How often it happened on the side where it is likely, and on the other side."""
        first, second = (sum(times for outcome, times in side.items() if self.feature(outcome) in self.values) for side in sides)
        return (second, first) if self.swapped else (first, second)

    def bound(self, sides: Sequence[Counter[Hashable]], claim: _Claim) -> float:
        """What these runs prove about the log-ratio of its probabilities."""
        return claim.refuted(self.hits(sides), sides[0].total())

    def describe(self) -> str:
        some = sorted(map(repr, self.values))
        return f"{self.name} in {{{', '.join(some[:4])}{', ...' if len(some) > 4 else ''}}}"


def _learn(feature: Feature, name: str, outcomes: Sequence[Counter[Hashable]], *, swapped: bool, claim: _Claim) -> _Event:
    """Add values from the most one-sided down, and keep the set that promises most on these runs."""
    sides: list[Counter[Hashable]] = []
    for side in outcomes:
        features: Counter[Hashable] = Counter()
        for outcome, times in side.items():
            features[feature(outcome)] += times
        sides.append(features)
    mine, other = (sides[1], sides[0]) if swapped else (sides[0], sides[1])
    # Equally one-sided values are ranked by their names, so that what is learnt does not depend on which worker was first.
    ranked = sorted(mine, key=lambda value: ((mine[value] + 3) / (other[value] + 3), mine[value], repr(value)), reverse=True)
    promise, chosen, hits, misses, checked = 0.0, 0, 0, 0, 0
    for size, value in enumerate(ranked, start=1):
        hits, misses = hits + mine[value], misses + other[value]
        if hits < checked * 1.02 + 5:  # a set that has hardly grown promises hardly more
            continue
        checked = hits
        proved = claim.refuted((hits, misses), mine.total())
        if proved > promise:
            promise, chosen = proved, size
    return _Event(feature=feature, name=name, values=frozenset(ranked[:chosen]), swapped=swapped)


def _itself(outcome: Hashable) -> Hashable:
    return outcome


def _rounded(outcome: Hashable) -> Hashable:
    """Numbers rounded to a tenth, so that values that never repeat are grouped."""
    return round(outcome, 1) if isinstance(outcome, float) and isfinite(outcome) else outcome


def _last_digits(outcome: Hashable) -> Hashable:
    """The position of the last non-zero binary digit of a floating-point number, and its magnitude."""
    if not isinstance(outcome, float) or not isfinite(outcome) or outcome == 0:
        return outcome
    mantissa, exponent = frexp(outcome)
    digits = int(abs(mantissa) * 2**53)
    trailing = (digits & -digits).bit_length() - 1
    return (min(max(exponent, -2), 2), exponent - 53 + trailing)


_FEATURES: tuple[tuple[str, Feature], ...] = (
    ("the output", _itself),
    ("the output rounded to a tenth", _rounded),
    ("(size, last binary digit) of the output", _last_digits),
)


@dataclass(frozen=True)
class Examined:
    """Ways to look at outcomes that were chosen by some of the runs, and a sentence that says what they cover."""

    features: Sequence[tuple[str, Feature]]
    told: str


def number_features(name: str, part: Feature) -> list[tuple[str, Feature]]:
    """A part of the outcome as it is, rounded, and by its last binary digits."""
    return [(shown.replace("the output", name), _composed(feature, part)) for shown, feature in _FEATURES]


def _composed(feature: Feature, part: Feature) -> Feature:
    return lambda outcome: feature(part(outcome))
