"""The parsers of the command line, one module per command. Nothing heavy is imported here, so that help is instant.

A command consists of a module here with `add`, its name in `COMMANDS`, and a module `tacita.cli.<name>` with `run`.
"""

__all__ = ["COMMANDS"]

COMMANDS = ("publish", "stream", "explain", "evaluate", "compare", "attack", "ledger", "audit", "simulate", "demo", "completion")
"""The commands in the order in which help lists them."""
