"""The words of `tacita simulate`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json

__all__ = ["NAMES", "add"]

NAMES = (
    "metro",
    "bus",
    "stm",
    "stm342",
    "city80k",
    "stm460k",
    "baskets",
    "census",
    "network",
    "stm-network",
    "phones",
    "stream",
)
"""The worlds, which a test keeps equal to those of the library."""


def add(commands: Commands) -> None:
    """Offer the command."""
    simulate = add_command(
        commands,
        "simulate",
        COMMANDS["simulate"],
        "tacita simulate metro --records 2000 --out metro",
    )
    simulate.add_argument("world", choices=NAMES, metavar="WORLD", help=", ".join(NAMES))
    simulate.add_argument("--records", type=int, metavar="N", help="how many records; if not given, the size in the papers")
    simulate.add_argument("--seed", type=int, default=0, metavar="N", help="another seed gives another world (0)")
    simulate.add_argument("--out", required=True, metavar="FOLDER", help="the folder to create; it must not exist yet")
    simulate.add_argument("--format", choices=("csv", "parquet"), default="csv", help="how the data is written (csv)")
    add_json(simulate)
    add_config(simulate)
