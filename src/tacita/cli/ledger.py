"""`tacita ledger`: what was spent, and the owner's caps."""

from __future__ import annotations

import argparse
import json
from fractions import Fraction

from tacita.cli.screen import say
from tacita.core.budget import ApproxDP, PureDP, decimal_text
from tacita.core.ledger import Ledger
from tacita.core.ledger_log import Balance, Entry, EntryKind

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Show the ledger or set a cap in it."""
    ledger = Ledger(options.file)
    if options.action == "cap":
        cap = PureDP(options.epsilon) if options.delta is None else ApproxDP(options.epsilon, options.delta)
        ledger.set_cap(options.dataset, cap)
        say(f"the cap of {options.dataset!r} is now {cap}")
        return
    entries = ledger.history()
    datasets = dict.fromkeys(entry.dataset for entry in entries)
    balances = [ledger.balance(dataset) for dataset in datasets]
    if options.json:
        say(json.dumps(_as_json(balances, entries), indent=2))
    else:
        say("\n".join([*map(_balance_line, balances), "", *map(_entry_line, entries)] if entries else ["nothing was spent yet"]))


def _balance_line(balance: Balance) -> str:
    spent = _cost(balance.epsilon, balance.delta)
    if balance.cap_epsilon is None or balance.cap_delta is None:
        return f"{balance.dataset}: {spent} spent, no cap is set"
    return f"{balance.dataset}: {spent} spent of {_cost(balance.cap_epsilon, balance.cap_delta)}"


def _entry_line(entry: Entry) -> str:
    cost = _cost(entry.epsilon, entry.delta)
    what = {
        EntryKind.CAP: f"cap {cost}",
        EntryKind.CHARGE: f"charge {entry.charge[:8]}: {entry.mechanism}, {cost}",
        EntryKind.DRAW: f"  draw {entry.charge[:8]}: {entry.step}, {cost}",
        EntryKind.FINISHED: f"  finished {entry.charge[:8]}",
        EntryKind.VOID: f"  void {entry.charge[:8]}: it failed before its first draw, nothing was spent",
    }[entry.kind]
    return f"{entry.at}  {entry.dataset}  {what}"


def _cost(epsilon: Fraction, delta: Fraction) -> str:
    text = f"epsilon {decimal_text(epsilon)}"
    return f"{text}, delta {decimal_text(delta)}" if delta else text


def _as_json(balances: list[Balance], entries: list[Entry]) -> dict[str, object]:
    def text(value: object) -> str | None:
        return None if value is None else str(value)

    names = ("kind", "dataset", "at", "charge", "mechanism", "step", "epsilon", "delta")
    return {
        "balances": [
            {
                "dataset": balance.dataset,
                "epsilon": text(balance.epsilon),
                "delta": text(balance.delta),
                "cap_epsilon": text(balance.cap_epsilon),
                "cap_delta": text(balance.cap_delta),
            }
            for balance in balances
        ],
        "entries": [dict(zip(names, entry.content(), strict=True)) for entry in entries],
    }
