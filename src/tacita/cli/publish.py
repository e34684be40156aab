"""`tacita publish`: from a private file to a release folder, or, as a dry run, a preview of one."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacita.cli.choices import Choices, dataset_of
from tacita.cli.dry_run import show
from tacita.cli.forecasting import refuse_an_empty_release
from tacita.cli.interrupts import one_at_a_time, stop_if_asked
from tacita.cli.screen import progress_bar, say, say_json, tell_owner, warn
from tacita.cli.spending import amounts, balance_as_json, cap_text, expected_balance, opened_ledger
from tacita.errors import InputError, LedgerExhaustedError, OutputError, ParameterError
from tacita.io.spark import require_url
from tacita.kinds import kinds, load
from tacita.privacy.account import Charge
from tacita.privacy.ledger import Balance, Ledger
from tacita.privacy.mechanism import Published
from tacita.privacy.publishing import counted_by, units_together_in
from tacita.privacy.release import Release, require_new_folder
from tacita.public.inputs import PublicInputs

__all__ = ["run"]

NEARLY_EMPTY, FEWEST = 0.1, 10
"""A private release is nearly empty if it has less than this share of the records that there are said to be; or fewer than that
many, if nobody said."""


def run(options: argparse.Namespace) -> None:
    """Check everything that can be checked before budget is spent, then publish and write."""
    if options.dry_run:
        show(options)
        return
    choices = Choices(options)
    _ = choices.budget
    _require_spark(options)
    dataset, out = dataset_of(options), require_new_folder(options.out)
    public = _public(choices)
    choices = Choices(options, public)
    nobody, mechanism = choices.nobody(public, name=dataset), choices.mechanism
    file_format = choices.output_format(public)
    unit = counted_by(nobody, mechanism)
    expected = expected_balance(options, dataset, unit)
    if choices.budget is not None:
        charge = Charge(
            dataset=dataset,
            mechanism=choices.method.name,
            plan=mechanism.plan(choices.budget, public),
            records_per_person=nobody.records_per_person,
            unit=unit,
            units_together=units_together_in(mechanism),
        )
        refusal = expected.refuses(charge.epsilon, charge.delta)
        if refusal:
            raise LedgerExhaustedError(refusal)
    refuse_an_empty_release(choices)
    records = choices.records(public, name=dataset)
    if public.voids:
        warn("the universe is taken from the data: this release is NOT PRIVATE")
    if records.is_empty:
        message = f"there is nothing to publish: {records.why_empty}"
        raise InputError(message)
    tell_owner(records.owner_note)
    ledger = opened_ledger(options)
    with _reporting_what_exists(out):
        release = _published(choices, records, ledger, out, file_format)
    if choices.budget is not None and options.ledger is None:
        warn("no --ledger was given, so this spend is not recorded anywhere")
    balance = None if options.ledger is None or choices.budget is None else ledger.balance(records.name, unit=unit)
    if options.json:
        say_json("tacita-publish-1", _as_json(release, out, options.ledger, balance))
        if (emptiness := _emptiness(release, options.records)) is not None:
            warn(emptiness)
    else:
        text = _as_text(release, out, balance, expected=options.records)
        say(text if choices.why is None else f"{choices.why}\n{text}")


def _require_spark(options: argparse.Namespace) -> None:
    """Before anything is spent: a folder of Spark goes with its engine, and names its file system."""
    if options.spark_folder is None:
        return
    if getattr(options, "engine", None) != "spark":
        message = "--spark-folder goes with --engine spark; leave it out, and the data is written to the folder of --out"
        raise ParameterError(message)
    require_url(options.spark_folder)


@contextmanager
def _reporting_what_exists(out: Path) -> Iterator[None]:
    """If the run is stopped while it publishes, say whether there is a release; it is complete or does not exist."""
    try:
        yield
    except KeyboardInterrupt:
        warn(f"the release is complete, in {out}" if out.exists() else "there is no release; what was charged stays charged")
        raise


def _public(choices: Choices) -> PublicInputs:
    options = choices.options
    if not options.observed_universe:
        if choices.public.universe is None and "universe" in {option.field_name for option in choices.kind.public_options}:
            message = "name the public --universe (for a .seq file, its header serves); --observed-universe voids the guarantee"
            raise ParameterError(message)
        return choices.public
    if choices.given.get("universe") is not None:
        message = "give --universe or --observed-universe, not both"
        raise ParameterError(message)
    if choices.kind.observed is None:
        message = f"--observed-universe means nothing for {choices.kind.name}; leave it out"
        raise ParameterError(message)
    observed: PublicInputs = load(choices.kind.observed)(options.input, options=choices.reading)
    return PublicInputs(universe=observed.universe, grid=choices.public.grid, others=choices.public.others)


def _published(choices: Choices, records: Any, ledger: Ledger, out: Path, file_format: str) -> Release[Published]:  # noqa: ANN401 - of any kind
    with progress_bar("publishing") as progress:
        release: Release[Published] = (
            choices.mechanism.publish(records, progress=progress)
            if choices.budget is None
            else choices.mechanism.publish(records, budget=choices.budget, ledger=ledger, progress=progress)
        )
        try:
            stop_if_asked()
            if choices.budget is None:  # before anything exists, so that a ledger that cannot be written to stops it
                ledger.note_verified(records.name, choices.method.name, guarantee=release.guarantee.statement())
            with one_at_a_time():
                release.write(out, file_format=file_format, **_elsewhere(choices.options))
        except OutputError as error:
            spent = choices.options.ledger is not None and choices.budget is not None
            message = f"{error}; the spend stays in the ledger" if spent else str(error)
            raise OutputError(message) from None
    return release


def _elsewhere(options: argparse.Namespace) -> dict[str, str]:
    """Where data is written to, if it is not the folder of the release."""
    return {} if options.spark_folder is None else {"spark_folder": options.spark_folder}


def _emptiness(release: Release[Published], expected: int | None) -> str | None:
    """A loud word if there is nothing in a release, or next to nothing: for so many records, or if nobody said how many."""
    if kinds()[release.data.kind].length_is_public:
        return None
    made = len(release.data)
    spent = "nothing stood out from the noise, and the budget is spent; see tacita explain --records"
    if not made:
        return f"THIS RELEASE IS EMPTY: {spent}"
    if "budget" not in release.manifest:
        return None
    if expected is not None and made < NEARLY_EMPTY * expected:
        return f"THIS RELEASE IS NEARLY EMPTY, {made:,} for {expected:,} records: next to {spent}"
    return f"THIS RELEASE IS NEARLY EMPTY, {made:,} in all: next to {spent}" if made < FEWEST else None


def _as_text(release: Release[Published], out: Path, balance: Balance | None, *, expected: int | None) -> str:
    made, kind = "synthetic" if "budget" in release.manifest else "published", kinds()[release.data.kind]
    lines = [
        release.guarantee.statement(),
        f"{len(release.data):,} {made} {kind.pieces or kind.name}, manifest and README are in {out}",
    ]
    if (emptiness := _emptiness(release, expected)) is not None:
        lines.append(emptiness)
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
