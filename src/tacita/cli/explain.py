"""`tacita explain`: where a budget would go, and a forecast of what a release would keep. Touches no data and spends nothing."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacita.cli.options import add_kinds, add_method, add_needed, add_options, add_public, add_rest, fact_options, typed
from tacita.cli.parser import COMMANDS, Commands, Parser, add_command, add_config, add_json, add_switch
from tacita.cli.screen import say, say_json
from tacita.errors import ParameterError
from tacita.kinds import Kind, Option, kinds
from tacita.kinds.registration import texts

if TYPE_CHECKING:
    from tacita.cli.choices import Choices
    from tacita.forecasts import AnyForecast

__all__ = ["add", "run"]

RECORDS = Option(field_name="records", convert=int, metavar="N", help="the number of records, if that is public; adds a forecast")
LIKE = Option(
    field_name="like",
    convert=texts,
    metavar="BEHAVIOURS",
    help="how people behave: session, commuter, journey or wanderer, separated by commas; all if not given",
)


def _forecast_options(kind: Kind) -> tuple[Option, ...]:
    return (RECORDS, *fact_options(kind)[1:], *([LIKE] if kind.records_have_lengths else []))


def add(commands: Commands) -> None:
    """Offer the command."""
    explain = add_command(
        commands,
        "explain",
        COMMANDS["explain"],
        "tacita explain sequences --epsilon 1.0 --universe stations.csv --records 1000",
    )
    add_kinds(explain, _fill)


def _fill(kind: Kind, parser: Parser, words: Sequence[str]) -> None:
    """The options for one kind."""
    add_needed(parser, kind, words)
    add_public(parser, kind)
    add_method(parser, kind, words)
    forecasts = parser.add_argument_group("forecast, from public facts alone")
    add_options(forecasts, _forecast_options(kind))
    add_switch(forecasts, "--alone", "forecast this method only, without looking for a better one, which is quicker")
    output = add_rest(parser)
    add_json(output)
    add_config(output)


WITHOUT_RECORDS = "a forecast of what a release would keep needs the number of records: give --records"


def run(options: argparse.Namespace) -> None:
    """Print the explanation, and the forecast if one was asked for."""
    from tacita.cli.choices import Choices
    from tacita.front import Explained

    choices = Choices(options)
    explanation = choices.explanation()
    expected = _forecast(options, choices)
    if options.json:
        found = Explained(method=choices.method.name, explanation=explanation, forecast=expected)
        say_json("tacita-explain-1", found.as_json())
        return
    say(str(explanation))
    if expected is not None:
        say("\n" + "\n".join(expected.lines()))
    elif choices.kind.forecast is not None:
        say(f"\n{WITHOUT_RECORDS}")


def _forecast(options: argparse.Namespace, choices: Choices) -> AnyForecast | None:
    """The forecast from the public facts that were given; None if the number of records was not."""
    from tacita.cli.choices import forecast_of

    given = typed(options, _forecast_options(kinds()[options.kind]))
    if options.records is None:
        if given:
            names = ", ".join("--" + name.replace("_", "-") for name in given)
            message = f"{names} refines the forecast, so --records must say how many records there are"
            raise ParameterError(message)
        return None
    return forecast_of(choices, like=getattr(options, "like", None), alone=options.alone)
