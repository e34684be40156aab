"""The words of `tacita lattice`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json
from tacita.cli.words.groups import add_method, add_reading
from tacita.kinds.values import whole_numbers

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command."""
    lattice = add_command(
        commands,
        "lattice",
        COMMANDS["lattice"],
        "tacita lattice taps.csv --method suppression --crowd 10 --known-pairs 2 --universe stations.csv "
        "--time-start 0 --time-step 1 --time-intervals 24 --intervals 1,2,4",
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
