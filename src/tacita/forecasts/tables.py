"""Forecasts of what a published table will keep, from public facts: the declared columns and the number of rows.

How values are spread and how columns depend on each other is not known. Simulated tables have the declared columns; their rows
come from hidden classes, in each of which columns are independent: one class makes all columns independent, many with unequal
values make them dependent. Large tables are made smaller. A private method then gets a larger epsilon by the same factor, and
k-anonymity a smaller k, down to `SMALLEST_K`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tacita.arrays import Integers
from tacita.errors import ParameterError, VerificationError
from tacita.forecasts import Request
from tacita.forecasts.trials import Measure, Outcome, TrialForecast, run_trials, scaled_budget
from tacita.privacy.budget import Budget
from tacita.privacy.ledger import Ledger
from tacita.seeded import public_generator
from tacita.tables import Categorical, KAnonymity, Schema, TableRecords
from tacita.tables.columns import Column
from tacita.tables.published import SCHEMA_INPUT
from tacita.utility.tables import TableQueries, floors_of, report

__all__ = ["forecast_request", "lookalike"]

FEWEST_ROWS, MOST_ROWS, SMALLEST_K = 1_500, 6_000, 3
WORLDS = ((1, 0.15), (5, 0.6), (25, 0.2))
"""The number of hidden classes, and how equal the shares of values within a class are: with less than 1, few values prevail."""

SENSITIVE = 0.6
"""Sensitive values are at least this equal, or many a promise about them could not be kept."""

MISSING = 0.05
"""The share of missing values where they are a value."""

QUERIES = TableQueries(queries=200)

MEASURES = (
    Measure(key="relative_error", title="relative error of counting rows by two columns", wider=2.0, decides=True),
    Measure(key="absolute_error", title="error in shares of all rows", wider=3.0, room=0.01, shown=".2%"),
)


def forecast_request(request: Request) -> TrialForecast:
    """The forecast for a publisher of tables, from public facts alone."""
    if request.like is not None or request.mean_length is not None or request.longest is not None:
        message = "a forecast for tables needs --records, the number of rows, and the declared --columns only; leave out the rest"
        raise ParameterError(message)
    schema = request.public.others.get(SCHEMA_INPUT)
    if not isinstance(schema, Schema):
        message = "a forecast for tables needs the declared --columns"
        raise ParameterError(message)
    rows = _few_enough(request.method, request.records)
    fewer = Fraction(request.records, rows)
    budget = None if request.budget is None else scaled_budget(request.budget, fewer)
    told, floors = run_trials(
        (_Trial(lookalike(schema, rows=rows, classes=classes, equality=equality), budget) for classes, equality in WORLDS),
        {request.name: _contestant(_smaller(request.method, fewer))},
        measures=MEASURES,
        floors={"independent": lambda trial: trial.floor("independent"), "nothing": lambda trial: trial.floor("nothing")},
        progress=request.progress,
        number=len(WORLDS),
    )
    return TrialForecast(
        kind="tables",
        subject=(
            f"{request.records:,} rows with {len(schema.names)} declared columns, "
            f"from {len(WORLDS)} simulated tables of {rows:,} rows"
        ),
        facts={"records": request.records},
        worlds=tuple(f"{classes} hidden classes, equality {equality:g}" for classes, equality in WORLDS),
        measures=MEASURES,
        chosen=told[0],
        others=(),
        floors=tuple(floors),
        hints=("the simplest release (independent) gives how often each value occurs, column by column",),
        more="more rows, fewer columns, or a weaker promise",
    )


def lookalike(schema: Schema, *, rows: int, classes: int, equality: float, seed: int = 0) -> TableRecords:
    """A table with the declared columns, of rows from hidden classes."""
    generator = public_generator(seed)
    kind = generator.choice(classes, size=rows, p=generator.dirichlet(np.full(classes, 1.0)))

    def column(size: int, *, is_numeric: bool = False, equality: float = equality) -> Integers:
        if is_numeric:
            centres, widths = generator.uniform(0.1, 0.9, classes), generator.uniform(0.05, 0.3, classes)
            places = np.floor((centres[kind] + widths[kind] * generator.standard_normal(rows)) * size)
            return np.asarray(np.clip(places, 0, size - 1), dtype=np.int64)
        chances = np.stack([generator.dirichlet(np.full(size, equality)) for _ in range(classes)])
        drawn = (np.cumsum(chances, axis=1)[kind] < generator.random(rows)[:, np.newaxis]).sum(axis=1)
        return np.asarray(np.minimum(drawn, size - 1), dtype=np.int64)

    def missing(own: Column, places: Integers) -> Integers:
        gone = generator.random(rows) < MISSING if own.missing else np.zeros(rows, dtype=np.bool_)
        return np.where(gone, own.count, places)

    quasi = tuple(missing(each, column(each.count, is_numeric=not isinstance(each, Categorical))) for each in schema.quasi)
    sensitive = None if schema.sensitive is None else column(schema.sensitive.size, equality=max(equality, SENSITIVE))
    return TableRecords(schema=schema, quasi=quasi, sensitive=sensitive, name="simulated")


@dataclass(frozen=True)
class _Trial:
    """A simulated table with the budget for it, if any."""

    records: TableRecords
    budget: Budget | None

    def floor(self, name: str) -> Outcome:
        """The errors of one of the simplest releases."""
        epsilon = None if self.budget is None else float(self.budget.epsilon)
        relative, absolute = floors_of(self.records, queries=QUERIES, epsilon=epsilon)[name]
        return {"relative_error": relative, "absolute_error": absolute}


def _few_enough(method: Any, rows: int) -> int:  # noqa: ANN401 - any publisher of tables
    """How many rows are tried: so few that k, which is made smaller with them, is not too small."""
    least = min((model.k for model in getattr(method, "models", ()) if isinstance(model, KAnonymity)), default=None)
    fewest = FEWEST_ROWS if least is None else max(FEWEST_ROWS, rows * SMALLEST_K // max(least, 1))
    return max(1, min(rows, MOST_ROWS, max(fewest, rows // 9)))


def _smaller(method: Any, fewer: Fraction) -> Any:  # noqa: ANN401 - any publisher of tables
    """The method for a table with fewer rows."""
    if "models" not in {part.name for part in fields(method)}:
        return method
    scaled = (replace(each, k=max(2, round(each.k / fewer))) if _has_crowd(each) else each for each in method.models)
    return replace(method, models=tuple(scaled))


def _has_crowd(model: object) -> bool:
    return isinstance(model, KAnonymity) and model.k > 1


def _contestant(method: Any) -> Callable[[_Trial], Outcome]:  # noqa: ANN401 - any publisher of tables
    """Publish a table and compare; it is made up, so nothing is charged."""

    def publish(trial: _Trial) -> Outcome:
        records, budget = trial.records, trial.budget
        try:
            released = method.publish(records) if budget is None else method.publish(records, budget=budget, ledger=Ledger())
        except VerificationError:  # no table keeps the promise, so nothing is published
            return trial.floor("nothing")
        found = report(records, released.data, queries=QUERIES)
        return {"relative_error": found.relative_error, "absolute_error": found.absolute_error}

    return publish
