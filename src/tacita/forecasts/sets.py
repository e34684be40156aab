"""Forecasts of which method for baskets to use, from public facts, before any budget is spent.

Every method for sets that accepts the budget is run on simulated shops that agree with what is public (how many baskets, how
many items, how large baskets are if that is known) and differ in the rest. Nothing private is looked at and no ledger is charged:
every number here is about simulated data. Shops with more than `MOST_ITEMS` items in all baskets together are made smaller, and
epsilon larger by the same factor, as for sequences. Only very large shops are shrunk, because the number of baskets decides how
many of them are rare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from statistics import median

from tacita.arrays.ragged import Ragged
from tacita.errors import BudgetError, ParameterError
from tacita.forecasts import ForecastFigure, Request
from tacita.forecasts.intervals import (
    CLEARLY,
    WIDER_COUNT,
    Interval,
    least_records,
)
from tacita.kinds import Promise, methods
from tacita.privacy.budget import Budget, PureDP
from tacita.privacy.ledger import Ledger
from tacita.privacy.mechanism import Mechanism
from tacita.public.inputs import PublicInputs
from tacita.public.taxonomy import Taxonomy
from tacita.sets import BasketRecords
from tacita.simulate import BasketWorld, PublicFacts
from tacita.utility.set_floors import LONGEST, TOP, independent_baskets, kept_of

__all__ = ["MethodForecast", "SetForecast", "forecast_request", "forecast_sets"]

MOST_ITEMS = 300_000
MEAN_SIZES = (2.0, 5.0, 10.0)
TASTES = ((0.4, 0.8, 40), (0.8, 0.6, 6), (1.2, 0.3, 6))
"""What shops differ in, if the mean size is known: the exponent of popularity, loyalty to favourites, and types of shoppers."""

USUAL = TASTES[1]

WIDER, ROOM = 1.5, 0.05
"""Stated intervals are wider than what was seen by this factor and this difference: data may be unlike all shops."""

HARDLY_ANYTHING = 0.7
"""A release that loses more than this of the support of the most frequent itemsets is not worth its budget."""

ALIKE = 0.05
"""Tolerated difference in errors of random queries; over many items hardly any query matches, and an empty release does well."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class MethodForecast:
    """What one method keeps of all shops; intervals over them."""

    method: str
    items_kept: Interval
    query_error: Interval
    itemset_loss: Interval

    def line(self) -> str:
        """For people; a loss above 1 is worse than an empty release."""
        return (
            f"  {self.method}: items kept {_share(self.items_kept)}; "
            f"error of counting baskets with up to {LONGEST} items {_share(self.query_error)}; "
            f"support of the top {TOP} of them lost {_share(self.itemset_loss)}"
        )

    def figures(self, method: str | None) -> list[ForecastFigure]:
        """What pictures show."""
        return [
            self.query_error.figure(f"error of counting baskets with up to {LONGEST} items", best=0, method=method),
            self.itemset_loss.figure(f"support lost of the top {TOP} itemsets", best=0, method=method),
            self.items_kept.figure("share of items kept", best=1, method=method),
        ]

    def as_json(self) -> dict[str, object]:
        """For scripts."""
        return {
            "items_kept": self.items_kept.as_json(),
            "query_error": self.query_error.as_json(),
            "itemset_loss": self.itemset_loss.as_json(),
        }


