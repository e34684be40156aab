"""Forecasts of what a release of sequences will keep, before any budget is spent.

Public facts (how many people, how large a universe, how long sequences are) do not say how people behave, so the method is run
on a family of lookalikes that agree with the facts and differ in the rest. What it keeps of them spans an interval. Nothing
private is looked at and no ledger is charged: every number here is about simulated data.

A count of people survives the noise if it is large compared with 1 / epsilon, so what is kept depends on the number of people
times epsilon. Lookalikes are made smaller, and epsilon larger by the same factor, so that all of them together cost less than
the publication that they represent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf
from statistics import median

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.forecasts import ForecastFigure, Request
from tacita.forecasts.times import forecast_times
from tacita.forecasts.trials import (
    CLEARLY,
    EMPTY,
    FEW,
    LONGEST_QUERY,
    QUERIES,
    SANITY_SHARE,
    USUAL_EXPONENT,
    WIDER,
    WIDER_COUNT,
    Interval,
    TrialForecast,
    least_records,
    one_of_each,
    people_for,
    scaled_budget,
)
from tacita.kinds.sequences import USUAL_HEIGHT
from tacita.privacy.budget import Budget, PureDP
from tacita.privacy.ledger import Ledger
from tacita.privacy.publishing import Mechanism
from tacita.public.parameters import instance_of
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.sequences import Granularity, Lost, NGram, PrefixTree, PrivateLength, Raked, SequenceRecords
from tacita.simulate import Behaviour, Lookalike, PublicFacts, lookalikes
from tacita.trees import Inference
from tacita.utility import QueryWorkload, count_location_sets, location_sets, relative_errors
from tacita.utility.floors import INDEPENDENT, NOTHING
from tacita.utility.sequences import independent_sequences

__all__ = ["Forecast", "Suggestion", "forecast", "forecast_request"]

WIDER_OF_FEW = 2.0
"""A publication of few people is forecast from one lookalike of each behaviour; intervals are then wider than what was seen by
this factor."""

HEIGHTS = (2, 3, 4, 6, 8, 12, 20)

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """A variant, or another method, that did clearly better on the lookalikes."""

    method: Mechanism
    changes: str
    query_error: Interval


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """What a release will probably keep; intervals over all lookalikes."""

    facts: PublicFacts
    worlds: tuple[str, ...]
    symbols_kept: Interval
    mean_length: Interval
    records: Interval
    query_error: Interval
    suggestion: Suggestion | None
    other: Suggestion | None = None
    floors: Mapping[str, Interval] = field(default_factory=dict)
    """The error of the same queries if the simplest releases answer them."""

    @property
    def is_empty(self) -> bool:
        """Whether the release would have next to nothing in it, on all worlds."""
        return self.symbols_kept.high < EMPTY

    @property
    def better_floor(self) -> str | None:
        """The simplest release that answers such queries better than the method and all that is suggested in its place."""
        tried = [self.query_error, *(each.query_error for each in (self.suggestion, self.other) if each is not None)]
        least = min(error.middle for error in tried)
        found = {name: error.middle for name, error in self.floors.items() if error.middle < least}
        return min(found, key=lambda name: found[name], default=None)

    def lines(self) -> list[str]:
        """The forecast for people."""
        whole = f"{self.facts.records:,} records over {self.facts.labels:,} labels"
        found = [
            f"forecast for {whole}, from {len(self.worlds)} simulated worlds that could resemble them; no data was read:",
            f"  symbols kept: {self.symbols_kept.text(_percent)}",
            f"  mean length of a released sequence: {self.mean_length.text(_short)}",
            f"  released sequences per true one: {self.records.text(_short)}",
            f"  relative error of counting who visited {LONGEST_QUERY} labels or fewer: {self.query_error.text(_percent)}",
        ]
        found += [f"    of the simplest releases, {name}: {error.text(_percent)}" for name, error in self.floors.items()]
        if self.facts.mean_length is None:
            found.append("  a public mean length (--mean-length), or what people do (--like), would narrow this")
        for what, better in (("another method that is better", self.other), ("better", self.suggestion)):
            if better is not None:
                found.append(f"{what} on these worlds: {better.changes}, with an error of {better.query_error.text(_percent)}")
        if self.is_empty:
            found.append("this release would be next to empty: it takes more records or a larger epsilon")
        if self.better_floor is not None:
            what = "an empty release" if self.better_floor == NOTHING else f"the simplest release ({self.better_floor})"
            found.append(f"for such queries {what} is better than any of these: it takes more records or a larger epsilon")
        return found

    def figures(self) -> list[ForecastFigure]:
        """What pictures show."""
        return [
            self.query_error.figure(f"error of counting who visited up to {LONGEST_QUERY} labels", best=0),
            self.symbols_kept.figure("share of symbols kept", best=1),
        ]

    def as_json(self) -> dict[str, object]:
        """The forecast for scripts."""
        better, other = self.suggestion, self.other
        return {
            "records": self.facts.records,
            "labels": self.facts.labels,
            "worlds": list(self.worlds),
            "symbols_kept": self.symbols_kept.as_json(),
            "mean_length": self.mean_length.as_json(),
            "records_ratio": self.records.as_json(),
            "query_error": self.query_error.as_json(),
            "better": None if better is None else {"changes": better.changes, "query_error": better.query_error.as_json()},
            "floors": {name: error.as_json() for name, error in self.floors.items()},
            "better_floor": self.better_floor,
            "other_method": None if other is None else {"changes": other.changes, "query_error": other.query_error.as_json()},
        }


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.1 else f"{share:.1%}"


def _short(number: float) -> str:
    return f"{number:.2f}"


@dataclass(frozen=True)
class _Outcome:
    """What a release of one world kept."""

    symbols_kept: float
    mean_length: float
    records: float
    query_error: float


@dataclass(frozen=True)
class _Stage:
    """A world at the size that is tried, the matching budget, and count queries with their true answers."""

    world: Lookalike
    sequences: Ragged
    budget: Budget
    epsilon: float
    queries: Ragged
    answers: Integers

    @classmethod
    def of(cls, world: Lookalike, budget: Budget, *, epsilon: float) -> _Stage:
        """Make the world and answer its queries, once for all the variants tried on it."""
        workload = QueryWorkload(longest=LONGEST_QUERY, subsets=1, queries_each=QUERIES, seed=world.seed)
        (queries,) = location_sets(workload, symbols=world.facts.labels)
        sequences = world.sequences()
        answers = count_location_sets(sequences, queries, symbols=world.facts.labels)
        return cls(world, sequences, budget, epsilon, queries, answers)

    def error_of(self, released: Ragged) -> float:
        """The mean relative error of the queries in a release."""
        answers = count_location_sets(released, self.queries, symbols=self.world.facts.labels)
        return float(relative_errors(self.answers, answers, sanity_bound=SANITY_SHARE * len(self.sequences)).mean())


@dataclass(frozen=True)
class _Variant:
    """A method with one thing changed; it is suggested if its error is below a share of the chosen method's."""

    changes: str
    method: Mechanism
    below: float = CLEARLY


