"""All methods of streams on one stream, with a stream of zeros as the floor. For the owner's eyes only.

Each method runs as it would, with fresh noise, and nothing of what it releases is kept. The errors are those of raw data: whoever
chooses a method by them has used the data, which no ledger knows of. On a public, an old or a simulated stream of the same
kind this costs nobody anything.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from tacita.errors import ParameterError
from tacita.privacy.answers import Drawing
from tacita.privacy.budget import Budget
from tacita.privacy.guarantee import OWNER_ONLY
from tacita.privacy.randomness import SecureSource
from tacita.privacy.stand_ins import StandIn
from tacita.streams import BinaryTree, BudgetAbsorption, Pace, Presence, Republish, Sample, Strategy, StreamRecords, Uniform
from tacita.utility.streams import StreamUtility, measure

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The figures of one method: means over runs."""

    name: str
    mean_absolute_error: float
    mean_relative_error: float
    publication_rate: float
    error_of_running_totals: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All methods, best first."""

    methods: tuple[Compared, ...]
    runs: int

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        rows = [{part.name: getattr(method, part.name) for part in fields(method)} for method in self.methods]
        return {"warning": OWNER_ONLY, "runs": self.runs, "methods": rows}

    def __str__(self) -> str:
        """A table for people."""
        head = f"{'method':<12}{'absolute error':>16}{'relative error':>16}{'measured':>10}{'running totals':>16}"
        lines = [
            f"{each.name:<12}{each.mean_absolute_error:>16.4g}{each.mean_relative_error:>16.4g}"
            f"{each.publication_rate:>10.1%}{each.error_of_running_totals:>16.4g}"
            for each in self.methods
        ]
        floor = next(place for place, each in enumerate(self.methods) if each.name == "zeros")
        verdict = f"{floor} of {len(self.methods) - 1} methods are better than zeros, by the mean over {self.runs} runs"
        warning = "choosing by these figures uses the data, and no ledger knows of it; do it on public or simulated streams"
        return "\n".join([OWNER_ONLY, head, *lines, verdict, warning])


def compare(records: StreamRecords, *, method: Any, budget: Budget, runs: int) -> Comparison:  # noqa: ANN401 - any of them
    """Run every method with the contexts and the presence of this one."""
    if runs < 1:
        message = f"runs must be 1 or more, got {runs}"
        raise ParameterError(message)
    named = {"contexts": method.contexts, "presence": method.presence}
    rivals: dict[str, Any] = {
        "pace": Pace(**named),
        "UNIFORM": Uniform(**named),
        "Sample": Sample(**named),
        "Adj": Republish(**named),
        "MMD": Republish(**named, strategy=Strategy.SIMILAR),
        "MA(3)": Republish(**named, strategy=Strategy.AVERAGE, past=3),
        "MA(20)": Republish(**named, strategy=Strategy.AVERAGE, past=20),
        "tree": BinaryTree(**named),
    }
    if method.presence is not Presence.PUBLIC:
        rivals["BA"] = BudgetAbsorption(**named)
    if isinstance(method, Pace):
        rivals["pace"] = method
    truth = records.histograms()
    found = [_compared(name, [_run(records, rival, budget) for _ in range(runs)]) for name, rival in rivals.items()]
    zeros = measure(truth, _zeros(records, rivals["UNIFORM"], budget))
    found.append(_compared("zeros", [zeros]))
    return Comparison(methods=tuple(sorted(found, key=lambda each: each.mean_absolute_error)), runs=runs)


def _run(records: StreamRecords, method: Any, budget: Budget) -> StreamUtility:  # noqa: ANN401 - any method of streams
    return measure(records, method.publish(records, budget=budget, ledger=StandIn(Drawing(SecureSource()))))


def _zeros(records: StreamRecords, method: Any, budget: Budget) -> Any:  # noqa: ANN401 - a published stream
    """A stream that says nothing."""
    shape = (records.grid.intervals, len(records.cells))
    made = method.publish(records, budget=budget, ledger=StandIn(Drawing(SecureSource()))).data
    return replace(made, sixteenths=np.zeros(shape, dtype=np.int64), measured=np.zeros(shape[0], dtype=np.bool_))


def _compared(name: str, found: list[StreamUtility]) -> Compared:
    def mean(what: str) -> float:
        return float(np.mean([getattr(each, what) for each in found]))

    return Compared(
        name=name,
        mean_absolute_error=mean("mean_absolute_error"),
        mean_relative_error=mean("mean_relative_error"),
        publication_rate=mean("publication_rate"),
        error_of_running_totals=mean("error_of_running_totals"),
    )
