"""The words of `tacita compare`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json
from tacita.cli.words.groups import add_method, add_reading

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command."""
    compare = add_command(
        commands,
        "compare",
        COMMANDS["compare"],
        "tacita compare events.jsonl --method pace --contexts 40 --epsilon 1 --universe cells.txt "
        "--time-start 0 --time-step 1 --time-intervals 96",
    )
    compare.add_argument("input", metavar="INPUT", help="a file as publish takes it, better a public or a simulated one")
    add_method(compare)
    add_reading(compare)
    compare.add_argument("--runs", type=int, default=1, metavar="N", help="how often each method is run (1)")
    add_json(compare)
    add_config(compare)