@dataclass(frozen=True, kw_only=True)
class SetForecast:
    """What the chosen method and the others will probably keep, and which of them to use."""

    facts: PublicFacts
    worlds: tuple[str, ...]
    chosen: MethodForecast
    others: tuple[MethodForecast, ...]
    floors: tuple[MethodForecast, ...]
    better: str | None

    def lines(self) -> list[str]:
        """The forecast for people."""
        whole = f"{self.facts.records:,} baskets over {self.facts.labels:,} items"
        found = [
            f"forecast for {whole}, from {len(self.worlds)} simulated shops that could resemble them; no data was read:",
            self.chosen.line(),
            *(other.line() for other in self.others),
            "what the simplest releases would keep, for comparison:",
            *(floor.line() for floor in self.floors),
        ]
        if self.facts.mean_length is None:
            found.append("  a public mean size of baskets (--mean-length) would narrow this")
        return [*found, self._advice()] if self.others else found

    def _advice(self) -> str:
        if self._floor_is_better:
            return (
                "none of these keeps more of such data than items drawn independently: it takes more baskets or a larger epsilon"
            )
        if self.better is not None:
            return f"use {self.better} instead of {self.chosen.method}: it keeps clearly more of such data"
        if self.chosen.items_kept.middle < ALIKE:
            return f"a release by {self.chosen.method} would be next to empty: it takes more baskets or a larger epsilon"
        if self.chosen.itemset_loss.middle > HARDLY_ANYTHING:
            return "none of these keeps much of such data: it takes more baskets, fewer items or a larger epsilon"
        return f"use {self.chosen.method}: nothing here is clearly better"

    def figures(self) -> list[ForecastFigure]:
        """What pictures show, of all methods that were tried."""
        return [*self.chosen.figures(None), *(figure for other in self.others for figure in other.figures(other.method))]

    @property
    def _floor_is_better(self) -> bool:
        """Whether a floor loses clearly less than the method that would be recommended."""
        recommended = next((other for other in self.others if other.method == self.better), self.chosen)
        return any(floor.itemset_loss.middle < CLEARLY * recommended.itemset_loss.middle for floor in self.floors)

    def as_json(self) -> dict[str, object]:
        """The forecast for scripts."""
        return {
            "records": self.facts.records,
            "labels": self.facts.labels,
            "worlds": list(self.worlds),
            "floors": {floor.method: floor.as_json() for floor in self.floors},
            "chosen": {"method": self.chosen.method, **self.chosen.as_json()},
            "others": {other.method: other.as_json() for other in self.others},
            "better": self.better,
        }


def _share(interval: Interval) -> str:
    return f"{interval.low:.0%} to {interval.high:.0%} ({interval.middle:.0%})"


@dataclass(frozen=True)
class _Outcome:
    items_kept: float
    query_error: float
    itemset_loss: float


def forecast_request(request: Request) -> SetForecast:
    """The forecast for a publisher of sets, from public facts alone."""
    if request.like is not None:
        message = "--like says how people go from one label to the next, which baskets do not have; leave it out"
        raise ParameterError(message)
    return forecast_sets(
        request.name, request.method, request.budget, facts=request.facts, progress=request.progress, alone=request.alone
    )


def forecast_sets(
    name: str,
    method: Mechanism,
    budget: Budget,
    *,
    facts: PublicFacts,
    progress: Progress | None = None,
    alone: bool = False,
) -> SetForecast:
    """Run the method, called by its name, on the shops that the facts allow, and every other publisher unless `alone`."""
    if facts.records < 1:
        message = f"a forecast needs the number of baskets, at least 1, got {facts.records}"
        raise ParameterError(message)
    if not isinstance(budget, PureDP):
        message = "forecasts of sets cover only pure differential privacy; leave out --records or the delta"
        raise BudgetError(message)
    shops = dict(_shops(facts, budget))
    scaled = PureDP(budget.epsilon * Fraction(facts.records, next(iter(shops.values())).baskets))
    methods = {name: method, **({} if alone else _others(name, scaled, shops))}
    outcomes: dict[str, list[_Outcome]] = {}
    done = 0
    for title, one in methods.items():
        outcomes[title] = []
        for shop in shops.values():
            outcomes[title].append(_try(one, shop, scaled))
            done += 1
            if progress is not None:
                progress(done, len(methods) * len(shops))
    told = {title: _summary(title, tried) for title, tried in outcomes.items()}
    floors = _floors(list(shops.values()), scaled)
    return SetForecast(
        facts=facts,
        worlds=tuple(shops),
        chosen=told[name],
        others=tuple(other for title, other in told.items() if title != name),
        floors=tuple(_seen(title, tried) for title, tried in floors.items()),
        better=_better(name, outcomes),
    )


def _shops(facts: PublicFacts, budget: Budget) -> Iterator[tuple[str, BasketWorld]]:
    """Shops with the given mean size and several concentrations of popularity, or with small, medium and large baskets."""
    longest = min(facts.labels, facts.max_length or 10 * ceil(facts.mean_length or max(MEAN_SIZES)))
    known = facts.mean_length
    kinds = [(mean, USUAL) for mean in MEAN_SIZES] if known is None else [(known, taste) for taste in TASTES]
    baskets = _few_enough(facts, budget, mean=min(max(mean for mean, _ in kinds), float(longest)))
    categories = facts.labels // 12 + 1
    for mean, (exponent, loyalty, types) in dict.fromkeys((min(mean, float(longest)), taste) for mean, taste in kinds):
        yield (
            f"shop of mean size {mean:g}, exponent {exponent:g}",
            BasketWorld(
                baskets=baskets,
                items=facts.labels,
                categories=categories,
                favourites=min(3, categories),
                exponent=exponent,
                loyalty=loyalty,
                shopper_types=types,
                mean_length=mean,
                max_length=longest,
            ),
        )


