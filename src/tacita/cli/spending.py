"""What the ledger says about a publication before it is made, and how balances are told."""

from __future__ import annotations

import os
from fractions import Fraction

from tacita.errors import LedgerError
from tacita.privacy.budget import Budget, decimal_text
from tacita.privacy.ledger import Ledger
from tacita.privacy.ledger_log import Balance

__all__ = ["amounts", "balance_as_json", "balance_text", "cap_text", "expected_balance"]


def expected_balance(ledger: Ledger, dataset: str, budget: Budget) -> Balance:
    """The balance that a publication will find; refuses what the ledger would refuse, and makes no file.

    A ledger that does not exist yet has a balance of nothing, if it can be made.
    """
    Ledger().set_cap(dataset, budget)  # in memory: the rule for names is the ledger's own
    path = ledger.path
    if path is not None and path.exists():
        return ledger.balance(dataset)
    if path is not None and not (path.absolute().parent.is_dir() and os.access(path.absolute().parent, os.W_OK)):
        message = f"the ledger {str(path)!r} cannot be created: its folder must exist and be writable"
        raise LedgerError(message)
    return Balance(dataset=dataset, epsilon=Fraction(0), delta=Fraction(0))


def amounts(epsilon: Fraction, delta: Fraction) -> str:
    """A cost for people; delta only where there is one."""
    text = f"epsilon {decimal_text(epsilon)}"
    return f"{text}, delta {decimal_text(delta)}" if delta else text


def balance_text(balance: Balance) -> str:
    """What was spent, and of what, for people."""
    spent = amounts(balance.epsilon, balance.delta)
    if balance.cap_epsilon is None or balance.cap_delta is None:
        return f"{spent} spent, no cap is set"
    return f"{spent} spent of {amounts(balance.cap_epsilon, balance.cap_delta)}"


def cap_text(balance: Balance) -> str:
    """What may be spent in all, for people."""
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
