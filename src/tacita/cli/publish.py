"""`tacita publish`: from a private file to a release folder."""

from __future__ import annotations

import argparse

from tacita.cli.choices import chosen_method, chosen_universe
from tacita.cli.screen import progress_bar, say, tell_owner
from tacita.core.budget import PureDP, decimal_text
from tacita.core.errors import ParameterError
from tacita.core.ledger import Ledger
from tacita.core.release import require_new_folder
from tacita.core.universe import Universe
from tacita.io import FileFormat, LongColumns, format_of
from tacita.io.long_rows import observed_labels
from tacita.sequences import SequenceRecords, read_sequences

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Check everything that can be checked before budget is spent, then publish and write."""
    method, budget = chosen_method(options), PureDP(options.epsilon)
    out = require_new_folder(options.out)
    file_format = None if options.format is None else _file_format(options.format)
    ledger = Ledger(options.ledger)
    records = _read(options)
    with progress_bar("publishing") as progress:
        release = method.publish(records, budget=budget, ledger=ledger, progress=progress)
        release.write(out, file_format=file_format)
    say(release.guarantee.statement())
    say(f"{len(release.data):,} synthetic sequences, manifest and README are in {out}")
    if options.ledger is None:
        tell_owner("no --ledger was named, so nothing remembers this spend")
    else:
        balance = ledger.balance(records.name)
        cap = "no cap is set" if balance.cap_epsilon is None else f"the cap is {decimal_text(balance.cap_epsilon)}"
        say(f"spent on {records.name!r} so far: epsilon {decimal_text(balance.epsilon)}; {cap}")


def _file_format(name: str) -> FileFormat:
    try:
        return FileFormat(name)
    except ValueError:
        message = f"--format must be one of {', '.join(FileFormat)}, got {name!r}"
        raise ParameterError(message) from None


def _read(options: argparse.Namespace) -> SequenceRecords:
    columns = LongColumns(id=options.id, label=options.label, time=options.time)
    universe = chosen_universe(options)
    if options.observed_universe:
        if universe is not None:
            message = "--universe and --observed-universe exclude each other; give the public one"
            raise ParameterError(message)
        if format_of(options.input) is FileFormat.SEQ:
            message = "a .seq file names its categories in its header, so --observed-universe is not needed"
            raise ParameterError(message)
        universe = Universe.observed(observed_labels(options.input, columns=columns))
        tell_owner("the universe is taken from the data: this release is NOT PRIVATE")
    records = read_sequences(options.input, universe=universe, columns=columns, name=options.dataset, strict=options.strict)
    if records.dropped_labels:
        tell_owner(f"for your eyes only: {records.dropped_labels:,} labels outside the universe were dropped")
    return records
