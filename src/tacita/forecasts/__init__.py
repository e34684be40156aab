"""Forecasts of what a release will keep, before any budget is spent; every number here is about simulated data.

A kind registers a function that takes a `Request`, made of public facts alone, and returns a forecast.

`forecast_for` is the forecast for what somebody wants to publish; `require_something` refuses to spend a budget on a release with
nothing in it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tacita.errors import ParameterError
from tacita.kinds import load
from tacita.privacy.budget import Budget
from tacita.privacy.publishing import Progress
from tacita.public.inputs import PublicInputs
from tacita.public.parameters import whole_number
from tacita.public.taxonomy import Taxonomy
from tacita.simulate import PublicFacts

if TYPE_CHECKING:
    from tacita.kinds.wanted import Wanted

__all__ = [
    "AnyForecast",
    "ForecastFigure",
    "Request",
    "forecast_for",
    "require_something",
]


@dataclass(frozen=True, kw_only=True)
class ForecastFigure:
    """One expected figure over all simulated worlds: of the method itself, or of another one that was tried on them too.

    `best` is what a perfect release would have.
    """

    name: str
    low: float
    middle: float
    high: float
    best: float
    method: str | None = None

    def as_json(self) -> dict[str, object]:
        """For scripts."""
        return asdict(self)


class AnyForecast(Protocol):
    """A forecast, for people and for scripts."""

    def lines(self) -> list[str]:
        """The forecast for people."""
        ...

    def as_json(self) -> dict[str, object]:
        """The forecast for scripts."""
        ...

    def figures(self) -> list[ForecastFigure]:
        """What pictures show: the figures of the method, and of the others that were tried on the same worlds."""
        ...

    @property
    def is_empty(self) -> bool:
        """Whether the release would have next to nothing in it."""
        ...


@dataclass(frozen=True, kw_only=True)
class Request:
    """A method with its budget, and the public facts about the data it will be used on."""

    name: str
    method: Any
    budget: Budget | None
    """None if the method is verified and spends none."""
    public: PublicInputs
    records: int
    mean_length: float | None = None
    longest: int | None = None
    like: tuple[str, ...] | None = None
    progress: Progress | None = None
    alone: bool = False
    """Whether to try this method only, and not look for a better one."""

    @property
    def required_budget(self) -> Budget:
        """The budget; an error if there is none."""
        if self.budget is None:
            message = "a forecast of a private method needs its budget: give --epsilon"
            raise ParameterError(message)
        return self.budget

    @property
    def taxonomy(self) -> Taxonomy | None:
        """The taxonomy of the method, if it has one."""
        found: Taxonomy | None = getattr(self.method, "taxonomy", None)
        return found

    @property
    def facts(self) -> PublicFacts:
        """What lookalikes must agree with."""
        taxonomy = self.taxonomy
        labels = self.public.universe if self.public.universe is not None or taxonomy is None else taxonomy.universe
        if labels is None:
            message = "a forecast needs the number of labels: name the public --universe"
            raise ParameterError(message)
        return PublicFacts(
            records=self.records, labels=len(labels), mean_length=self.mean_length, max_length=self.longest, taxonomy=taxonomy
        )


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
