"""`tacita publish`: from a private file to a release folder."""

from __future__ import annotations

import argparse

from tacita.cli.choices import chosen_method, chosen_universe
from tacita.cli.interrupts import one_at_a_time
from tacita.cli.screen import progress_bar, say, tell_owner
from tacita.core.budget import PureDP, decimal_text
from tacita.core.errors import ParameterError
from tacita.core.ledger import Ledger
from tacita.core.release import require_new_folder
from tacita.core.universe import Universe
from tacita.io import FileFormat, LongColumns, declared_universe, format_of
from tacita.io.long_rows import observed_labels
from tacita.sequences import read_sequences
from tacita.sequences.published import writable_format

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Check everything that can be checked before budget is spent, then publish and write."""
    method, budget = chosen_method(options), PureDP(options.epsilon)
    method.plan(budget)
    out = require_new_folder(options.out)
    columns = LongColumns(id=options.id, label=options.label, time=options.time)
    universe = _universe(options, columns)
    file_format = writable_format(options.format or format_of(options.input), universe)
    ledger = Ledger(options.ledger)
    records = read_sequences(options.input, universe=universe, columns=columns, name=options.dataset, strict=options.strict)
    if records.dropped_labels:
        tell_owner(f"for your eyes only: {records.dropped_labels:,} labels outside the universe were dropped")
    with progress_bar("publishing") as progress:
        release = method.publish(records, budget=budget, ledger=ledger, progress=progress)
        with one_at_a_time():
            release.write(out, file_format=file_format)
    say(release.guarantee.statement())
    say(f"{len(release.data):,} synthetic sequences, manifest and README are in {out}")
    if options.ledger is None:
        tell_owner("no --ledger was named, so nothing remembers this spend")
    else:
        balance = ledger.balance(records.name)
        cap = "no cap is set" if balance.cap_epsilon is None else f"the cap is {decimal_text(balance.cap_epsilon)}"
        say(f"spent on {records.name!r} so far: epsilon {decimal_text(balance.epsilon)}; {cap}")


def _universe(options: argparse.Namespace, columns: LongColumns) -> Universe:
    given = chosen_universe(options)
    if options.observed_universe == (given is not None):
        message = "name the public --universe (a .seq file serves by its header); --observed-universe instead voids the guarantee"
        raise ParameterError(message)
    if given is not None:
        return given
    tell_owner("the universe is taken from the data: this release is NOT PRIVATE")
    if format_of(options.input) is FileFormat.SEQ:
        return Universe.observed(declared_universe(options.input).labels)
    return Universe.observed(observed_labels(options.input, columns=columns))
