"""The words of the command line, a module for each command. Nothing heavy is imported here, so that help answers at once.

A command that is to be offered is a module here with `add`, its name in `COMMANDS`, and a module `tacita.cli.<name>` with `run`.
"""

__all__ = ["COMMANDS"]

COMMANDS = ("publish", "stream", "explain", "evaluate", "attack", "ledger", "audit", "simulate", "demo", "completion")
"""The commands in the order in which help lists them."""
