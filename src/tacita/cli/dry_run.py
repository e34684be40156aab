"""`tacita publish --dry-run`: what would be promised, spent and written. The private file is not opened and need not exist."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from tacita.cli.choices import Choices, dataset_of
from tacita.cli.screen import say, say_json
from tacita.cli.spending import amounts, balance_as_json, balance_text, expected_balance
from tacita.errors import LedgerExhaustedError, ParameterError
from tacita.kinds.words import is_header
from tacita.privacy.explanation import Explanation
from tacita.privacy.guarantee import Guarantee
from tacita.privacy.ledger import Balance
from tacita.privacy.publishing import counted_by, units_together_in
from tacita.privacy.release import require_new_folder
from tacita.privacy.stand_ins import Rehearsal
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe

__all__ = ["show"]

UNSEEN = Universe(["unseen"])
"""A placeholder for a universe that only the private file declares."""


@dataclass(frozen=True, kw_only=True)
class _Intent:
    guarantee: Guarantee | None
    explanation: Explanation
    folder: Path
    file_format: str
    grid: TimeGrid | None
    balance: Balance | None
    unit: str
    records_per_person: int
    units_together: int = 1

    @property
    def epsilon(self) -> Fraction:
        """What one person would be charged."""
        plan = self.explanation.plan
        return Fraction(0) if plan is None else plan.epsilon * self.records_per_person / self.units_together

    @property
    def delta(self) -> Fraction:
        """The delta that goes with it."""
        return Fraction(0) if self.explanation.plan is None else self.explanation.plan.delta

    @property
    def refusal(self) -> str | None:
        return None if self.balance is None else self.balance.refuses(self.epsilon, self.delta)


def show(options: argparse.Namespace) -> None:
    """Show what would happen; refuse what the real run would refuse, and check the cap after everything is shown."""
    intent = _intent(options)
    if options.json:
        say_json("tacita-dry-run-1", _as_json(options, intent))
    else:
        say(_as_text(options, intent))
    if intent.refusal:
        raise LedgerExhaustedError(intent.refusal)


def _intent(options: argparse.Namespace) -> _Intent:
    if options.observed_universe:
        message = "--dry-run does not open the data, so it cannot use --observed-universe; leave one of them out"
        raise ParameterError(message)
    choices = _without_header(Choices(options))
    budget = choices.budget
    dataset, folder = dataset_of(options), require_new_folder(options.out)
    public, mechanism = choices.public, choices.mechanism
    needs_universe = "universe" in {option.field_name for option in choices.kind.public_options}
    taxonomy = getattr(mechanism, "taxonomy", None)
    stand_in = UNSEEN if taxonomy is None else taxonomy.universe
    whole = public if public.universe is not None or not needs_universe else PublicInputs(universe=stand_in, grid=public.grid)
    nobody = choices.nobody(whole, name=dataset)
    unit = counted_by(nobody, mechanism)
    expected = expected_balance(options, dataset, unit)
    return _Intent(
        guarantee=None if budget is None else mechanism.publish(nobody, budget=budget, ledger=Rehearsal()).guarantee,
        explanation=choices.explanation(),
        folder=folder,
        file_format=choices.output_format(whole),
        grid=public.grid,
        balance=None if budget is None else expected,
        unit=unit,
        records_per_person=nobody.records_per_person,
        units_together=units_together_in(mechanism),
    )


def _without_header(choices: Choices) -> Choices:
    """The choices without a universe declared in the header of the private file, which stays closed."""
    options, named = choices.options, choices.given.get("universe")
    if named is None:
        if "universe" in {option.field_name for option in choices.kind.public_options}:
            message = "name the public --universe (for a .seq file, its header serves)"
            raise ParameterError(message)
        return choices
    if is_header(named) and Path(named).absolute() == Path(options.input).absolute():
        return Choices(options, UNKNOWN)
    return choices


def _as_text(options: argparse.Namespace, intent: _Intent) -> str:
    kept = "in memory only, so the spend would not be remembered" if options.ledger is None else str(options.ledger)
    lines = ["dry run: the input is not opened, nothing is spent, nothing is written", ""]
    if intent.guarantee is not None:
        lines += [intent.guarantee.statement().replace("This release satisfies", "The release would satisfy"), ""]
    lines += [
        str(intent.explanation),
        "",
        f"input   {options.input}, not opened",
        f"output  {intent.folder}, as {intent.file_format}",
        *([] if intent.grid is None else [f"times   {_grid_text(intent.grid)}"]),
    ]
    if intent.balance is not None:
        verdict = "the cap would refuse it" if intent.refusal else "it would be allowed"
        spend = f"{amounts(intent.epsilon, intent.delta)} on {intent.balance.dataset!r}"
        lines += [f"ledger  {kept}", f"spend   {spend}; {balance_text(intent.balance)}; {verdict}"]
    return "\n".join(lines)


def _grid_text(grid: TimeGrid) -> str:
    return f"{grid.intervals:,} intervals of {grid.interval}, starting at {grid.start}"


def _as_json(options: argparse.Namespace, intent: _Intent) -> dict[str, object]:
    return {
        "input": str(options.input),
        "folder": str(intent.folder),
        "format": intent.file_format,
        "time_grid": None if intent.grid is None else intent.grid.as_json(),
        "guarantee": None if intent.guarantee is None else intent.guarantee.as_json(),
        "explanation": intent.explanation.as_json(),
        "ledger": options.ledger,
        "balance": None if intent.balance is None else balance_as_json(intent.balance),
        "unit": intent.unit,
        "allowed": intent.refusal is None,
    }
