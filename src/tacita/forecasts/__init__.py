"""Forecasts of what a release will keep, before any budget is spent; every number here is about simulated data.

A kind registers a function that takes a `Request`, made of public facts alone, and returns a forecast.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol

from tacita.errors import ParameterError
from tacita.privacy.budget import Budget
from tacita.privacy.publishing import Progress
from tacita.public.inputs import PublicInputs
from tacita.public.taxonomy import Taxonomy
from tacita.simulate import PublicFacts

__all__ = ["AnyForecast", "ForecastFigure", "Request"]


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
