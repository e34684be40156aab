"""`tacita ledger`: what was spent, and the owner's caps."""

from __future__ import annotations

import argparse

from tacita.cli.screen import say, say_json
from tacita.cli.spending import amounts, balance_as_json, balance_text
from tacita.privacy.budget import ApproxDP, PureDP, decimal_text
from tacita.privacy.ledger import Ledger
from tacita.privacy.ledger_log import Entry, EntryKind

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Show the ledger or set a cap in it."""
    ledger = Ledger(options.file)
    if options.action == "cap":
        _cap(ledger, options)
    else:
        _show(ledger, options)


def _cap(ledger: Ledger, options: argparse.Namespace) -> None:
    cap = PureDP(options.epsilon) if options.delta is None else ApproxDP(options.epsilon, options.delta)
    ledger.set_cap(options.dataset, cap)
    if options.json:
        say_json("tacita-ledger-cap-1", {"ledger": options.file, "balance": balance_as_json(ledger.balance(options.dataset))})
    else:
        balance = ledger.balance(options.dataset)
        say(f"the cap of {options.dataset!r} is now {cap}")
        if balance.epsilon > cap.epsilon or balance.delta > cap.delta:
            say(f"{amounts(balance.epsilon, balance.delta)} is spent already, so nothing more can be")


def _show(ledger: Ledger, options: argparse.Namespace) -> None:
    entries = ledger.history()
    balances = [ledger.balance(dataset) for dataset in dict.fromkeys(entry.dataset for entry in entries)]
    if options.json:
        shown = {
            "balances": [balance_as_json(balance) for balance in balances],
            "entries": [_as_json(entry) for entry in entries],
        }
        say_json("tacita-ledger-show-1", {"ledger": options.file, **shown})
    elif entries:
        lines = [f"{balance.dataset}: {balance_text(balance)}" for balance in balances]
        say("\n".join([*lines, "", *map(_entry_line, entries)]))
    else:
        say("nothing was spent yet")


def _entry_line(entry: Entry) -> str:
    cost = amounts(entry.epsilon, entry.delta)
    what = {
        EntryKind.CAP: f"cap {cost}",
        EntryKind.CHARGE: f"charge {entry.charge[:8]}: {entry.mechanism}, {cost}",
        EntryKind.DRAW: f"  draw {entry.charge[:8]}: {entry.step}, {cost}",
        EntryKind.FINISHED: f"  finished {entry.charge[:8]}",
        EntryKind.VOID: f"  void {entry.charge[:8]}: it failed before its first draw, nothing was spent",
    }[entry.kind]
    return f"{entry.at}  {entry.dataset}  {what}"


def _as_json(entry: Entry) -> dict[str, str]:
    return {
        "kind": str(entry.kind),
        "dataset": entry.dataset,
        "at": entry.at,
        "charge": entry.charge,
        "mechanism": entry.mechanism,
        "step": entry.step,
        "epsilon": decimal_text(entry.epsilon),
        "delta": decimal_text(entry.delta),
    }
