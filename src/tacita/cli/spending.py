"""The ledger of a command, the balance it expects before a publication, and balances in words."""

from __future__ import annotations

import argparse
import os
from fractions import Fraction
from pathlib import Path

from tacita.errors import LedgerError
from tacita.privacy.budget import decimal_text
from tacita.privacy.ledger import PERSON, Balance, Ledger
from tacita.privacy.ledger.names import check_name

__all__ = [
    "amounts",
    "balance_as_json",
    "balance_text",
    "cap_text",
    "expected_balance",
    "group_text",
    "opened_ledger",
]

WAIT_SECONDS = 30.0
"""How long a command waits for other publishers."""


def opened_ledger(options: argparse.Namespace) -> Ledger:
    """The ledger of a publication: created if requested, in memory if none was given."""
    if options.ledger is None:
        return Ledger()
    rest = {"wait_seconds": WAIT_SECONDS, "new_datasets": options.new_dataset}
    return Ledger.create(options.ledger, exist_ok=True, **rest) if options.create_ledger else Ledger(options.ledger, **rest)


def expected_balance(options: argparse.Namespace, dataset: str, unit: str = PERSON) -> Balance:
    """The balance that a publication will find; refuses what the ledger would refuse, and makes no file.

    A ledger that is still to be made has a balance of nothing, if it can be made.
    """
    check_name(dataset)
    if options.ledger is None or (options.create_ledger and not Path(options.ledger).exists()):
        _require_folder(options.ledger)
        return Balance(dataset=dataset, epsilon=Fraction(0), delta=Fraction(0), unit=unit)
    ledger = Ledger(options.ledger, wait_seconds=WAIT_SECONDS, new_datasets=options.new_dataset)
    return ledger.balance(dataset, unit=unit)


def _require_folder(ledger: str | None) -> None:
    folder = None if ledger is None else Path(ledger).absolute().parent
    if folder is not None and not (folder.is_dir() and os.access(folder, os.W_OK)):
        message = f"the ledger {ledger!r} cannot be created: its folder must exist and be writable"
        raise LedgerError(message)


def amounts(epsilon: Fraction, delta: Fraction) -> str:
    """A cost as text; with delta only if there is one."""
    text = f"epsilon {decimal_text(epsilon)}"
    return f"{text}, delta {decimal_text(delta)}" if delta else text


def balance_text(balance: Balance) -> str:
    """What was spent, and the cap, as text."""
    per = "" if balance.unit == PERSON else f" per {balance.unit}"
    spent = f"{amounts(balance.epsilon, balance.delta)}{per}"
    if balance.cap_epsilon is None or balance.cap_delta is None:
        return f"{spent} spent, no cap is set"
    return f"{spent} spent of {amounts(balance.cap_epsilon, balance.cap_delta)}"


def group_text(balance: Balance, together: int = 10) -> str:
    """What spends in a unit smaller than a person mean for several of them."""
    each, whole = decimal_text(balance.epsilon), decimal_text(balance.epsilon * together)
    if " window of " in balance.unit:
        return f"whoever has events in k such windows can lose k times {each}"
    return f"{each} per {balance.unit}, so {whole} for a group of {together}, and k times {each} for any k"


def cap_text(balance: Balance) -> str:
    """The cap as text."""
    if balance.cap_epsilon is None:
        return "no cap is set"
    delta = f", delta {decimal_text(balance.cap_delta)}" if balance.cap_delta else ""
    return f"the cap is {decimal_text(balance.cap_epsilon)}{delta}"


def balance_as_json(balance: Balance) -> dict[str, object]:
    """A balance for scripts."""

    def text(value: Fraction | None) -> str | None:
        return None if value is None else decimal_text(value)

    return {
        "dataset": balance.dataset,
        "epsilon": text(balance.epsilon),
        "delta": text(balance.delta),
        "cap_epsilon": text(balance.cap_epsilon),
        "cap_delta": text(balance.cap_delta),
    }