def forecast_request(request: Request) -> Forecast | TrialForecast:
    """The forecast for a publisher of sequences, with or without times, from public facts alone."""
    behaviours = tuple(Behaviour) if request.like is None else [_behaviour(name) for name in request.like]
    if request.public.grid is not None:
        return forecast_times(request, request.public.grid, behaviours)
    return forecast(
        request.method,
        request.required_budget,
        facts=request.facts,
        behaviours=behaviours,
        taxonomy=request.taxonomy,
        progress=request.progress,
        alone=request.alone,
    )


def _behaviour(name: str) -> Behaviour:
    try:
        return Behaviour(name)
    except ValueError:
        message = f"--like takes {', '.join(Behaviour)}, separated by commas, got {name!r}"
        raise ParameterError(message) from None


def forecast(  # noqa: PLR0913 - what is known beforehand
    method: Mechanism,
    budget: Budget,
    *,
    facts: PublicFacts,
    behaviours: Iterable[Behaviour] = tuple(Behaviour),
    taxonomy: Taxonomy | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    alone: bool = False,
) -> Forecast:
    """Run the method, and variants of it, on the lookalikes that the facts allow.

    `behaviours` narrows them down to those that the owner knows to resemble the data; with a `taxonomy`, a hybrid tree is also
    tried. If it is forecast `alone`, nothing better is looked for, which takes a fraction of the time.
    """
    instance_of(facts, PublicFacts, name="the facts of a forecast")
    if facts.records < 1:
        message = f"a forecast needs a number of records of at least 1, got {facts.records}"
        raise ParameterError(message)
    wanted = set(behaviours)
    variants, others = ([], []) if alone else (list(_variants(method, facts, taxonomy)), list(_others(method, budget)))
    possible = [world for world in lookalikes(facts, seed=seed) if world.behaviour in wanted]
    if not possible:
        message = "no simulated world agrees with these facts and behaviours; leave the mean length or the behaviours out"
        raise ParameterError(message)
    are_few = facts.records < FEW
    if are_few:
        possible = one_of_each(possible)
    compared = sum(world.exponent == USUAL_EXPONENT for world in possible)
    smaller = _smaller(method, facts, budget, runs=len(possible) + compared * (len(variants) + len(others)))
    chosen = [replace(world, facts=smaller) for world in possible]
    fewer = Fraction(facts.records, chosen[0].facts.records)
    scaled = scaled_budget(budget, fewer, in_rho=True)
    stages = [_Stage.of(world, scaled, epsilon=float(budget.epsilon * fewer)) for world in chosen]
    usual = [place for place, stage in enumerate(stages) if stage.world.exponent == USUAL_EXPONENT]
    work = len(stages) + len(usual) * (len(variants) + len(others))

    def tell(done: int) -> None:
        if progress is not None:
            progress(done, work)

    outcomes = []
    for place, stage in enumerate(stages, start=1):
        outcomes.append(_try(method, stage))
        tell(place)
    errors = [outcomes[place].query_error for place in usual]
    usual_stages = [stages[place] for place in usual]
    suggestion = _best(usual_stages, errors, variants, lambda done: tell(len(stages) + done))
    other = _best(usual_stages, errors, others, lambda done: tell(len(stages) + len(usual) * len(variants) + done))
    wider = WIDER_OF_FEW if are_few else WIDER
    return Forecast(
        facts=facts,
        worlds=tuple(stage.world.name for stage in stages),
        symbols_kept=Interval.of([outcome.symbols_kept for outcome in outcomes], wider=wider).within(0.0, WIDER_COUNT),
        mean_length=Interval.of([outcome.mean_length for outcome in outcomes], wider=wider).within(1.0, _longest(method)),
        records=Interval.of([outcome.records for outcome in outcomes], wider=WIDER_COUNT),
        query_error=Interval.of([outcome.query_error for outcome in outcomes], wider=wider),
        suggestion=suggestion,
        other=other,
        floors=_floors(stages),
    )


