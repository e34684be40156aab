"""The words of `tacita explain`."""

from __future__ import annotations

from tacita.cli.words.common import Commands, add_command, add_config, add_json
from tacita.cli.words.groups import add_method

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command."""
    explain = add_command(
        commands,
        "explain",
        "tell where a budget would go, without touching data",
        "tacita explain --method prefix-tree --height 12 --epsilon 1.0 --universe stations.csv",
    )
    add_method(explain)
    add_json(explain)
    add_config(explain)
