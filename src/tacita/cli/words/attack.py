"""The words of `tacita attack`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json
from tacita.cli.words.groups import add_kind, add_public, add_reading

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command."""
    attack = add_command(
        commands,
        "attack",
        COMMANDS["attack"],
        "tacita attack taps.parquet release --known 3",
    )
    attack.add_argument("input", metavar="INPUT", help="the private file, as publish takes it; - is standard input")
    attack.add_argument("releases", metavar="FOLDER", nargs="*", help="release folders; two of them are also held together")
    add_kind(attack, inferred_from="first release")
    attack.add_argument(
        "--known",
        type=int,
        metavar="N",
        help="how much the attacker knows: up to N columns of a row (all of them), or N points of a record (4)",
    )
    add_public(attack)
    add_reading(attack)
    add_json(attack)
    add_config(attack)