def _floors(stages: Sequence[_Stage]) -> dict[str, Interval]:
    """The errors of the simplest releases, as they were seen."""
    errors: dict[str, list[float]] = {INDEPENDENT: [], NOTHING: []}
    for stage in stages:
        made = independent_sequences(stage.sequences, labels=stage.world.facts.labels, epsilon=stage.epsilon)
        errors[INDEPENDENT].append(stage.error_of(made))
        errors[NOTHING].append(stage.error_of(Ragged.from_lists([])))
    return {name: Interval.of(seen, wider=1.0) for name, seen in errors.items()}


def _longest(method: Mechanism) -> float:
    """The longest possible released sequence; every publisher of sequences cuts them somewhere."""
    length: int | PrivateLength | None = getattr(method, "height", getattr(method, "max_length", None))
    if length is None:
        return inf
    return float(length.longest if isinstance(length, PrivateLength) else length)


def _smaller(method: Mechanism, facts: PublicFacts, budget: Budget, *, runs: int) -> PublicFacts:
    """The number of people to try: small enough to be quick, large enough for noise at the larger epsilon."""
    few = people_for(facts.records, runs=runs, is_tree=isinstance(method, PrefixTree))
    return replace(facts, records=min(facts.records, max(few, least_records(facts, budget))))


