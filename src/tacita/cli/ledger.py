"""`tacita ledger`: create a ledger, show what was spent, set caps, and verify the file."""

from __future__ import annotations

import argparse
from itertools import groupby
from typing import TYPE_CHECKING

from tacita.cli.parser import COMMANDS, Commands, add_command, add_json
from tacita.cli.screen import say, say_json
from tacita.errors import LedgerDamagedError, ParameterError
from tacita.kinds.registration import amount

if TYPE_CHECKING:
    from tacita.privacy.ledger import Balance, Entry, Ledger, Mark

__all__ = ["add", "run"]

PERSON = "person"


def add(commands: Commands) -> None:
    """Offer the command and its actions."""
    ledger = add_command(commands, "ledger", COMMANDS["ledger"], "tacita ledger show metro.ledger")
    actions = ledger.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_create(actions)
    _add_show(actions)
    _add_cap(actions)
    _add_verify(actions)
    _add_key(actions)


def _add_create(actions: Commands) -> None:
    create = add_command(actions, "create", "create a new ledger", "tacita ledger create metro.ledger")
    create.add_argument("file", metavar="FILE", help="the ledger; it must not exist yet")
    add_json(create)


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


def _add_key(actions: Commands) -> None:
    key = add_command(actions, "key", "make a pair of keys that sign releases", "tacita ledger key metro.key")
    key.add_argument("file", metavar="FILE", help="the private key to create, for its owner alone; the public one is FILE.pub")
    add_json(key)


def _key(options: argparse.Namespace) -> None:
    from tacita.privacy.release import new_key

    private, public = new_key(options.file)
    if options.json:
        say_json("tacita-ledger-key-1", {"key": str(private), "public": str(public)})
    else:
        say(f"the key {str(private)!r} signs releases (publish --key) and stays with you; give {str(public)!r} to recipients")


def _add_show(actions: Commands) -> None:
    show = add_command(actions, "show", "show balances and history", "tacita ledger show metro.ledger")
    show.add_argument("file", metavar="FILE", help="the ledger")
    add_json(show)


def _add_cap(actions: Commands) -> None:
    cap = add_command(
        actions,
        "cap",
        "set the most that may be spent on a data set in total",
        "tacita ledger cap metro.ledger --dataset taps --epsilon 3",
    )
    cap.add_argument("file", metavar="FILE", help="the ledger")
    cap.add_argument("--dataset", required=True, metavar="NAME", help="the data set")
    cap.add_argument("--epsilon", type=amount, metavar="E", help="the most that may be spent")
    cap.add_argument(
        "--rho", type=amount, metavar="R", help="the same in rho, for Gaussian noise; pure spends count half of their squares"
    )
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


def run(options: argparse.Namespace) -> None:
    """Do what was asked with the ledger."""
    {"create": _create, "show": _show, "cap": _cap, "verify": _verify, "key": _key}[options.action](options)


def _create(options: argparse.Namespace) -> None:
    from tacita.privacy.ledger import Ledger

    Ledger.create(options.file)
    if options.json:
        say_json("tacita-ledger-create-1", {"ledger": options.file})
    else:
        say(f"the ledger {options.file!r} is new and empty; set caps in it before the first publication")


def _cap(options: argparse.Namespace) -> None:
    from tacita.cli.choices import balance_as_json
    from tacita.kinds.wanted import given_budget
    from tacita.privacy.ledger import Ledger

    cap = given_budget(options.epsilon, options.delta, options.rho)
    if cap is None:
        message = "a cap needs an --epsilon, perhaps with a --delta, or a --rho"
        raise ParameterError(message)
    ledger = Ledger(options.file)
    ledger.set_cap(options.dataset, cap, unit=options.unit, identity=options.identity)
    balance = ledger.balance(options.dataset, unit=options.unit)
    if options.json:
        say_json("tacita-ledger-cap-1", {"ledger": options.file, "balance": balance_as_json(balance)})
        return
    per = "" if options.unit == PERSON else f" per {options.unit}"
    say(f"the cap of {options.dataset!r} is now {cap}{per}")
    if len(balance.datasets) > 1:
        say(f"it is shared by {_listed(balance)}")
    if balance.is_overspent:
        say(f"{balance.total.cost} is already spent, so nothing more can be spent")


def _verify(options: argparse.Namespace) -> None:
    from tacita.privacy.ledger import Ledger

    ledger = Ledger(options.file)
    found = ledger.verify()
    if options.noted is not None:
        _require_noted(ledger, options)
    if options.json:
        say_json(
            "tacita-ledger-verify-1",
            {"ledger": options.file, "entries": found.entries, "digest": found.digest, "checkpoints": found.checkpoints},
        )
    else:
        say(f"all {found.entries:,} entries are linked correctly; the last one is {found.entries}:{found.digest}")


