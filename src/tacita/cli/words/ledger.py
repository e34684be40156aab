"""The words of `tacita ledger`."""

from __future__ import annotations

from tacita.cli.words import COMMANDS
from tacita.cli.words.common import Commands, add_command, add_config, add_json
from tacita.kinds.values import amount

__all__ = ["add"]

PERSON = "person"


def add(commands: Commands) -> None:
    """Offer the command and its actions."""
    ledger = add_command(commands, "ledger", COMMANDS["ledger"], "tacita ledger show metro.ledger")
    actions = ledger.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_create(actions)
    _add_show(actions)
    _add_cap(actions)
    _add_verify(actions)


def _add_create(actions: Commands) -> None:
    create = add_command(actions, "create", "create a new ledger", "tacita ledger create metro.ledger")
    create.add_argument("file", metavar="FILE", help="the ledger; it must not exist yet")
    add_json(create)
    add_config(create)


def _add_verify(actions: Commands) -> None:
    verify = add_command(
        actions,
        "verify",
        "check every entry of a ledger, and that it still holds an entry noted earlier",
        "tacita ledger verify metro.ledger",
    )
    verify.add_argument("file", metavar="FILE", help="the ledger")
    verify.add_argument("--noted", metavar="N:DIGEST", help="an entry that must be in it, as `ledger show` printed it earlier")
    add_json(verify)
    add_config(verify)


def _add_show(actions: Commands) -> None:
    show = add_command(actions, "show", "show balances and history", "tacita ledger show metro.ledger")
    show.add_argument("file", metavar="FILE", help="the ledger")
    add_json(show)
    add_config(show)


def _add_cap(actions: Commands) -> None:
    cap = add_command(
        actions,
        "cap",
        "set the most that may be spent on a data set in total",
        "tacita ledger cap metro.ledger --dataset taps --epsilon 3",
    )
    cap.add_argument("file", metavar="FILE", help="the ledger")
    cap.add_argument("--dataset", required=True, metavar="NAME", help="the data set")
    cap.add_argument("--epsilon", required=True, type=amount, metavar="E", help="the most that may be spent")
    cap.add_argument(
        "--unit", default=PERSON, metavar="UNIT", help="what one unit of protection is: person, or edge for networks"
    )
    cap.add_argument(
        "--identity",
        metavar="TEXT",
        help="what the data is, in public words; data sets with the same identity share one cap",
    )
    cap.add_argument("--delta", type=amount, metavar="D", help="the most delta that may be spent; 0 if not given")
    add_json(cap)
    add_config(cap)