def _few_enough(facts: PublicFacts, budget: Budget, *, mean: float) -> int:
    """The number of baskets to try: small enough to be quick, large enough for noise to be drawn at the larger epsilon."""
    return min(facts.records, max(int(MOST_ITEMS / mean), least_records(facts, budget)))


def _others(name: str, budget: PureDP, shops: Mapping[str, BasketWorld]) -> dict[str, Mechanism]:
    """Every other publisher of sets that accepts the budget and the universe, with its defaults."""
    universe = next(iter(shops.values())).universe
    found: dict[str, Mechanism] = {}
    for other in methods().values():
        if other.kind != methods()[name].kind or other.name == name or other.promise is not Promise.PURE:
            continue
        mechanism = other.load()()
        try:
            mechanism.plan(budget, PublicInputs(universe=universe))
        except ParameterError:  # the universe is too large for it
            continue
        found[other.name] = mechanism
    return found


def _try(method: Mechanism, shop: BasketWorld, budget: PureDP) -> _Outcome:
    """Publish a shop and compare; the shop is made up, so nothing is charged."""
    raw = shop.baskets_of_codes()
    taxonomy: Taxonomy | None = getattr(method, "taxonomy", None)
    universe = shop.universe if taxonomy is None else taxonomy.universe  # a tree over items has their names
    records = BasketRecords(baskets=raw, universe=universe, name="simulated")
    released: Ragged = method.publish(records, budget=budget, ledger=Ledger()).data.baskets  # type: ignore[attr-defined]
    return _outcome(raw, released, shop)


def _floors(shops: list[BasketWorld], budget: PureDP) -> dict[str, list[_Outcome]]:
    """What the simplest releases keep of all shops."""
    raws = [(shop.baskets_of_codes(), shop) for shop in shops]
    return {
        "independent": [
            _outcome(raw, independent_baskets(raw, items=shop.items, epsilon=float(budget.epsilon)), shop) for raw, shop in raws
        ],
        "nothing": [_outcome(raw, Ragged.from_lists([]), shop) for raw, shop in raws],
    }


def _outcome(raw: Ragged, released: Ragged, shop: BasketWorld) -> _Outcome:
    """Queries and itemsets of the sizes that `tacita evaluate` compares too."""
    kept = kept_of(raw, released, items=shop.items)
    return _Outcome(items_kept=released.codes.size / raw.codes.size, query_error=kept.error, itemset_loss=kept.lost)


def _summary(method: str, tried: list[_Outcome]) -> MethodForecast:
    return MethodForecast(
        method=method,
        items_kept=Interval.of([outcome.items_kept for outcome in tried], wider=WIDER_COUNT),
        query_error=_widened([outcome.query_error for outcome in tried]),
        itemset_loss=_widened([outcome.itemset_loss for outcome in tried]),
    )


def _seen(floor: str, tried: list[_Outcome]) -> MethodForecast:
    """A floor as it was seen: it is compared with, not promised."""
    return MethodForecast(
        method=floor,
        items_kept=Interval.of([outcome.items_kept for outcome in tried], wider=1.0),
        query_error=Interval.of([outcome.query_error for outcome in tried], wider=1.0),
        itemset_loss=Interval.of([outcome.itemset_loss for outcome in tried], wider=1.0),
    )


def _widened(values: list[float]) -> Interval:
    """The interval of what was seen, widened by a factor and a difference."""
    seen = Interval.of(values, wider=WIDER)
    return Interval(low=max(seen.low - ROOM, 0.0), middle=seen.middle, high=seen.high + ROOM)


def _better(name: str, outcomes: Mapping[str, list[_Outcome]]) -> str | None:
    """The method whose median loss of support over the shops is clearly smaller, without a clearly larger query error."""

    def middle(title: str) -> tuple[float, float]:
        tried = outcomes[title]
        return median(outcome.itemset_loss for outcome in tried), median(outcome.query_error for outcome in tried)

    loss, error = middle(name)
    others = {title: middle(title) for title in outcomes if title != name}
    found = [title for title, (less, other) in others.items() if less < CLEARLY * loss and other <= error + ALIKE]
    return min(found, key=lambda title: others[title][0], default=None)
