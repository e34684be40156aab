"""The forecast for what somebody wants to publish, and the refusal to spend a budget on a release with nothing in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacita.errors import ParameterError
from tacita.forecasts import Request
from tacita.kinds import load
from tacita.privacy.publishing import Progress
from tacita.public.parameters import whole_number

if TYPE_CHECKING:
    from tacita.forecasts import AnyForecast
    from tacita.kinds.wanted import Wanted

__all__ = ["forecast_for", "require_something"]


def forecast_for(
    wanted: Wanted, *, like: tuple[str, ...] | None = None, alone: bool, progress: Progress | None = None
) -> AnyForecast:
    """The forecast from public facts, of which the number of records must be one."""
    if wanted.kind.forecast is None:
        message = f"there is no forecast for {wanted.method.name}; leave out --records"
        raise ParameterError(message)
    request = Request(
        name=wanted.method.name,
        method=wanted.mechanism,
        budget=wanted.budget,
        public=wanted.public,
        records=whole_number(wanted.number, name="records", least=1),
        mean_length=wanted.mean_length,
        longest=wanted.longest,
        like=like,
        progress=progress,
        alone=alone,
    )
    found: AnyForecast = load(wanted.kind.forecast)(request)
    return found


def require_something(wanted: Wanted, *, progress: Progress | None = None) -> str | None:
    """Refuse a release that would be empty by its forecast; returns why there is no forecast, if there is none."""
    whole_number(wanted.number, name="records", least=1)
    try:
        found = forecast_for(wanted, alone=True, progress=progress)
    except ParameterError as uncovered:  # facts that no forecast covers, such as times
        return str(uncovered)
    if found.is_empty:
        message = (
            f"a release of {wanted.number:,} records by {wanted.method.name} would be empty, by its forecast; nothing "
            "is spent: choose another method or a larger epsilon, or leave out --records to publish anyway"
        )
        raise ParameterError(message)
    return None
