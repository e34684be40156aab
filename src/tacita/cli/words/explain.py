"""The words of `tacita explain`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json, add_switch
from tacita.cli.words.field_options import add_options
from tacita.cli.words.groups import FACT_OPTIONS, add_method
from tacita.kinds import Option
from tacita.kinds.values import texts

__all__ = ["FORECAST_OPTIONS", "add"]

FORECAST_OPTIONS = (
    Option(field_name="records", convert=int, metavar="N", help="the number of records, if that is public; adds a forecast"),
    *FACT_OPTIONS[1:],
    Option(
        field_name="like",
        convert=texts,
        metavar="BEHAVIOURS",
        help="how people behave: session, commuter, journey or wanderer, separated by commas; all if not given",
    ),
)


def add(commands: Commands) -> None:
    """Offer the command."""
    explain = add_command(
        commands,
        "explain",
        COMMANDS["explain"],
        "tacita explain --epsilon 1.0 --universe stations.csv --records 1000",
    )
    add_method(explain)
    forecasts = explain.add_argument_group("forecast, from public facts alone")
    add_options(forecasts, FORECAST_OPTIONS)
    add_switch(forecasts, "--alone", "forecast this method only, without looking for a better one, which is quicker")
    add_json(explain)
    add_config(explain)
