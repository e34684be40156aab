"""How often what a release keeps is within its forecast, for every method of every kind, and what both cost.

For each collection, public facts (numbers of records and labels, mean length, time grid, declared columns, patterns) are all that
the forecast gets, with `alone` set, as in `tacita explain --records N --alone`. Then the collection is published and measured in
the same way. Collections marked * had a part in choosing how wide intervals are; the others were only judged.

    python benchmarks/forecast_coverage.py [--kinds K ...] [--only TEXT] [--methods M ...]     one line per release
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import forecast_cases
from tacita.errors import InfeasibleError
from tacita.forecasts import Request
from tacita.kinds import kind_of, load, method_named
from tacita.privacy.budget import Budget
from tacita.public.inputs import PublicInputs

__all__ = ["Case", "main"]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One release that is forecast: a collection, a method with its budget, and what is measured of the release."""

    collection: str
    name: str
    method: Any
    records: Any
    public: PublicInputs
    number: int
    measure: Callable[[Any, Any], Mapping[str, float]]
    budget: Budget | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    refused: Mapping[str, float] = field(default_factory=dict)
    """What counts where no release keeps the bound."""


def judged(case: Case) -> tuple[dict[str, bool], str]:
    """Whether each figure is within its interval, and a line that says so."""
    request = Request(
        name=case.name,
        method=case.method,
        budget=case.budget,
        public=case.public,
        records=case.number,
        alone=True,
        **case.facts,
    )
    start = time.process_time()
    found = load(str(kind_of(method_named(case.name)).forecast))(request).as_json()
    middle = time.process_time()
    stated = found.get("chosen", found)
    budget = {} if case.budget is None else {"budget": case.budget}
    try:
        released = case.method.publish(case.records, **budget)
    except InfeasibleError:
        released = None
    seconds = time.process_time() - middle
    covered, parts = {}, []
    values = case.refused if released is None else case.measure(case.records, released.data)
    for key, value in values.items():
        low, high = stated[key]["low"], stated[key]["high"]
        covered[key] = low <= value <= high
        parts.append(f"{key} {value:.3f} in {low:.3f}..{high:.3f}{'' if covered[key] else ' NO'}")
    epsilon = "" if case.budget is None else f" {float(case.budget.epsilon):g}"
    cost = f"forecast {middle - start:.2f} s, publication {seconds:.2f} s"
    return covered, f"{case.name}{epsilon} | {case.collection} | {'; '.join(parts)} | {cost}"


def main() -> None:
    """Print one line per release, and the shares that were covered, per method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="*", choices=forecast_cases.CASES, default=list(forecast_cases.CASES))
    parser.add_argument("--only", default="", help="collections whose name holds this text")
    parser.add_argument("--methods", nargs="*", help="these methods alone")
    options = parser.parse_args()
    folder = Path(os.environ.get("TACITA_DATA", ""))
    counted: dict[str, list[bool]] = {}
    for kind in options.kinds:
        cases: Iterator[Mapping[str, Any]] = forecast_cases.CASES[kind](folder, options.only)
        for fields in cases:
            if options.methods and fields["name"] not in options.methods:
                continue
            case = Case(**fields)
            covered, line = judged(case)
            print(line, flush=True)
            if not case.collection.endswith("*"):
                title = f"{case.name} with times" if kind == "times" else case.name
                counted.setdefault(title, []).extend(covered.values())
    print("\n| method | figures within their interval, of collections that were only judged |\n|---|---|")
    for name, held in counted.items():
        print(f"| {name} | {sum(held)} of {len(held)} ({sum(held) / len(held):.0%}) |")


if __name__ == "__main__":
    main()
