"""Forecasts from what was typed: what a release would keep, and whether it would be empty, before anything is spent."""

from __future__ import annotations

from tacita.cli.choices import Choices
from tacita.cli.screen import progress_bar, warn
from tacita.errors import ParameterError
from tacita.forecasts import AnyForecast, Request
from tacita.kinds import load
from tacita.public.parameters import whole_number

__all__ = ["forecast_of", "refuse_an_empty_release"]


def forecast_of(choices: Choices, *, like: tuple[str, ...] | None = None, alone: bool) -> AnyForecast:
    """The forecast from the public facts that were typed, of which the number of records is one."""
    options = choices.options
    if choices.kind.forecast is None:
        message = f"there is no forecast for {choices.method.name}; leave out --records"
        raise ParameterError(message)
    with progress_bar("forecasting") as progress:
        request = Request(
            name=choices.method.name,
            method=choices.mechanism,
            budget=choices.budget,
            public=choices.public,
            records=options.records,
            mean_length=options.mean_length,
            longest=options.longest_record,
            like=like,
            progress=progress,
            alone=alone,
        )
        found: AnyForecast = load(choices.kind.forecast)(request)
    return found


def refuse_an_empty_release(choices: Choices) -> None:
    """If the number of records is public and was typed, refuse to spend a budget on a release with nothing in it."""
    if choices.options.records is None or choices.budget is None or choices.kind.forecast is None:
        return
    whole_number(choices.options.records, name="records", least=1)
    try:
        found = forecast_of(choices, alone=True)
    except ParameterError as uncovered:  # facts that no forecast covers, such as times
        warn(f"--records was not used: {uncovered}")
        return
    if found.is_empty:
        message = (
            f"a release of {choices.options.records:,} records by {choices.method.name} would be empty, by its forecast; nothing "
            "is spent: choose another method or a larger epsilon, or leave out --records to publish anyway"
        )
        raise ParameterError(message)
