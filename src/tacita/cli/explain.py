"""`tacita explain`: where a budget would go, and a forecast of what a release would keep. Touches no data and spends nothing."""

from __future__ import annotations

import argparse

from tacita.cli.choices import chosen_budget, chosen_grid, chosen_kind, chosen_method, chosen_universe, public_facts
from tacita.cli.screen import progress_bar, say, say_json
from tacita.cli.words.explain import FORECAST_OPTIONS
from tacita.cli.words.field_options import typed
from tacita.errors import ParameterError
from tacita.forecasts.sequences import Forecast, forecast
from tacita.forecasts.sets import SetForecast, forecast_sets
from tacita.methods import Kind, method_named
from tacita.privacy.budget import Budget
from tacita.privacy.mechanism import Mechanism
from tacita.public.taxonomy import Taxonomy
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.sequences import PrefixTree
from tacita.simulate import Behaviour, PublicFacts

__all__ = ["run"]

WITHOUT_RECORDS = "a forecast of what a release would keep needs the number of records: give --records"


def run(options: argparse.Namespace) -> None:
    """Print the explanation, and the forecast if one was asked for."""
    chosen_kind(options)
    universe, grid, budget = chosen_universe(options), chosen_grid(options), chosen_budget(options)
    method = chosen_method(options, universe)
    explanation = method.explain(budget, **public_facts(universe, grid))
    expected = _forecast(options, method, budget, universe, grid)
    if options.json:
        said = None if expected is None else expected.as_json()
        say_json("tacita-explain-1", {**explanation.as_json(), "forecast": said})
        return
    say(str(explanation))
    if expected is not None:
        say("\n" + "\n".join(expected.lines()))
    elif isinstance(method, PrefixTree) or method_named(options.method).kind is Kind.SETS:
        say(f"\n{WITHOUT_RECORDS}")


def _forecast(
    options: argparse.Namespace, method: Mechanism, budget: Budget, universe: Universe | None, grid: TimeGrid | None
) -> Forecast | SetForecast | None:
    """The forecast from the public facts that were given; None if the number of records was not."""
    given = typed(options, FORECAST_OPTIONS)
    if options.records is None:
        if given:
            names = ", ".join("--" + name.replace("_", "-") for name in given)
            message = f"{names} tells a forecast more about the records, so --records must say how many there are"
            raise ParameterError(message)
        return None
    if not isinstance(method, PrefixTree) and method_named(options.method).kind is not Kind.SETS:
        message = f"a forecast knows prefix-tree and the methods for sets, got {options.method}; leave out --records"
        raise ParameterError(message)
    if grid is not None:
        message = "a forecast knows sequences without times only; leave out --records or the time grid"
        raise ParameterError(message)
    taxonomy: Taxonomy | None = getattr(method, "taxonomy", None)
    labels = universe if universe is not None or taxonomy is None else taxonomy.universe
    if labels is None:
        message = "a forecast needs the number of labels: name the public --universe"
        raise ParameterError(message)
    facts = PublicFacts(
        records=options.records,
        labels=len(labels),
        mean_length=options.mean_length,
        max_length=options.longest_record,
        taxonomy=taxonomy,
    )
    with progress_bar("forecasting") as progress:
        if isinstance(method, PrefixTree):
            behaviours = tuple(Behaviour) if options.like is None else [_behaviour(name) for name in options.like]
            return forecast(method, budget, facts=facts, behaviours=behaviours, taxonomy=taxonomy, progress=progress)
        if options.like is not None:
            message = "--like tells how people go from one label to the next, which baskets do not; leave it out"
            raise ParameterError(message)
        return forecast_sets(options.method, method, budget, facts=facts, progress=progress)


def _behaviour(name: str) -> Behaviour:
    try:
        return Behaviour(name)
    except ValueError:
        message = f"--like takes {', '.join(Behaviour)}, with commas between them, got {name!r}"
        raise ParameterError(message) from None