def _try(method: Mechanism, stage: _Stage) -> _Outcome:
    """Publish a world and compare; the world is public, so nothing is charged."""
    labels = stage.world.facts.labels
    taxonomy: Taxonomy | None = getattr(method, "taxonomy", None)
    universe = taxonomy.universe if taxonomy is not None else Universe(map(str, range(labels)))
    records = SequenceRecords(sequences=stage.sequences, universe=universe, name="simulated")
    released: Ragged = method.publish(records, budget=stage.budget, ledger=Ledger()).data.sequences  # type: ignore[attr-defined] # a release of sequences
    return _Outcome(
        symbols_kept=released.codes.size / stage.sequences.codes.size,
        mean_length=released.codes.size / max(1, len(released)),
        records=len(released) / len(stage.sequences),
        query_error=stage.error_of(released),
    )


def _variants(method: Mechanism, facts: PublicFacts, taxonomy: Taxonomy | None) -> Iterable[_Variant]:
    """A prefix tree with one thing changed: its height, its granularity, or what happens to lost sequences."""
    if not isinstance(method, PrefixTree):
        return
    if not isinstance(method.height, PrivateLength):
        longest = facts.max_length or max(HEIGHTS)
        for height in HEIGHTS:
            if height != method.height and height <= max(2, longest):
                yield _Variant(f"height {height}", replace(method, height=height))
    if method.granularity is Granularity.HYBRID:
        simple = replace(method, granularity=Granularity.SIMPLE, taxonomy=None)
        yield _Variant("the simple granularity", simple, below=1.0)
    elif taxonomy is not None:
        hybrid = replace(method, granularity=Granularity.HYBRID, taxonomy=taxonomy)
        yield _Variant("the hybrid granularity", hybrid, below=1.0)
    if method.lost is Lost.END:
        continued = replace(method, lost=Lost.CONTINUE, inference=Inference.CORRECTED)
        yield _Variant("lost sequences continued, with corrected counts", continued)


def _others(method: Mechanism, budget: Budget) -> Iterable[_Variant]:
    """The method that is usually best beside the one that was chosen, if it is another; a tree is its own variant.

    With a delta there is no other that takes it.
    """
    longest = _longest(method)
    if not isinstance(budget, PureDP):
        return
    if isinstance(method, Raked):
        yield _Variant("prefix-tree", PrefixTree(height=min(method.max_length, USUAL_HEIGHT)))
    elif isinstance(method, NGram) or (isinstance(method, PrefixTree) and method.taxonomy is None):
        yield _Variant("raked", Raked(max_length=int(longest)))


def _best(
    stages: Sequence[_Stage], errors: list[float], variants: list[_Variant], tell: Callable[[int], None]
) -> Suggestion | None:
    """The variant with the smallest median error, if it is clearly smaller and no world is worse off.

    Between the two granularities any gain decides, because neither costs more than the other.
    """
    found: list[Suggestion] = []
    for turn, variant in enumerate(variants, start=1):
        tried = [_try(variant.method, stage).query_error for stage in stages]
        tell(len(stages) * turn)
        is_never_worse = all(new <= old * 1.05 for new, old in zip(tried, errors, strict=True))
        if is_never_worse and median(tried) < variant.below * median(errors):
            found.append(Suggestion(method=variant.method, changes=variant.changes, query_error=Interval.of(tried)))
    return min(found, key=lambda suggestion: suggestion.query_error.middle, default=None)
