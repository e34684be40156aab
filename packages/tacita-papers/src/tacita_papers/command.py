"""The words of `tacita reproduce`, which Tacita finds through the entry point of `tacita.commands`; what runs is loaded then."""

from __future__ import annotations

import argparse

from tacita.cli.parser import Commands, add_command, add_json, add_switch

__all__ = ["add", "run"]

SUMMARY = "run the papers' experiments again, with a computed verdict for each"


def add(commands: Commands) -> None:
    """Offer the command."""
    reproduce = add_command(commands, "reproduce", SUMMARY, "tacita reproduce 003-T1 --quick --out results")
    reproduce.add_argument(
        "experiments",
        nargs="*",
        metavar="ID",
        help="experiments, or the beginning of their ids, such as 001-F4; all if none is named",
    )
    add_switch(reproduce, "--list", "list the experiments with their verdicts in the folder so far, and run nothing")
    add_switch(reproduce, "--quick", "a small version of everything: fewer records, queries, runs and values")
    add_switch(reproduce, "--again", "measure also what is finished")
    reproduce.add_argument("--jobs", type=int, metavar="N", help="how many experiments run at a time (one per processor)")
    reproduce.add_argument(
        "--out",
        default="tacita-results",
        metavar="FOLDER",
        help="where results are kept; what is there is not run again (tacita-results)",
    )
    add_json(reproduce)


def run(options: argparse.Namespace) -> None:
    """List the experiments, or run those that are named."""
    from tacita_papers.reproduce import command  # noqa: PLC0415 - keeps help fast

    command.run(options)
