"""`tacita lattice`: what a method would keep of the private file at each coarser grain, so that the owner can choose one.

The figures come from raw data without noise. They are what this command is for, so they go to standard output, with the words
that they are for the owner's eyes only; they are written nowhere.
"""

from __future__ import annotations

import argparse

from tacita.cli.options import add_method, add_reading
from tacita.cli.parser import COMMANDS, Commands, add_command, add_config, add_json
from tacita.cli.screen import say, say_json, tell_owner
from tacita.errors import InputError, ParameterError
from tacita.kinds import load
from tacita.kinds.registration import whole_numbers

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    lattice = add_command(
        commands,
        "lattice",
        COMMANDS["lattice"],
        "tacita lattice taps.parquet --method suppression --crowd 10 --known-pairs 2 --universe stations.csv "
        "--time-start 0 --time-step 3600 --time-intervals 168 --intervals 1,4,24",
    )
    lattice.add_argument("input", metavar="INPUT", help="the private file, as publish takes it; - is standard input")
    lattice.add_argument(
        "--intervals",
        type=whole_numbers,
        metavar="NUMBERS",
        help="how many intervals are joined, with commas between them (1,2,4,8); every depth of a --taxonomy is tried",
    )
    add_method(lattice)
    add_reading(lattice)
    add_json(lattice)
    add_config(lattice)


GRAIN = ("place_depth", "join_intervals", "taxonomy", "taxonomy_columns", "fan_out")


def run(options: argparse.Namespace) -> None:
    """Read the private file, try every grain, and print the table."""
    from tacita.cli.choices import Choices
    from tacita.io import STANDARD_INPUT
    from tacita.kinds.words import built_method, built_taxonomy

    choices = Choices(options)
    if choices.kind.lattice is None:
        message = f"{choices.kind.name} have no grains to choose from; there is no lattice for {choices.method.name}"
        raise ParameterError(message)
    fixed = [name for name in GRAIN[:2] if choices.given.get(name) is not None]
    if fixed:
        names = ", ".join("--" + name.replace("_", "-") for name in fixed)
        message = f"a lattice tries all grains, so {names} would do nothing; leave it out"
        raise ParameterError(message)
    others = {name: value for name, value in choices.given.items() if name not in GRAIN}
    method = built_method(choices.method, others, choices.public)
    name = "standard input" if options.input == STANDARD_INPUT else None
    records = choices.records(choices.public, name=name)
    tell_owner(records.owner_note)
    if records.is_empty:
        message = f"there is nothing to try: {records.why_empty}"
        raise InputError(message)
    taxonomy = built_taxonomy(choices.given, choices.public)
    found = load(choices.kind.lattice)(records, method.requirement, taxonomy=taxonomy, intervals=options.intervals)
    if options.json:
        say_json("tacita-lattice-1", {"input": str(options.input), **found.as_json()})
    else:
        say(str(found))
