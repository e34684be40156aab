"""`tacita lattice`: what a method would keep of the private file at each coarser grain, so that the owner can choose one.

The figures come from raw data without noise. They are what this command is for, so they go to standard output, with the words
that they are for the owner's eyes only; they are written nowhere.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tacita.cli.options import add_kinds, add_method, add_needed, add_public, add_reading, add_rest
from tacita.cli.parser import COMMANDS, Commands, Parser, add_command, add_config, add_json
from tacita.cli.screen import say, say_json, tell_owner
from tacita.errors import InputError, ParameterError
from tacita.kinds import Kind, load
from tacita.kinds.registration import whole_numbers

__all__ = ["add", "run"]


def add(commands: Commands) -> None:
    """Offer the command."""
    lattice = add_command(
        commands,
        "lattice",
        COMMANDS["lattice"],
        "tacita lattice trajectories taps.parquet --method suppression --crowd 10 --known-pairs 2 --universe stations.csv "
        "--time-start 0 --time-step 3600 --time-intervals 168 --intervals 1,4,24",
    )
    add_kinds(lattice, _fill, has=lambda kind: kind.lattice is not None)


def _fill(kind: Kind, parser: Parser, words: Sequence[str]) -> None:
    """The options for one kind."""
    needed = add_needed(parser, kind, words, file="the private file, as publish takes it; - is standard input")
    needed.add_argument(
        "--intervals",
        type=whole_numbers,
        metavar="NUMBERS",
        help="how many intervals are joined, with commas between them (1,2,4,8); every depth of a --taxonomy is tried",
    )
    add_public(parser, kind)
    add_reading(parser, kind, words)
    add_method(parser, kind, words)
    output = add_rest(parser)
    add_json(output)
    add_config(output)


GRAIN = ("place_depth", "join_intervals", "taxonomy", "taxonomy_columns", "fan_out")


def run(options: argparse.Namespace) -> None:
    """Read the private file, try every grain, and print the table."""
    from tacita.cli.choices import Choices
    from tacita.io import STANDARD_INPUT
    from tacita.kinds.words import built_method, built_taxonomy

    choices = Choices(options)
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
    found = load(str(choices.kind.lattice))(records, method.requirement, taxonomy=taxonomy, intervals=options.intervals)
    if options.json:
        say_json("tacita-lattice-1", {"input": str(options.input), **found.as_json()})
    else:
        say(str(found))
