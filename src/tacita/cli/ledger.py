"""`tacita ledger`: create a ledger, show what was spent, set caps, and verify the file."""

from __future__ import annotations

import argparse
from itertools import groupby

from tacita.cli.screen import say, say_json
from tacita.cli.spending import amounts, balance_as_json, balance_text, group_text
from tacita.errors import LedgerDamagedError, ParameterError
from tacita.privacy.budget import ApproxDP, PureDP, decimal_text
from tacita.privacy.ledger import PERSON, Balance, Entry, EntryKind, Ledger, Mark

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Do what was asked with the ledger."""
    {"create": _create, "show": _show, "cap": _cap, "verify": _verify}[options.action](options)


def _create(options: argparse.Namespace) -> None:
    Ledger.create(options.file)
    if options.json:
        say_json("tacita-ledger-create-1", {"ledger": options.file})
    else:
        say(f"the ledger {options.file!r} is new and empty; set caps in it before the first publication")


def _cap(options: argparse.Namespace) -> None:
    cap = PureDP(options.epsilon) if options.delta is None else ApproxDP(options.epsilon, options.delta)
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
    if balance.epsilon > cap.epsilon or balance.delta > cap.delta:
        say(f"{amounts(balance.epsilon, balance.delta)} is already spent, so nothing more can be spent")


def _verify(options: argparse.Namespace) -> None:
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
    per = "" if entry.unit == PERSON else f" per {entry.unit}"
    cost = f"{amounts(entry.epsilon, entry.delta)}{per}"
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
    }[entry.kind]
    return "  ".join([entry.at, *([entry.dataset] if entry.dataset else []), what])


def _balance_as_json(balance: Balance) -> dict[str, object]:
    names = {"unit": balance.unit, "identity": balance.identity or None, "datasets": list(balance.datasets)}
    return balance_as_json(balance) | names


def _as_json(entry: Entry) -> dict[str, object]:
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
    }