def _require_noted(ledger: Ledger, options: argparse.Namespace) -> None:
    number, _, digest = options.noted.partition(":")
    if not (number.isdecimal() and digest):
        message = f"--noted must be a number and a digest, such as 12:4a5b, got {options.noted!r}"
        raise ParameterError(message)
    if ledger.digest_of(int(number)) != digest:
        message = (
            f"the ledger {options.file!r} does not hold entry {number} as it was noted: the file was truncated, or replaced "
            "by an older or another copy"
        )
        raise LedgerDamagedError(message)


def _show(options: argparse.Namespace) -> None:
    from tacita.privacy.ledger import Ledger

    ledger = Ledger(options.file)
    entries, balances, mark = ledger.history(), ledger.balances(), ledger.mark()
    if options.json:
        shown = {
            "balances": [_balance_as_json(balance) for balance in balances],
            "entries": [_as_json(entry) for entry in entries],
            "mark": None if mark is None else {"entry": mark.entries, "digest": mark.digest, "file": str(mark.path)},
        }
        say_json("tacita-ledger-show-1", {"ledger": options.file, **shown})
        return
    lines = [] if entries else ["nothing has been spent yet"]
    for _, together in groupby(balances, key=lambda balance: balance.datasets):
        lines += [_balance_line(balance) for balance in together]
    say("\n".join([*lines, "", *map(_entry_line, entries), *([""] if entries else []), _mark_line(mark)]))


def _balance_line(balance: Balance) -> str:
    from tacita.cli.choices import balance_text, group_text

    name = balance.dataset if len(balance.datasets) == 1 else f"{balance.identity} ({_listed(balance)})"
    if balance.unit == PERSON:
        return f"{name}: {balance_text(balance)}"
    return f"{name}: {balance_text(balance)}; {group_text(balance)}"


def _listed(balance: Balance) -> str:
    return ", ".join(balance.datasets)


def _mark_line(mark: Mark | None) -> str:
    if mark is None:
        return "there is no high-water mark beside the ledger, so losing its last entries would go unnoticed"
    return f"high-water mark {mark.entries}:{mark.digest}; note it elsewhere, and check it with `tacita ledger verify --noted`"


def _entry_line(entry: Entry) -> str:
    from tacita.privacy.ledger import EntryKind

    per = "" if entry.unit == PERSON else f" per {entry.unit}"
    cost = f"{entry.cost}{per}"
    identity = f", as {entry.identity!r}" if entry.identity else ""
    what = {
        EntryKind.CAP: f"cap {cost}{identity}",
        EntryKind.CHARGE: f"charge {entry.charge[:8]}: {entry.mechanism}, {cost}{', lasting' if entry.plan else ''}",
        EntryKind.DRAW: f"  draw {entry.charge[:8]}: {entry.step}, {cost}",
        EntryKind.TICK: f"  time step {entry.tick} {entry.charge[:8]}: {entry.step}, {cost}",
        EntryKind.FINISHED: f"  finished {entry.charge[:8]}",
        EntryKind.VOID: f"  void {entry.charge[:8]}: it failed before its first draw, nothing was spent",
        EntryKind.VERIFIED: f"verified: {entry.mechanism}, without a budget: {entry.note}",
        EntryKind.JOURNAL: f"  journal {entry.charge[:8]}: in file {entry.note}",
        EntryKind.RELEASE: f"  release {entry.charge[:8] or 'that cost nothing'}: the folder with the digest {entry.note}",
        EntryKind.PROGRESS: f"  progress {entry.charge[:8]}: the journal has come to byte {entry.note.partition(':')[0]}",
    }[entry.kind]
    return "  ".join([entry.at, *([entry.dataset] if entry.dataset else []), what])


def _balance_as_json(balance: Balance) -> dict[str, object]:
    from tacita.cli.choices import balance_as_json

    names = {"unit": balance.unit, "identity": balance.identity or None, "datasets": list(balance.datasets)}
    return balance_as_json(balance) | names


def _as_json(entry: Entry) -> dict[str, object]:
    from tacita.privacy.budget import decimal_text

    return {
        "number": entry.number,
        "kind": str(entry.kind),
        "dataset": entry.dataset,
        "at": entry.at,
        "charge": entry.charge,
        "mechanism": entry.mechanism,
        "step": entry.step,
        "unit": entry.unit,
        "identity": entry.identity,
        "note": entry.note,
        "tick": entry.tick,
        "epsilon": decimal_text(entry.epsilon),
        "delta": decimal_text(entry.delta),
        "rho": decimal_text(entry.rho),
    }
