"""The words of `tacita audit`."""

from __future__ import annotations

from tacita.cli.words.common import Commands, add_command, add_config, add_json, add_switch
from tacita.cli.words.groups import add_delta, add_grid, add_kind, add_parameters, add_reading, add_universe
from tacita.cli.words.values import amount
from tacita.methods import METHODS

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command."""
    audit = add_command(
        commands,
        "audit",
        "check that a method keeps its promise",
        "tacita audit prefix-tree --height 3 --epsilon 1 --quick",
    )
    audit.add_argument("method", nargs="?", choices=tuple(METHODS), metavar="METHOD", help="the method to audit")
    add_switch(audit, "--all", "audit every method, the samplers and the broken controls")
    add_kind(audit, told_by="method")
    audit.add_argument("--epsilon", default="1", type=amount, metavar="E", help="the budget (1)")
    add_delta(audit)
    add_parameters(audit)
    add_switch(audit, "--quick", "fewer repetitions: some minutes for --all")
    audit.add_argument("--input", metavar="FILE", help="also replay on sampled neighbours of this real file")
    add_universe(audit)
    add_reading(audit)
    add_grid(audit)
    audit.add_argument("--neighbours", type=int, default=1000, metavar="N", help="how many neighbours of the file (1000)")
    audit.add_argument("--seed", type=int, default=0, metavar="N", help="another choice of small data sets and replayed runs")
    audit.add_argument("--html", metavar="FILE", help="write a page with the evidence")
    add_json(audit)
    add_config(audit)
