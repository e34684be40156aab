"""`tacita explain`: where a budget would go, and a forecast of what a release would keep. Touches no data and spends nothing."""

from __future__ import annotations

import argparse

from tacita.cli.choices import Choices
from tacita.cli.forecasting import forecast_of
from tacita.cli.screen import say, say_json
from tacita.cli.words.explain import FORECAST_OPTIONS
from tacita.cli.words.field_options import typed
from tacita.errors import ParameterError
from tacita.forecasts import AnyForecast

__all__ = ["run"]

WITHOUT_RECORDS = "a forecast of what a release would keep needs the number of records: give --records"


def run(options: argparse.Namespace) -> None:
    """Print the explanation, and the forecast if one was asked for."""
    choices = Choices(options)
    explanation = choices.explanation()
    expected = _forecast(options, choices)
    if options.json:
        forecast = None if expected is None else expected.as_json()
        figures = [] if expected is None else [figure.as_json() for figure in expected.figures()]
        say_json("tacita-explain-1", {**explanation.as_json(), "forecast": forecast, "figures": figures})
        return
    say(str(explanation))
    if expected is not None:
        say("\n" + "\n".join(expected.lines()))
    elif choices.kind.forecast is not None:
        say(f"\n{WITHOUT_RECORDS}")


def _forecast(options: argparse.Namespace, choices: Choices) -> AnyForecast | None:
    """The forecast from the public facts that were given; None if the number of records was not."""
    given = typed(options, FORECAST_OPTIONS)
    if options.records is None:
        if given:
            names = ", ".join("--" + name.replace("_", "-") for name in given)
            message = f"{names} refines the forecast, so --records must say how many records there are"
            raise ParameterError(message)
        return None
    return forecast_of(choices, like=options.like, alone=options.alone)
