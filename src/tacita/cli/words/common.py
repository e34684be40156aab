"""What all command parsers share: adding a command, switches, `--json` and `--config`."""

from __future__ import annotations

import argparse
from typing import TypeAlias

__all__ = ["Commands", "Container", "add_command", "add_config", "add_json", "add_switch"]

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - argparse gives it no public name
Container = argparse._ActionsContainer  # noqa: SLF001 - a parser or a group of options


def add_command(commands: Commands, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    """Offer a command with its help and an example that runs."""
    return commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"Example: {example}",
        allow_abbrev=False,
    )


def add_switch(parser: Container, flag: str, text: str, *, default: bool | None = False) -> None:
    """Offer a switch; `--no-...`, which help leaves out, turns off what a configuration file turned on."""
    name = flag.removeprefix("--")
    dest = name.replace("-", "_")
    parser.add_argument(flag, dest=dest, action="store_true", default=default, help=text)
    parser.add_argument(f"--no-{name}", dest=dest, action="store_false", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def add_json(parser: Container) -> None:
    """Offer output for scripts."""
    add_switch(parser, "--json", "print one JSON object for scripts")


def add_config(parser: Container) -> None:
    """Offer a configuration file."""
    parser.add_argument("--config", metavar="FILE", help="take options from a TOML file; typed options take precedence")
