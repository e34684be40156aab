"""`tacita publish`: from a private file to a release folder, or, as a dry run, to a look at what it would be."""

from __future__ import annotations

import argparse
from pathlib import Path

from tacita.cli.choices import chosen_budget, chosen_grid, chosen_kind, chosen_method, chosen_universe, public_facts
from tacita.cli.dry_run import show
from tacita.cli.interrupts import one_at_a_time, stop_if_asked
from tacita.cli.reading import Records, dataset_of, input_format, observed_universe, read_options, read_records
from tacita.cli.screen import progress_bar, say, say_json, tell_owner, warn
from tacita.cli.spending import amounts, balance_as_json, cap_text, expected_balance, opened_ledger
from tacita.errors import InputError, LedgerExhaustedError, OutputError, ParameterError
from tacita.io import writable_format
from tacita.methods import Kind
from tacita.privacy.account import Charge
from tacita.privacy.ledger import Balance
from tacita.privacy.mechanism import Published
from tacita.privacy.release import Release, require_new_folder
from tacita.public.universe import Universe
from tacita.sequences import SequenceRecords

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Check everything that can be checked before budget is spent, then publish and write."""
    if options.dry_run:
        show(options)
        return
    kind = chosen_kind(options)
    budget, grid = chosen_budget(options), chosen_grid(options)
    dataset, out = dataset_of(options), require_new_folder(options.out)
    came_as = input_format(options, kind)
    universe = _universe(options, kind)
    method = chosen_method(options, universe)
    plan = method.plan(budget, **public_facts(universe, grid))
    file_format = writable_format(options.format or came_as, universe, grid=grid)
    each = read_options(options, kind).per_person.records
    charge = Charge(dataset=dataset, mechanism=options.method, plan=plan, records_per_person=each)
    refusal = expected_balance(options, dataset).refuses(charge.epsilon, charge.delta)
    if refusal:
        raise LedgerExhaustedError(refusal)
    records = read_records(options, universe, kind=kind, grid=grid, name=dataset)
    if not universe.is_public:
        warn("the universe is taken from the data: this release is NOT PRIVATE")
    if records.dropped_labels:
        _tell_what_was_dropped(records)
    ledger = opened_ledger(options)
    with progress_bar("publishing") as progress:
        release = method.publish(records, budget=budget, ledger=ledger, progress=progress)
        _write(release, out, file_format, options.ledger)
    if options.ledger is None:
        warn("no --ledger was named, so nothing remembers this spend")
    balance = None if options.ledger is None else ledger.balance(records.name)
    if options.json:
        say_json("tacita-publish-1", _as_json(release, out, options.ledger, balance))
    else:
        say(_as_text(release, out, balance))


def _tell_what_was_dropped(records: Records) -> None:
    """Tell the owner's terminal; if nothing is left, refuse, because the universe is probably another file's."""
    is_timed = isinstance(records, SequenceRecords) and records.grid is not None
    what = "rows outside the universe or the time grid" if is_timed else "labels outside the universe"
    lists = records.sequences if isinstance(records, SequenceRecords) else records.baskets
    if not lists.codes.size:
        which = "the right universe, and grid" if is_timed else "the right universe"
        message = f"there is nothing to publish: all {what} would be dropped; is this {which}?"
        raise InputError(message)
    told = f"{records.dropped_labels:,}"
    if isinstance(records, SequenceRecords):
        tell_owner(f"{told} of {records.dropped_labels + lists.codes.size:,} were {what} and are dropped")
    else:
        tell_owner(f"{told} {what} are dropped; baskets that held nothing else: {records.dropped_baskets:,}")


def _universe(options: argparse.Namespace, kind: Kind) -> Universe:
    given = chosen_universe(options)
    if options.observed_universe and given is not None:
        message = "give --universe or --observed-universe, not both"
        raise ParameterError(message)
    if not options.observed_universe and given is None:
        message = "name the public --universe (a .seq file serves by its header); --observed-universe instead voids the guarantee"
        raise ParameterError(message)
    return observed_universe(options, kind) if given is None else given


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
        lines.append(f"spent on {balance.dataset!r} so far: {amounts(balance.epsilon, balance.delta)}; {cap_text(balance)}")
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
