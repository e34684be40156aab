"""The words of `tacita attack`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json
from tacita.cli.words.groups import add_budget, add_kind, add_parameters, add_public, add_reading, method_name, private_methods

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command."""
    attack = add_command(
        commands,
        "attack",
        COMMANDS["attack"],
        "tacita attack taps.parquet release --known 3",
    )
    attack.add_argument(
        "input", metavar="INPUT", nargs="?", help="the private file, as publish takes it; - is standard input; none for a game"
    )
    attack.add_argument("releases", metavar="FOLDER", nargs="*", help="release folders; two of them are also held together")
    add_kind(attack, inferred_from="first release")
    attack.add_argument(
        "--known",
        type=int,
        metavar="N",
        help="how much the attacker knows: up to N columns of a row (all of them), or N points of a record (4)",
    )
    attack.add_argument(
        "--plot",
        metavar="FILE",
        help="draw all shares into a new file, which is private too: an SVG picture, or a page if its name ends in .html",
    )
    add_public(attack)
    add_reading(attack)
    game = attack.add_argument_group("membership linkage against a private method, on small data that belongs to nobody")
    game.add_argument(
        "--membership", type=int, metavar="RUNS", help="publish this many times with a person and without, and guess"
    )
    game.add_argument(
        "--method",
        type=method_name,
        choices=tuple(private_methods()),
        metavar="METHOD",
        help="the method; its parameters follow",
    )
    add_budget(game)
    add_parameters(attack)
    add_json(attack)
    add_config(attack)
