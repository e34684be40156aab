"""`tacita publish`: from a private file to a release folder, or, as a dry run, to a look at what it would be."""

from __future__ import annotations

import argparse
from pathlib import Path

from tacita.cli.choices import chosen_grid, chosen_method, chosen_universe
from tacita.cli.dry_run import show
from tacita.cli.interrupts import one_at_a_time, stop_if_asked
from tacita.cli.reading import dataset_of, input_format, observed_universe, read_options, read_records
from tacita.cli.screen import progress_bar, say, say_json, tell_owner
from tacita.cli.spending import balance_as_json, expected_balance
from tacita.core.budget import PureDP, decimal_text
from tacita.core.errors import InputError, LedgerExhaustedError, OutputError, ParameterError
from tacita.core.ledger import Ledger
from tacita.core.ledger_log import Balance
from tacita.core.mechanism import Published
from tacita.core.release import Release, require_new_folder
from tacita.core.universe import Universe
from tacita.io import writable_format

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Check everything that can be checked before budget is spent, then publish and write."""
    if options.dry_run:
        show(options)
        return
    budget, grid = PureDP(options.epsilon), chosen_grid(options)
    dataset, out = dataset_of(options), require_new_folder(options.out)
    came_as = input_format(options)
    universe = _universe(options)
    method = chosen_method(options, universe)
    plan = method.plan(budget, universe=universe, grid=grid)
    file_format = writable_format(options.format or came_as, universe, grid=grid)
    ledger = Ledger(options.ledger)
    each = read_options(options).per_person.records
    refusal = expected_balance(ledger, dataset, budget).refuses(plan.epsilon * each, plan.delta)
    if refusal:
        raise LedgerExhaustedError(refusal)
    records = read_records(options, universe, grid=grid, name=dataset)
    if not universe.is_public:
        tell_owner("the universe is taken from the data: this release is NOT PRIVATE")
    if records.dropped_labels:
        what = "labels outside the universe" if grid is None else "rows outside the universe or the time grid"
        total = records.dropped_labels + records.sequences.codes.size
        if total == records.dropped_labels:
            message = f"there is nothing to publish: all {what} would be dropped; is this the right universe, and grid?"
            raise InputError(message)
        tell_owner(f"for your eyes only: {records.dropped_labels:,} of {total:,} were {what} and are dropped")
    with progress_bar("publishing") as progress:
        release = method.publish(records, budget=budget, ledger=ledger, progress=progress)
        _write(release, out, file_format, options.ledger)
    if options.ledger is None:
        tell_owner("no --ledger was named, so nothing remembers this spend")
    balance = None if options.ledger is None else ledger.balance(records.name)
    if options.json:
        say_json("tacita-publish-1", _as_json(release, out, options.ledger, balance))
    else:
        say(_as_text(release, out, balance))


def _universe(options: argparse.Namespace) -> Universe:
    given = chosen_universe(options)
    if options.observed_universe and given is not None:
        message = "give --universe or --observed-universe, not both"
        raise ParameterError(message)
    if not options.observed_universe and given is None:
        message = "name the public --universe (a .seq file serves by its header); --observed-universe instead voids the guarantee"
        raise ParameterError(message)
    return observed_universe(options) if given is None else given


def _write(release: Release[Published], out: Path, file_format: str, ledger: str | None) -> None:
    try:
        stop_if_asked()
        with one_at_a_time():
            release.write(out, file_format=file_format)
    except OutputError as error:
        message = str(error) if ledger is None else f"{error}; the spend stays in the ledger"
        raise OutputError(message) from None


def _as_text(release: Release[Published], out: Path, balance: Balance | None) -> str:
    lines = [
        release.guarantee.statement(),
        f"{len(release.data):,} synthetic {release.data.kind}, manifest and README are in {out}",
    ]
    if balance is not None:
        cap = "no cap is set" if balance.cap_epsilon is None else f"the cap is {decimal_text(balance.cap_epsilon)}"
        lines.append(f"spent on {balance.dataset!r} so far: epsilon {decimal_text(balance.epsilon)}; {cap}")
    return "\n".join(lines)


def _as_json(release: Release[Published], out: Path, ledger: str | None, balance: Balance | None) -> dict[str, object]:
    """For scripts; the number of records is that of the release, which is noisy."""
    return {
        "folder": str(out),
        "files": sorted(file.name for file in out.iterdir()),
        "kind": release.data.kind,
        "records": len(release.data),
        "guarantee": release.guarantee.as_json(),
        "ledger": ledger,
        "balance": None if balance is None else balance_as_json(balance),
    }
