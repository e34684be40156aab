"""Forecasts of which method for baskets to use, from public facts, before any budget is spent.

Every method for sets that accepts the budget is run on simulated shops that agree with what is public (how many baskets, how
many items, how large baskets are if that is known) and differ in the rest. Nothing private is looked at and no ledger is charged:
every number here is about simulated data.

What is kept depends on the number of baskets times epsilon. Shops are made smaller, and epsilon larger by the same factor, until
all of them together hold about a third of the items that the publication would read, so that a forecast costs less than what it
forecasts; but none has fewer than `FEWEST_ITEMS` items in all its baskets, or than there are items to choose from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.forecasts import Request
from tacita.forecasts.trials import ALIKE, Measure, Outcome, TrialForecast, least_records, run_trials, scaled_budget
from tacita.kinds import Promise, methods
from tacita.privacy.budget import Budget, PureDP
from tacita.privacy.ledger import Ledger
from tacita.privacy.publishing import Mechanism, Progress
from tacita.public.inputs import PublicInputs
from tacita.public.taxonomy import Taxonomy
from tacita.sets import BasketRecords
from tacita.sets.records import refuse_times
from tacita.simulate import BasketWorld, PublicFacts
from tacita.utility.floors import LONGEST, TOP
from tacita.utility.sets import independent_baskets, kept_of

__all__ = ["forecast_request", "forecast_sets"]

FEWEST_ITEMS, MOST_ITEMS = 20_000, 100_000
"""How many items all baskets of a shop have together, at least and at the most."""

QUERIES = 1_000
MEAN_SIZES = (2.0, 5.0, 10.0)
TASTES = ((0.4, 0.8, 40), (0.8, 0.6, 6), (1.2, 0.3, 6))
"""What shops differ in, if the mean size is known: the exponent of popularity, loyalty to favourites, and types of shoppers."""

USUAL = TASTES[1]

MEASURES = (
    Measure(key="items_kept", title="items kept", best=1.0, wider=1.6, room=0.0, is_share=True),
    Measure(key="query_error", title=f"error of counting baskets with up to {LONGEST} items", guards=ALIKE),
    Measure(key="itemset_loss", title=f"support of the top {TOP} of them lost", decides=True),
)


def forecast_request(request: Request) -> TrialForecast:
    """The forecast for a publisher of sets, from public facts alone."""
    if request.like is not None:
        message = "--like says how people go from one label to the next, which baskets do not have; leave it out"
        raise ParameterError(message)
    refuse_times(request.public.grid)
    return forecast_sets(
        request.name, request.method, request.required_budget, facts=request.facts, progress=request.progress, alone=request.alone
    )


@dataclass(frozen=True)
class _Trial:
    """A shop, its baskets, and the epsilon that is as large for it as the true one is for the data."""

    shop: BasketWorld
    raw: Ragged
    epsilon: float

    def outcome(self, released: Ragged) -> Outcome:
        """Queries and itemsets of the sizes that `tacita evaluate` compares too."""
        kept = kept_of(self.raw, released, items=self.shop.items, queries=QUERIES)
        share = released.codes.size / max(self.raw.codes.size, 1)
        return {"items_kept": share, "query_error": kept.error, "itemset_loss": kept.lost}


def forecast_sets(
    name: str,
    method: Mechanism,
    budget: Budget,
    *,
    facts: PublicFacts,
    progress: Progress | None = None,
    alone: bool = False,
) -> TrialForecast:
    """Run the method, called by its name, on the shops that the facts allow, and every other publisher unless `alone`."""
    if facts.records < 1:
        message = f"a forecast needs the number of baskets, at least 1, got {facts.records}"
        raise ParameterError(message)
    shops = dict(_shops(facts, budget))
    any_shop = next(iter(shops.values()))
    scaled = scaled_budget(budget, Fraction(facts.records, any_shop.baskets))
    contestants = {name: _contestant(method, scaled)}
    if not alone:
        pure = PureDP(scaled.epsilon)
        contestants |= {title: _contestant(other, pure) for title, other in _others(name, pure, any_shop).items()}
    told, floors = run_trials(
        (_Trial(shop, shop.baskets_of_codes(), float(scaled.epsilon)) for shop in shops.values()),
        contestants,
        measures=MEASURES,
        floors={"independent": _independent, "nothing": lambda trial: trial.outcome(Ragged.from_lists([]))},
        progress=progress,
        number=len(shops),
    )
    known = facts.mean_length is not None
    return TrialForecast(
        kind="sets",
        subject=(
            f"{facts.records:,} baskets over {facts.labels:,} items, from {len(shops)} simulated shops that could resemble them"
        ),
        facts={"records": facts.records, "labels": facts.labels},
        worlds=tuple(shops),
        measures=MEASURES,
        chosen=told[0],
        others=tuple(told[1:]),
        floors=tuple(floors),
        hints=() if known else ("a public mean size of baskets (--mean-length) would narrow this",),
        more="more baskets, fewer items or a larger epsilon",
    )


def _shops(facts: PublicFacts, budget: Budget) -> Iterator[tuple[str, BasketWorld]]:
    """Shops with the given mean size and several concentrations of popularity, or with small, medium and large baskets."""
    longest = min(facts.labels, facts.max_length or 10 * ceil(facts.mean_length or max(MEAN_SIZES)))
    known = facts.mean_length
    kinds = [(mean, USUAL) for mean in MEAN_SIZES] if known is None else [(known, taste) for taste in TASTES]
    baskets = _few_enough(facts, budget, mean=min(max(mean for mean, _ in kinds), float(longest)), shops=len(kinds))
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


def _few_enough(facts: PublicFacts, budget: Budget, *, mean: float, shops: int) -> int:
    """The number of baskets to try: small enough to be quick, large enough for noise to be drawn at the larger epsilon."""
    third = facts.records * mean / 3 / shops
    items = min(max(third, FEWEST_ITEMS, float(facts.labels)), MOST_ITEMS)
    return min(facts.records, max(int(items / mean), least_records(facts, budget)))


def _others(name: str, budget: PureDP, shop: BasketWorld) -> dict[str, Mechanism]:
    """Every other publisher of sets that accepts the budget and the universe, with its defaults."""
    found: dict[str, Mechanism] = {}
    for other in methods().values():
        if other.kind != methods()[name].kind or other.name == name or other.promise is not Promise.PURE:
            continue
        mechanism = other.load()()
        try:
            mechanism.plan(budget, PublicInputs(universe=shop.universe))
        except ParameterError:  # the universe is too large for it
            continue
        found[other.name] = mechanism
    return found


def _contestant(method: Mechanism, budget: Budget) -> Callable[[_Trial], Outcome]:
    """Publish a shop and compare; the shop is made up, so nothing is charged."""
    taxonomy: Taxonomy | None = getattr(method, "taxonomy", None)

    def publish(trial: _Trial) -> Outcome:
        universe = trial.shop.universe if taxonomy is None else taxonomy.universe  # a tree over items has their names
        records = BasketRecords(baskets=trial.raw, universe=universe, name="simulated")
        released: Ragged = method.publish(records, budget=budget, ledger=Ledger()).data.baskets  # type: ignore[attr-defined]
        return trial.outcome(released)

    return publish


def _independent(trial: _Trial) -> Outcome:
    return trial.outcome(independent_baskets(trial.raw, items=trial.shop.items, epsilon=trial.epsilon))
