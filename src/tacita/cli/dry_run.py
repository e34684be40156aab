"""`tacita publish --dry-run`: what would be promised, spent and written. The private file is not looked at; it need not exist."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from tacita.cli.choices import (
    chosen_budget,
    chosen_grid,
    chosen_kind,
    chosen_method,
    chosen_universe,
    grid_text,
    is_header,
    public_facts,
)
from tacita.cli.reading import dataset_of, input_format, no_records, read_options
from tacita.cli.rehearsal import rehearsed_guarantee
from tacita.cli.screen import say, say_json
from tacita.cli.spending import amounts, balance_as_json, balance_text, expected_balance
from tacita.errors import LedgerExhaustedError, ParameterError
from tacita.io import writable_format
from tacita.privacy.explanation import Explanation
from tacita.privacy.guarantee import DifferentialPrivacy
from tacita.privacy.ledger import Balance
from tacita.privacy.release import require_new_folder
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["show"]

UNSEEN = Universe(["unseen"])
"""Stands for a universe that only the private file declares."""


@dataclass(frozen=True, kw_only=True)
class _Intent:
    guarantee: DifferentialPrivacy
    explanation: Explanation
    folder: Path
    file_format: str
    grid: TimeGrid | None
    balance: Balance
    records_per_person: int

    @property
    def epsilon(self) -> Fraction:
        """What one person would be charged."""
        return self.explanation.plan.epsilon * self.records_per_person

    @property
    def refusal(self) -> str | None:
        return self.balance.refuses(self.epsilon, self.explanation.plan.delta)


def show(options: argparse.Namespace) -> None:
    """Print the intent; what the real run would refuse is refused here too, the cap after everything was shown."""
    intent = _intent(options)
    if options.json:
        say_json("tacita-dry-run-1", _as_json(options, intent))
    else:
        say(_as_text(options, intent))
    if intent.refusal:
        raise LedgerExhaustedError(intent.refusal)


def _intent(options: argparse.Namespace) -> _Intent:
    kind = chosen_kind(options)
    budget, grid = chosen_budget(options), chosen_grid(options)
    dataset, folder = dataset_of(options), require_new_folder(options.out)
    came_as = input_format(options, kind)
    universe = _universe(options)
    method = chosen_method(options, universe)
    facts = public_facts(universe, grid)
    method.plan(budget, **facts)
    taxonomy = getattr(method, "taxonomy", None)
    labels = UNSEEN if taxonomy is None else taxonomy.universe
    known, per_person = labels if universe is None else universe, read_options(options, kind).per_person
    nobody = no_records(known, kind=kind, name=dataset, grid=grid, per_person=per_person)
    return _Intent(
        guarantee=rehearsed_guarantee(method, nobody, budget),
        explanation=method.explain(budget, **facts),
        folder=folder,
        file_format=writable_format(options.format or came_as, nobody.universe, grid=grid),
        grid=grid,
        balance=expected_balance(options, dataset),
        records_per_person=nobody.records_per_person,
    )


def _universe(options: argparse.Namespace) -> Universe | None:
    """The public universe; None if it stands in the header of the private file, which stays closed."""
    if options.observed_universe:
        message = (
            "--dry-run does not look at the data, so it cannot show what --observed-universe would give; leave one of them out"
        )
        raise ParameterError(message)
    if options.universe is None:
        message = "name the public --universe (a .seq file serves by its header)"
        raise ParameterError(message)
    if is_header(options.universe) and Path(options.universe).absolute() == Path(options.input).absolute():
        return None
    return chosen_universe(options)


def _as_text(options: argparse.Namespace, intent: _Intent) -> str:
    plan, balance = intent.explanation.plan, intent.balance
    kept = "in memory only, nothing would remember the spend" if options.ledger is None else str(options.ledger)
    verdict = "the cap would refuse it" if intent.refusal else "it would be allowed"
    lines = [
        "dry run: the input is not looked at, nothing is spent, nothing is written",
        "",
        intent.guarantee.statement().replace("This release satisfies", "The release would satisfy"),
        "",
        str(intent.explanation),
        "",
        f"input   {options.input}, not looked at",
        f"output  {intent.folder}, as {intent.file_format}",
        *([] if intent.grid is None else [f"times   {grid_text(intent.grid)}"]),
        f"ledger  {kept}",
        f"spend   {amounts(intent.epsilon, plan.delta)} on {balance.dataset!r}; {balance_text(balance)}; {verdict}",
    ]
    return "\n".join(lines)


def _as_json(options: argparse.Namespace, intent: _Intent) -> dict[str, object]:
    return {
        "input": str(options.input),
        "folder": str(intent.folder),
        "format": intent.file_format,
        "time_grid": None if intent.grid is None else intent.grid.as_json(),
        "guarantee": intent.guarantee.as_json(),
        "explanation": intent.explanation.as_json(),
        "ledger": options.ledger,
        "balance": balance_as_json(intent.balance),
        "allowed": intent.refusal is None,
    }
