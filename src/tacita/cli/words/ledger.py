"""The words of `tacita ledger`."""

from __future__ import annotations

from tacita.cli.words.common import Commands, add_command, add_config, add_json
from tacita.kinds.values import amount

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Offer the command and its actions."""
    ledger = add_command(commands, "ledger", "show what was spent, or set a cap", "tacita ledger show metro.ledger")
    actions = ledger.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_show(actions)
    _add_cap(actions)


def _add_show(actions: Commands) -> None:
    show = add_command(actions, "show", "show balances and history", "tacita ledger show metro.ledger")
    show.add_argument("file", metavar="FILE", help="the ledger")
    add_json(show)
    add_config(show)


def _add_cap(actions: Commands) -> None:
    cap = add_command(
        actions,
        "cap",
        "set what may be spent on a data set in all",
        "tacita ledger cap metro.ledger --dataset taps --epsilon 3",
    )
    cap.add_argument("file", metavar="FILE", help="the ledger; made if it does not exist")
    cap.add_argument("--dataset", required=True, metavar="NAME", help="the data set")
    cap.add_argument("--epsilon", required=True, type=amount, metavar="E", help="the most that may be spent")
    cap.add_argument("--delta", type=amount, metavar="D", help="the most that may be spent of delta; 0 if not given")
    add_json(cap)
    add_config(cap)
